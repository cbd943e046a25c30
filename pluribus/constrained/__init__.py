"""Data and constraints -> one partition. One file for each method."""

from pluribus.constrained._registry import by_name, names
from pluribus.constrained._shared.base import ConstrainedMixin
from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained.categories.category_segmentation import CategorySegmentation
from pluribus.constrained.coclusters._bi_sets import BiSets
from pluribus.constrained.coclusters._concepts import concepts
from pluribus.constrained.coclusters._errors import CoverageWarning, PatternExplosionError
from pluribus.constrained.coclusters.constrained_co_clustering import ConstrainedCoClustering
from pluribus.constrained.coclusters.information_co_clustering import InformationCoClustering
from pluribus.constrained.coclusters.spectral_co_clustering import SpectralCoClustering
from pluribus.constrained.conditions._conditions import (
    Aggregate,
    AtLeast,
    Condition,
    Distinct,
    EntropyDiversity,
    RecursiveDiversity,
)
from pluribus.constrained.conditions._requirements import satisfied
from pluribus.constrained.conditions.aggregate_kmeans import AggregateConstrainedKMeans
from pluribus.constrained.feedback._feedback import Feedback
from pluribus.constrained.feedback.feedback_clusterer import FeedbackClusterer
from pluribus.constrained.mixtures.gaussian_mixture import ConstrainedGaussianMixture
from pluribus.constrained.mixtures.mean_field_mixture import MeanFieldMixture
from pluribus.constrained.mixtures.pairwise_mean_field import PairwiseMeanField
from pluribus.constrained.mixtures.penalized_mixture import PenalizedMixture
from pluribus.constrained.pairs.cobras import Cobras
from pluribus.constrained.pairs.cop_kmeans import CopKMeans
from pluribus.constrained.pairs.metric_pairwise_kmeans import MetricPairwiseKMeans
from pluribus.constrained.pairs.pairwise_kmeans import PairwiseKMeans
from pluribus.constrained.pairs.seeded_kmeans import SeededKMeans
from pluribus.constrained.sizes.balanced_kmeans import BalancedKMeans
from pluribus.constrained.sizes.frequency_sensitive import FrequencySensitiveKMeans
from pluribus.constrained.sizes.size_constrained_kmeans import SizeConstrainedKMeans
from pluribus.constrained.sizes.soft_balanced_kmeans import SoftBalancedKMeans

__all__ = [
    "Aggregate",
    "AggregateConstrainedKMeans",
    "AtLeast",
    "BalancedKMeans",
    "BiSets",
    "CategorySegmentation",
    "Cobras",
    "Condition",
    "ConstrainedCoClustering",
    "ConstrainedGaussianMixture",
    "ConstrainedMixin",
    "CopKMeans",
    "CoverageWarning",
    "Distinct",
    "EntropyDiversity",
    "Feedback",
    "FeedbackClusterer",
    "FrequencySensitiveKMeans",
    "InformationCoClustering",
    "MeanFieldMixture",
    "MetricPairwiseKMeans",
    "NoFeasibleAssignmentError",
    "PairwiseKMeans",
    "PairwiseMeanField",
    "PatternExplosionError",
    "PenalizedMixture",
    "RecursiveDiversity",
    "SeededKMeans",
    "SizeConstrainedKMeans",
    "SoftBalancedKMeans",
    "SpectralCoClustering",
    "by_name",
    "concepts",
    "names",
    "satisfied",
]

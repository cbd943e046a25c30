"""Data and what you know about it -> one partition. One file for one method."""

from ._aggregate_kmeans import AggregateConstrainedKMeans
from ._anonymizer import Anonymizer
from ._anonymizer_checks import PublishedCheck, check_published
from ._anonymizer_report import AnonymityReport
from ._balanced_kmeans import BalancedKMeans
from ._base import ConstrainedMixin
from ._conditions import Aggregate, AtLeast, Condition, Distinct, EntropyDiversity, RecursiveDiversity
from ._cop_kmeans import CopKMeans
from ._errors import NoFeasibleAssignmentError
from ._feedback import Feedback
from ._feedback_clusterer import FeedbackClusterer
from ._frequency_sensitive import FrequencySensitiveKMeans
from ._gaussian_mixture import ConstrainedGaussianMixture
from ._mean_field_mixture import MeanFieldMixture
from ._metric_pairwise_kmeans import MetricPairwiseKMeans
from ._names import by_name, names
from ._pairwise_kmeans import PairwiseKMeans
from ._penalized_mixture import PenalizedMixture
from ._requirements import satisfied
from ._seeded_kmeans import SeededKMeans
from ._size_constrained_kmeans import SizeConstrainedKMeans

__all__ = [
    "Aggregate",
    "AggregateConstrainedKMeans",
    "AnonymityReport",
    "Anonymizer",
    "AtLeast",
    "BalancedKMeans",
    "Condition",
    "ConstrainedGaussianMixture",
    "ConstrainedMixin",
    "CopKMeans",
    "Distinct",
    "EntropyDiversity",
    "Feedback",
    "FeedbackClusterer",
    "FrequencySensitiveKMeans",
    "MeanFieldMixture",
    "MetricPairwiseKMeans",
    "NoFeasibleAssignmentError",
    "PairwiseKMeans",
    "PenalizedMixture",
    "PublishedCheck",
    "RecursiveDiversity",
    "SeededKMeans",
    "SizeConstrainedKMeans",
    "by_name",
    "check_published",
    "names",
    "satisfied",
]

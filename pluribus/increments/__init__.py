"""Distances between neighbors grow by increments, which are small inside a cluster and large across a gap."""

from pluribus.increments._registry import by_name, names
from pluribus.increments._shared.errors import DegenerateIncrementsError
from pluribus.increments.classifier.increments_classifier import IncrementsClassifier
from pluribus.increments.dissimilarity_embedding import DissimilarityEmbedding
from pluribus.increments.dissimilarity_increments import dissimilarity_increments
from pluribus.increments.distribution import IncrementsDistribution
from pluribus.increments.goodness_of_fit import cramer_von_mises_statistic, jensen_shannon_divergence
from pluribus.increments.hierarchy.increments_hierarchy import IncrementsHierarchy
from pluribus.increments.mixture._merging import MergedPartition
from pluribus.increments.mixture.increments_mixture import IncrementsMixture
from pluribus.increments.mixture.merge_partition import merge_partition
from pluribus.increments.mixture.message_length_mixture import MessageLengthMixture

__all__ = [
    "DegenerateIncrementsError",
    "DissimilarityEmbedding",
    "IncrementsClassifier",
    "IncrementsDistribution",
    "IncrementsHierarchy",
    "IncrementsMixture",
    "MergedPartition",
    "MessageLengthMixture",
    "by_name",
    "cramer_von_mises_statistic",
    "dissimilarity_increments",
    "jensen_shannon_divergence",
    "merge_partition",
    "names",
]

"""Examples of what is similar and what is not -> a similarity that other methods can use."""

from pluribus.similarity._registry import by_name, names
from pluribus.similarity.kernels.multiple_kernel_kmeans import MultipleKernelKMeans
from pluribus.similarity.kernels.online_multiple_kernel import OnlineMultipleKernel
from pluribus.similarity.metric.cannot_link_metric import CannotLinkMetric
from pluribus.similarity.pairwise.ambiguous_pairs import AmbiguousPairs
from pluribus.similarity.pairwise.pairwise_kernel_classifier import PairwiseKernelClassifier
from pluribus.similarity.pairwise.tracks import majority_vote, track_constraints

__all__ = [
    "AmbiguousPairs",
    "CannotLinkMetric",
    "MultipleKernelKMeans",
    "OnlineMultipleKernel",
    "PairwiseKernelClassifier",
    "by_name",
    "majority_vote",
    "names",
    "track_constraints",
]

"""Examples of what is similar and what is not -> a similarity that other methods can use."""

from pluribus.similarity._registry import by_name, names
from pluribus.similarity.metric.cannot_link_metric import CannotLinkMetric
from pluribus.similarity.pairwise.pairwise_kernel_classifier import PairwiseKernelClassifier

__all__ = [
    "CannotLinkMetric",
    "PairwiseKernelClassifier",
    "by_name",
    "names",
]

"""Data and what you know about it -> one partition. One file for one method."""

from ._base import ConstrainedMixin
from ._cop_kmeans import CopKMeans
from ._errors import NoFeasibleAssignmentError
from ._pairwise_kmeans import PairwiseKMeans
from ._seeded_kmeans import SeededKMeans

__all__ = ["ConstrainedMixin", "CopKMeans", "NoFeasibleAssignmentError", "PairwiseKMeans", "SeededKMeans"]

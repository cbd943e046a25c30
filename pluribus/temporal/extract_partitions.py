"""Partitions from the evidence, by five linkages."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from pluribus._engine import number_array, whole_number
from pluribus.consensus._internal import cut_into, lifetimes, longest_lived
from pluribus.temporal._arguments import texts

LINKAGES = ("single", "complete", "average", "ward", "centroid")
_NO_TOP = ("ward",)  # heights without an upper bound


def extract_partitions(
    C: Any, methods: Sequence[str] = LINKAGES, *, k_min: int = 2, k_max: int | None = None
) -> np.ndarray:
    """Partitions of the evidence by several linkages, each with the number of clusters that lives longest.

    The dissimilarity of two objects is 1 - c. The lifetime of k clusters is the range of heights in which the
    dendrogram has k clusters; of equal lifetimes the smaller k counts. Heights of centroid link, which may fall, are
    replaced by their running maximum. Ward and centroid link treat 1 - c as a Euclidean distance, as the source does.

    If no number of clusters in the range has a lifetime (all objects are always together, or never), one cluster and n
    clusters are possible as well.

    Parameters
    ----------
    C : array of shape (n, n)
        Evidence: symmetric, between 0 and 1, with 1 on the diagonal.
    methods : sequence of {"single", "complete", "average", "ward", "centroid"}
    k_min, k_max : int
        The numbers of clusters that compete, by default from 2 to n - 1. With ``k_min=1``, one cluster lives from the
        last merge to 1.

    Returns
    -------
    ndarray of shape (n_methods, n)
        Labels, numbered by first occurrence.

    Examples
    --------
    >>> from pluribus.temporal import extract_partitions
    >>> C = [[1, .9, .8, .1, .1], [.9, 1, .8, .1, .2], [.8, .8, 1, .1, .1], [.1, .1, .1, 1, .7], [.1, .2, .1, .7, 1]]
    >>> extract_partitions(C, ["single", "ward"])
    array([[0, 0, 0, 1, 1],
           [0, 0, 0, 1, 1]])
    """
    evidence = check_evidence(C)
    n = len(evidence)
    linkages = texts("methods", methods, LINKAGES)
    k_min = whole_number("k_min", k_min, 1)
    k_max = max(n - 1, 1) if k_max is None else whole_number("k_max", k_max, k_min)
    return extracted(evidence, linkages, (min(k_min, n), min(k_max, n)))


def check_evidence(C: Any) -> np.ndarray:
    """The evidence as an array of float64, if it is one."""
    evidence = number_array("C", C)
    if evidence.ndim != 2 or evidence.shape[0] != evidence.shape[1] or len(evidence) == 0:
        raise ValueError(f"C is an array of shape {evidence.shape}: give a square matrix of evidence.")
    if not np.isfinite(evidence).all() or evidence.min() < -1e-9 or evidence.max() > 1 + 1e-9:
        raise ValueError("C has values that are not between 0 and 1: give the share of partitions for each pair.")
    if not np.allclose(evidence, evidence.T, atol=1e-9):
        raise ValueError("C is not symmetric: the evidence of i and j is that of j and i.")
    return evidence


def extracted(evidence: np.ndarray, methods: Sequence[str], k_range: tuple[int, int] | None) -> np.ndarray:
    """As `extract_partitions`, for evidence that is checked."""
    n = len(evidence)
    if n == 1:
        return np.zeros((len(methods), 1), dtype=np.int64)
    apart = squareform(np.maximum(1 - evidence, 0), checks=False)
    return np.array([_partition(apart, method, k_range) for method in methods])


def _partition(apart: np.ndarray, method: str, k_range: tuple[int, int] | None) -> np.ndarray:
    tree = linkage(apart, method)
    lengths = lifetimes(tree, None if method in _NO_TOP else 1.0)
    return cut_into(tree, longest_lived(lengths, k_range, allow_single_cluster=False))

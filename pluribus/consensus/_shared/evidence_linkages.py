"""The linkages of evidence accumulation: from evidence to a dendrogram in scipy's format."""

import numpy as np
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

from pluribus._engine import track
from pluribus._kernels.labels.pair_counts import member_lists
from pluribus._kernels.linkage.average_link import Chain, Groups, empty_chain, follow_chain, start_groups
from pluribus._kernels.linkage.dendrogram import merges_to_linkage
from pluribus._kernels.linkage.genie import genie_merges
from pluribus._kernels.linkage.single_link import empty_frontier, grow_tree
from pluribus._kernels.linkage.spanning_tree import tree_of_distances
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import UniqueRows

_STEPS = 100  # how often progress is shown
_DIGITS = 12  # of lengths that are equal up to rounding
EXACT_SECONDS = 60  # evidence accumulation uses all pairs if that takes no longer
_SECONDS_OF_PAIR = {"single": 10e-9, "average": 20e-9}  # for each cluster that contains the pair
_SECONDS_OF_PAIR_MISSING = {"single": 40e-9, "average": 60e-9}


def predict_seconds(ensemble: Ensemble, method: str) -> float:
    """About how long exact single or average link takes on distinct objects, from the pairs that share clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.consensus._internal import predict_seconds
    >>> ensemble = Ensemble(np.arange(100_000)[:, None] % 50)
    >>> f"{predict_seconds(ensemble, 'average'):.0f} s"
    '4 s'
    """
    n_pairs = 0.0
    for column in ensemble.labels.T:
        sizes = np.bincount(column[column >= 0]).astype(np.float64)
        n_pairs += float(sizes @ sizes)
    return seconds_of_pairs(n_pairs, method, missing=ensemble.has_missing)


def seconds_of_pairs(n_pairs: float, method: str, *, missing: bool = False) -> float:
    """About how long exact linkage takes; a pair counts once for each cluster that contains it."""
    return n_pairs * (_SECONDS_OF_PAIR_MISSING if missing else _SECONDS_OF_PAIR)[method]


def single_link(ensemble: Ensemble, *, verbose: bool) -> np.ndarray:
    """Exact single link: the maximum spanning tree of the evidence, computed row by row. Memory O(n r)."""
    rows = ensemble.unique_rows()
    tree_from, tree_to, evidence = _maximum_tree(rows.ensemble, verbose)
    return expand(rows, tree_from, tree_to, 1 - evidence)


def evidence_tree(ensemble: Ensemble, *, verbose: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A spanning tree of the objects by their dissimilarity 1 - c: both ends and the length of each edge."""
    rows = ensemble.unique_rows()
    tree_from, tree_to, evidence = _maximum_tree(rows.ensemble, verbose)
    _, first = np.unique(rows.inverse, return_index=True)  # of the objects with equal labels
    copies = np.setdiff1d(np.arange(ensemble.n_objects), first)
    return (
        np.concatenate([first[rows.inverse[copies]], first[tree_from]]),
        np.concatenate([copies, first[tree_to]]),
        np.concatenate([np.zeros(len(copies)), 1 - evidence]),
    )


def genie_link(evidence: CoAssociation, gini_threshold: float, *, verbose: bool) -> np.ndarray:
    """Genie on a spanning tree of the evidence; equal edges are used in the order of the objects."""
    if evidence.ensemble is not None:
        one, other, length = evidence_tree(evidence.ensemble, verbose=verbose)
    else:
        distances = np.clip(1 - evidence.to_dense(np.float64), 0, None)
        one, other, length = tree_of_distances(distances, np.arange(len(distances)))
    low, high = np.minimum(one, other), np.maximum(one, other)
    order = np.lexsort((high, low, length.round(_DIGITS)))
    low, high, length = low[order], high[order], np.clip(length[order], 0, None)
    merged = genie_merges(low, high, 1, gini_threshold)
    return merges_to_linkage(low[merged], high[merged], length[merged], np.ones(len(low) + 1))


def _maximum_tree(distinct: Ensemble, verbose: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The maximum spanning tree of the evidence of objects with different labels."""
    n = distinct.n_objects
    offsets = distinct.offsets
    starts, members = member_lists(distinct.labels, offsets)
    frontier = empty_frontier(n)
    tree_from, tree_to = np.zeros(n - 1, np.int64), np.zeros(n - 1, np.int64)
    evidence = np.zeros(n - 1)
    for start, stop in pieces(n, "single link", verbose):
        grow_tree(
            frontier,
            distinct.labels,
            offsets,
            distinct.weights,
            starts,
            members,
            distinct.has_missing,
            tree_from,
            tree_to,
            evidence,
            start,
            stop,
        )
    return tree_from, tree_to, evidence


def average_link(ensemble: Ensemble, cluster_weights: np.ndarray | None = None, *, verbose: bool) -> np.ndarray:
    """Exact average link by nearest-neighbor chains on the groups' summed one-hot rows. Memory O(n r).

    If labels are missing, the mean over the pairs of two groups weights each pair by the partitions that cover it.

    Parameters
    ----------
    ensemble : Ensemble
    cluster_weights : ndarray of shape (q,), optional
        The evidence for two objects in each cluster of the ensemble, at most the weight of its partition; by default
        that weight.
    """
    rows = _collapsed(ensemble, cluster_weights)
    distinct = rows.ensemble
    offsets = distinct.offsets
    groups = start_groups(distinct.labels, offsets, rows.counts, distinct.has_missing)
    column_of = (distinct.labels + offsets[:-1]).ravel()
    together = np.repeat(distinct.weights, distinct.n_clusters) if cluster_weights is None else cluster_weights
    chain = follow_chains(groups, column_of, distinct.weights, together, verbose=verbose)
    equal = 1.0 if cluster_weights is None else distinct.one_hot() @ cluster_weights / distinct.weights.sum()
    return expand(rows, chain.left, chain.right, 1 - chain.evidence, 1 - equal)


def follow_chains(
    groups: Groups, column_of: np.ndarray, weights: np.ndarray, cluster_weights: np.ndarray, *, verbose: bool
) -> Chain:
    """Merge groups by exact average link until one is left."""
    n = len(groups.size)
    chain = empty_chain(n)
    for _, goal in pieces(n - 1, "average link", verbose):
        if not follow_chain(groups, chain, column_of, weights, cluster_weights, goal):
            break
    done = int(chain.n_merges[0])
    # Groups without neighbors have no evidence for each other: they merge last.
    apart = np.flatnonzero(chain.state != 1)
    chain.left[done:] = apart[0]
    chain.right[done:] = apart[1:]
    chain.evidence[done:] = 0
    return chain


def _collapsed(ensemble: Ensemble, cluster_weights: np.ndarray | None) -> UniqueRows:
    """Objects with equal labels as one, if average link merges them first.

    Without missing labels an object has the most evidence for its equals. With missing labels and weights of clusters,
    it may have more for an object that only clusters of high weight contain.
    """
    if cluster_weights is None or not ensemble.has_missing:
        return ensemble.unique_rows()
    n = ensemble.n_objects
    return UniqueRows(ensemble, np.ones(n, np.int64), np.arange(n))


GEOMETRIC = ("ward", "centroid", "median")  # linkages of points: their heights are distances, not shares of votes


def dense_link(evidence: CoAssociation, method: str, *, metric: str = "sqrt") -> np.ndarray:
    """Any of scipy's linkages, on the full matrix of dissimilarities 1 - c; for small n."""
    dissimilarity = evidence.to_dense(np.float64)
    np.subtract(1, dissimilarity, out=dissimilarity)
    np.fill_diagonal(dissimilarity, 0)
    condensed = squareform(dissimilarity, checks=False)
    del dissimilarity
    np.clip(condensed, 0, None, out=condensed)
    if method in GEOMETRIC and metric == "sqrt":
        np.sqrt(2 * condensed, out=condensed)  # 2 (1 - c) is the squared distance of two objects' one-hot rows
    return scipy_linkage(condensed, method)


def pieces(n: int, description: str, verbose: bool):
    """Ranges that cover n steps, with progress."""
    bounds = np.unique(np.linspace(0, n, min(n, _STEPS) + 1).astype(np.int64))
    return track(list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)), description, verbose=verbose)


def expand(
    rows: UniqueRows, left: np.ndarray, right: np.ndarray, height: np.ndarray, equal: np.ndarray | float = 0.0
) -> np.ndarray:
    """The linkage of all objects: equal rows merge first (at height ``equal``), then the distinct ones."""
    n = len(rows.inverse)
    representative = np.empty(len(rows.counts), dtype=np.int64)
    representative[rows.inverse[::-1]] = np.arange(n - 1, -1, -1)
    twins = np.flatnonzero(representative[rows.inverse] != np.arange(n))
    return sorted_linkage(
        np.concatenate([representative[rows.inverse[twins]], representative[left]]),
        np.concatenate([twins, representative[right]]),
        np.concatenate([np.broadcast_to(equal, len(rows.counts))[rows.inverse[twins]], height]),
        np.ones(n),
    )


def sorted_linkage(left: np.ndarray, right: np.ndarray, height: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The linkage of merges in any order, each given by any two objects of its groups."""
    order = np.argsort(height, kind="stable")
    return merges_to_linkage(left[order], right[order], np.clip(height[order], 0, None), size)

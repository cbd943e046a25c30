"""Evidence to dendrogram, in scipy's linkage format: the linkages of evidence accumulation."""

import numpy as np
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import squareform

from pluribus._engine import track
from pluribus._kernels._average_link import empty_chain, follow_chain, start_groups
from pluribus._kernels._dendrogram import merges_to_linkage
from pluribus._kernels._pair_counts import member_lists
from pluribus._kernels._single_link import empty_frontier, grow_tree
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble, UniqueRows

_STEPS = 100  # how often progress is shown


def single_link(ensemble: Ensemble, *, verbose: bool) -> np.ndarray:
    """Exact single link: the maximum spanning tree of the evidence, its rows made one by one. Memory O(n r)."""
    rows = ensemble.unique_rows()
    few = rows.ensemble
    n = few.n_objects
    offsets = few.offsets
    starts, members = member_lists(few.labels, offsets)
    frontier = empty_frontier(n)
    tree_from, tree_to = np.zeros(n - 1, np.int64), np.zeros(n - 1, np.int64)
    evidence = np.zeros(n - 1)
    for start, stop in pieces(n, "single link", verbose):
        grow_tree(
            frontier,
            few.labels,
            offsets,
            few.weights,
            starts,
            members,
            few.has_missing,
            tree_from,
            tree_to,
            evidence,
            start,
            stop,
        )
    return _expand(rows, tree_from, tree_to, 1 - evidence)


def average_link(ensemble: Ensemble, cluster_weights: np.ndarray | None = None, *, verbose: bool) -> np.ndarray:
    """Exact average link by nearest-neighbor chains on the groups' summed one-hot rows. Memory O(n r).

    Where labels are missing the mean over the pairs of two groups counts each pair by how many partitions saw it.

    Parameters
    ----------
    ensemble : Ensemble
    cluster_weights : ndarray of shape (q,), optional
        What it counts to be together in each cluster of the ensemble, at most the weight of its partition; by default
        that weight.
    """
    rows = _collapsed(ensemble, cluster_weights)
    few = rows.ensemble
    n = few.n_objects
    offsets = few.offsets
    groups = start_groups(few.labels, offsets, rows.counts, few.has_missing)
    chain = empty_chain(n)
    column_of = (few.labels + offsets[:-1]).ravel()
    together = np.repeat(few.weights, few.n_clusters) if cluster_weights is None else cluster_weights
    for _, goal in pieces(n - 1, "average link", verbose):
        if not follow_chain(groups, chain, column_of, few.weights, together, goal):
            break
    done = int(chain.n_merges[0])
    # Groups without neighbors have no evidence for each other: they join last.
    apart = np.flatnonzero(chain.state != 1)
    chain.left[done:] = apart[0]
    chain.right[done:] = apart[1:]
    chain.evidence[done:] = 0
    equal = 1.0 if cluster_weights is None else few.one_hot() @ cluster_weights / few.weights.sum()
    return _expand(rows, chain.left, chain.right, 1 - chain.evidence, 1 - equal)


def _collapsed(ensemble: Ensemble, cluster_weights: np.ndarray | None) -> UniqueRows:
    """Objects with equal labels as one, where nothing can come between them.

    Without missing labels nothing has more evidence for an object than its equal. With them and weights of clusters,
    an object that is seen only where the weights are high has.
    """
    if cluster_weights is None or not ensemble.has_missing:
        return ensemble.unique_rows()
    n = ensemble.n_objects
    return UniqueRows(ensemble, np.ones(n, np.int64), np.arange(n))


def dense_link(evidence: CoAssociation, method: str, *, ward_metric: str = "sqrt") -> np.ndarray:
    """Any linkage by scipy on the full matrix of dissimilarities 1 - c; for small n."""
    dissimilarity = evidence.to_dense(np.float64)
    np.subtract(1, dissimilarity, out=dissimilarity)
    np.fill_diagonal(dissimilarity, 0)
    condensed = squareform(dissimilarity, checks=False)
    del dissimilarity
    np.clip(condensed, 0, None, out=condensed)
    if method == "ward" and ward_metric == "sqrt":
        np.sqrt(2 * condensed, out=condensed)  # 2 (1 - c) is the squared distance of two objects' one-hot rows
    return scipy_linkage(condensed, method)


def spanning_tree_link(evidence: CoAssociation) -> np.ndarray:
    """Single link on the pairs that a sparse or neighbor-limited evidence holds; all others count as evidence 0."""
    c = evidence.to_sparse()
    weights = c.copy()
    weights.data = 2 - weights.data  # positive: the spanning tree drops edges of weight 0
    tree = minimum_spanning_tree(weights).tocoo()
    strength = 2 - tree.data
    left, right = tree.row.astype(np.int64), tree.col.astype(np.int64)
    n = c.shape[0]
    missing = n - 1 - len(left)
    if missing:
        _, component = connected_components(c, directed=False)
        first = np.unique(component, return_index=True)[1]
        left = np.append(left, np.full(missing, first[0]))
        right = np.append(right, first[1:])
        strength = np.append(strength, np.zeros(missing))
    return _sorted_linkage(left, right, 1 - strength, np.ones(n))


def pieces(n: int, description: str, verbose: bool):
    """Ranges that cover n steps, with progress."""
    bounds = np.unique(np.linspace(0, n, min(n, _STEPS) + 1).astype(np.int64))
    return track(list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)), description, verbose=verbose)


def _expand(
    rows: UniqueRows, left: np.ndarray, right: np.ndarray, height: np.ndarray, equal: np.ndarray | float = 0.0
) -> np.ndarray:
    """The linkage over all objects: first the equal rows join (at height ``equal``), then the unique ones merge."""
    n = len(rows.inverse)
    representative = np.empty(len(rows.counts), dtype=np.int64)
    representative[rows.inverse[::-1]] = np.arange(n - 1, -1, -1)
    twins = np.flatnonzero(representative[rows.inverse] != np.arange(n))
    return _sorted_linkage(
        np.concatenate([representative[rows.inverse[twins]], representative[left]]),
        np.concatenate([twins, representative[right]]),
        np.concatenate([np.broadcast_to(equal, len(rows.counts))[rows.inverse[twins]], height]),
        np.ones(n),
    )


def _sorted_linkage(left: np.ndarray, right: np.ndarray, height: np.ndarray, size: np.ndarray) -> np.ndarray:
    order = np.argsort(height, kind="stable")
    return merges_to_linkage(left[order], right[order], np.clip(height[order], 0, None), size)

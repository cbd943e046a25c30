"""Greedy linkage of the evidence under constraints."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus._kernels.labels.pair_counts import member_lists
from pluribus._kernels.linkage.average_link import start_groups
from pluribus._kernels.linkage.cannot_link_groups import Apart, start_apart
from pluribus._kernels.linkage.constrained_average_link import absorb_roots, link_average
from pluribus._kernels.linkage.constrained_average_link import start_kept as start_kept_groups
from pluribus._kernels.linkage.constrained_dense_link import AVERAGE, COMPLETE, SINGLE, link_dense
from pluribus._kernels.linkage.constrained_single_link import Best, join_the_rest, link_single, start_best, start_kept
from pluribus._kernels.linkage.dendrogram import merges_to_linkage
from pluribus.consensus._shared.evidence_linkages import pieces
from pluribus.constraints import Closure, Constraints
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble

_MOST_WORK = 1e12  # pairs in one cluster, summed over all clusters of the ensemble; some hours


class Goal(NamedTuple):
    """When to stop."""

    n_clusters: int  # 1 with a threshold
    lowest: float  # evidence below which nothing is merged
    witness: np.ndarray | None  # labels that satisfy all hard constraints with n_clusters; without, dead ends may occur


class Linked(NamedTuple):
    """The groups that are left, and the merges that made them."""

    labels: np.ndarray  # (n,) numbered by first occurrence
    merges: np.ndarray  # rows in scipy's format; the leaves are the chunklets


def link(
    ensemble: Ensemble | CoAssociation, constraints: Constraints, method: str, goal: Goal, *, verbose: bool
) -> Linked:
    """Merge the two groups with the most evidence that may be together, until the goal is reached.

    Complete link, and any linkage of evidence without an ensemble, is on the dense matrix.
    """
    if isinstance(ensemble, CoAssociation):
        return _dense(ensemble, constraints, method, goal)
    if method == "complete":
        return _dense(CoAssociation(ensemble, form="operator"), constraints, method, goal)
    items = _items(ensemble, constraints, goal.n_clusters)
    _check_work(ensemble, items)
    best, apart = start_best(np.arange(len(items.first)), len(items.first)), _start(items, constraints, goal)
    merge = _single if method == "single" else _average
    best, apart = merge(ensemble, items, constraints, goal, best, apart, verbose)
    if goal.lowest <= 0:
        apart = join_the_rest(best, apart, _n_colors(goal), _n_merges(items, goal))
    return _result(items, constraints, best)


def _check_work(ensemble: Ensemble, items: "_Items") -> None:
    """Refuse ensembles that would take many hours: each item is compared with all in its clusters, about twice."""
    labels = ensemble.labels[items.first] + ensemble.offsets[:-1]
    sizes = np.bincount(labels[ensemble.labels[items.first] >= 0], minlength=ensemble.offsets[-1])
    work = (sizes.astype(np.float64) ** 2).sum()
    if work > _MOST_WORK:
        raise ValueError(
            f"{ensemble.n_objects:,} objects in clusters of up to {sizes.max():,}: linking them under constraints "
            f"would visit {work:.0e} pairs and take many hours. Use members with more clusters (twice as many halve "
            "the time), fit a sample that contains the objects of the constraints, or apply the constraints to the "
            "members: EnsembleClusterer(constraint_level='generating')."
        )


class _Items(NamedTuple):
    """The items that are merged: single objects, and groups of objects with equal labels and no constraints."""

    of: np.ndarray  # (n,) the item of each object, numbered by first occurrence
    first: np.ndarray  # the first object of each item
    counts: np.ndarray  # objects of each item
    root: np.ndarray  # by item: the first item of its chunklet

    @property
    def n_roots(self) -> int:
        return int((self.root == np.arange(len(self.root))).sum())


def _items(ensemble: Ensemble, constraints: Constraints, n_clusters: int) -> _Items:
    closure = constraints.closure()
    each = np.arange(ensemble.n_objects)
    if ensemble.has_missing:  # an object may have as much evidence for others as for its equals
        return _collect(each, closure)
    alone = (closure.chunk_sizes == 1) & (np.diff(closure.cannot_graph.indptr) == 0)
    free = alone[closure.chunk_of] & (np.diff(constraints.coupling.indptr) == 0)
    items = _collect(np.where(free, len(each) + ensemble.unique_rows().inverse, each), closure)
    return items if items.n_roots >= n_clusters else _collect(each, closure)  # equal objects must be separated


def _collect(code: np.ndarray, closure: Closure) -> _Items:
    """The items of objects with equal codes."""
    of, codes = pd.factorize(code)
    first = np.unique(of, return_index=True)[1]
    chunk = closure.chunk_of[first]
    _, first_of_chunk, inverse = np.unique(chunk, return_index=True, return_inverse=True)
    return _Items(of, first, np.bincount(of, minlength=len(codes)), first_of_chunk[inverse])


def _start(items: _Items, constraints: Constraints, goal: Goal) -> Apart:
    closure = constraints.closure()
    pairs = items.root[items.of[closure.representatives[closure.cannot_link]]].reshape(-1, 2)
    color = np.full(len(items.first), -1)
    if goal.witness is not None:
        bound = np.unique(pairs)
        color[bound] = goal.witness[items.first[bound]]
    return start_apart(items.root.astype(np.int64), pairs.astype(np.int64), color.astype(np.int64))


def _n_colors(goal: Goal) -> int:
    return 0 if goal.witness is None else goal.n_clusters


def _n_merges(items: _Items, goal: Goal) -> int:
    return max(items.n_roots - goal.n_clusters, 0)


def _pull(items: _Items, constraints: Constraints) -> sparse.csr_array:
    """How far each preference moves the evidence of its pair: -1 is to 0, 1 is to 1."""
    pairs = constraints.coupling.tocoo()
    m = len(items.first)
    pull = np.tanh(pairs.data / 2)  # distance of the odds e^w from chance: 2 p - 1
    return sparse.coo_array((pull, (items.of[pairs.row], items.of[pairs.col])), shape=(m, m)).tocsr()


def _adjusted(evidence: np.ndarray, pull: np.ndarray) -> np.ndarray:
    return np.where(pull > 0, evidence + (1 - evidence) * pull, evidence * (1 + pull))


def _single(
    ensemble: Ensemble, items: _Items, constraints: Constraints, goal: Goal, best: Best, apart: Apart, verbose: bool
) -> tuple[Best, Apart]:
    distinct = ensemble.take_objects(items.first)
    starts, members = member_lists(distinct.labels, distinct.offsets)
    pull = _pull(items, constraints)
    kept = start_kept(distinct.n_objects)
    for _, goal_now in pieces(_n_merges(items, goal), "constrained single link", verbose):
        apart = link_single(
            best,
            apart,
            kept,
            distinct.labels,
            distinct.offsets,
            distinct.weights,
            starts,
            members,
            distinct.has_missing,
            pull.indptr.astype(np.int64),
            pull.indices.astype(np.int64),
            pull.data,
            _n_colors(goal),
            goal_now,
            goal.lowest,
        )
        if best.n_merges[0] < goal_now:
            break
    return best, apart


def evidence_changes(ensemble: Ensemble, constraints: Constraints) -> sparse.coo_array:
    """The changes of evidence by preferences."""
    pairs = constraints.coupling.tocoo()
    c = CoAssociation(ensemble, form="operator").pairs(pairs.row, pairs.col) if pairs.nnz else np.empty(0)
    return sparse.coo_array((_adjusted(c, np.tanh(pairs.data / 2)) - c, (pairs.row, pairs.col)), shape=pairs.shape)


def _average(
    ensemble: Ensemble, items: _Items, constraints: Constraints, goal: Goal, best: Best, apart: Apart, verbose: bool
) -> tuple[Best, Apart]:
    distinct = ensemble.take_objects(items.first)
    groups = start_groups(distinct.labels, distinct.offsets, items.counts, distinct.has_missing)
    column_of = (distinct.labels + distinct.offsets[:-1]).ravel()
    changes = evidence_changes(ensemble, constraints)
    seen_both = ((ensemble.labels[changes.row] >= 0) & (ensemble.labels[changes.col] >= 0)) @ ensemble.weights
    m = distinct.n_objects
    # A preference adds to the weight together: the change of evidence times the weight of the partitions with the pair.
    weight = np.where(seen_both > 0, seen_both, ensemble.weights.sum())
    at = (items.of[changes.row], items.of[changes.col])
    extra = sparse.coo_array((changes.data * weight, at), shape=(m, m)).tocsr()
    has_pull = np.diff(extra.indptr) > 0
    own = np.where(has_pull, np.arange(m), -1)
    listed = (own.copy(), own.copy(), np.full(m, -1))
    absorb_roots(groups, items.root, column_of, listed)
    kept = start_kept_groups(m)
    for _, goal_now in pieces(_n_merges(items, goal), "constrained average link", verbose):
        apart = link_average(
            best,
            apart,
            kept,
            groups,
            column_of,
            distinct.weights,
            extra.indptr.astype(np.int64),
            extra.indices.astype(np.int64),
            extra.data,
            listed,
            _n_colors(goal),
            goal_now,
            goal.lowest,
        )
        if best.n_merges[0] < goal_now:
            break
    return best, apart


_RULES = {"complete": COMPLETE, "single": SINGLE, "average": AVERAGE}


def _dense(evidence: CoAssociation, constraints: Constraints, method: str, goal: Goal) -> Linked:
    """Linkage of the dense evidence between chunklets; for small n."""
    closure = constraints.closure()
    most, mean = chunk_evidence(evidence, constraints)
    if method == "complete":
        follow_must_links(most, closure)
    ties = mean if method == "complete" else np.zeros_like(mean)  # other linkages have few
    m = closure.n_chunks
    items = _Items(closure.chunk_of, closure.representatives, closure.chunk_sizes, np.arange(m))
    apart = _start(items, constraints, goal)
    best = start_best(np.arange(m), m)
    compared = mean if method == "average" else most
    sizes = closure.chunk_sizes.astype(np.float64)
    link_dense(best, apart, compared, ties, sizes, _n_colors(goal), _n_merges(items, goal), goal.lowest, _RULES[method])
    return _result(items, constraints, best)


def chunk_evidence(evidence: CoAssociation, constraints: Constraints) -> tuple[np.ndarray, np.ndarray]:
    """The greatest and the mean evidence between each two chunklets, with the preferences."""
    closure = constraints.closure()
    C = evidence.to_dense()
    pairs = constraints.coupling.tocoo()
    C[pairs.row, pairs.col] = _adjusted(C[pairs.row, pairs.col], np.tanh(pairs.data / 2))
    order = closure.chunk_indicator.indices
    begins = closure.chunk_indicator.indptr[:-1]
    C = C[order][:, order]
    most = np.maximum.reduceat(np.maximum.reduceat(C, begins, axis=0), begins, axis=1)
    sizes = closure.chunk_sizes.astype(np.float64)
    mean = np.add.reduceat(np.add.reduceat(C, begins, axis=0), begins, axis=1) / np.outer(sizes, sizes)
    return most, mean


def follow_must_links(most: np.ndarray, closure: Closure) -> None:
    """Raise the evidence of chunklets to that of the best path through objects that must be together, in place."""
    for M in np.flatnonzero(closure.chunk_sizes > 1):
        np.maximum(most, most[:, [M]] + most[[M], :] - 1, out=most)


def _result(items: _Items, constraints: Constraints, best: Best) -> Linked:
    """Labels of the objects, and the merges of chunklets; objects with equal labels merge first, at height 0."""
    closure = constraints.closure()
    n_merges = int(best.n_merges[0])
    chunk_of_item = closure.chunk_of[items.first]
    twins = np.flatnonzero(items.first[items.of] != np.arange(len(items.of)))
    twins = twins[closure.chunk_of[twins] != chunk_of_item[items.of[twins]]]
    left = np.concatenate([chunk_of_item[items.of[twins]], chunk_of_item[best.left[:n_merges]]])
    right = np.concatenate([closure.chunk_of[twins], chunk_of_item[best.right[:n_merges]]])
    height = np.concatenate([np.zeros(len(twins)), 1 - best.evidence[:n_merges]])
    merges = merges_to_linkage(left, right, np.clip(height, 0, None), closure.chunk_sizes.astype(np.float64))
    graph = sparse.coo_array((np.ones(len(left)), (left, right)), shape=(closure.n_chunks, closure.n_chunks))
    _, group = sparse.csgraph.connected_components(graph, directed=False)
    labels = pd.factorize(group[closure.chunk_of])[0]
    return Linked(labels.astype(np.int64), merges)

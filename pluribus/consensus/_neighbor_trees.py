"""Dendrograms of evidence of which only the strongest pairs of each object are known: time that grows with n."""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from pluribus._engine import over_blocks
from pluribus._kernels._average_link import groups_of_sums
from pluribus._kernels._graph_average_link import (
    Segments,
    find_nearest,
    merge_edges,
    merge_sums,
    move_segments,
    mutual_pairs,
    nearest_in_graph,
    pairs_in_columns,
    raise_heights,
    tell_nearest,
)
from pluribus._kernels._graph_link import (
    components,
    most_leaving,
    pairs_by_level,
    spanning_forest,
    strongest_leaving,
)
from pluribus._kernels._pair_counts import member_lists
from pluribus.consensus._trees import expand, follow_chains, sorted_linkage
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble, UniqueRows

_LOOKED_AT = 1e9  # pairs, in the search for what joins the components of a graph
EXACT_PAIRS = 2e8  # pairs of groups in one cluster, summed over the clusters, from which on average link is exact
_GROUPS_IN_BLOCK = 16_384
_CROWD = 64  # groups with the same nearest group
_SORTED_BY = 6  # partitions


def _sorted_rows(ensemble: Ensemble) -> UniqueRows:
    """The different rows of labels in sorted order, so that neighbors lie close in memory: three times as fast."""
    rows = ensemble.unique_rows()
    order = np.lexsort(rows.ensemble.labels[:, :_SORTED_BY][:, ::-1].T)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return UniqueRows(rows.ensemble.take_objects(order), rows.counts[order], place[rows.inverse])


# -- single link ---------------------------------------------------------------------------------------------------


def spanning_tree_link(evidence: CoAssociation) -> np.ndarray:
    """Single link on the pairs that a sparse or neighbor-limited evidence holds.

    All others count as evidence 0, but for those that join what few neighbors leave apart.
    """
    merges = _spanning_tree(evidence)
    return sorted_linkage(*merges, np.ones(evidence.shape[0]))


def neighbor_single_link(ensemble: Ensemble, *, n_jobs: int | None = None) -> np.ndarray:
    """Single link on the strongest pairs of each two different rows of labels."""
    rows = _sorted_rows(ensemble)
    return expand(rows, *_spanning_tree(CoAssociation(rows.ensemble, form="neighbors", n_jobs=n_jobs)))


def _spanning_tree(evidence: CoAssociation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both ends and the dissimilarity of each edge."""
    n = evidence.shape[0]
    left, right, value = _strongest_first(evidence)
    parent = np.arange(n)
    taken = spanning_forest(left, right, parent)
    edges = [(left[taken], right[taken], value[taken])]
    if len(taken) < n - 1 and evidence.form == "neighbors" and evidence.ensemble is not None:
        edges += _bridges(evidence.ensemble, parent)
    first = np.unique(components(parent), return_index=True)[1]  # of each component that nothing is known to join
    edges.append((np.full(len(first) - 1, first[0]), first[1:], np.zeros(len(first) - 1)))
    left, right, value = (np.concatenate(part) for part in zip(*edges, strict=True))
    return left, right, 1 - value


def _strongest_first(evidence: CoAssociation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    c = evidence.to_sparse()
    ensemble = evidence.ensemble
    if ensemble is not None and not ensemble.has_missing and np.ptp(ensemble.weights) == 0:
        return pairs_by_level(c.indptr, c.indices, c.data, len(ensemble))
    upper = sparse.triu(c, 1, format="coo")
    order = np.argsort(-upper.data, kind="stable")
    return upper.row[order], upper.col[order], upper.data[order]


def _bridges(ensemble: Ensemble, parent: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The strongest pairs that join components, by Borůvka's rounds; ``parent`` is changed.

    From each component those objects are tried that share the most clusters with others. Where clusters are mostly
    within a component this is exact; else as many are tried as _LOOKED_AT allows.
    """
    labels, offsets, weights = ensemble.labels, ensemble.offsets, ensemble.weights
    starts, members = member_lists(labels, offsets)
    pairs_of_object = float((np.diff(starts).astype(np.float64) ** 2).sum()) / len(labels)
    edges: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    while True:
        component = components(parent)
        k = int(component.max()) + 1
        most = most_leaving(labels, offsets, weights, component)
        tried = np.flatnonzero(most > 0)
        tried = tried[np.lexsort((-most[tried], component[tried]))]
        bounds = np.searchsorted(component[tried], np.arange(k + 1))
        most_tried = max(1, int(_LOOKED_AT / max(pairs_of_object, 1) / k))
        tried = tried[np.arange(len(tried)) - bounds[component[tried]] < most_tried]
        bounds = np.searchsorted(component[tried], np.arange(k + 1))
        source, target, value = np.zeros(k, np.int64), np.zeros(k, np.int64), np.zeros(k)
        strongest_leaving(
            tried,
            bounds,
            most,
            component,
            labels,
            offsets,
            weights,
            starts,
            members,
            ensemble.has_missing,
            source,
            target,
            value,
        )
        order = np.argsort(-value, kind="stable")[: np.count_nonzero(value)]
        joins = order[spanning_forest(source[order], target[order], parent)]
        if len(joins) == 0:
            return edges
        edges.append((source[joins], target[joins], value[joins]))


# -- average link --------------------------------------------------------------------------------------------------


def neighbor_average_link(ensemble: Ensemble, *, n_jobs: int | None = None, verbose: bool) -> np.ndarray:
    """Average link in which only groups with a strong pair merge, until few enough are left to compare all."""
    rows = _sorted_rows(ensemble)
    groups = _Groups(CoAssociation(rows.ensemble, form="neighbors", n_jobs=n_jobs), rows.counts)
    return expand(rows, *groups.merge_all(verbose=verbose))


def graph_average_link(evidence: CoAssociation, *, verbose: bool) -> np.ndarray:
    """The same on the pairs that a neighbor-limited evidence holds."""
    n = evidence.shape[0]
    return sorted_linkage(*_Groups(evidence, np.ones(n, np.int64)).merge_all(verbose=verbose), np.ones(n))


class _Groups:
    """Groups of objects: their summed one-hot rows, and the edges of the graph between them."""

    def __init__(self, evidence: CoAssociation, counts: np.ndarray) -> None:
        ensemble, graph, n = evidence.ensemble, evidence.to_sparse(), len(counts)
        assert ensemble is not None
        self.n_jobs = evidence.n_jobs
        self.weights = ensemble.weights
        self.alike = np.ptp(ensemble.weights) == 0
        self.column_weights = np.repeat(ensemble.weights, ensemble.n_clusters)
        one_hot = ensemble.one_hot(np.int32)
        self.columns = one_hot.indices.astype(np.int32, copy=False)
        self.inside = np.repeat(counts.astype(np.int32), np.diff(one_hot.indptr))
        self.sums = Segments(one_hot.indptr[:-1].astype(np.int64), np.diff(one_hot.indptr).astype(np.int64))
        self.size = counts.astype(np.float64)
        self.seen = np.empty((0, 0), np.int32)
        if ensemble.has_missing:
            self.seen = np.where(ensemble.labels >= 0, counts[:, None], 0).astype(np.int32)
        self.neighbors = graph.indices
        self.edges = Segments(graph.indptr[:-1].astype(np.int64), np.diff(graph.indptr).astype(np.int64))
        self.best, self.value = nearest_in_graph(graph.indptr, graph.indices, graph.data)
        self.names = np.arange(n)  # of the groups that are left: one of their objects
        self.root = np.arange(n, dtype=np.int32)  # what each group was merged into
        self.touched = np.zeros(n, bool)  # by the merges of this round
        self.scratch = self._new_scratch()
        self.merges = [(self.names[:0], self.names[:0], np.empty(0))]  # by rounds: both ends and the evidence

    def merge_all(self, *, verbose: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Merge until one is left. Returns both ends and the dissimilarity of each merge."""
        more = len(self.names) > 1
        while more and pairs_in_columns(self.names, self.sums, self.columns, len(self.column_weights)) > EXACT_PAIRS:
            more = self._merge_half()
        if len(self.names) > 1:
            self._merge_exactly(verbose=verbose)
        left, right, value = (np.concatenate(part) for part in zip(*self.merges, strict=True))
        height = 1 - value
        raise_heights(left, right, height, len(self.root))
        return left, right, height

    def _merge_half(self) -> bool:
        """Merge until half of the groups are left, or no edges. Returns whether there may be more to merge."""
        goal = len(self.names) / 2
        while len(self.names) > goal:
            left, right = mutual_pairs(self.names, self.best)
            if len(left) == 0:
                return False
            self._merge(left, right)
        return True

    def _merge_exactly(self, *, verbose: bool) -> None:
        """Merge the groups that are left by average link among all of them."""
        lengths = self.sums.length[self.names]
        columns, inside = np.empty(lengths.sum(), np.int32), np.empty(lengths.sum(), np.int32)
        move_segments(self.names, self.sums, self.columns, columns)
        move_segments(self.names, self.sums, self.inside, inside)
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        seen = self.seen[self.names].astype(np.float64) if len(self.seen) else np.empty((0, 0))
        groups = groups_of_sums(indptr, columns, inside, self.size[self.names], seen, len(self.column_weights))
        chain = follow_chains(groups, columns, self.weights, self.column_weights, verbose=verbose)
        self.merges.append((self.names[chain.left], self.names[chain.right], chain.evidence))

    def _merge(self, left: np.ndarray, right: np.ndarray) -> None:
        """Merge groups that are each other's nearest, and all that are nearest to one of these where they crowd."""
        left, right, crowds = self._crowds(left, right)
        touched = np.concatenate([left, right, *crowds])
        self.merges.append((left, right, self.value[left]))
        self._combine(left, right)
        for crowd in crowds:
            self.merges.append((np.full(len(crowd) - 1, crowd[0]), crowd[1:], self.value[crowd[1:]]))
        while crowds:  # two by two: what is large is added up once only
            self._combine(np.concatenate([c[:-1:2] for c in crowds]), np.concatenate([c[1::2] for c in crowds]))
            crowds = [c[::2] for c in crowds if len(c) > 2]
        self.touched[touched] = True
        nearest = self.best[self.names]
        changed = self.names[self.touched[self.names] | (self.touched[nearest] & (nearest >= 0))]
        self.touched[touched] = False
        over_blocks(self._nearest_of(changed), len(changed), n_jobs=self.n_jobs, block=_GROUPS_IN_BLOCK)
        tell_nearest(changed, self.best, self.value)

    def _crowds(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        """The pairs without those that have a crowd, and each crowd: the group, then what merges with it.

        Where very many groups have one group as their nearest, to merge one of them at a time and look again would take
        time that grows with their square. An eighth merges at a time, the nearest first.
        """
        nearest = self.best[self.names]
        n_followers = np.bincount(nearest[nearest >= 0], minlength=len(self.root))
        center = np.where(n_followers[left] >= n_followers[right], left, right)
        crowded = n_followers[center] > _CROWD
        if not crowded.any():
            return left, right, []
        order = np.lexsort((-self.value[self.names], nearest))
        first = np.searchsorted(nearest[order], center[crowded])
        crowds = [
            np.append(c, self.names[order[start : start + 1 + n_followers[c] // 8]])
            for c, start in zip(center[crowded], first, strict=True)
        ]
        return left[~crowded], right[~crowded], crowds

    def _combine(self, left: np.ndarray, right: np.ndarray) -> None:
        """Add the groups ``right`` to the groups ``left``."""
        self._merge_sums(left, right)
        self._merge_edges(left, right)
        self.size[left] += self.size[right]
        if len(self.seen):
            self.seen[left] += self.seen[right]
        self.root[right] = left
        self.names = self.names[self.root[self.names] == self.names]

    def _nearest_of(self, changed: np.ndarray) -> Callable[[int, int], None]:
        alone = len(changed) <= _GROUPS_IN_BLOCK

        def of_range(start: int, stop: int) -> None:
            own, met = self.scratch if alone else self._new_scratch()
            find_nearest(
                changed,
                self.root,
                self.edges,
                self.neighbors,
                self.sums,
                self.columns,
                self.inside,
                self.size,
                self.seen,
                self.weights,
                self.column_weights,
                self.alike,
                own,
                met,
                start,
                stop,
                self.best,
                self.value,
            )

        return of_range

    def _new_scratch(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(len(self.column_weights)), np.zeros(len(self.root), bool)

    def _merge_sums(self, left: np.ndarray, right: np.ndarray) -> None:
        needed = self.sums.length[left] + self.sums.length[right]
        (self.columns, self.inside), end = _with_room(self.names, self.sums, (self.columns, self.inside), needed)
        at = end + np.cumsum(needed) - needed

        def merge(start: int, stop: int) -> None:
            merge_sums(left, right, at, self.sums, self.columns, self.inside, start, stop)

        over_blocks(merge, len(left), n_jobs=self.n_jobs, block=_GROUPS_IN_BLOCK)

    def _merge_edges(self, left: np.ndarray, right: np.ndarray) -> None:
        needed = self.edges.length[left] + self.edges.length[right]
        (self.neighbors,), end = _with_room(self.names, self.edges, (self.neighbors,), needed)
        merge_edges(left, right, end + np.cumsum(needed) - needed, self.edges, self.neighbors)


def _with_room(
    names: np.ndarray, segments: Segments, pools: tuple[np.ndarray, ...], needed: np.ndarray
) -> tuple[tuple[np.ndarray, ...], int]:
    """The arrays with room for more at their end, and where that is; what no group uses any more is dropped."""
    end = int((segments.start[names] + segments.length[names]).max())
    more = int(needed.sum())
    if end + more <= len(pools[0]):
        return pools, end
    lengths = segments.length[names]
    used = int(lengths.sum())
    moved = []
    for pool in pools:
        new = np.empty(used + max(more, used // 2), pool.dtype)
        move_segments(names, segments, pool, new)
        moved.append(new)
    segments.start[names] = np.cumsum(lengths) - lengths
    return tuple(moved), used

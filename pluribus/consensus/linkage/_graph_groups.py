"""Average link along the edges of a graph, by the exact mean evidence between groups."""

from collections.abc import Callable

import numpy as np

from pluribus._engine import over_blocks
from pluribus._kernels.linkage.average_link import groups_of_sums
from pluribus._kernels.linkage.bulk_merge import means_in_turn
from pluribus._kernels.linkage.graph_average_link import (
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
from pluribus.consensus._shared.evidence_linkages import follow_chains
from pluribus.evidence import CoAssociation

EXACT_PAIRS = 2e8  # pairs of groups in one cluster, summed over the clusters, below which average link is exact
_GROUPS_IN_BLOCK = 16_384
# If an eighth of a crowd merges at a time, each group is visited 8 times on average (the sum of (7/8)^t), for any size
# of the crowd. If one group merges at a time, it is visited half as often as there are groups: 32 times for 64.
_CROWD = 64  # groups with the same nearest group
_AT_A_TIME = 1 / 8  # of a crowd


class GraphGroups:
    """Groups of objects: their summed one-hot rows, and the edges of the graph between them."""

    def __init__(self, evidence: CoAssociation, counts: np.ndarray) -> None:
        ensemble, graph, n = evidence.ensemble, evidence.to_sparse(), len(counts)
        assert ensemble is not None
        self.n_jobs = evidence.n_jobs
        self.weights = ensemble.weights
        self.equal_weights = np.ptp(ensemble.weights) == 0
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
        self.names = np.arange(n)  # the groups that are left, each named by one of its objects
        self.root = np.arange(n, dtype=np.int32)  # the group into which each group was merged
        self.touched = np.zeros(n, bool)  # by the merges of this round
        self.scratch = self._new_scratch()
        self.merges = [(self.names[:0], self.names[:0], np.empty(0))]  # both ends and the evidence, by rounds

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
        """Merge until half of the groups are left, or no edges. Returns whether more merges are possible."""
        goal = len(self.names) / 2
        while len(self.names) > goal:
            left, right = mutual_pairs(self.names, self.best)
            if len(left) == 0:
                return False
            self._merge(left, right)
        return True

    def _merge_exactly(self, *, verbose: bool) -> None:
        """Merge the remaining groups by exact average link."""
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
        """Merge pairs of mutually nearest groups, and crowds of groups that have the same nearest group."""
        left, right, crowds = self._crowds(left, right)
        touched = np.concatenate([left, right, *crowds])
        self.merges.append((left, right, self.value[left]))
        self._combine(left, right)
        for crowd in crowds:
            self.merges.append((np.full(len(crowd) - 1, crowd[0]), crowd[1:], self._means_in_turn(crowd)))
        while crowds:  # two by two, so that large groups are added once only
            self._combine(np.concatenate([c[:-1:2] for c in crowds]), np.concatenate([c[1::2] for c in crowds]))
            crowds = [c[::2] for c in crowds if len(c) > 2]
        self.touched[touched] = True
        nearest = self.best[self.names]
        changed = self.names[self.touched[self.names] | (self.touched[nearest] & (nearest >= 0))]
        self.touched[touched] = False
        over_blocks(self._nearest_of(changed), len(changed), n_jobs=self.n_jobs, block=_GROUPS_IN_BLOCK)
        tell_nearest(changed, self.best, self.value)

    def _crowds(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        """The pairs without a crowd, and the crowds: the center, followed by the groups that merge with it.

        If very many groups have the same nearest group, merging them one at a time would take time quadratic in their
        number. Instead an eighth of them merges at a time, the nearest first.
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
            np.append(c, self.names[order[start : start + 1 + int(_AT_A_TIME * n_followers[c])]])
            for c, start in zip(center[crowded], first, strict=True)
        ]
        return left[~crowded], right[~crowded], crowds

    def _means_in_turn(self, crowd: np.ndarray) -> np.ndarray:
        """The evidence at which each group of a crowd merges."""
        means = np.empty(len(crowd) - 1)
        means_in_turn(
            crowd,
            self.sums,
            self.columns,
            self.inside,
            self.size,
            self.seen,
            self.weights,
            self.column_weights,
            self.scratch[0],
            means,
        )
        return means

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
                self.equal_weights,
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
    """The arrays with free space at their end, and its position; unused segments are dropped."""
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

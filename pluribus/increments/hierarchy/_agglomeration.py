"""Merging objects into clusters until all are isolated or rejected: by all pairs, or along a spanning tree."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pluribus._engine import MemoryLimitError, in_bytes, memory_limit, track
from pluribus._kernels.linkage.cluster_neighbors import single_objects
from pluribus._kernels.linkage.dendrogram import merges_to_linkage, merging_edges, rising
from pluribus._kernels.linkage.isolate_edges import isolate_edges, waiting_edges
from pluribus._kernels.linkage.isolate_pairs import MOST_OBJECTS, isolate_pairs, single_pairs
from pluribus._kernels.linkage.isolation import MERGE, SMALL_MERGE, Records, Rules, empty_records, single_standing
from pluribus.increments._shared.dissimilarities import Dissimilarities, GivenDissimilarities, Tree
from pluribus.increments.hierarchy._near_lists import near_lists

GROWTH = 0.1  # by which a cluster grows until its rejected edges are tested again
_TESTS_AT_ONCE = 2**16


class Outcome(NamedTuple):
    """The clusters that are left, 0 … k - 1, which of them are isolated, and all tests."""

    labels: np.ndarray
    isolated: np.ndarray
    tests: Records

    def merges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Both objects and the distance of each merge, in order."""
        merged = (self.tests.outcome == MERGE) | (self.tests.outcome == SMALL_MERGE)
        return self.tests.x[merged], self.tests.y[merged], self.tests.distance[merged]


class Agglomeration:
    """Objects with what all runs share: lists of their neighbors, and the spanning tree."""

    def __init__(self, objects: Dissimilarities, exact: bool) -> None:
        if exact:
            _check_size(objects.n)
        self.n, self.exact = objects.n, exact
        self.given = isinstance(objects, GivenDissimilarities)
        self.matrix = objects.D if isinstance(objects, GivenDissimilarities) else objects.X  # type: ignore[attr-defined]
        self.lists = near_lists(self.matrix, self.given)
        self.tree = _sorted(objects.tree())

    def run(self, rules: Rules, *, growth: float = GROWTH, verbose: bool = False) -> Outcome:
        """Merge under these rules."""
        clusters = single_objects(self.matrix, self.given, *self.lists)
        standing = single_standing(self.n)
        if self.exact:
            pairs = single_pairs(self.matrix, self.given)
            isolated = pairs.isolated
        else:
            edges = waiting_edges(*self.tree, self.n)
            isolated = edges.isolated

        def parts() -> Iterator[Records]:
            while True:
                records = empty_records(_TESTS_AT_ONCE)
                if self.exact:
                    n_tests = isolate_pairs(pairs, clusters, standing, rules, records)
                else:
                    n_tests = isolate_edges(edges, clusters, standing, rules, growth, records)
                yield Records(*(column[:n_tests].copy() for column in records))
                if n_tests < _TESTS_AT_ONCE:
                    return

        made = list(track(parts(), "testing clusters", verbose=verbose))
        slots, labels = np.unique(clusters.cluster, return_inverse=True)
        return Outcome(
            labels, isolated[slots], Records(*(np.concatenate(column) for column in zip(*made, strict=True)))
        )

    def forest(self, outcome: Outcome) -> np.ndarray:
        """The merges in scipy's format: n - k rows, in the order they were made."""
        return merges_to_linkage(*outcome.merges(), np.ones(self.n))

    def dendrogram(self, outcome: Outcome) -> np.ndarray:
        """The merges, and single link of the clusters that are left: n - 1 rows, no row lower than the one before.

        The edges of the spanning tree between clusters, shortest first, are the single link of any clusters. They are
        strictly higher than all before, so that cuts by height undo them first.
        """
        merging = merging_edges(outcome.labels, len(outcome.isolated), self.tree.first, self.tree.second)
        rest = (column[merging] for column in self.tree)
        first, second, height = (np.concatenate(columns) for columns in zip(outcome.merges(), rest, strict=True))
        return merges_to_linkage(first, second, rising(height, self.n - len(outcome.isolated)), np.ones(self.n))


def _sorted(tree: Tree) -> Tree:
    """The edges by length, then by the lower and the higher number."""
    low, high = np.minimum(tree.first, tree.second), np.maximum(tree.first, tree.second)
    order = np.lexsort((high, low, tree.length))
    return Tree(*(column[order] for column in tree))


def _check_size(n: int) -> None:
    if n > MOST_OBJECTS:
        raise ValueError(f"neighbors='all' is for up to {MOST_OBJECTS:,} objects; got {n:,}. Use neighbors='tree'.")
    if 4 * n * n > memory_limit():
        raise MemoryLimitError(
            f"neighbors='all' would take {in_bytes(4 * n * n)} for {n:,} objects, and {in_bytes(memory_limit())} are "
            "allowed. Use neighbors='tree'."
        )

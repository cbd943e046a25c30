"""An ensemble as counts of labels: items to move, the columns they are in, and what that costs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus._kernels.labels import median_moves
from pluribus.evidence._signed.graph import SignedGraph
from pluribus.partitions import Ensemble

_KERNELS: Any = median_moves


class Tables(NamedTuple):
    """Weighted counts of labels (q × columns) and of covered objects (r × columns), and the items in each column."""

    counts: np.ndarray
    covered: np.ndarray
    n_items: np.ndarray


class Items:
    """What is moved between clusters: sets of objects, here as rows of labels with a number of objects each.

    Parameters
    ----------
    ensemble : Ensemble
    item_of : ndarray of shape (n,), optional
        The item of each object; by default objects with equal labels are one item.
    apart : ndarray of shape (m, 2), optional
        Pairs of items that must not be together.
    """

    def __init__(self, ensemble: Ensemble, item_of: np.ndarray | None = None, apart: np.ndarray | None = None) -> None:
        rows = ensemble.unique_rows()
        self.labels = rows.ensemble.labels
        self.item_of = rows.inverse if item_of is None else item_of
        self.n_items = int(self.item_of.max()) + 1
        table = sparse.coo_array(
            (np.ones(len(self.item_of)), (self.item_of, rows.inverse)), shape=(self.n_items, len(rows.counts))
        ).tocsr()
        self.indptr, self.rows, self.numbers = table.indptr.astype(np.int64), table.indices, table.data
        self.offsets = ensemble.offsets[:-1].astype(np.int64)
        self.q = int(ensemble.offsets[-1])
        self.weights = ensemble.weights.astype(np.float64)
        self.label_weights = np.repeat(self.weights, ensemble.n_clusters)
        self.has_missing = ensemble.has_missing
        pairs = np.empty((0, 2), np.int64) if apart is None else apart
        ends = np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]])
        walls = sparse.coo_array((np.ones(2 * len(pairs), np.int8), ends), shape=(self.n_items,) * 2).tocsr()
        self.apart_ptr, self.apart = walls.indptr.astype(np.int64), walls.indices.astype(np.int64)
        self.apart_pairs = pairs
        together = self._pairs_together(self.tabulate(np.zeros(self.n_items, np.int64), 1))
        self.together_weight = together[0]  # of all pairs that partitions put together, and of all that they cover
        self.total = together[1]
        self.inside = self._scores_inside()

    @property
    def _arrays(self) -> tuple[np.ndarray, ...]:
        return self.labels, self.offsets, self.weights

    def member(self, p: int) -> np.ndarray:
        """The partition of the items by a member: by the first of their rows; -1 where that is missing."""
        return self.labels[self.rows[self.indptr[:-1]], p].astype(np.int64)

    def tabulate(self, clusters: np.ndarray, n_columns: int) -> Tables:
        """The counts of a partition of the items; -1 is alone."""
        tables = Tables(
            np.zeros((self.q, n_columns)), np.zeros((len(self.weights), n_columns)), np.zeros(n_columns, np.int64)
        )
        _KERNELS.tabulate_items(*self._arrays, self.indptr, self.rows, self.numbers, clusters, *tables)
        return tables

    def move(
        self, clusters: np.ndarray, tables: Tables, order: np.ndarray, tolerance: float, *, keep_all: bool = False
    ) -> int:
        """One sweep over the items; in place. Returns the number of moves."""
        rules = self.has_missing, self.indptr, self.rows, self.numbers, self.apart_ptr, self.apart
        return _KERNELS.move_items(*self._arrays, *rules, order, clusters, *tables, keep_all, tolerance)

    def gather(self, clusters: np.ndarray, alone: np.ndarray, first: int, column: int, tolerance: float) -> int:
        """A new cluster around one item that is alone; in place. Returns how many others joined."""
        counts, covered = np.zeros((self.q, 1)), np.zeros((len(self.weights), 1))
        rules = self.has_missing, self.indptr, self.rows, self.numbers, self.apart_ptr, self.apart
        return _KERNELS.gather(*self._arrays, *rules, alone, first, clusters, column, counts, covered, tolerance)

    def own_scores(self, clusters: np.ndarray, tables: Tables) -> np.ndarray:
        """The score of each item for the others in its cluster; all items are in clusters."""
        scores = np.empty(self.n_items)
        _KERNELS.own_scores(*self._arrays, self.indptr, self.rows, self.numbers, clusters, *tables[:2], scores)
        return scores

    def cost(self, clusters: np.ndarray, tables: Tables) -> float:
        """The weighted number of pairs on which the partition and the ensemble disagree."""
        agreeing, both = self._pairs_together(tables)
        scores = 2 * agreeing - both + float(self.inside[clusters < 0].sum())
        return max(self.together_weight - scores, 0.0)

    def covered_cost(self, tables: Tables) -> float:
        """The same, but only for pairs of objects that are in columns."""
        agreeing, both = self._pairs_together(tables)
        merged = Tables(tables.counts.sum(axis=1, keepdims=True), tables.covered[:, :1], tables.n_items)
        return self._pairs_together(merged)[0] + both - 2 * agreeing

    def scores_between(self, tables: Tables) -> np.ndarray:
        """The score of each pair of columns, with zeros on the diagonal."""
        scores = 2 * tables.counts.T @ _divide(tables.counts, self.label_weights)
        scores -= tables.covered.T @ _divide(tables.covered, self.weights)
        np.fill_diagonal(scores, 0.0)
        return scores

    def graph(self, clusters: np.ndarray, n_columns: int) -> SignedGraph:
        """The columns as nodes of a signed graph with all pairs listed."""
        tables = self.tabulate(clusters, n_columns)
        scores = self.scores_between(tables)
        pairs = np.array(np.nonzero(scores))
        matrix = sparse.coo_array((scores[tuple(pairs)], tuple(pairs)), shape=scores.shape).tocsr()
        sizes = np.bincount(clusters[self.item_of], minlength=n_columns)
        graph = SignedGraph.of(matrix, sizes, 0.0, self.cost(clusters, tables), self.total)
        return graph.forbidding(clusters[self.apart_pairs])

    def _pairs_together(self, tables: Tables) -> tuple[float, float]:
        """Pairs within columns: the weight of partitions that put them together, and of those that cover both."""
        agreeing = (tables.counts * _divide(tables.counts, self.label_weights)).sum() - tables.counts.sum()
        both = (tables.covered * _divide(tables.covered, self.weights)).sum() - tables.covered.sum()
        return float(agreeing) / 2, float(both) / 2

    def _scores_inside(self) -> np.ndarray:
        """The sum of the scores of all pairs within each item."""
        items = np.repeat(np.arange(self.n_items), np.diff(self.indptr))
        inside = np.zeros(self.n_items)
        for p, weight in enumerate(self.weights):
            labels = self.labels[self.rows, p]
            seen = labels >= 0
            cells = sparse.coo_array(
                (self.numbers[seen], (items[seen], labels[seen])), shape=(self.n_items, int(labels.max()) + 1)
            ).tocsr()
            covered = np.bincount(items[seen], weights=self.numbers[seen], minlength=self.n_items)
            squares = cells.multiply(cells).sum(axis=1)
            inside += weight * (2 * (squares - covered) - (covered**2 - covered)) / 2
        return inside


def _divide(table: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Rows divided by their weights; rows of weight 0 are zero already."""
    return table / np.where(weights > 0, weights, 1.0)[:, None]

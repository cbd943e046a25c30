"""Weighted k-means on the label rows of an ensemble."""

from typing import NamedTuple

import numpy as np

from pluribus.consensus._shared.canonical_order import canonical_order
from pluribus.consensus._shared.label_rows import LabelRows
from pluribus.partitions import Ensemble


def canonical_rows(ensemble: Ensemble, n_jobs: int | None, weights: np.ndarray | None = None) -> LabelRows:
    """The label rows in canonical order, so that random draws do not depend on the order of the objects.

    ``weights`` replace those of the partitions.
    """
    order = canonical_order(ensemble)
    rows = LabelRows(ensemble.take_objects(order), n_jobs)
    if weights is not None:
        rows.partition_weights, rows.weights = weights, rows.spread(weights)
    rows.inverse = rows.inverse[np.argsort(order)]
    return rows


class Assignment(NamedTuple):
    """The cluster of each row, and the counts of each cluster in each of the q clusters of the ensemble."""

    labels: np.ndarray
    sums: np.ndarray


class CategoryKMeans:
    """Weighted k-means on the one-hot label rows of an ensemble, missing labels masked.

    A center holds, for each partition, the shares of its clusters: a column of q numbers. The squared distance is
    ‖h‖² - Σ (2 c_j - ‖c‖²) over the clusters j of a row, a constant minus a look-up.
    """

    def __init__(self, rows: LabelRows, n_clusters: int) -> None:
        self.rows, self.n_clusters = rows, n_clusters
        self.norms = rows.squared_norms()
        self.spread = (rows.counts * self.norms).sum()
        self.total = rows.over_blocks(lambda a, b: (rows.sum_by(rows.counts[a:b, None], a, b),), 1)[0]
        self.grand_mean = self.total / rows.spread(rows.by_partition(self.total))

    def descend(self, seed: int, max_iter: int, tol: float) -> tuple[Assignment, list[float]]:
        """One start: the partition, and the squared error after each iteration until it falls by less than ``tol``."""
        assignment = self.assign(self.seed_centers(np.random.default_rng(seed)))
        errors = [self.squared_error(assignment.sums)]
        while len(errors) < max_iter:
            following = self.assign(self.centers_of(assignment.sums))
            error = self.squared_error(following.sums)
            if error >= errors[-1]:
                break
            assignment = following
            errors.append(error)
            if errors[-2] - error <= tol * errors[-2]:
                break
        return assignment, errors

    def centers_of(self, sums: np.ndarray) -> np.ndarray:
        """Shares of the labels in each partition; the shares in the whole ensemble if all labels are missing."""
        seen = self.rows.spread(self.rows.by_partition(sums))
        grand_mean = np.broadcast_to(self.grand_mean, sums.shape)
        return np.divide(sums, seen, out=grand_mean.copy(), where=seen > 0)

    def seed_centers(self, rng: np.random.Generator) -> np.ndarray:
        """k-means++: rows drawn by their squared distance to the present centers, the best of a few each time."""
        counts = self.rows.counts
        n_trials = 2 + int(np.log(self.n_clusters))
        centers = self._centers_at(_draw(counts, 1, rng))
        closest = self._distances(centers)[:, 0]
        while centers.shape[1] < self.n_clusters:
            potential = counts * closest
            if not potential.sum() > 0:  # every row equals a center
                spare = self.n_clusters - centers.shape[1]
                return np.hstack([centers, np.repeat(self.grand_mean, spare, axis=1)])
            candidates = self._centers_at(_draw(potential, n_trials, rng))
            distances = np.minimum(self._distances(candidates), closest[:, None])
            best = int(np.argmin((counts[:, None] * distances).sum(axis=0)))
            centers = np.hstack([centers, candidates[:, best : best + 1]])
            closest = distances[:, best]
        return centers

    def assign(self, centers: np.ndarray) -> Assignment:
        """Assign each row to its nearest center; an empty cluster takes the row of highest cost."""
        rows, k = self.rows, self.n_clusters
        table = self._table(centers)
        labels, cost = np.empty(rows.n, dtype=np.int64), np.empty(rows.n)

        def nearest(start: int, stop: int) -> tuple[np.ndarray]:
            score = rows.look_up(table, start, stop)
            labels[start:stop] = best = score.argmax(axis=1)
            each = np.arange(stop - start)
            cost[start:stop] = rows.counts[start:stop] * (self.norms[start:stop] - score[each, best])
            chosen = np.zeros_like(score)
            chosen[each, best] = rows.counts[start:stop]
            return (rows.sum_by(chosen, start, stop),)

        (sums,) = rows.over_blocks(nearest, k)
        for empty in np.flatnonzero(np.bincount(labels, minlength=k) == 0):
            worst = int(cost.argmax())
            if cost[worst] <= 1e-12 * rows.counts[worst]:
                break
            moved = rows.counts[worst] * rows.sum_by(np.ones((1, 1)), worst, worst + 1)[:, 0]
            sums[:, labels[worst]] -= moved
            sums[:, empty] += moved
            labels[worst], cost[worst] = empty, 0.0
        return Assignment(labels, sums)

    def squared_error(self, sums: np.ndarray) -> float:
        """Σ ‖h - c‖² = Σ ‖h‖² - Σ (members of j in c)² / (members seen in c)."""
        explained = (self.rows.weights[:, None] * sums * self.centers_of(sums)).sum()
        return float(max(self.spread - explained, 0.0))

    def _table(self, centers: np.ndarray) -> np.ndarray:
        length = self.rows.spread(self.rows.by_partition(centers**2))
        return self.rows.weights[:, None] * (2 * centers - length)

    def _centers_at(self, index: np.ndarray) -> np.ndarray:
        return self.centers_of(np.hstack([self.rows.sum_by(np.ones((1, 1)), i, i + 1) for i in index]))

    def _distances(self, centers: np.ndarray) -> np.ndarray:
        table = self._table(centers)
        out = np.empty((self.rows.n, centers.shape[1]))

        def measure(start: int, stop: int) -> tuple[()]:
            score = self.rows.look_up(table, start, stop)
            out[start:stop] = np.maximum(self.norms[start:stop, None] - score, 0)
            return ()

        self.rows.over_blocks(measure, 1)
        return out


def _draw(weights: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Indices drawn with probability proportional to the weights."""
    cumulative = np.cumsum(weights)
    drawn = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    return np.minimum(drawn, len(weights) - 1)

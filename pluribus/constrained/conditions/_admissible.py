"""Clusters that satisfy conditions, repaired and improved by moves and swaps of single rows."""

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from pluribus._kernels.assignment.admissible_moves import improve, means_of, member_chains, mend_from
from pluribus.constrained.conditions._requirements import Requirements
from pluribus.tables._internal import check_scale

_CANDIDATES = 16  # clusters that a row may go to in one pass, the nearest
_TRIED = 4  # of them, with whose members a swap is tried
_PARTNERS = 128  # members of each
_WEIGHED = 1000  # rows that are compared for each row that moves to repair a cluster
_NEAR_ROWS, _NEAR_CLUSTERS = 500, 4  # rows from which a cluster is repaired first: these, plus those of 4 mean clusters
_MOST_SWAPS = 10_000_000  # pairs of rows that are considered if no move repairs a cluster
_SMALLEST_GAIN = 1e-12  # of a change, relative to the variance


class Refined(NamedTuple):
    """Labels, and the dispersion before and after each pass."""

    labels: np.ndarray
    path: np.ndarray


class MovingClusters:
    """Rows in clusters, with the means and counts that moves keep up to date."""

    def __init__(self, X: np.ndarray, labels: np.ndarray, n_clusters: int, requirements: Requirements) -> None:
        X = np.asarray(X)
        self.X = np.ascontiguousarray(X - X.mean(axis=0, dtype=np.float64), dtype=np.float64)
        check_scale(self.X)
        self.requirements = requirements
        self.labels = np.array(labels, dtype=np.int64)
        self.means = np.empty((n_clusters, X.shape[1]))
        self.chains = np.empty(n_clusters, np.int64), np.empty(len(X), np.int64), np.empty(len(X), np.int64)
        self.count()

    def count(self) -> None:
        """Recompute means and counts from the labels: sums drift after many moves."""
        n_clusters = len(self.means)
        means_of(self.X, self.labels, self.means, np.empty(n_clusters, np.int64))
        self.tally = self.requirements.tally(self.labels, n_clusters)
        member_chains(self.labels, *self.chains)

    def mend(self, h: np.integer, among: np.ndarray, missing: np.ndarray) -> bool:
        """Move or swap some of these rows so that a cluster complies; `missing` is the shortfall of each cluster."""
        how = 1 + len(among) // _WEIGHED, _MOST_SWAPS
        return mend_from(
            self.X, self.requirements.rules, self.tally, h, among, missing, *how, self.means, self.labels, *self.chains
        )

    def dispersion(self) -> float:
        """Sum of squared distances to the means."""
        away = self.X - self.means[self.labels]
        return float(np.einsum("ij,ij->", away, away))


def refine(
    X: np.ndarray, labels: np.ndarray, n_clusters: int, requirements: Requirements, max_iter: int = 100
) -> Refined:
    """Lower the dispersion by moves and swaps that keep all conditions satisfied; the labels must satisfy them.

    Parameters
    ----------
    X : (n, d)
    labels : (n,)
        From 0 to n_clusters - 1.
    n_clusters : int
    requirements : Requirements
    max_iter : int
        Passes over all rows.
    """
    clusters = MovingClusters(X, labels, n_clusters, requirements)
    least = _SMALLEST_GAIN * float(np.einsum("ij,ij->", clusters.X, clusters.X)) / len(clusters.X)
    path = [clusters.dispersion()]
    for _ in range(max_iter):
        candidates = _nearest(clusters.X, clusters.means)
        n_changes = improve(
            clusters.X,
            requirements.rules,
            clusters.tally,
            candidates,
            _TRIED,
            _PARTNERS,
            max(least, np.finfo(float).tiny),
            clusters.means,
            clusters.labels,
            *clusters.chains,
        )
        if not n_changes:
            break
        clusters.count()
        path.append(min(clusters.dispersion(), path[-1]))
    return Refined(clusters.labels, np.array(path))


def repair(X: np.ndarray, labels: np.ndarray, n_clusters: int, requirements: Requirements) -> np.ndarray | None:
    """Nearby labels that satisfy all conditions; None if moves and swaps find none.

    Each cluster is repaired with the rows nearest to it, a few times the mean size of a cluster, and with all rows if
    these are not enough.
    """
    clusters = MovingClusters(X, labels, n_clusters, requirements)
    all_rows, n_near = np.arange(len(X)), _NEAR_ROWS + _NEAR_CLUSTERS * len(X) // n_clusters
    tree: Any = cKDTree(clusters.X) if n_near < len(X) else None
    for _ in range(2):  # repairing one cluster may leave another one short, but the total shortfall never rises
        missing = requirements.shortfalls(clusters.labels, n_clusters)
        for h in np.flatnonzero(missing):
            some = tree is not None and clusters.tally.sizes[h] > 0
            if not (some and clusters.mend(h, tree.query(clusters.means[h], n_near)[1], missing)):
                clusters.mend(h, all_rows, missing)
        clusters.count()
        if requirements.satisfied(clusters.labels, n_clusters):
            return clusters.labels
    return None


def deal(X: np.ndarray, n_clusters: int, requirements: Requirements) -> np.ndarray:
    """Labels that give each cluster its share of all values in the conditions.

    Rows are dealt round robin, value by value, so that sizes differ by at most one, and so do the counts of the values
    if there is one attribute. Of the rows with a value, each cluster gets neighbors on the principal axis. If the
    conditions are on sums only, the largest amounts are dealt first.
    """
    n = len(X)
    keys = [rule.codes for rule in requirements.diverse]
    keys += [rule.amounts.astype(np.int64) for rule in requirements.linear[:-1] if rule.is_count]
    combined = (
        np.unique(np.column_stack(keys), axis=0, return_inverse=True)[1].ravel() if keys else np.zeros(n, np.int64)
    )
    sums = [rule for rule in requirements.linear if not rule.is_count]
    if sums and not keys:
        return _longest_first(sums[0].amounts, n_clusters)
    away = X - X.mean(axis=0, dtype=np.float64)
    axis = away @ np.linalg.svd(away[:: max(1, n // 10_000)], full_matrices=False)[2][0]
    # Frequent values first: each reaches all clusters, and the rare ones then follow without a gap.
    counts = np.bincount(combined)
    rank = np.empty(len(counts), np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    value = rank[combined]
    order = np.lexsort((axis, value))
    turns = np.arange(n) % n_clusters
    labels = np.empty(n, np.int64)
    labels[order] = turns[np.lexsort((turns, value[order]))]
    return labels


def _longest_first(amounts: np.ndarray, n_clusters: int) -> np.ndarray:
    """Labels dealt back and forth over the clusters in the order of the amounts: totals are about equal."""
    there_and_back = np.r_[np.arange(n_clusters), np.arange(n_clusters)[::-1]]
    labels = np.empty(len(amounts), np.int64)
    labels[np.argsort(-amounts, kind="stable")] = there_and_back[np.arange(len(amounts)) % (2 * n_clusters)]
    return labels


def _nearest(X: np.ndarray, means: np.ndarray) -> np.ndarray:
    """The nearest clusters of each row, the nearest first."""
    n_nearest = min(len(means), _CANDIDATES)
    return cKDTree(means).query(X, k=np.arange(1, n_nearest + 1))[1].astype(np.int64)

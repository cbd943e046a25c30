"""Descent to the median partition by counts of labels: no pair of objects is looked at."""

import numpy as np

from pluribus._engine import track
from pluribus.evidence._signed.label_counts import Items, Tables
from pluribus.evidence._signed.search import number_by_appearance

MOST_COUNTS = 2.5e8  # entries of the table of counts: 2 GB
_MERGED = 5_000  # clusters up to which each pair is a possible merge
_SWEEPS = 30  # over all objects between two merges, at most
_ROUNDS = 20  # of sweeps, merges and new clusters, at most
_GATHER_STEPS = 2e9  # label look-ups that new clusters may take in a round, some seconds


def descend(
    items: Items, clusters: np.ndarray, rng: np.random.Generator, tolerance: float, verbose: bool
) -> np.ndarray:
    """Sweeps of single items, merges, and new clusters of items that are alone, until nothing changes."""
    for _ in track(range(_ROUNDS), "median partition", verbose=verbose):
        clusters, tables = _compact(items, clusters)
        before = items.cost(clusters, tables)
        for _ in range(_SWEEPS):
            if items.move(clusters, tables, rng.permutation(items.n_items), tolerance) == 0:
                break
        clusters = _merge(items, clusters, tolerance=tolerance)
        clusters = _gather_alone(items, clusters, rng, tolerance)
        if cost_of(items, clusters) >= before - tolerance:
            break
    return complete(clusters)


def _compact(items: Items, clusters: np.ndarray) -> tuple[np.ndarray, Tables]:
    """Clusters numbered 0 … k - 1, -1 for alone, and their tables."""
    alone = clusters < 0
    compact = np.full(len(clusters), -1)
    compact[~alone] = number_by_appearance(clusters[~alone])
    return compact, items.tabulate(compact, max(int(compact.max(initial=-1)) + 1, 1))


def cost_of(items: Items, clusters: np.ndarray) -> float:
    """The cost of any number of clusters: small ones do not need columns of their own."""
    alone = np.full(len(clusters), -1)
    if clusters.max(initial=-1) >= 0:
        sizes = np.bincount(clusters[clusters >= 0])
        kept = (clusters >= 0) & (sizes[clusters] > 1)
        alone[kept] = clusters[kept]
    compact, tables = _compact(items, alone)
    return items.cost(compact, tables)


def _merge(items: Items, clusters: np.ndarray, *, tolerance: float, number: int | None = None) -> np.ndarray:
    """Merge the two clusters of best score while that gains; or until there are so many."""
    clusters, tables = _compact(items, clusters)
    k = tables.counts.shape[1]
    if k > _MERGED:
        return clusters
    scores = items.scores_between(tables)
    np.fill_diagonal(scores, -np.inf)
    one, other = clusters[items.apart_pairs].T
    walls = (one >= 0) & (other >= 0)
    scores[one[walls], other[walls]] = scores[other[walls], one[walls]] = -np.inf
    target = np.arange(k)
    n_left = k
    while n_left > 1 and (number is None or n_left > number):
        a, b = divmod(int(scores.argmax()), k)
        if scores[a, b] == -np.inf or (number is None and scores[a, b] <= tolerance):
            break
        scores[a] += scores[b]  # scores are additive
        scores[:, a] = scores[a]
        scores[a, a] = -np.inf
        scores[b] = scores[:, b] = -np.inf
        target[target == b] = a
        n_left -= 1
    return np.where(clusters < 0, -1, target[clusters])


def _gather_alone(items: Items, clusters: np.ndarray, rng: np.random.Generator, tolerance: float) -> np.ndarray:
    """New clusters around items that are alone, as far as the budget goes."""
    clusters = clusters.copy()
    alone = rng.permutation(np.flatnonzero(clusters < 0))
    column = int(clusters.max(initial=-1)) + 1
    most = int(MOST_COUNTS / items.q)
    budget = _GATHER_STEPS
    for first in alone:
        if clusters[first] >= 0:
            continue
        budget -= len(alone) * len(items.weights)
        if budget < 0 or column >= most:
            break
        if items.gather(clusters, alone, int(first), column, tolerance):
            column += 1
    return clusters


def with_number(
    items: Items, clusters: np.ndarray, number: int, rng: np.random.Generator, tolerance: float
) -> np.ndarray:
    """The best of several descents with this number of clusters."""
    starts = [_to_number(items, clusters, number, rng, tolerance)]
    for p in range(len(items.weights)):
        member = items.member(p)
        if items.weights[p] > 0 and member.max() + 1 == number == len(np.unique(member[member >= 0])):
            starts.append(member)
    results = []
    for start in starts:
        found, tables = start.copy(), items.tabulate(start, number)
        for _ in range(_SWEEPS):
            if items.move(found, tables, rng.permutation(items.n_items), tolerance, keep_all=True) == 0:
                break
        results.append((items.cost(found, tables), found))
    return min(results, key=lambda result: result[0])[1]


def _to_number(
    items: Items, clusters: np.ndarray, number: int, rng: np.random.Generator, tolerance: float
) -> np.ndarray:
    """Merge the clusters that cost the least to merge, or part those that cost the least to part."""
    sizes = np.bincount(clusters)
    if len(sizes) > number:
        # Clusters of one item are so many, perhaps, that only the largest can be merged pair by pair.
        kept = np.argsort(-sizes, kind="stable")[: max(number, _MERGED)]
        clusters = np.where(np.isin(clusters, kept), clusters, -1)
        clusters, tables = _compact(items, _merge(items, clusters, tolerance=tolerance, number=number))
        items.move(clusters, tables, rng.permutation(items.n_items), tolerance, keep_all=True)
        return clusters
    while (k := int(clusters.max()) + 1) < number:
        clusters, tables = _compact(items, clusters)
        scores = np.where(tables.n_items[clusters] > 1, items.own_scores(clusters, tables), np.inf)
        clusters[scores.argmin()] = k  # to part from it costs the least
        tables = items.tabulate(clusters, k + 1)
        items.move(clusters, tables, rng.permutation(items.n_items), tolerance, keep_all=True)
    return clusters


def complete(clusters: np.ndarray) -> np.ndarray:
    """Clusters in which items that were alone have a number of their own."""
    clusters = clusters.copy()
    alone = np.flatnonzero(clusters < 0)
    clusters[alone] = clusters.max(initial=-1) + 1 + np.arange(len(alone))
    return clusters

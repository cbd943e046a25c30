"""Merging clusters pair by pair, as tests of their increments say."""

import heapq
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from pluribus._engine import track
from pluribus.increments._shared.description import Unit, describe
from pluribus.increments._shared.dissimilarities import Dissimilarities, FeatureDissimilarities
from pluribus.increments._shared.ties import warn_of_ties
from pluribus.increments.mixture._closest_pairs import ClosestPairs
from pluribus.increments.mixture._criteria import Criterion, DescriptionLength, LikelihoodRatio, Outcome
from pluribus.increments.mixture._orders import Mahalanobis, Order, SingleLink
from pluribus.increments.mixture._parts import Link, NearestIncrements, Part, TreeIncrements, united
from pluribus.increments.mixture._rules import Rules
from pluribus.partitions._internal import number_by_size, order_by_size

_ALPHAS = (0.01, 0.05, 0.10, 0.15)  # of which "auto" takes one


@dataclass(frozen=True)
class MergedPartition:
    """A partition whose clusters are unions of those of another one.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters : int
    mean_increments : ndarray of shape (n_clusters,)
        The mean increment of each cluster; nan if it has fewer than three objects.
    cluster_of : ndarray
        The cluster of each cluster of the start.
    merges : DataFrame
        Every test, in the order in which they were made; see ``merge_partition``.
    alpha : float or None
        The level of the likelihood-ratio tests.

    Examples
    --------
    >>> from pluribus.increments import merge_partition
    >>> merge_partition([0, 0, 0, 1, 1, 1], [[0], [1], [3], [4], [6], [7]]).cluster_of.tolist()
    [0, 0]
    """

    labels: np.ndarray
    n_clusters: int
    mean_increments: np.ndarray
    cluster_of: np.ndarray
    merges: pd.DataFrame
    alpha: float | None = None


class Row(NamedTuple):
    """A row of ``merges``."""

    first: int
    second: int
    first_size: int
    second_size: int
    distance: float
    statistic: float
    threshold: float
    gap: float
    accepted: bool = False
    forced: bool = False
    cluster: int = -1


class Merging:
    """The clusters that are left, and the tests that were made."""

    def __init__(
        self, parts: list[Part], criterion: Criterion, order: Order, pairs: ClosestPairs, verbose: bool
    ) -> None:
        self.criterion, self.order, self.pairs, self.verbose = criterion, order, pairs, verbose
        self.live = dict(enumerate(parts))
        self.rows: list[Row] = []
        self.tests: dict[tuple[int, int], tuple[int, Outcome]] = {}  # the row of each pair, and its outcome
        for part in parts:
            order.add(part.members)

    def run(self, rules: Rules) -> None:
        """Merge until no test passes, or as few clusters are left as there may be."""
        if self.criterion.merges_best_first:
            self._merge_best_first(rules.least)
        else:
            self._merge_in_order(rules.least)
        if rules.n_clusters is not None:
            self._merge_best_first(rules.least, forced=True)

    def _merge_in_order(self, least: int) -> None:
        """Test the closest pair that was not tested yet; a union makes new pairs."""
        heap = [(distance, *pair) for pair, distance in self._distances()]
        heapq.heapify(heap)
        for _ in track(range(len(self.live) - least), "merging", verbose=self.verbose):
            while heap:
                distance, i, j = heapq.heappop(heap)
                if i in self.live and j in self.live and self._test(i, j, distance).passed:
                    new = self._unite(i, j)
                    for pair, distance in self._distances(new):
                        heapq.heappush(heap, (distance, *pair))
                    break
            else:
                return

    def _merge_best_first(self, least: int, *, forced: bool = False) -> None:
        """Merge the pair with the best test, as long as it passes or if it is forced."""
        pairs = track(self._distances(), "testing pairs", verbose=self.verbose)
        heap = [(self._test(*pair, distance).rank, *pair) for pair, distance in pairs]
        heapq.heapify(heap)
        for _ in track(range(len(self.live) - least), "merging", verbose=self.verbose):
            _, i, j = heapq.heappop(heap)
            while i not in self.live or j not in self.live:
                _, i, j = heapq.heappop(heap)
            passed = self.tests[i, j][1].passed
            if not passed and not forced:
                return
            new = self._unite(i, j, forced=not passed)
            for pair, distance in self._distances(new):
                heapq.heappush(heap, (self._test(*pair, distance).rank, *pair))

    def _distances(self, of: int | None = None) -> list[tuple[tuple[int, int], float]]:
        """All live pairs, or those of one cluster, each with its distance."""
        live = np.array(sorted(self.live))
        found = []
        for second in live[1:] if of is None else [of]:
            others = live[live < second]
            if len(others):
                distances = self.order.distances(second, others)
                pairs = [(int(first), int(second)) for first in others]
                found += list(zip(pairs, distances.tolist(), strict=True))
        return found

    def _test(self, i: int, j: int, distance: float) -> Outcome:
        if (i, j) not in self.tests:
            one, other = self.live[i], self.live[j]
            link = Link(self.pairs.distance[i, j], self.pairs.nearest[i, j], self.pairs.nearest[j, i])
            outcome = self.criterion.test(one, other, link)
            self.tests[i, j] = len(self.rows), outcome
            self.rows.append(Row(i, j, len(one), len(other), distance, *outcome[:3]))
        return self.tests[i, j][1]

    def _unite(self, i: int, j: int, *, forced: bool = False) -> int:
        new = self.pairs.unite(i, j)
        row = self.tests[i, j][0]
        self.rows[row] = self.rows[row]._replace(accepted=True, forced=forced, cluster=new)
        self.live[new] = self.criterion.increments.part(united(self.live.pop(i), self.live.pop(j)))
        self.order.add(self.live[new].members)
        return new


def merge_clusters(
    objects: Dissimilarities, codes: np.ndarray, rules: Rules, *, unit: Unit | None = None, verbose: bool = True
) -> MergedPartition:
    """Merge the clusters 0 … k - 1 of a start. ``unit`` is that of the objects, if it is known."""
    if unit is None and (rules.criterion == "gdid" or rules.chooses_alpha):
        unit = Unit.of(objects)
    if not rules.chooses_alpha:
        return _merged(objects, codes, rules, unit, verbose)
    assert unit is not None
    candidates = [_merged(objects, codes, replace(rules, alpha=alpha), unit, verbose) for alpha in _ALPHAS]
    lengths = [describe(objects, candidate.labels, rules.model, unit=unit).length for candidate in candidates]
    return candidates[int(np.argmin(lengths))]


def _merged(
    objects: Dissimilarities, codes: np.ndarray, rules: Rules, unit: Unit | None, verbose: bool
) -> MergedPartition:
    clusters = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    pairs = ClosestPairs(objects, clusters)
    criterion, alpha = _criterion(objects, rules, unit)
    parts = [criterion.increments.part(members) for members in clusters]
    increments = np.concatenate([part.increments for part in parts])
    if len(increments):
        warn_of_ties(increments)
    order: Order = SingleLink(pairs)
    if rules.order == "mahalanobis":
        assert isinstance(objects, FeatureDissimilarities)
        order = Mahalanobis(objects.X)
    merging = Merging(parts, criterion, order, pairs, verbose)
    merging.run(rules)
    return _result(merging, codes, alpha)


def _criterion(objects: Dissimilarities, rules: Rules, unit: Unit | None) -> tuple[Criterion, float | None]:
    if rules.criterion == "gdid":
        assert unit is not None
        return DescriptionLength(TreeIncrements(objects, rules.model, unit), rules.isolation), None
    alpha = float(rules.alpha) if rules.criterion == "lrt" else None
    return LikelihoodRatio(NearestIncrements(objects, rules.model), rules.isolation, alpha), alpha


def _result(merging: Merging, codes: np.ndarray, alpha: float | None) -> MergedPartition:
    labels = np.empty(len(codes), dtype=np.int64)
    for number, part in enumerate(merging.live.values()):
        labels[part.members] = number
    k = len(merging.live)
    means = np.array([part.mean for part in merging.live.values()])[order_by_size(labels, k)]
    labels = number_by_size(labels, k)
    cluster_of = labels[np.unique(codes, return_index=True)[1]]
    return MergedPartition(labels, k, means, cluster_of, pd.DataFrame(merging.rows, columns=Row._fields), alpha)

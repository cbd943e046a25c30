"""Tests whether two clusters are one."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from pluribus.increments.mixture._parts import Increments, Link, NearestIncrements, Part, TreeIncrements

_FEW = 7.0  # mean increments: how far a cluster of one or two objects may be from the one that it joins


class Outcome(NamedTuple):
    """Of one test. ``gap`` is the larger one of the two clusters, nan if it was not looked at."""

    statistic: float
    threshold: float
    gap: float
    isolated: bool  # the gap is too large
    passed: bool
    excess: float  # the lower, the more one cluster

    @property
    def rank(self) -> tuple[bool, float]:
        """The pair with the lowest rank is merged first, where the order of merging is by the tests."""
        return self.isolated, self.excess


class Criterion(ABC):
    """A test of two clusters, which looks at their increments and, with ``isolation``, at the gap between them."""

    increments: Increments
    merges_best_first = False  # or in the order of distances

    def __init__(self, isolation: float | None) -> None:
        self.isolation = isolation

    @abstractmethod
    def compare(self, one: Part, other: Part, link: Link) -> tuple[float, float, bool, float]:
        """The statistic, its threshold, whether the pair passes, and by how much it fails."""

    def test(self, one: Part, other: Part, link: Link) -> Outcome:
        """Whether two clusters are one."""
        statistic, threshold, passed, excess = self.compare(one, other, link)
        gap = np.nan if self.isolation is None else widest_gap(one, other, link)
        isolated = self.isolation is not None and gap > self.isolation
        return Outcome(statistic, threshold, gap, isolated, passed and not isolated, excess)


class DescriptionLength(Criterion):
    """G-DID: the union has a shorter description than both clusters. The statistic is the gain, in nats."""

    merges_best_first = True

    def __init__(self, increments: TreeIncrements, isolation: float | None) -> None:
        super().__init__(isolation)
        self.increments: TreeIncrements = increments

    def compare(self, one: Part, other: Part, link: Link) -> tuple[float, float, bool, float]:
        union = self.increments.of_union(one, other, link)
        gain = self.increments.log_likelihood(union) - one.log_likelihood - other.log_likelihood
        gain += self.increments.unit.penalty()
        return gain, 0.0, gain > 0, -gain


class LikelihoodRatio(Criterion):
    """T = 2 (l₁ + l₂ - l₁₂) of nearest-neighbor increments, one distribution against two.

    With ``alpha`` the pair passes unless a chi-square test rejects one distribution at this level. The source prints
    the ratio upside down and the decision reversed. Without ``alpha`` T is compared with log n, which is the minimum
    description length.
    """

    def __init__(self, increments: NearestIncrements, isolation: float | None, alpha: float | None) -> None:
        super().__init__(isolation)
        self.increments: NearestIncrements = increments
        self.alpha = alpha

    def compare(self, one: Part, other: Part, link: Link) -> tuple[float, float, bool, float]:
        if min(len(one), len(other)) < 3:
            return self._few(one, other, link)
        union = self.increments.of_union(one, other, link)
        ratio = one.log_likelihood + other.log_likelihood - self.increments.log_likelihood(union)
        statistic = max(0.0, 2 * ratio)
        if self.alpha is None:
            threshold = float(np.log(len(union)))
            return statistic, threshold, statistic < threshold, statistic / threshold
        threshold = float(chi2.isf(self.alpha, 1))
        return statistic, threshold, statistic <= threshold, statistic / threshold

    def _few(self, one: Part, other: Part, link: Link) -> tuple[float, float, bool, float]:
        """One or two objects have no increments: they join each other, and a cluster that is not isolated from them."""
        if max(len(one), len(other)) < 3:
            return np.nan, np.nan, True, 0.0
        gap, threshold = widest_gap(one, other, link), _FEW if self.isolation is None else self.isolation
        return gap, threshold, gap <= threshold, gap / threshold


def widest_gap(one: Part, other: Part, link: Link) -> float:
    """The gap of the clusters that have increments, each in its own mean increments; the larger one of two."""
    sides = [(one, link.first), (other, link.second)]
    return max((part.gap(end, link.distance) for part, end in sides if len(part.increments)), default=np.nan)

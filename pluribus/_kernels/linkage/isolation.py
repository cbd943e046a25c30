"""Whether two clusters merge, or one of them is isolated: the tests of SL-DID and SL-AGLO.

The gap of a cluster is the distance to the other cluster minus the distance from the same object to its nearest
neighbor in its own cluster. SL-DID isolates a large cluster whose gap is far in the tail of its increments, and merges
two large clusters if one distribution describes the increments of both. SL-AGLO collects the gaps of all merges, and
isolates a cluster whose gap is large for those of its own merges.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from pluribus._kernels.linkage.cluster_neighbors import commit, join, log_likelihood_of, undo

MERGE, SMALL_MERGE, SMALL_REJECT, ISOLATE_FIRST, ISOLATE_SECOND, ISOLATE_BOTH, REJECT = range(7)
NO_CRITERION, LRT, BIC, MML = range(4)
DID_INFORMATION = 1.886953496  # of one increment about the logarithm of the mean, under 2-DID
_WIDEST, _STEEPNESS, _MIDDLE = 20.0, 0.4, 10.0  # of the threshold for small clusters in SL-AGLO


class Rules(NamedTuple):
    """The parameters of the tests."""

    by_gaps: bool  # SL-AGLO
    min_size: int
    tail_factor: float
    criterion: int
    critical: float  # the largest statistic that the likelihood ratio test accepts
    small_gap: bool  # compare the gap, where one of the clusters has no increments
    isolation: float
    by_width: bool  # raise the threshold of small clusters, in place of none
    exponential: bool
    floor: float  # the least mean increment


class Standing(NamedTuple):
    """What is known of each slot besides its objects."""

    node: np.ndarray  # its number in the dendrogram
    likelihood: np.ndarray  # nan = not computed
    gap_total: np.ndarray  # SL-AGLO: the sum and the number of the gaps of its merges
    gap_count: np.ndarray


class Records(NamedTuple):
    """The tests in the order they were made: nodes, the closest objects, distance, outcome and statistic."""

    first: np.ndarray
    second: np.ndarray
    x: np.ndarray
    y: np.ndarray
    distance: np.ndarray
    outcome: np.ndarray
    statistic: np.ndarray


def single_standing(n):
    """The standing of n clusters of one object."""
    return Standing(np.arange(n), np.full(n, np.nan), np.zeros(n), np.zeros(n, np.int64))


def empty_records(n):
    """Room for n tests."""
    first, second, x, y = np.empty((4, n), np.int32)
    return Records(first, second, x, y, np.empty(n), np.empty(n, np.int8), np.empty(n))


@njit(cache=True, nogil=True)
def decide(c, s, rules, a, b, x, y, distance):
    """Test two clusters, a of the lower node, with x in a and y in b the closest objects; merges them if they pass."""
    if rules.by_gaps:
        return _test_gaps(c, s, rules, a, b, x, y, distance)
    small_a, small_b = c.size[a] < rules.min_size, c.size[b] < rules.min_size
    if small_a and small_b:
        _merge(c, s, a, b)
        return MERGE, np.nan
    if small_a or small_b:
        return _test_small(c, s, rules, a, b, x, y, distance, small_a)
    return _test_large(c, s, rules, a, b, x, y, distance)


@njit(cache=True, nogil=True)
def _test_small(c, s, rules, a, b, x, y, distance, small_a):
    small, large, inside = (a, b, y) if small_a else (b, a, x)
    value = 0.0
    if c.size[small] >= 3:
        value = c.total[small] / c.counted[small]
    elif rules.small_gap:
        value = abs(distance - c.near_distance[inside, 0])
    mean = _mean(c, rules, large)
    if value < rules.tail_factor * mean:
        _merge(c, s, a, b)
        return SMALL_MERGE, value / mean
    return SMALL_REJECT, value / mean


@njit(cache=True, nogil=True)
def _test_large(c, s, rules, a, b, x, y, distance):
    gap_a, gap_b = abs(distance - c.near_distance[x, 0]), abs(distance - c.near_distance[y, 0])
    mean_a, mean_b = _mean(c, rules, a), _mean(c, rules, b)
    in_tail_a, in_tail_b = gap_a > rules.tail_factor * mean_a, gap_b > rules.tail_factor * mean_b
    # One is isolated at a time, first the one with the larger gap, whatever the order of the objects is.
    if in_tail_a and (gap_a >= gap_b or not in_tail_b):
        return ISOLATE_FIRST, gap_a / mean_a
    if in_tail_b:
        return ISOLATE_SECOND, gap_b / mean_b
    if rules.criterion == NO_CRITERION:
        _merge(c, s, a, b)
        return MERGE, max(gap_a / mean_a, gap_b / mean_b)
    apart = 0.0
    for slot in (a, b):
        if np.isnan(s.likelihood[slot]):
            s.likelihood[slot] = log_likelihood_of(c, slot, _mean(c, rules, slot), rules.exponential)
        apart += s.likelihood[slot]
    large, small = (a, b) if c.size[a] >= c.size[b] else (b, a)
    total, counted = join(c, large, small)
    mean = max(total / counted, rules.floor)
    together = log_likelihood_of(c, a, mean, rules.exponential) + log_likelihood_of(c, b, mean, rules.exponential)
    if rules.criterion == MML:  # the lengths of the parameters: ½ (1 - log 12) + ½ log(n κ) each
        information = 1.0 if rules.exponential else DID_INFORMATION
        statistic = apart - together - 0.5 * (1 - math.log(12.0))
        statistic += 0.5 * math.log(counted / (information * c.counted[a] * c.counted[b]))
        accepted = statistic <= 0
    else:
        statistic = 2 * (apart - together)
        accepted = statistic <= (math.log(float(counted)) if rules.criterion == BIC else rules.critical)
    if not accepted:
        undo(c)
        return REJECT, statistic
    commit(c, large, small, total, counted)
    s.likelihood[large] = together
    return MERGE, statistic


@njit(cache=True, nogil=True)
def _test_gaps(c, s, rules, a, b, x, y, distance):
    """SL-AGLO."""
    gap_total, gap_count = s.gap_total[a] + s.gap_total[b], s.gap_count[a] + s.gap_count[b]
    largest = np.nan
    isolated_a, isolated_b = False, False
    for slot, end in ((a, x), (b, y)):
        if c.size[slot] < 2:
            continue
        gap = abs(distance - c.near_distance[end, 0])
        gap_total += gap
        gap_count += 1
        if s.gap_count[slot] == 0 or (not rules.by_width and c.size[slot] < rules.min_size):
            continue
        mean = max(s.gap_total[slot] / s.gap_count[slot], rules.floor)
        if rules.by_width:
            mean *= 1 + _WIDEST * (1 - 1 / (1 + math.exp(-_STEEPNESS * (c.size[slot] - _MIDDLE))))
        if np.isnan(largest) or gap / mean > largest:
            largest = gap / mean
        if gap >= rules.isolation * mean:
            if slot == a:
                isolated_a = True
            else:
                isolated_b = True
    if isolated_a and isolated_b:
        return ISOLATE_BOTH, largest
    if isolated_a:
        return ISOLATE_FIRST, largest
    if isolated_b:
        return ISOLATE_SECOND, largest
    slot = _merge(c, s, a, b)
    s.gap_total[slot], s.gap_count[slot] = gap_total, gap_count
    return MERGE, largest


@njit(cache=True, nogil=True)
def _mean(c, rules, slot):
    return max(c.total[slot] / c.counted[slot], rules.floor)


@njit(cache=True, nogil=True)
def _merge(c, s, a, b):
    large, small = (a, b) if c.size[a] >= c.size[b] else (b, a)
    total, counted = join(c, large, small)
    commit(c, large, small, total, counted)
    s.likelihood[large] = np.nan
    return large


@njit(cache=True, nogil=True)
def record(records, at, first, second, x, y, distance, outcome, statistic):
    """Write a test down."""
    records.first[at], records.second[at] = first, second
    records.x[at], records.y[at] = x, y
    records.distance[at], records.outcome[at], records.statistic[at] = distance, outcome, statistic

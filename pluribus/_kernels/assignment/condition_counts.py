"""Conditions on clusters, counted: what each cluster has, and how far it would be from complying after a change.

A linear rule asks that the sum of a row's amounts over a cluster be within bounds, and not a certain value. A rule of
diversity asks that the values of an attribute, coded from 0, be spread: many of them, a high entropy, or none too
frequent. One function answers for moves and swaps alike: `out` and `new` are rows that leave and join, or -1.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

DISTINCT, ENTROPY, RECURSIVE = 0, 1, 2


class Rules(NamedTuple):
    """What each cluster must satisfy."""

    amounts: Any  # (q, n) float64
    low: Any  # (q,)
    high: Any
    never: Any  # nan where there is no such value
    tolerance: Any
    scale: Any  # what counts as one missing row
    codes: Any  # (s, n) int32
    kind: Any  # (s,)
    m: Any
    l: Any  # noqa: E741


class Tally(NamedTuple):
    """What each cluster has."""

    sizes: Any  # (c,)
    totals: Any  # (q, c)
    counts: Any  # (s, c, values)
    present: Any  # (s, c) values with a count
    n_log_n: Any  # (s, c) sum of count log count


@njit(cache=True, nogil=True)
def _n_log_n(count):
    return count * np.log(count) if count > 0 else 0.0


@njit(cache=True, nogil=True)
def count_all(rules, labels, tally):
    """Fill the tally from nothing."""
    tally.sizes[:] = 0
    tally.totals[:] = 0
    tally.counts[:] = 0
    tally.present[:] = 0
    tally.n_log_n[:] = 0
    for i in range(len(labels)):
        tally.sizes[labels[i]] += 1
    for q in range(rules.amounts.shape[0]):
        for i in range(len(labels)):
            tally.totals[q, labels[i]] += rules.amounts[q, i]
    for s in range(rules.codes.shape[0]):
        for i in range(len(labels)):
            tally.counts[s, labels[i], rules.codes[s, i]] += 1
        for h in range(tally.counts.shape[1]):
            for v in range(tally.counts.shape[2]):
                if tally.counts[s, h, v] > 0:
                    tally.present[s, h] += 1
                    tally.n_log_n[s, h] += _n_log_n(tally.counts[s, h, v])


@njit(cache=True, nogil=True)
def change(rules, tally, h, out, new):
    """Let a row leave cluster h and another one join it."""
    for row, step in ((out, -1), (new, 1)):
        if row < 0:
            continue
        tally.sizes[h] += step
        for q in range(rules.amounts.shape[0]):
            tally.totals[q, h] += step * rules.amounts[q, row]
        for s in range(rules.codes.shape[0]):
            v = rules.codes[s, row]
            before = tally.counts[s, h, v]
            tally.counts[s, h, v] = before + step
            tally.present[s, h] += (1 if before + step > 0 else 0) - (1 if before > 0 else 0)
            tally.n_log_n[s, h] += _n_log_n(before + step) - _n_log_n(before)


@njit(cache=True, nogil=True)
def _top(counts, out, new, n_first):
    """The largest count, and the sum of the `n_first` largest, after a change."""
    largest, total = 0, 0
    last, taken = 2**62, 0  # the counts down to this one are taken
    while taken < n_first or taken == 0:
        best, n_best = 0, 0
        for v in range(len(counts)):
            count = counts[v] - (1 if v == out else 0) + (1 if v == new else 0)
            if count < last:
                if count > best:
                    best, n_best = count, 1
                elif count == best:
                    n_best += 1
        if taken == 0:
            largest = best
        if best == 0:
            break
        total += best * max(min(n_best, n_first - taken), 0)
        taken += n_best
        last = best
    return largest, total


@njit(cache=True, nogil=True)
def shortfall(rules, tally, h, out, new):
    """How far cluster h is from complying once a row has left and another one has joined: 0 if it does, in rows."""
    total = 0.0
    for q in range(rules.amounts.shape[0]):
        value = tally.totals[q, h]
        if out >= 0:
            value -= rules.amounts[q, out]
        if new >= 0:
            value += rules.amounts[q, new]
        slack = 0.5 * rules.tolerance[q]  # half of it is left to rounding on the way
        if value < rules.low[q] - slack:
            total += (rules.low[q] - value) / rules.scale[q]
        elif value > rules.high[q] + slack:
            total += (value - rules.high[q]) / rules.scale[q]
        elif abs(value - rules.never[q]) <= 1.5 * rules.tolerance[q]:
            total += 1.0
    size = tally.sizes[h] - (1 if out >= 0 else 0) + (1 if new >= 0 else 0)
    for s in range(rules.codes.shape[0]):
        leaving = rules.codes[s, out] if out >= 0 else -1
        joining = rules.codes[s, new] if new >= 0 else -1
        if leaving == joining:
            leaving, joining = -1, -1
        counts = tally.counts[s, h]
        if rules.kind[s] == DISTINCT:
            present = tally.present[s, h]
            if leaving >= 0 and counts[leaving] == 1:
                present -= 1
            if joining >= 0 and counts[joining] == 0:
                present += 1
            total += max(rules.l[s] - present, 0.0)
        elif rules.kind[s] == ENTROPY:
            sums = tally.n_log_n[s, h]
            if leaving >= 0:
                sums += _n_log_n(counts[leaving] - 1) - _n_log_n(counts[leaving])
            if joining >= 0:
                sums += _n_log_n(counts[joining] + 1) - _n_log_n(counts[joining])
            effective = np.exp(np.log(size) - sums / size) if size > 0 else 0.0
            if effective < rules.l[s] * (1 - 1e-9):
                total += rules.l[s] - effective
        else:
            largest, first = _top(counts, leaving, joining, int(rules.l[s]) - 1)
            rest = rules.m[s] * (size - first)
            if largest >= rest:
                total += largest - rest + 1.0
    return total


@njit(cache=True, nogil=True)
def shortfalls(rules, tally, found):
    """Of each cluster as it is."""
    for h in range(len(found)):
        found[h] = shortfall(rules, tally, h, -1, -1)


@njit(cache=True, nogil=True)
def excesses(rules, tally, found):
    """By how much each cluster exceeds each rule, in the rule's own unit; below 0 (or at 0, if strict) it is broken."""
    n_linear = rules.amounts.shape[0]
    for h in range(found.shape[0]):
        for q in range(n_linear):
            value = tally.totals[q, h]
            if rules.never[q] == rules.never[q]:
                found[h, q] = abs(value - rules.never[q])
            else:
                found[h, q] = min(value - rules.low[q], rules.high[q] - value)
        for s in range(rules.codes.shape[0]):
            size = tally.sizes[h]
            if rules.kind[s] == DISTINCT:
                found[h, n_linear + s] = tally.present[s, h] - rules.l[s]
            elif rules.kind[s] == ENTROPY:
                entropy = np.log(size) - tally.n_log_n[s, h] / size if size > 0 else -np.inf
                found[h, n_linear + s] = np.exp(entropy) - rules.l[s]
            else:
                largest, first = _top(tally.counts[s, h], -1, -1, int(rules.l[s]) - 1)
                found[h, n_linear + s] = rules.m[s] * (size - first) - largest

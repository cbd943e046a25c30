"""Moves and swaps of rows between clusters that keep conditions, or bring clusters nearer to them.

Dispersion is the sum of squared distances to the means, which follow at once (Hartigan and Wong).
"""

import numpy as np
from numba import njit

from ._tallies import change, shortfall


@njit(cache=True, nogil=True)
def means_of(X, labels, means, sizes):
    """The mean of each cluster."""
    means[:] = 0
    sizes[:] = 0
    for i in range(len(labels)):
        sizes[labels[i]] += 1
        for j in range(X.shape[1]):
            means[labels[i], j] += X[i, j]
    for h in range(len(sizes)):
        if sizes[h] > 0:
            for j in range(X.shape[1]):
                means[h, j] /= sizes[h]


@njit(cache=True, nogil=True)
def member_chains(labels, first, following, before):
    """The members of each cluster as a doubly linked list."""
    first[:] = -1
    for i in range(len(labels) - 1, -1, -1):
        h = labels[i]
        following[i] = first[h]
        before[i] = -1
        if first[h] >= 0:
            before[first[h]] = i
        first[h] = i


@njit(cache=True, nogil=True)
def _transfer(i, b, labels, first, following, before):
    a = labels[i]
    if before[i] >= 0:
        following[before[i]] = following[i]
    else:
        first[a] = following[i]
    if following[i] >= 0:
        before[following[i]] = before[i]
    following[i] = first[b]
    before[i] = -1
    if first[b] >= 0:
        before[first[b]] = i
    first[b] = i
    labels[i] = b


@njit(cache=True, nogil=True)
def _distance(x, mean):
    total = 0.0
    for j in range(len(x)):
        away = x[j] - mean[j]
        total += away * away
    return total


@njit(cache=True, nogil=True)
def _leave(x, mean, size):
    if size > 1:  # of an empty cluster, the mean stays where it was
        for j in range(len(x)):
            mean[j] = (size * mean[j] - x[j]) / (size - 1)


@njit(cache=True, nogil=True)
def _join(x, mean, size):
    for j in range(len(x)):
        mean[j] += (x[j] - mean[j]) / (size + 1)


@njit(cache=True, nogil=True)
def _swap_change(x, y, a, b, size_a, size_b):
    """The change of dispersion if x leaves the mean a for b, and y comes for it."""
    product, square = 0.0, 0.0
    for j in range(len(x)):
        away = y[j] - x[j]
        product += (b[j] - a[j]) * away
        square += away * away
    return 2 * product - square * (1.0 / size_a + 1.0 / size_b)


@njit(cache=True, nogil=True)
def _move(X, rules, tally, means, i, b, labels, first, following, before):
    a = labels[i]
    _leave(X[i], means[a], tally.sizes[a])
    _join(X[i], means[b], tally.sizes[b])
    change(rules, tally, a, i, -1)
    change(rules, tally, b, -1, i)
    _transfer(i, b, labels, first, following, before)


@njit(cache=True, nogil=True)
def improve(X, rules, tally, candidates, n_tried, n_partners, least, means, labels, first, following, before):
    """One pass: each row goes where that lowers the dispersion most and all conditions stay, or is swapped.

    Parameters
    ----------
    X : (n, d) float64
    rules, tally : see ``_tallies``
    candidates : (n, m)
        Clusters to go to, the nearest first.
    n_tried : int
        With members of how many of them to try a swap.
    n_partners : int
        How many of these to try.
    least : float
        By how much the dispersion has to fall at least.
    means, labels, first, following, before : arrays
        Changed in place.

    Returns
    -------
    int
        Moves and swaps that were made.
    """
    n_changes = 0
    for i in range(len(labels)):
        a = labels[i]
        size = tally.sizes[a]
        if size > 1:
            saved = size / (size - 1.0) * _distance(X[i], means[a])
            best, lowest = -1, -least
            if saved > least and shortfall(rules, tally, a, i, -1) == 0:
                for b in candidates[i]:
                    if b == a:
                        continue
                    value = tally.sizes[b] / (tally.sizes[b] + 1.0) * _distance(X[i], means[b]) - saved
                    if value < lowest and shortfall(rules, tally, b, -1, i) == 0:
                        best, lowest = b, value
            if best >= 0:
                _move(X, rules, tally, means, i, best, labels, first, following, before)
                n_changes += 1
                continue
        best, lowest, tried = -1, -least, 0
        for b in candidates[i]:
            if b == a:
                continue
            if tried == n_tried:
                break
            tried += 1
            other, seen = first[b], 0
            while other >= 0 and seen < n_partners:
                seen += 1
                value = _swap_change(X[i], X[other], means[a], means[b], tally.sizes[a], tally.sizes[b])
                if (
                    value < lowest
                    and shortfall(rules, tally, a, i, other) == 0
                    and shortfall(rules, tally, b, other, i) == 0
                ):
                    best, lowest = other, value
                other = following[other]
        if best >= 0:
            b = labels[best]
            for j in range(X.shape[1]):
                away = X[best, j] - X[i, j]
                means[a, j] += away / tally.sizes[a]
                means[b, j] -= away / tally.sizes[b]
            change(rules, tally, a, i, best)
            change(rules, tally, b, best, i)
            _transfer(i, b, labels, first, following, before)
            _transfer(best, a, labels, first, following, before)
            n_changes += 1
    return n_changes


@njit(cache=True, nogil=True)
def mend(X, rules, tally, h, means, labels, first, following, before):
    """Bring cluster h to comply, by moves and then swaps that lower the shortfall of both clusters together.

    Each time it is the one which costs least dispersion for what it mends. Returns whether the cluster complies.
    """
    n, c = len(labels), len(first)
    missing = np.empty(c)
    for g in range(c):
        missing[g] = shortfall(rules, tally, g, -1, -1)
    while missing[h] > 0:
        best, target, dearest = -1, -1, np.inf
        for i in range(n):
            a = labels[i]
            for g in range(c) if a == h else range(h, h + 1):
                if g == a:
                    continue
                after = shortfall(rules, tally, a, i, -1)
                if missing[a] + missing[g] - after <= 1e-12:
                    break
                mended = missing[a] + missing[g] - after - shortfall(rules, tally, g, -1, i)
                if mended > 1e-12:
                    size, other = tally.sizes[a], tally.sizes[g]
                    saved = size / (size - 1.0) * _distance(X[i], means[a]) if size > 1 else 0.0
                    price = (other / (other + 1.0) * _distance(X[i], means[g]) - saved) / mended
                    if price < dearest:
                        best, target, dearest = i, g, price
        if best >= 0:
            a = labels[best]
            _move(X, rules, tally, means, best, target, labels, first, following, before)
            missing[a] = shortfall(rules, tally, a, -1, -1)
            missing[target] = shortfall(rules, tally, target, -1, -1)
            continue
        partner, best, dearest = -1, -1, np.inf
        i = first[h]
        while i >= 0:
            for other in range(n):
                b = labels[other]
                if b == h:
                    continue
                mended = missing[h] + missing[b] - shortfall(rules, tally, h, i, other)
                if mended <= 1e-12:
                    continue
                mended -= shortfall(rules, tally, b, other, i)
                if mended > 1e-12:
                    price = _swap_change(X[i], X[other], means[h], means[b], tally.sizes[h], tally.sizes[b]) / mended
                    if price < dearest:
                        best, partner, dearest = i, other, price
            i = following[i]
        if best < 0:
            return False
        b = labels[partner]
        for j in range(X.shape[1]):
            away = X[partner, j] - X[best, j]
            means[h, j] += away / tally.sizes[h]
            means[b, j] -= away / tally.sizes[b]
        change(rules, tally, h, best, partner)
        change(rules, tally, b, partner, best)
        _transfer(best, b, labels, first, following, before)
        _transfer(partner, h, labels, first, following, before)
        missing[h] = shortfall(rules, tally, h, -1, -1)
        missing[b] = shortfall(rules, tally, b, -1, -1)
    return True

"""Moves and swaps of rows between clusters that keep conditions, or bring clusters nearer to them.

Dispersion is the sum of squared distances to the means, which follow at once (Hartigan and Wong).
"""

import numpy as np
from numba import njit

from pluribus._kernels.assignment.bounded_assignment import enter, leave
from pluribus._kernels.assignment.condition_counts import change, shortfall, shortfalls
from pluribus._kernels.assignment.microaggregation import squared_distance


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
    leave(labels, first, following, before, i)
    enter(labels, first, following, before, i, b)


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
def _swap(X, rules, tally, means, i, other, labels, first, following, before):
    a, b = labels[i], labels[other]
    for j in range(X.shape[1]):
        away = X[other, j] - X[i, j]
        means[a, j] += away / tally.sizes[a]
        means[b, j] -= away / tally.sizes[b]
    change(rules, tally, a, i, other)
    change(rules, tally, b, other, i)
    _transfer(i, b, labels, first, following, before)
    _transfer(other, a, labels, first, following, before)


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
        With members of how many of them to try a swap, where the conditions do not allow a move that would gain.
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
    blocked = np.empty(n_tried, np.int64)
    for i in range(len(labels)):
        a = labels[i]
        size = tally.sizes[a]
        if size == 1:
            continue
        saved = size / (size - 1.0) * squared_distance(X[i], means[a])
        if saved <= least:
            continue
        can_leave = shortfall(rules, tally, a, i, -1) == 0
        best, lowest, n_blocked = -1, -least, 0
        for b in candidates[i]:
            if b == a:
                continue
            value = tally.sizes[b] / (tally.sizes[b] + 1.0) * squared_distance(X[i], means[b]) - saved
            if value >= lowest:
                continue
            if can_leave and shortfall(rules, tally, b, -1, i) == 0:
                best, lowest = b, value
            elif n_blocked < n_tried:
                blocked[n_blocked] = b
                n_blocked += 1
        if best >= 0:
            _move(X, rules, tally, means, i, best, labels, first, following, before)
            n_changes += 1
            continue
        for b in blocked[:n_blocked]:  # what would gain by itself, but for the conditions
            other, seen = first[b], 0
            while other >= 0 and seen < n_partners:
                seen += 1
                value = _swap_change(X[i], X[other], means[a], means[b], size, tally.sizes[b])
                if (
                    value < lowest
                    and shortfall(rules, tally, a, i, other) == 0
                    and shortfall(rules, tally, b, other, i) == 0
                ):
                    best, lowest = other, value
                other = following[other]
        if best >= 0:
            _swap(X, rules, tally, means, i, best, labels, first, following, before)
            n_changes += 1
    return n_changes


@njit(cache=True, nogil=True)
def _price(cost, mended):
    """Of two changes the one with the lower price is better: dear ones for what they mend, gains times it."""
    return cost / mended if cost > 0 else cost * mended


@njit(cache=True, nogil=True)
def _mended(rules, tally, missing, i, a, b):
    """By how much the shortfall falls if row i goes from a to b."""
    before = missing[a] + missing[b]
    after = shortfall(rules, tally, a, i, -1)
    return before - after - shortfall(rules, tally, b, -1, i) if after < before else 0.0


@njit(cache=True, nogil=True)
def _move_price(X, tally, means, i, a, b, mended):
    size, other = tally.sizes[a], tally.sizes[b]
    saved = size / (size - 1.0) * squared_distance(X[i], means[a]) if size > 1 else 0.0
    return _price(other / (other + 1.0) * squared_distance(X[i], means[b]) - saved, mended)


@njit(cache=True, nogil=True)
def _moves_that_mend(X, rules, tally, h, among, missing, means, labels, first, following, rows, targets, prices):
    """All moves of these rows into cluster h that mend, and of each row of h the best out of it; returns how many."""
    count = 0
    for i in among:
        if labels[i] != h:
            mended = _mended(rules, tally, missing, i, labels[i], h)
            if mended > 1e-12:
                price = _move_price(X, tally, means, i, labels[i], h, mended)
                rows[count], targets[count], prices[count] = i, h, price
                count += 1
    i = first[h]
    while i >= 0:
        best, lowest = -1, np.inf
        if shortfall(rules, tally, h, i, -1) < missing[h]:
            for b in range(len(missing)):
                mended = _mended(rules, tally, missing, i, h, b) if b != h else 0.0
                if mended > 1e-12:
                    price = _move_price(X, tally, means, i, h, b, mended)
                    if price < lowest:
                        best, lowest = b, price
        if best >= 0:
            rows[count], targets[count], prices[count] = i, best, lowest
            count += 1
        i = following[i]
    return count


@njit(cache=True, nogil=True)
def _swap_that_mends(X, rules, tally, h, among, missing, means, labels, first, following, most):
    """The best swap of a row of h for one of these, of at most so many pairs; (-1, -1) if none mends."""
    best, partner, lowest = -1, -1, np.inf
    i, seen = first[h], 0
    while i >= 0 and (seen == 0 or seen < most):
        for other in among:
            b = labels[other]
            if b == h:
                continue
            mended = missing[h] + missing[b] - shortfall(rules, tally, h, i, other)
            if mended <= 1e-12:
                continue
            mended -= shortfall(rules, tally, b, other, i)
            if mended > 1e-12:
                cost = _swap_change(X[i], X[other], means[h], means[b], tally.sizes[h], tally.sizes[b])
                if _price(cost, mended) < lowest:
                    best, partner, lowest = i, other, _price(cost, mended)
        seen += len(among)
        i = following[i]
    return best, partner


@njit(cache=True, nogil=True)
def mend(X, rules, tally, h, at_once, most_swaps, means, labels, first, following, before):
    """Bring cluster h to comply, by moves and then swaps that lower the shortfall of both clusters together.

    Those go first which cost least dispersion for what they mend; `at_once` of them before they are weighed anew, and
    swaps are sought among `most_swaps` pairs. Returns whether the cluster complies.
    """
    missing = np.empty(len(first))
    shortfalls(rules, tally, missing)
    everyone = np.arange(len(labels))
    return mend_from(
        X, rules, tally, h, everyone, missing, at_once, most_swaps, means, labels, first, following, before
    )


@njit(cache=True, nogil=True)
def mend_from(X, rules, tally, h, among, missing, at_once, most_swaps, means, labels, first, following, before):
    """As ``mend``, with the help of some rows only; `missing`, the shortfall of each cluster, is kept up to date."""
    room = len(among) + tally.sizes[h]
    rows, targets, prices = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
    while missing[h] > 0:
        n_moves = _moves_that_mend(
            X, rules, tally, h, among, missing, means, labels, first, following, rows, targets, prices
        )
        n_made = 0
        for move in np.argsort(prices[:n_moves]):
            i, b = rows[move], targets[move]
            a = labels[i]
            if n_made > 0 and _mended(rules, tally, missing, i, a, b) <= 1e-12:
                continue
            _move(X, rules, tally, means, i, b, labels, first, following, before)
            missing[a] = shortfall(rules, tally, a, -1, -1)
            missing[b] = shortfall(rules, tally, b, -1, -1)
            n_made += 1
            if n_made == at_once or missing[h] <= 0:
                break
        if n_made > 0:
            continue
        i, other = _swap_that_mends(X, rules, tally, h, among, missing, means, labels, first, following, most_swaps)
        if i < 0:
            return False
        b = labels[other]
        _swap(X, rules, tally, means, i, other, labels, first, following, before)
        missing[h] = shortfall(rules, tally, h, -1, -1)
        missing[b] = shortfall(rules, tally, b, -1, -1)
    return True

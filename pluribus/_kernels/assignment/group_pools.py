"""Lower the squared error of groups of at least k rows: a few neighboring groups are made anew, and kept if better."""

import numpy as np
from numba import njit

from pluribus._kernels.assignment.admissible_moves import improve, means_of, member_chains, mend
from pluribus._kernels.assignment.condition_counts import Rules, Tally, count_all, shortfall
from pluribus._kernels.assignment.microaggregation import squared_distance

_PASSES = 30  # over the rows of a pool
_SWAPS = 100_000  # that are tried to mend a group


@njit(cache=True, nogil=True)
def squared_error(X, labels, means):
    """Of all rows to the mean of their group."""
    total = 0.0
    for i in range(len(X)):
        total += squared_distance(X[i], means[labels[i]])
    return total


@njit(cache=True, nogil=True)
def nearest_groups(point, means, sizes, without, near, who):
    """Fill in the groups with the nearest means, but for one and those without rows; return how many there are."""
    count, most = 0, len(who)
    for g in range(len(sizes)):
        if g == without or sizes[g] == 0:
            continue
        far = squared_distance(point, means[g])
        if count == most and (count == 0 or far >= near[count - 1]):
            continue
        at = count if count < most else count - 1
        while at > 0 and near[at - 1] > far:
            near[at], who[at] = near[at - 1], who[at - 1]
            at -= 1
        near[at], who[at] = far, g
        count = min(count + 1, most)
    return count


@njit(cache=True, nogil=True)
def near_groups(X, labels, means, sizes, found):
    """Fill in the nearest groups of each row, with its own one in the places that are left."""
    near = np.empty(found.shape[1])
    for i in range(len(X)):
        count = nearest_groups(X[i], means, sizes, labels[i], near, found[i])
        found[i, count:] = labels[i]


@njit(cache=True, nogil=True)
def _below(n, draws):
    """A whole number from 0 to n - 1, by the next of the draws; the first one counts how many were used."""
    at = 1 + int(draws[0]) % (len(draws) - 1)
    draws[0] += 1
    return int(draws[at] * n)


@njit(cache=True, nogil=True)
def _random_groups(X, k, c, draws, labels):
    """Fill ``labels`` with c groups: each of a row drawn, or the one farthest from it, and the k - 1 nearest to that;
    what remains goes where it is nearest."""
    n, d = X.shape
    labels[:] = -1
    rows = np.arange(n)
    left = n
    far = np.empty(n)
    means, sizes = np.zeros((c, d)), np.full(c, k)
    for g in range(c):
        seed = rows[_below(left, draws)]
        if _below(2, draws):
            best, drawn = -1.0, seed
            for i in range(left):
                apart = squared_distance(X[rows[i]], X[drawn])
                if apart > best:
                    best, seed = apart, rows[i]
        for i in range(left):
            far[i] = squared_distance(X[rows[i]], X[seed])
        for place in np.argsort(far[:left])[:k]:
            labels[rows[place]] = g
            means[g] += X[rows[place]] / k
        kept = 0
        for i in range(left):
            if labels[rows[i]] < 0:
                rows[kept] = rows[i]
                kept += 1
        left = kept
    for i in range(left):
        x = X[rows[i]]
        best, at = np.inf, 0
        for g in range(c):
            change = sizes[g] / (sizes[g] + 1.0) * squared_distance(x, means[g])
            if change < best:
                best, at = change, g
        labels[rows[i]] = at
        sizes[at] += 1
        for j in range(d):
            means[at, j] += (x[j] - means[at, j]) / sizes[at]


@njit(cache=True, nogil=True)
def _among(rules, rows):
    """The rules for some of the rows, with the values of attributes coded anew."""
    codes = np.empty((rules.codes.shape[0], len(rows)), np.int32)
    for s in range(codes.shape[0]):
        place, count = np.full(rules.codes[s].max() + 1, -1), 0
        for i in range(len(rows)):
            value = rules.codes[s, rows[i]]
            if place[value] < 0:
                place[value] = count
                count += 1
            codes[s, i] = place[value]
    amounts = np.empty((rules.amounts.shape[0], len(rows)))
    for q in range(amounts.shape[0]):
        for i in range(len(rows)):
            amounts[q, i] = rules.amounts[q, rows[i]]
    return Rules(
        amounts, rules.low, rules.high, rules.never, rules.tolerance, rules.scale, codes, rules.kind, rules.m, rules.l
    )


@njit(cache=True, nogil=True)
def _tally(rules, labels, c):
    q, s = rules.amounts.shape[0], rules.codes.shape[0]
    values = rules.codes.max() + 1 if s > 0 else 0
    tally = Tally(
        np.zeros(c, np.int64), np.zeros((q, c)), np.zeros((s, c, values), np.int32), np.zeros((s, c), np.int64),
        np.zeros((s, c)),
    )  # fmt: skip
    count_all(rules, labels, tally)
    return tally


@njit(cache=True, nogil=True)
def _remade(X, rules, k, c, draws, least, labels, means):
    """Fill in c new groups and their means; return their squared error, infinite if they break a rule."""
    _random_groups(X, k, c, draws, labels)
    tally = _tally(rules, labels, c)
    means_of(X, labels, means, np.empty(c, np.int64))
    first, following, before = np.empty(c, np.int64), np.empty(len(X), np.int64), np.empty(len(X), np.int64)
    member_chains(labels, first, following, before)
    for g in range(c):
        if shortfall(rules, tally, g, -1, -1) > 0 and not mend(
            X, rules, tally, g, 1, _SWAPS, means, labels, first, following, before
        ):
            return np.inf
    for g in range(c):
        if shortfall(rules, tally, g, -1, -1) > 0:
            return np.inf
    if c > 1:
        found = np.empty((len(X), c - 1), np.int64)
        for _ in range(_PASSES):
            near_groups(X, labels, means, tally.sizes, found)
            if not improve(X, rules, tally, found, c, len(X), least, means, labels, first, following, before):
                break
    means_of(X, labels, means, np.empty(c, np.int64))
    return squared_error(X, labels, means)


@njit(cache=True, nogil=True)
def remake_pools(X, labels, rules, k, most_groups, n_pooled, orders, draws, least):
    """Make each group anew with its nearest ones, in each of these orders, and keep what lowers the error and complies.

    ``draws`` are random numbers between 0 and 1, but for a 0 at the start. There may be fewer groups afterwards, so
    that some labels are not used, or more, up to ``most_groups``.
    """
    c, d = most_groups, X.shape[1]
    means, sizes = np.empty((c, d)), np.empty(c, np.int64)
    means_of(X, labels, means, sizes)
    by_group, start = np.argsort(labels, kind="mergesort"), 0
    members = [by_group[:0] for _ in range(c)]
    for g in range(c):
        members[g] = by_group[start : start + sizes[g]]
        start += sizes[g]
    near, who = np.empty(n_pooled), np.empty(n_pooled + 1, np.int64)
    for order in orders:
        for g in order:
            if sizes[g] == 0:
                continue
            others = 1 + _below(n_pooled - 1, draws)
            who[0] = g
            pooled = 1 + nearest_groups(means[g], means, sizes, g, near[:others], who[1 : others + 1])
            n = sizes[who[:pooled]].sum()
            rows, at, error = np.empty(n, np.int64), 0, 0.0
            for h in who[:pooled]:
                for row in members[h]:
                    rows[at] = row
                    error += squared_distance(X[row], means[h])
                    at += 1
            empty = 0
            while empty < c and sizes[empty] > 0:
                empty += 1
            fewest, most = max(1, pooled - 1), min(n // k, pooled + (1 if empty < c else 0))
            made = fewest + _below(most + 1 - fewest, draws)
            new, new_means = np.empty(n, np.int64), np.empty((made, d))
            if _remade(X[rows], _among(rules, rows), k, made, draws, least, new, new_means) >= error - least:
                continue
            if made > pooled:
                who[pooled] = empty
            for t in range(max(made, pooled)):
                h = who[t]
                members[h] = rows[new == t]
                sizes[h] = len(members[h])
                if t < made:
                    means[h] = new_means[t]
                    labels[members[h]] = h

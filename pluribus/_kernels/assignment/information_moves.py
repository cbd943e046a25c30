"""Moves of single rows between clusters that raise I(C;F|Z) + λ I(C;F), for rows in known groups.

A cluster with the masses M_f (the weighted sum of its rows) and the weight P explains Φ(M, P) of them: Σ g(M_f) - g(P)
with g(v) = v log v for shares of counts, Σ M_f² / 2P for numbers, Σ [g(M_f) + g(P - M_f) - g(P)] / d for yes and no. A
row moves where Φ grows most, summed over the cluster within the group of the row and λ times the cluster as a whole, if
this is more than its own cluster loses. This is exact, and no move lowers the objective.

For yes and no, Φ also depends on features that a row does not have. Their part is the same for all rows of one weight,
so it is kept until a row enters or leaves the cluster.

Columns of the rows are slots: a feature within a group. ``feature_of`` gives the feature of each; those of a group lie
between ``group_start[group]`` and ``group_start[group + 1]``. A row x has ``entries[x]`` of them: its slots start at
``slot_start[x]``, its values at ``value_start[x]``, so that dense rows of one group share their slots.
"""

import numpy as np
from numba import njit

MULTINOMIAL, GAUSSIAN, BERNOULLI = 0, 1, 2
ROUNDING = 1e-12


@njit(cache=True, nogil=True)
def _g(v):
    return v * np.log(v) if v > 0 else 0.0


@njit(cache=True, nogil=True)
def _growth(kind, masses, columns, values, weight, size, squares, absent, cluster, d):
    """Φ(M + w a, P + w) - Φ(M, P) for a row a; its weight w is negative if the row leaves."""
    total = size + weight
    if kind == GAUSSIAN:
        dot = norm = 0.0
        for e in range(len(columns)):
            dot += values[e] * masses[columns[e], cluster]
            norm += values[e] * values[e]
        before = squares / size if size > 0 else 0.0
        after = (squares + 2 * weight * dot + weight * weight * norm) / total if total > ROUNDING * size else 0.0
        return 0.5 * (after - before)
    growth = _g(total) - _g(size)
    if kind == MULTINOMIAL:
        out = -growth
        for e in range(len(columns)):
            mass = masses[columns[e], cluster]
            out += _g(mass + weight * values[e]) - _g(mass)
        return out
    out = absent
    for e in range(len(columns)):
        if values[e] != 0:
            mass = masses[columns[e], cluster]
            out += _g(mass + weight) - _g(mass) - _g(size - mass + weight) + _g(size - mass)
    return out / d


@njit(cache=True, nogil=True)
def _absence(masses, start, stop, weight, size, cluster):
    """d times the growth of Φ by a row of zeros; features that the cluster does not have add nothing."""
    growth, out = _g(size + weight) - _g(size), 0.0
    for row in range(start, stop):
        mass = masses[row, cluster]
        if mass > 0:
            out += _g(size - mass + weight) - _g(size - mass) - growth
    return out


@njit(cache=True, nogil=True)
def _add(masses, columns, values, weight, cluster):
    """Add a row to a cluster's masses, and return by how much Σ M² grows."""
    grown = 0.0
    for e in range(len(columns)):
        before = masses[columns[e], cluster]
        after = before + weight * values[e]
        masses[columns[e], cluster] = after
        grown += after * after - before * before
    return grown


@njit(cache=True, nogil=True)
def move_rows(
    kind,
    slots,
    slot_start,
    values,
    value_start,
    entries,
    feature_of,
    group_start,
    groups,
    weights,
    coordination,
    n_features,
    labels,
    order,
    sizes,
):
    """One pass over the rows in this order: changes labels and sizes (rows in each cluster), returns the moves."""
    k, n_slots = len(sizes), len(feature_of)
    n_groups = len(group_start) - 1
    within, overall = np.zeros((n_slots, k)), np.zeros((n_features, k))
    within_size, overall_size = np.zeros((n_groups, k)), np.zeros(k)
    within_square, overall_square = np.zeros((n_groups, k)), np.zeros(k)
    # The growth by a row of zeros that enters (0) or leaves (1), and the weight it is valid for; 0 = none.
    within_absent, overall_absent = np.zeros((n_groups, k, 2)), np.zeros((k, 2))
    within_weight, overall_weight = np.zeros((n_groups, k, 2)), np.zeros((k, 2))
    features = feature_of[slots]
    for x in range(len(labels)):
        c, z, w = labels[x], groups[x], weights[x]
        at = slice(slot_start[x], slot_start[x] + entries[x])
        v = values[value_start[x] : value_start[x] + entries[x]]
        within_square[z, c] += _add(within, slots[at], v, w, c)
        overall_square[c] += _add(overall, features[at], v, w, c)
        within_size[z, c] += w
        overall_size[c] += w
    moves = 0
    for x in order:
        here, z = labels[x], groups[x]
        if sizes[here] == 1 or weights[x] == 0:
            continue
        at = slice(slot_start[x], slot_start[x] + entries[x])
        own, named, v = slots[at], features[at], values[value_start[x] : value_start[x] + entries[x]]
        best, most, stay = here, -np.inf, 0.0
        for c in range(k):
            out = 1 if c == here else 0
            w = -weights[x] if out else weights[x]
            size, squares = within_size[z, c], within_square[z, c]
            if kind == BERNOULLI and within_weight[z, c, out] != w:
                within_absent[z, c, out] = _absence(within, group_start[z], group_start[z + 1], w, size, c)
                within_weight[z, c, out] = w
            gain = _growth(kind, within, own, v, w, size, squares, within_absent[z, c, out], c, n_features)
            if coordination > 0:
                size, squares = overall_size[c], overall_square[c]
                if kind == BERNOULLI and overall_weight[c, out] != w:
                    overall_absent[c, out] = _absence(overall, 0, n_features, w, size, c)
                    overall_weight[c, out] = w
                absent = overall_absent[c, out]
                gain += coordination * _growth(kind, overall, named, v, w, size, squares, absent, c, n_features)
            if c == here:
                stay = -gain
            elif gain > most:
                best, most = c, gain
        if best == here or most <= stay + ROUNDING * abs(stay):
            continue
        for c, w in ((here, -weights[x]), (best, weights[x])):
            within_square[z, c] += _add(within, own, v, w, c)
            overall_square[c] += _add(overall, named, v, w, c)
            within_size[z, c] = max(within_size[z, c] + w, 0.0)
            overall_size[c] = max(overall_size[c] + w, 0.0)
            within_weight[z, c] = 0.0
            overall_weight[c] = 0.0
            sizes[c] += 1 if c == best else -1
        labels[x] = best
        moves += 1
    return moves

"""Moves of single rows between clusters that raise I(C;F|Z) + λ I(C;F), for rows in known groups.

A cluster with the masses M_f (the weighted sum of its rows) and the weight P explains Φ(M, P) of them: Σ g(M_f) - g(P)
with g(v) = v log v for shares of counts, Σ M_f² / 2P for numbers, Σ [g(M_f) + g(P - M_f) - g(P)] / d for yes and no. A
row is taken out of its cluster and put where Φ grows most, summed over the cluster within the group of the row and λ
times the cluster as a whole. This is exact, and no move lowers the objective.

Columns of the rows are slots: a feature within a group. ``feature_of`` gives the feature of each; those of a group lie
between ``slot_start[group]`` and ``slot_start[group + 1]``.
"""

import numpy as np
from numba import njit

MULTINOMIAL, GAUSSIAN, BERNOULLI = 0, 1, 2


@njit(cache=True, nogil=True)
def _g(v):
    return v * np.log(v) if v > 0 else 0.0


@njit(cache=True, nogil=True)
def _growth(kind, masses, start, stop, columns, values, weight, size, squares, cluster, d):
    """Φ(M + a, P + w) - Φ(M, P) for a row a of this weight; the table has the rows from ``start`` to ``stop``."""
    total = size + weight
    if kind == GAUSSIAN:
        dot = norm = 0.0
        for e in range(len(columns)):
            dot += values[e] * masses[columns[e], cluster]
            norm += values[e] * values[e]
        before = squares / size if size > 0 else 0.0
        return 0.5 * ((squares + 2 * weight * dot + weight * weight * norm) / total - before)
    out = 0.0
    if kind == MULTINOMIAL:
        for e in range(len(columns)):
            mass = masses[columns[e], cluster]
            out += _g(mass + weight * values[e]) - _g(mass)
        return out - _g(total) + _g(size)
    for row in range(start, stop):
        absent = size - masses[row, cluster]
        out += _g(absent + weight) - _g(absent)
    for e in range(len(columns)):
        if values[e] != 0:
            mass = masses[columns[e], cluster]
            absent = size - mass
            out += _g(mass + weight) - _g(mass) - _g(absent + weight) + _g(absent)
    return (out - (stop - start) * (_g(total) - _g(size))) / d


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
    kind, indptr, slots, values, feature_of, slot_start, groups, weights, coordination, n_features, labels, order, sizes
):
    """One pass over the rows in this order: changes labels and sizes (rows in each cluster), returns the moves."""
    k, n_slots = len(sizes), len(feature_of)
    n_groups = len(slot_start) - 1
    within, overall = np.zeros((n_slots, k)), np.zeros((n_features, k))
    within_size, overall_size = np.zeros((n_groups, k)), np.zeros(k)
    within_square, overall_square = np.zeros((n_groups, k)), np.zeros(k)
    features = feature_of[slots]
    for x in range(len(labels)):
        c, z, w = labels[x], groups[x], weights[x]
        own, named, v = (
            slots[indptr[x] : indptr[x + 1]],
            features[indptr[x] : indptr[x + 1]],
            values[indptr[x] : indptr[x + 1]],
        )
        within_square[z, c] += _add(within, own, v, w, c)
        overall_square[c] += _add(overall, named, v, w, c)
        within_size[z, c] += w
        overall_size[c] += w
    moves = 0
    for x in order:
        here, z, w = labels[x], groups[x], weights[x]
        if sizes[here] == 1 or w == 0:
            continue
        own, named, v = (
            slots[indptr[x] : indptr[x + 1]],
            features[indptr[x] : indptr[x + 1]],
            values[indptr[x] : indptr[x + 1]],
        )
        within_square[z, here] += _add(within, own, v, -w, here)
        overall_square[here] += _add(overall, named, v, -w, here)
        within_size[z, here] = max(within_size[z, here] - w, 0.0)
        overall_size[here] = max(overall_size[here] - w, 0.0)
        best, most, stay = here, -np.inf, -np.inf
        for c in range(k):
            gain = _growth(
                kind,
                within,
                slot_start[z],
                slot_start[z + 1],
                own,
                v,
                w,
                within_size[z, c],
                within_square[z, c],
                c,
                n_features,
            )
            if coordination > 0:
                gain += coordination * _growth(
                    kind, overall, 0, n_features, named, v, w, overall_size[c], overall_square[c], c, n_features
                )
            if c == here:
                stay = gain
            if gain > most:
                best, most = c, gain
        if best != here and most <= stay + 1e-12 * abs(stay):
            best = here
        if best != here:
            sizes[here] -= 1
            sizes[best] += 1
            labels[x] = best
            moves += 1
        within_square[z, best] += _add(within, own, v, w, best)
        overall_square[best] += _add(overall, named, v, w, best)
        within_size[z, best] += w
        overall_size[best] += w
    return moves

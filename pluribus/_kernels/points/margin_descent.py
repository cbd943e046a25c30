"""Dual coordinate descent for metrics that keep given pairs of points at least 1 apart.

Pair c has the difference δ of its two points. The metric is A = A₀ + Σ α_c P_c with P_c = δ δᵀ (or a part of it), the
margin of the pair is ⟨A, P_c⟩ = δᵀ A δ, and its coefficient lies in [0, bound_c]. One visit of a pair moves its
coefficient to where the dual is largest while all others stay: to a margin of 1, or to an end of the interval.

Each sweep visits pairs in a given order, writes the margins that it met into ``margins``, and returns the largest
change of a margin by the visit of its own pair. ``norms`` has ‖P_c‖² of each pair, which is not 0.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _move(alpha, c, margin, norm, bound):
    """Set the coefficient of pair c, and return how far it moved."""
    before = alpha[c]
    alpha[c] = min(max(before + (1.0 - margin) / norm, 0.0), bound)
    return alpha[c] - before


@njit(cache=True, nogil=True)
def _difference(indptr, indices, data, i, j, where, what):
    """Row i minus row j of a sparse matrix with sorted columns, without zeros; returns the number of entries."""
    a, a_end, b, b_end = indptr[i], indptr[i + 1], indptr[j], indptr[j + 1]
    n = 0
    while a < a_end or b < b_end:
        if b == b_end or (a < a_end and indices[a] < indices[b]):
            where[n], what[n] = indices[a], data[a]
            a += 1
        elif a == a_end or indices[b] < indices[a]:
            where[n], what[n] = indices[b], -data[b]
            b += 1
        else:
            where[n], what[n] = indices[a], data[a] - data[b]
            a += 1
            b += 1
        if what[n] != 0.0:
            n += 1
    return n


@njit(cache=True, nogil=True)
def _longest(indptr, pairs):
    """The most entries that the difference of a pair can have, and one more."""
    most = 0
    for c in range(pairs.shape[0]):
        i, j = pairs[c]
        most = max(most, indptr[i + 1] - indptr[i] + indptr[j + 1] - indptr[j])
    return most + 1


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _form(A, where, what, n):
    """δᵀ A δ, from the upper triangle of A."""
    total = 0.0
    for s in range(n):
        row = A[where[s]]
        part = 0.5 * row[where[s]] * what[s]
        for t in range(s + 1, n):
            part += row[where[t]] * what[t]
        total += 2.0 * part * what[s]
    return total


@njit(cache=True, nogil=True)
def _add_products(A, where, what, n, factor):
    """Add factor δ δᵀ to the upper triangle of A."""
    for s in range(n):
        row, scale = A[where[s]], factor * what[s]
        for t in range(s, n):
            row[where[t]] += scale * what[t]


@njit(cache=True, nogil=True)
def difference_norms(indptr, indices, data, pairs, norms):
    """‖δ‖² of each pair of rows of a sparse matrix."""
    most = _longest(indptr, pairs)
    where, what = np.empty(most, dtype=np.int64), np.empty(most)
    for c in range(pairs.shape[0]):
        n = _difference(indptr, indices, data, pairs[c, 0], pairs[c, 1], where, what)
        total = 0.0
        for s in range(n):
            total += what[s] * what[s]
        norms[c] = total


@njit(cache=True, nogil=True)
def full_margins(indptr, indices, data, pairs, A, margins):
    """δᵀ A δ of each pair; only the upper triangle of A is read."""
    most = _longest(indptr, pairs)
    where, what = np.empty(most, dtype=np.int64), np.empty(most)
    for c in range(pairs.shape[0]):
        n = _difference(indptr, indices, data, pairs[c, 0], pairs[c, 1], where, what)
        margins[c] = _form(A, where, what, n)


@njit(cache=True, nogil=True)
def sweep_full(indptr, indices, data, pairs, order, norms, bounds, alpha, A, margins):
    """One sweep with P = δ δᵀ; only the upper triangle of A is kept."""
    most = _longest(indptr, pairs)
    where, what = np.empty(most, dtype=np.int64), np.empty(most)
    largest = 0.0
    for c in order:
        n = _difference(indptr, indices, data, pairs[c, 0], pairs[c, 1], where, what)
        margins[c] = _form(A, where, what, n)
        moved = _move(alpha, c, margins[c], norms[c], bounds[c])
        if moved != 0.0:
            _add_products(A, where, what, n, moved)
            largest = max(largest, abs(moved) * norms[c])
    return largest


@njit(cache=True, nogil=True)
def add_pairs(indptr, indices, data, pairs, alpha, A):
    """Add α δ δᵀ of each pair to the upper triangle of A."""
    most = _longest(indptr, pairs)
    where, what = np.empty(most, dtype=np.int64), np.empty(most)
    for c in range(pairs.shape[0]):
        if alpha[c] != 0.0:
            n = _difference(indptr, indices, data, pairs[c, 0], pairs[c, 1], where, what)
            _add_products(A, where, what, n, alpha[c])


@njit(cache=True, nogil=True)
def sweep_features(indptr, indices, data, order, norms, bounds, alpha, weights, start, margins):
    """One sweep with P a sparse row of features, and A a vector of their weights.

    ``start`` has the margins that A₀ gives; ``weights`` are those of A - A₀.
    """
    largest = 0.0
    for c in order:
        margin = start[c]
        for e in range(indptr[c], indptr[c + 1]):
            margin += weights[indices[e]] * data[e]
        margins[c] = margin
        moved = _move(alpha, c, margin, norms[c], bounds[c])
        if moved != 0.0:
            for e in range(indptr[c], indptr[c + 1]):
                weights[indices[e]] += moved * data[e]
            largest = max(largest, abs(moved) * norms[c])
    return largest


@njit(cache=True, nogil=True)
def sweep_kernel(K, pairs, order, norms, bounds, alpha, current, margins):
    """One sweep with δ in the space of a kernel, whose matrix for all points is K.

    ``current`` has the margin of each pair, which every move updates: that takes time linear in the number of pairs.
    """
    largest = 0.0
    for c in order:
        margins[c] = current[c]
        moved = _move(alpha, c, current[c], norms[c], bounds[c])
        if moved != 0.0:
            one, other = K[pairs[c, 0]], K[pairs[c, 1]]
            for e in range(pairs.shape[0]):
                i, j = pairs[e]
                product = (one[i] - one[j]) - (other[i] - other[j])
                current[e] += moved * product * product
            largest = max(largest, abs(moved) * norms[c])
    return largest


@njit(cache=True, nogil=True)
def product_rows(indptr, indices, data, first, pattern_indptr, pattern_indices, columns, products):
    """The products δ_s δ_t, s ≤ t, of each sparse row δ, those of two columns times √2: the norm is that of δ δᵀ.

    The pattern is a sparse upper triangle with sorted columns that has all these entries; ``columns`` are places in it.
    The products of row c begin at ``first[c]``.
    """
    root = np.sqrt(2.0)
    for c in range(len(indptr) - 1):
        place = first[c]
        for a in range(indptr[c], indptr[c + 1]):
            low, end = pattern_indptr[indices[a]], pattern_indptr[indices[a] + 1]
            for b in range(a, indptr[c + 1]):
                low += np.searchsorted(pattern_indices[low:end], indices[b])
                columns[place] = low
                products[place] = data[a] * data[b] * (1.0 if a == b else root)
                place += 1

"""Coordinate ascent for Σ_r loss_r(u_r) + λ‖w‖² with w = Σ_r β_r d_r / (2λ), u_r = d_r · w, and a box for each β_r.

A hinge max(0, 1 - u) of weight s has target 1 and the box [0, s]; an absolute value |u| of weight s has target 0 and
the box [-s, s]. A sweep visits the rows in the given order and maximizes the dual over one β at a time:

    β_r ← clip(β_r + 2λ (target_r - u_r) / ‖d_r‖², low_r, high_r).

The row d_r is given by its features, or as a combination of points of which only inner products are known.
"""

from numba import njit


@njit(cache=True, nogil=True)
def ascend_features(order, indptr, indices, data, w, beta, target, low, high, square, lam):
    """One sweep; rows are sparse vectors of features, and ``w`` is kept up to date."""
    for r in order:
        if square[r] <= 0:
            continue
        u = 0.0
        for p in range(indptr[r], indptr[r + 1]):
            u += data[p] * w[indices[p]]
        change = _change(beta, r, target[r] - u, low, high, square, lam)
        if change != 0:
            for p in range(indptr[r], indptr[r + 1]):
                w[indices[p]] += change / (2 * lam) * data[p]


@njit(cache=True, nogil=True)
def ascend_gram(order, indptr, indices, data, gram, f, beta, target, low, high, square, lam):
    """One sweep; rows combine points with these inner products, and ``f``, w at the points, is kept up to date."""
    for r in order:
        if square[r] <= 0:
            continue
        u = 0.0
        for p in range(indptr[r], indptr[r + 1]):
            u += data[p] * f[indices[p]]
        change = _change(beta, r, target[r] - u, low, high, square, lam)
        if change != 0:
            for p in range(indptr[r], indptr[r + 1]):
                step = change / (2 * lam) * data[p]
                i = indices[p]
                for j in range(len(f)):
                    f[j] += step * gram[i, j]


@njit(cache=True, nogil=True)
def _change(beta, r, gap, low, high, square, lam):
    before = beta[r]
    beta[r] = min(max(before + 2 * lam * gap / square[r], low[r]), high[r])
    return beta[r] - before

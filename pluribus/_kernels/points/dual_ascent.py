"""Coordinate ascent for Σ_r loss_r(u_r) + λ‖w‖² with w = Σ_r β_r d_r / (2λ), u_r = d_r · w, and a box for each β_r.

A hinge max(0, 1 - u) of weight s has target 1 and the box [0, s]; an absolute value |u| of weight s has target 0 and
the box [-s, s]. A sweep visits the rows in the given order and maximizes the dual over one β at a time:

    β_r ← clip(β_r + 2λ (target_r - u_r) / ‖d_r‖², low_r, high_r).

The row d_r is a combination of points, given by sparse coefficients. The points are given by their features, dense or
sparse, or by their inner products.
"""

from numba import njit


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _dot(one, other):
    total = 0.0
    for j in range(len(one)):
        total += one[j] * other[j]
    return total


@njit(cache=True, nogil=True)
def ascend_dense(order, indptr, indices, data, points, w, beta, target, low, high, square, lam):
    """One sweep; points are rows of features, and ``w`` is kept up to date."""
    for r in order:
        if square[r] <= 0:
            continue
        u = 0.0
        for p in range(indptr[r], indptr[r + 1]):
            u += data[p] * _dot(points[indices[p]], w)
        change = _change(beta, r, target[r] - u, low, high, square, lam)
        if change != 0:
            for p in range(indptr[r], indptr[r + 1]):
                step, point = change / (2 * lam) * data[p], points[indices[p]]
                for j in range(len(w)):
                    w[j] += step * point[j]


@njit(cache=True, nogil=True)
def ascend_sparse(
    order, indptr, indices, data, start, columns, values, w, beta, target, low, high, square, lam
):  # fmt: skip
    """One sweep; point i has ``values`` at ``columns`` from start[i] to start[i + 1], and ``w`` is kept up to date."""
    for r in order:
        if square[r] <= 0:
            continue
        u = 0.0
        for p in range(indptr[r], indptr[r + 1]):
            i = indices[p]
            for e in range(start[i], start[i + 1]):
                u += data[p] * values[e] * w[columns[e]]
        change = _change(beta, r, target[r] - u, low, high, square, lam)
        if change != 0:
            for p in range(indptr[r], indptr[r + 1]):
                step, i = change / (2 * lam) * data[p], indices[p]
                for e in range(start[i], start[i + 1]):
                    w[columns[e]] += step * values[e]


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

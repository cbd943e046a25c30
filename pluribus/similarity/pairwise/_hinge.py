"""Hinge losses of labels and pairs by ascent in the dual (CPSVM)."""

from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.utils import gen_batches

from pluribus._kernels.points.dual_ascent import ascend_dense, ascend_gram, ascend_sparse
from pluribus.similarity.pairwise._newton import Fitted
from pluribus.similarity.pairwise._spaces import FeatureSpace, KernelSpace
from pluribus.similarity.pairwise._terms import Terms

_SWEEPS = 10  # between two steps along a face of the box, and looks at the duality gap
_MOST_DENSE = 1_000  # variables up to which such a step is solved directly, and not by conjugate gradients
_RIDGE = 1e-9
_CG_TOLERANCE, _CG_STEPS = 1e-6, 200
_STEPS = 30  # along faces, in a row
_AT_ONCE = 2**20  # numbers of a block of rows
_FLAT = 1e-14  # of the largest squared norm of a row: f is 0 there, whatever its coefficients


def ascend(
    terms: Terms, space: KernelSpace | FeatureSpace, lam: float, seed: int, *, tol: float, max_iter: int
) -> Fitted:
    """Maximize the dual (17.18, signs corrected) until the duality gap is below ``tol`` of the objective.

    The primal is Σ s max(0, 1 - y f) + Σ μ w |f_i - c f_j| + λ‖f‖²; an exclusive pair costs max(0, 1 + f_i + f_j).
    Sweeps over the dual variables find out which of them are at a bound. Newton steps then move the others, which
    sweeps alone do slowly where points are close to each other.
    """
    losses = _Losses(terms)
    dual = _Dual(losses, space, lam)
    rng = np.random.default_rng(seed)
    best = np.zeros(space.n_coefficients)
    least, bound = losses.value(np.zeros(terms.n_points)), 0.0
    path = [least]
    for sweep in range(1, max_iter + 1):
        dual.sweep(rng.permutation(len(losses.target)))
        if sweep % _SWEEPS and sweep < max_iter:
            continue
        dual.move_along_face()
        coefficients = dual.coefficients()
        f = space.values(coefficients)
        primal = losses.value(f) + lam * space.squared_norm(coefficients, f)
        if primal <= least:
            best, least = coefficients, primal
        bound = max(bound, dual.value())
        path.append(least)
        if least - bound <= tol * max(1.0, least):
            return Fitted(best, np.array(path), sweep, True)
    return Fitted(best, np.array(path), max_iter, False)


class _Losses:
    """Labels and pairs as rows r of a matrix: each has a loss of u = r f, and a box for its dual variable."""

    def __init__(self, terms: Terms) -> None:
        equal, apart = terms.pair_weight[terms.equations], terms.pair_weight[~terms.equations]
        parts = [terms.label_rows(), terms.agreement_rows(), terms.exclusion_rows()]
        self.rows = sparse.csr_array(sparse.vstack(parts, format="csr"))
        self.target = np.concatenate([np.ones_like(terms.weight), np.zeros_like(equal), np.ones_like(apart)])
        self.high = np.concatenate([terms.weight, equal, apart])
        self.low = np.where(self.target > 0, 0.0, -self.high)

    def value(self, f: np.ndarray) -> float:
        short = self.target - self.rows @ f
        return float(self.high @ np.where(self.target > 0, np.maximum(short, 0), np.abs(short)))


class _Dual:
    """The dual variables β, and the function they stand for: Σ_r β_r r / (2λ), as f at the points or as weights."""

    def __init__(self, losses: _Losses, space: KernelSpace | FeatureSpace, lam: float) -> None:
        self.losses, self.rows, self.space, self.lam = losses, losses.rows, space, lam
        if isinstance(space, KernelSpace):
            square = _gram_squares(self.rows, space.gram)
        else:
            square = _feature_squares(self.rows, space.features)
        flat = square <= _FLAT * square.max(initial=0)
        self.square = np.where(flat, 0.0, square)
        self.beta = np.where(flat & (losses.target > 0), losses.high, 0.0)
        self.state = self._state_of(self.rows, self.beta)

    def sweep(self, order: np.ndarray) -> None:
        """Maximize the dual over one variable after the other."""
        rows, own, space = self.rows, self.losses, self.space
        place = (order, rows.indptr, rows.indices, rows.data)
        box = (self.state, self.beta, own.target, own.low, own.high, self.square, self.lam)
        if isinstance(space, KernelSpace):
            ascend_gram(*place, space.gram, *box)
        elif sparse.issparse(space.features):
            ascend_sparse(*place, space.features.indptr, space.features.indices, space.features.data, *box)
        else:
            ascend_dense(*place, space.features, *box)

    def move_along_face(self) -> None:
        """Newton steps of the variables between their bounds; those that get to a bound stay there."""
        low, high = self.losses.low, self.losses.high
        self.state = self._state_of(self.rows, self.beta)  # sweeps add up rounding errors
        for _ in range(_STEPS):
            free = np.flatnonzero((self.beta > low) & (self.beta < high) & (self.square > 0))
            if not len(free):
                return
            rows, beta = self.rows[free], self.beta[free]
            direction = self._newton_direction(rows, self.losses.target[free] - rows @ self._values(self.state))
            bound = np.where(direction > 0, high[free], low[free])
            with np.errstate(over="ignore"):  # infinitely far
                reach = np.divide(bound - beta, direction, out=np.full(len(free), np.inf), where=direction != 0)
            length = min(1.0, float(reach.min()))
            moved = np.where(reach <= length, bound, beta + length * direction)
            self.state = self.state + self._state_of(rows, moved - beta)
            self.beta[free] = moved
            if length == 1.0:
                return

    def _newton_direction(self, rows: sparse.csr_array, slope: np.ndarray) -> np.ndarray:
        """Solve R K Rᵀ d = 2λ slope for the rows R; the ridge is for points that are equal."""
        n = len(slope)
        if n <= _MOST_DENSE:
            system = self._products(rows)
            system[np.diag_indices(n)] *= 1 + _RIDGE
            return linalg.solve(system, 2 * self.lam * slope, assume_a="sym", check_finite=False)
        ridge = _RIDGE * float(self.square.max())

        def product(v: np.ndarray) -> np.ndarray:
            return 2 * self.lam * (rows @ self._values(self._state_of(rows, v))) + ridge * v

        operator = LinearOperator((n, n), product, dtype=np.float64)
        return cg(operator, 2 * self.lam * slope, rtol=_CG_TOLERANCE, maxiter=_CG_STEPS)[0]

    def _products(self, rows: sparse.csr_array) -> np.ndarray:
        """R K Rᵀ."""
        if isinstance(self.space, KernelSpace):
            return rows @ (self.space.gram @ rows.T.toarray())
        features = rows @ self.space.features
        product = features @ features.T
        return product.toarray() if sparse.issparse(product) else product

    def value(self) -> float:
        """Σ target β - λ‖f‖²."""
        return float(self.losses.target @ self.beta - self.beta @ (self.rows @ self._values(self.state)) / 2)

    def coefficients(self) -> np.ndarray:
        by_gram = isinstance(self.space, KernelSpace)
        return self.rows.T @ self.beta / (2 * self.lam) if by_gram else self.state.copy()

    def _state_of(self, rows: sparse.csr_array, beta: np.ndarray) -> np.ndarray:
        combined = rows.T @ beta / (2 * self.lam)
        return self.space.gram @ combined if isinstance(self.space, KernelSpace) else self.space.features.T @ combined

    def _values(self, state: np.ndarray) -> np.ndarray:
        """f at the points."""
        return state if isinstance(self.space, KernelSpace) else self.space.features @ state


def _gram_squares(rows: sparse.csr_array, gram: np.ndarray) -> np.ndarray:
    """r K rᵀ for each row r, which has one or two entries."""
    first = rows.indptr[:-1]
    double = np.diff(rows.indptr) == 2
    i, a = rows.indices[first], rows.data[first]
    square = a**2 * gram[i, i]
    j, b = rows.indices[first[double] + 1], rows.data[first[double] + 1]
    square[double] += b**2 * gram[j, j] + 2 * a[double] * b * gram[i[double], j]
    return np.maximum(square, 0)


def _feature_squares(rows: sparse.csr_array, features: Any) -> np.ndarray:
    """‖r Z‖² for each row r and the features Z, a block of rows at a time."""
    square = np.empty(rows.shape[0])
    for block in gen_batches(rows.shape[0], max(1, _AT_ONCE // max(features.shape[1], 1))):
        part = rows[block] @ features
        square[block] = part.multiply(part).sum(axis=1) if sparse.issparse(part) else np.einsum("ij,ij->i", part, part)
    return square

"""Hinge losses of labels and pairs by coordinate ascent in the dual (CPSVM)."""

import numpy as np
from scipy import sparse

from pluribus._kernels.points.dual_ascent import ascend_features, ascend_gram
from pluribus.similarity.pairwise._newton import Fitted
from pluribus.similarity.pairwise._spaces import FeatureSpace, KernelSpace
from pluribus.similarity.pairwise._terms import Terms

_SWEEPS = 10  # between two looks at the duality gap
_FLAT = 1e-14  # of the largest squared norm of a row: f is 0 there, whatever its coefficients


def ascend(
    terms: Terms, space: KernelSpace | FeatureSpace, lam: float, seed: int, *, tol: float, max_iter: int
) -> Fitted:
    """Maximize the dual (17.18, signs corrected) until the duality gap is below ``tol`` of the objective.

    The primal is Σ s max(0, 1 - y f) + Σ μ w |f_i - c f_j| + λ‖f‖²; an exclusive pair costs max(0, 1 + f_i + f_j).
    """
    problem = _Rows(terms)
    dual = _GramDual(problem, space, lam) if isinstance(space, KernelSpace) else _FeatureDual(problem, space, lam)
    rng = np.random.default_rng(seed)
    best = np.zeros(space.n_coefficients)
    least, bound = problem.loss(np.zeros(terms.n_points)), 0.0
    path = [least]
    for sweep in range(1, max_iter + 1):
        dual.sweep(rng.permutation(len(problem.target)))
        if sweep % _SWEEPS and sweep < max_iter:
            continue
        coefficients = dual.coefficients()
        f = space.values(coefficients)
        norm = lam * space.squared_norm(coefficients, f)
        primal = problem.loss(f) + norm
        if primal <= least:
            best, least = coefficients, primal
        bound = max(bound, float(problem.target @ dual.beta) - norm)
        path.append(least)
        if least - bound <= tol * max(1.0, least):
            return Fitted(best, np.array(path), sweep, True)
    return Fitted(best, np.array(path), max_iter, False)


class _Rows:
    """Labels and pairs as rows r of a matrix: each has a loss of u = r f, and a box for its dual variable."""

    def __init__(self, terms: Terms) -> None:
        equal, apart = terms.pair_weight[terms.equations], terms.pair_weight[~terms.equations]
        parts = [terms.label_rows(), terms.agreement_rows(), terms.exclusion_rows()]
        self.matrix = sparse.csr_array(sparse.vstack(parts, format="csr"))
        self.target = np.concatenate([np.ones_like(terms.weight), np.zeros_like(equal), np.ones_like(apart)])
        self.high = np.concatenate([terms.weight, equal, apart])
        self.low = np.where(self.target > 0, 0.0, -self.high)

    def loss(self, f: np.ndarray) -> float:
        short = self.target - self.matrix @ f
        return float(self.high @ np.where(self.target > 0, np.maximum(short, 0), np.abs(short)))

    def start(self, square: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first dual variables, and the squares, 0 for flat rows, whose variable is final from the start."""
        flat = square <= _FLAT * square.max(initial=0)
        return np.where(flat & (self.target > 0), self.high, 0.0), np.where(flat, 0.0, square)


class _GramDual:
    """Dual variables of rows that combine points of a kernel space."""

    def __init__(self, problem: _Rows, space: KernelSpace, lam: float) -> None:
        self.problem, self.gram, self.lam = problem, space.gram, lam
        self.beta, self.square = problem.start(_gram_squares(problem.matrix, space.gram))
        self.f = np.zeros(len(space.gram))

    def sweep(self, order: np.ndarray) -> None:
        rows, own = self.problem.matrix, self.problem
        ascend_gram(
            order, rows.indptr, rows.indices, rows.data, self.gram, self.f, self.beta, own.target, own.low, own.high,
            self.square, self.lam,
        )  # fmt: skip

    def coefficients(self) -> np.ndarray:
        return self.problem.matrix.T @ np.where(self.square > 0, self.beta, 0) / (2 * self.lam)


class _FeatureDual:
    """Dual variables of rows that combine vectors of features."""

    def __init__(self, problem: _Rows, space: FeatureSpace, lam: float) -> None:
        self.problem, self.lam = problem, lam
        self.rows = sparse.csr_array(problem.matrix @ space.features)
        self.beta, self.square = problem.start(np.asarray(self.rows.multiply(self.rows).sum(axis=1)).ravel())
        self.w = np.zeros(space.n_coefficients)

    def sweep(self, order: np.ndarray) -> None:
        rows, own = self.rows, self.problem
        ascend_features(
            order, rows.indptr, rows.indices, rows.data, self.w, self.beta, own.target, own.low, own.high,
            self.square, self.lam,
        )  # fmt: skip

    def coefficients(self) -> np.ndarray:
        return self.w.copy()


def _gram_squares(rows: sparse.csr_array, gram: np.ndarray) -> np.ndarray:
    """r K rᵀ for each row r, which has one or two entries."""
    first = rows.indptr[:-1]
    double = np.diff(rows.indptr) == 2
    i, a = rows.indices[first], rows.data[first]
    square = a**2 * gram[i, i]
    j, b = rows.indices[first[double] + 1], rows.data[first[double] + 1]
    square[double] += b**2 * gram[j, j] + 2 * a[double] * b * gram[i[double], j]
    return np.maximum(square, 0)

"""The forms of the metric: how differences become features, and what is kept of A.

Each form has a row of features P for each pair. The squared distance of a pair is the inner product of A and P, and the
gradient of the dual needs no more. ``norms`` has ‖P‖², ``start`` the margins under the prior, and ``sweep`` visits
pairs once (see ``_kernels.points.margin_descent``).
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from pluribus._engine import check_memory
from pluribus._kernels.points.margin_descent import (
    add_pairs,
    difference_norms,
    full_margins,
    product_rows,
    sweep_features,
    sweep_full,
    sweep_kernel,
)
from pluribus.similarity.metric._factor import factor_of


class Learned:
    """A metric: A (its diagonal; of a kernel, the points that it is on), the norm of A, and U with UᵀU = A."""

    def __init__(self, A: Any, length: float, components: Any = None) -> None:
        self.A, self.length, self._components = A, length, components

    @cached_property
    def components(self) -> Any:
        """U; of a dense A it takes time, and is made when it is first used."""
        return factor_of(self.A) if self._components is None else self._components


class Form(Protocol):
    """What the descent and the estimator need of a form."""

    norms: np.ndarray
    start: np.ndarray

    def sweep(self, order: np.ndarray, bounds: np.ndarray, alpha: np.ndarray, seen: np.ndarray) -> float:
        """Visit pairs in this order; returns the largest change of a margin."""

    def margins(self) -> np.ndarray:
        """The squared distance of each pair."""

    def learned(self, alpha: np.ndarray) -> Learned:
        """The metric with these coefficients, those of the last sweep."""


class FullForm:
    """P = δ δᵀ, and A a d × d array. Differences are formed as pairs are visited and never stored."""

    def __init__(self, X: Any, pairs: np.ndarray, prior: np.ndarray | None) -> None:
        d = X.shape[1]
        check_memory(32.0 * d * d, f"A metric on {d:,} features", "kind='sparse' or 'diagonal', or fewer features")
        self._rows, self._pairs = _parts(sparse.csr_array(X)), pairs
        self._prior = np.zeros((d, d)) if prior is None else prior
        self._A = self._prior.copy()  # its upper triangle is kept up to date
        self.norms = np.empty(len(pairs))
        difference_norms(*self._rows, pairs, self.norms)
        self.norms **= 2
        self.start = self.margins()

    def sweep(self, order: np.ndarray, bounds: np.ndarray, alpha: np.ndarray, seen: np.ndarray) -> float:
        """Visit pairs in this order."""
        return sweep_full(*self._rows, self._pairs, order, self.norms, bounds, alpha, self._A, seen)

    def margins(self) -> np.ndarray:
        """δᵀ A δ."""
        found = np.empty(len(self._pairs))
        full_margins(*self._rows, self._pairs, self._A, found)
        return found

    def learned(self, alpha: np.ndarray) -> Learned:
        """A, summed up again without the rounding of the moves."""
        self._A[:] = self._prior
        add_pairs(*self._rows, self._pairs, alpha, self._A)
        A = np.triu(self._A)
        A += np.triu(A, 1).T
        return Learned(A, float(np.linalg.norm(A)))


class _FeatureForm:
    """P a sparse row of features, and A - A₀ a vector of their weights."""

    def __init__(self, features: Any, start: np.ndarray) -> None:
        self._features, self._rows, self.start = features, _parts(features), start
        self._weights = np.zeros(features.shape[1])
        self.norms = features.multiply(features).sum(axis=1)

    def sweep(self, order: np.ndarray, bounds: np.ndarray, alpha: np.ndarray, seen: np.ndarray) -> float:
        """Visit pairs in this order."""
        return sweep_features(*self._rows, order, self.norms, bounds, alpha, self._weights, self.start, seen)

    def margins(self) -> np.ndarray:
        """The squared distances."""
        return self.start + self._features @ self._weights

    def _sum_up(self, alpha: np.ndarray) -> None:
        """The weights, without the rounding of the moves."""
        self._weights = self._features.T @ alpha


class DiagonalForm(_FeatureForm):
    """P = δ², and A the weights of features."""

    def __init__(self, X: Any, pairs: np.ndarray, prior: np.ndarray | None) -> None:
        differences = _differences(X, pairs)
        squares = sparse.csr_array(differences.multiply(differences))
        self._prior = np.zeros(X.shape[1]) if prior is None else prior
        super().__init__(squares, squares @ self._prior)

    def learned(self, alpha: np.ndarray) -> Learned:
        """The diagonal of A."""
        self._sum_up(alpha)
        weights = self._prior + self._weights
        return Learned(weights, float(np.linalg.norm(weights)), sparse.diags_array(np.sqrt(weights), format="csr"))


class SparseForm(_FeatureForm):
    """P = δ δᵀ as the products of two entries, and A a sparse matrix of those that occur in some pair."""

    def __init__(self, X: Any, pairs: np.ndarray, prior: Learned | None) -> None:
        self._differences, self._prior = _differences(X, pairs), prior
        lengths = np.diff(self._differences.indptr).astype(np.int64)
        n_products = lengths * (lengths + 1) // 2
        what = f"The products of features of {len(pairs):,} pairs"
        check_memory(32.0 * n_products.sum(), what, "fewer pairs, or kind='full'")
        self._pattern = _pattern_of(self._differences)
        start = np.zeros(len(pairs))
        if prior is not None:
            start = (self._differences @ prior.A).multiply(self._differences).sum(axis=1)
        super().__init__(_products(self._differences, self._pattern, n_products), start)

    def learned(self, alpha: np.ndarray) -> Learned:
        """A, sparse and symmetric, and the rows √α δ of supporting pairs."""
        self._sum_up(alpha)
        pattern = self._pattern
        upper = sparse.csr_array((self._weights, pattern.indices, pattern.indptr), shape=pattern.shape)
        diagonal = sparse.diags_array(upper.diagonal())
        off = (upper - diagonal) / np.sqrt(2)
        A = diagonal + off + off.T
        support = np.flatnonzero(alpha)
        components = sparse.diags_array(np.sqrt(alpha[support])) @ self._differences[support]
        if self._prior is not None:
            A, components = A + self._prior.A, sparse.vstack([self._prior.components, components])
        A = sparse.csr_array(A)
        A.eliminate_zeros()
        return Learned(A, float(np.linalg.norm(A.data)), sparse.csr_array(components))


class KernelForm:
    """P = δ δᵀ in the space of a kernel, and A known by its coefficients alone."""

    def __init__(self, X: Any, pairs: np.ndarray, kernel: Callable[[Any, Any], np.ndarray]) -> None:
        used, places = np.unique(pairs, return_inverse=True)
        check_memory(16.0 * len(used) ** 2, f"The kernel of {len(used):,} points", "fewer pairs, or kind='full'")
        self._points, self._pairs = X[used], np.ascontiguousarray(places.reshape(-1, 2))
        self._K = np.ascontiguousarray(kernel(self._points, self._points))
        i, j = self._pairs.T
        self.norms = (self._K[i, i] - 2 * self._K[i, j] + self._K[j, j]) ** 2
        self.start = np.zeros(len(pairs))
        self._margins = np.zeros(len(pairs))

    def sweep(self, order: np.ndarray, bounds: np.ndarray, alpha: np.ndarray, seen: np.ndarray) -> float:
        """Visit pairs in this order."""
        return sweep_kernel(self._K, self._pairs, order, self.norms, bounds, alpha, self._margins, seen)

    def margins(self) -> np.ndarray:
        """The squared distances."""
        return self._margins.copy()

    def learned(self, alpha: np.ndarray) -> Learned:
        """The points of supporting pairs in place of A, and components on the kernel's values at these points."""
        support = np.flatnonzero(alpha)
        used, places = np.unique(self._pairs[support], return_inverse=True)
        i, j = places.reshape(-1, 2).T
        rows = np.arange(len(support))
        signs = np.sqrt(alpha[support])
        parts = np.concatenate([signs, -signs]), (np.concatenate([rows, rows]), np.concatenate([i, j]))
        components = sparse.csr_array(parts, shape=(len(support), len(used)))
        if len(support) > len(used):
            components = factor_of((components.T @ components).toarray())
        return Learned(self._points[used], float(np.sqrt(alpha @ self._margins)), components)


def make_form(kind: str, X: Any, pairs: np.ndarray, prior: Any, kernel: Callable[..., np.ndarray] | None) -> Form:
    """The form of this kind; norms that overflow are refused by ``bounds_of``."""
    with np.errstate(over="ignore", invalid="ignore"):
        if kernel is not None:
            return KernelForm(X, pairs, kernel)
        forms: dict[str, Any] = {"full": FullForm, "diagonal": DiagonalForm, "sparse": SparseForm}
        return forms[kind](X, pairs, prior)


def _differences(X: Any, pairs: np.ndarray) -> Any:
    """δ of each pair, sparse and without zeros."""
    rows = sparse.csr_array(X)
    differences = sparse.csr_array(rows[pairs[:, 0]] - rows[pairs[:, 1]])
    differences.eliminate_zeros()
    return differences


def _pattern_of(differences: Any) -> Any:
    """The upper triangle of pairs of columns that are both nonzero in some row."""
    parts = np.ones(differences.nnz, dtype=bool), differences.indices, differences.indptr
    ones = sparse.csr_array(parts, shape=differences.shape)
    pattern = sparse.csr_array(sparse.triu(ones.T @ ones))
    pattern.sort_indices()
    return pattern


def _products(differences: Any, pattern: Any, n_products: np.ndarray) -> Any:
    """δ_s², and √2 δ_s δ_t for s < t, of each row; columns are the entries of the pattern."""
    first = np.concatenate([[0], np.cumsum(n_products)])
    columns, values = np.empty(first[-1], dtype=np.int64), np.empty(first[-1])
    product_rows(*_parts(differences), first, pattern.indptr, pattern.indices, columns, values)
    return sparse.csr_array((values, columns, first), shape=(differences.shape[0], pattern.nnz))


def _parts(matrix: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arrays of a sparse matrix, each row sorted and without repeated columns; the matrix stays as it is."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data

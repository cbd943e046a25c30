"""Clusters as vectors in the feature space of a kernel: by coordinates there, or by kernel values.

Φ(C) = Σ_x γ_xC Φ(x), summed over rows in blocks. See ``_lift`` for the choice between the two.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
from scipy import sparse

from pluribus._engine import over_blocks, run_tasks

_BLOCK = 2**22  # numbers in a block of features or kernel values
_PARTS = 8  # sums held at once: few, as each is as large as the result


class LiftedClusters:
    """Clusters as vectors in the feature space of a kernel.

    Attributes
    ----------
    memberships : sparse array of shape (n, m)
    masses : ndarray of shape (m,)
        Number of objects in each cluster, or the sum of their memberships.
    norms : ndarray of shape (m,)
        The length of Φ(C).
    gram : ndarray of shape (m, m)
        Inner products of the unit vectors Φ(C) / ‖Φ(C)‖.
    vectors : ndarray of shape (m, D)
        The unit vectors, in coordinates that keep all inner products.
    sums : ndarray of shape (m, D) or None
        Φ(C), where the feature space has coordinates of its own.
    """

    def __init__(
        self,
        memberships: sparse.csr_array,
        sums: np.ndarray | None,
        products: np.ndarray | None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.memberships = memberships
        self.masses = np.asarray(memberships.sum(axis=0)).ravel()
        self.sums = sums
        self._products = products
        squares = np.diagonal(products) if sums is None else np.einsum("ij,ij->i", sums, sums)  # type: ignore[arg-type]
        zero = np.flatnonzero(~(squares > 1e-12 * squares.max(initial=0)))
        if zero.size:
            j = int(zero[0])
            raise ValueError(
                f"{names[j] if names is not None else f'Cluster {j}'} has no direction in the kernel's feature space: "
                f"its squared length there is {squares[j]:.3g}. The kernel is not positive, or its random features "
                "are too few; use another kernel, more features, or leave the cluster out."
            )
        self.norms = np.sqrt(squares)

    @cached_property
    def gram(self) -> np.ndarray:
        """Inner products of the unit vectors."""
        if self._products is not None:
            gram = self._products / np.outer(self.norms, self.norms)
        else:
            gram = self.vectors @ self.vectors.T
        np.fill_diagonal(gram, 1)
        return gram

    @cached_property
    def vectors(self) -> np.ndarray:
        """The unit vectors; those of an exact kernel have coordinates made from their inner products."""
        if self.sums is not None:
            return self.sums / self.norms[:, None]
        values, directions = np.linalg.eigh(self.gram)
        if values[0] < -1e-8 * values[-1]:
            warnings.warn(
                f"The kernel is not positive semi-definite: an eigenvalue among the clusters is {values[0]:.2g}, the "
                f"largest {values[-1]:.2g}. What is negative counts as 0.",
                UserWarning,
                stacklevel=2,
            )
        return directions * np.sqrt(np.clip(values, 0, None))


class FeatureLift:
    """A kernel whose feature space has coordinates: random features of a shift-invariant kernel, or X itself.

    Rows are mapped in blocks and summed up, so that no array of n rows by all features is ever held.
    """

    def __init__(self, frequencies: np.ndarray | None = None, center: Any = 0.0, sigma: float | None = None) -> None:
        self.frequencies = frequencies
        self.center = center
        self.sigma = sigma

    def features(self, X: Any, start: int, stop: int) -> Any:
        """Φ(x) of some rows."""
        rows = shifted(X[start:stop], self.center)
        if self.frequencies is None:
            return rows
        angles = rows @ self.frequencies
        half = angles.shape[1]
        # Cosine and sine in pairs: every Φ(x) has length 1 exactly.
        phi = np.empty((len(angles), 2 * half), dtype=angles.dtype)
        np.cos(angles, out=phi[:, :half])
        np.sin(angles, out=phi[:, half:])
        phi *= 1 / np.sqrt(half)
        return phi

    def clusters(
        self,
        X: Any,
        memberships: sparse.csr_array,
        names: Sequence[str] | None = None,
        *,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> LiftedClusters:
        """Lift the clusters of an n × m matrix of memberships."""

        def part(start: int, stop: int) -> np.ndarray:
            return _dense(memberships[start:stop].T @ self.features(X, start, stop))

        n_features = X.shape[1] if self.frequencies is None else 2 * self.frequencies.shape[1]
        sums = _sum_over_rows(part, X.shape[0], max(_BLOCK // n_features, 64), n_jobs, verbose)
        return LiftedClusters(memberships, sums, None, names)

    def directions(self, lifted: LiftedClusters, coefficients: np.ndarray) -> np.ndarray:
        """The vectors Σ_j a_ji Φ(C_j) for coefficients a (m, k), in the form ``inner`` takes."""
        assert lifted.sums is not None
        return lifted.sums.T @ coefficients

    def inner(self, X: Any, directions: np.ndarray, *, n_jobs: int | None = None) -> np.ndarray:
        """Inner products of Φ(x) with such vectors, (rows of X, k)."""
        block = max(_BLOCK // len(directions), 64)
        parts = over_blocks(
            lambda start, stop: self.features(X, start, stop) @ directions, X.shape[0], n_jobs=n_jobs, block=block
        )
        return np.concatenate(parts)


class KernelLift:
    """A kernel by its values, computed in blocks of rows against all data: time O(n²), memory O(n)."""

    def __init__(
        self,
        data: Any,
        n_objects: int,
        kernel: Callable[[Any, Any], Any] | None = None,
        center: Any = 0.0,
        sigma: float | None = None,
    ) -> None:
        self.data = data
        self.n_objects = n_objects
        self.kernel = kernel
        self.center = center
        self.sigma = sigma
        self._block = max(_BLOCK // n_objects, 16)

    def values(self, X: Any, start: int, stop: int) -> Any:
        """K(x, data) of some rows of X, which is K itself if precomputed, and None for the discrete kernel."""
        if X is None:
            return sparse.eye_array(stop - start, self.n_objects, k=start, format="csr")
        if self.kernel is None:
            return X[start:stop]
        rows = X[start:stop]
        with np.errstate(over="ignore" if self.sigma is not None else None):  # then our own kernel is 0
            block = np.asarray(self.kernel(rows if self.sigma is None else shifted(rows, self.center), self.data))
        if block.shape != (stop - start, self.n_objects) or not np.isfinite(block).all():
            raise ValueError(
                f"The kernel must return {stop - start} × {self.n_objects} finite numbers for two blocks of so many "
                f"objects; got shape {block.shape}, {'all' if np.isfinite(block).all() else 'not all'} finite."
            )
        return block

    def clusters(
        self,
        X: Any,
        memberships: sparse.csr_array,
        names: Sequence[str] | None = None,
        *,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> LiftedClusters:
        """Lift the clusters of an n × m matrix of memberships: their inner products are Hᵀ K H."""

        def part(start: int, stop: int) -> np.ndarray:
            return _dense(memberships[start:stop].T @ _dense(self.values(X, start, stop) @ memberships))

        if X is None:  # K is the identity
            products = _dense(memberships.T @ memberships)
        else:
            products = _sum_over_rows(part, self.n_objects, self._block, n_jobs, verbose)
        return LiftedClusters(memberships, None, (products + products.T) / 2, names)

    def directions(self, lifted: LiftedClusters, coefficients: np.ndarray) -> np.ndarray:
        """The vectors Σ_j a_ji Φ(C_j) for coefficients a (m, k), as their coefficients over the objects."""
        return lifted.memberships @ coefficients

    def inner(self, X: Any, directions: np.ndarray, *, n_jobs: int | None = None) -> np.ndarray:
        """Inner products of Φ(x) with such vectors, (rows of X, k)."""
        n = self.n_objects if X is None else n_rows(X)
        parts = over_blocks(
            lambda start, stop: _dense(self.values(X, start, stop) @ directions), n, n_jobs=n_jobs, block=self._block
        )
        return np.concatenate(parts)


def n_rows(X: Any) -> int:
    """The number of objects of X, which need not be an array if the kernel is a function."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def float_type(X: Any) -> np.dtype:
    """Small types are computed in float32, as they have no more digits anyway."""
    return np.result_type(X.dtype, np.float32)


def shifted(rows: Any, center: Any) -> Any:
    """Rows as floats, relative to the center; sparse ones stay where they are."""
    rows = rows.astype(float_type(rows), copy=False)
    return rows if sparse.issparse(rows) else rows - center


def _dense(values: Any) -> np.ndarray:
    return values.toarray() if sparse.issparse(values) else np.asarray(values)


def _sum_over_rows(
    part: Callable[[int, int], np.ndarray], n: int, block: int, n_jobs: int | None, verbose: bool
) -> np.ndarray:
    """The sum of ``part(start, stop)`` over blocks of rows; it does not depend on the number of threads."""
    size = max(block, ceil(n / _PARTS))

    def add_up(first: int) -> np.ndarray:
        last = min(first + size, n)
        starts = range(first, last, block)
        total = part(starts[0], min(starts[0] + block, last)).astype(float, copy=False)
        for start in starts[1:]:
            total += part(start, min(start + block, last))
        return total

    parts = run_tasks(add_up, range(0, n, size), n_jobs=n_jobs, description="lifting clusters", verbose=verbose)
    return sum(parts[1:], start=parts[0])

"""Functions f as vectors of coefficients: expansions in a kernel, or weights of features.

Both spaces have the same three operations: f at the points, the squared norm of f, and a Newton step.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg

_MOST_FEATURES = 1_000  # beyond, Newton steps are solved by conjugate gradients
_CG_TOLERANCE, _CG_STEPS = 1e-6, 500


class Space(Protocol):
    """Coefficients of functions on a set of points."""

    @property
    def n_coefficients(self) -> int: ...

    def values(self, coefficients: np.ndarray) -> np.ndarray: ...

    def squared_norm(self, coefficients: np.ndarray, f: np.ndarray) -> float: ...

    def step(
        self, coefficients: np.ndarray, gradient: np.ndarray, curvature: sparse.csr_array, lam: float
    ) -> np.ndarray: ...


class KernelSpace(NamedTuple):
    """f = K α, ‖f‖² = αᵀ K α."""

    gram: np.ndarray

    @property
    def n_coefficients(self) -> int:
        return len(self.gram)

    def values(self, coefficients: np.ndarray) -> np.ndarray:
        return self.gram @ coefficients

    def squared_norm(self, coefficients: np.ndarray, f: np.ndarray) -> float:
        return float(coefficients @ f)

    def step(
        self, coefficients: np.ndarray, gradient: np.ndarray, curvature: sparse.csr_array, lam: float
    ) -> np.ndarray:
        """Solve (H K + 2λ I) d = -(g + 2λ α): Newton's equation without its factor K, which may be singular."""
        system = curvature @ self.gram
        system[np.diag_indices_from(system)] += 2 * lam
        return _solved(system, -(gradient + 2 * lam * coefficients), "gen")


class FeatureSpace(NamedTuple):
    """f = Z w, ‖f‖² = wᵀ w, for a dense or sparse Z."""

    features: Any

    @property
    def n_coefficients(self) -> int:
        return self.features.shape[1]

    def values(self, coefficients: np.ndarray) -> np.ndarray:
        return self.features @ coefficients

    def squared_norm(self, coefficients: np.ndarray, f: np.ndarray) -> float:
        return float(coefficients @ coefficients)

    def step(
        self, coefficients: np.ndarray, gradient: np.ndarray, curvature: sparse.csr_array, lam: float
    ) -> np.ndarray:
        """Solve (Zᵀ H Z + 2λ I) d = -(Zᵀ g + 2λ w)."""
        Z, d = self.features, self.n_coefficients
        right = -(Z.T @ gradient + 2 * lam * coefficients)
        if d <= _MOST_FEATURES:
            system = Z.T @ (curvature @ Z)
            system = system.toarray() if sparse.issparse(system) else system
            system[np.diag_indices_from(system)] += 2 * lam
            return _solved(system, right, "pos")
        product = LinearOperator((d, d), lambda v: Z.T @ (curvature @ (Z @ v)) + 2 * lam * v, dtype=np.float64)
        return cg(product, right, rtol=_CG_TOLERANCE, maxiter=_CG_STEPS)[0]


def _solved(system: np.ndarray, right: np.ndarray, kind: str) -> np.ndarray:
    """The solution of linear equations; that of least norm if λ is too small to make them regular."""
    try:
        return linalg.solve(system, right, assume_a=kind, check_finite=False)
    except linalg.LinAlgError:
        return linalg.lstsq(system, right, check_finite=False)[0]

"""What decision functions are made of: kernels at points of the training data, features, or landmarks of a kernel."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import gen_batches

from pluribus._engine import check_memory
from pluribus.similarity.pairwise._spaces import FeatureSpace, KernelSpace

_BLOCK = 2**22  # numbers of a block of new rows
_NOT_A_KERNEL = 1e-8  # of the largest eigenvalue: how negative the smallest may be by rounding


class Basis(Protocol):
    """A space to fit in, and the decision values of new rows for coefficients of it, one row for each function."""

    @property
    def space(self) -> KernelSpace | FeatureSpace: ...

    def scores(self, X: Any, coefficients: np.ndarray) -> np.ndarray: ...


class KernelBasis(NamedTuple):
    """Kernel functions at the points; a constant added to the kernel is an intercept."""

    points: Any  # rows of X; of a precomputed kernel, their numbers
    gamma: float | None  # of the RBF kernel; None = precomputed
    constant: float
    space: KernelSpace

    def kernel(self, X: Any) -> np.ndarray:
        values = X[:, self.points] if self.gamma is None else gaussian(X, self.points, self.gamma)
        return values + self.constant

    def scores(self, X: Any, coefficients: np.ndarray) -> np.ndarray:
        width = len(self.space.gram)
        return _in_blocks(X, lambda block: self.kernel(block) @ coefficients.T, width, len(coefficients))


class FeatureBasis(NamedTuple):
    """Features as they are, or those of landmarks of the kernel (Nyström), and a constant one for the intercept."""

    landmarks: Nystroem | None
    constant: float
    space: FeatureSpace

    def scores(self, X: Any, coefficients: np.ndarray) -> np.ndarray:
        width = self.space.n_coefficients
        return _in_blocks(
            X,
            lambda block: features_of(block, self.landmarks, self.constant) @ coefficients.T,
            width,
            len(coefficients),
        )


def gaussian(X: Any, Y: Any, gamma: float) -> np.ndarray:
    """exp(-γ ‖x - y‖²); 0 where the exponent is beyond all numbers."""
    with np.errstate(over="ignore"):
        return rbf_kernel(X, Y, gamma=gamma)


def kernel_basis(X: Any, rows: np.ndarray, gamma: float | None, constant: float) -> KernelBasis:
    """All kernel functions at these rows of X; raises if their matrix would not fit into memory, or is no kernel."""
    check_memory(
        3 * 8 * len(rows) ** 2,
        f"The kernel of the {len(rows):,} rows that are labeled or in pairs",
        "n_components, for example 500, or kernel='linear'",
    )
    if gamma is None:
        points, gram = rows, X[np.ix_(rows, rows)]
        _check_kernel(gram + constant)
    else:
        points = X[rows]
        gram = gaussian(points, points, gamma)
    return KernelBasis(points, gamma, constant, KernelSpace(np.ascontiguousarray(gram, dtype=np.float64) + constant))


def feature_basis(X: Any, rows: np.ndarray, landmarks: Nystroem | None, constant: float) -> FeatureBasis:
    """The features of these rows of X; landmarks are chosen among them."""
    points = X[rows]
    if landmarks is not None:
        with np.errstate(over="ignore"):
            landmarks.fit(points)
    return FeatureBasis(landmarks, constant, FeatureSpace(features_of(points, landmarks, constant)))


def features_of(X: Any, landmarks: Nystroem | None, constant: float) -> Any:
    """The features of a linear function, in double precision."""
    with np.errstate(over="ignore"):  # as in `gaussian`
        features = X if landmarks is None else landmarks.transform(X)
    features = features.astype(np.float64, copy=False)
    if not constant:
        return features
    column = np.full((X.shape[0], 1), constant)
    if sparse.issparse(features):
        return sparse.csr_array(sparse.hstack([features, column], format="csr"))
    return np.hstack([features, column])


def _in_blocks(X: Any, scores: Any, width: int, n_scores: int) -> np.ndarray:
    """Scores of rows, in blocks that need little memory."""
    result = np.empty((X.shape[0], n_scores))
    for block in gen_batches(X.shape[0], max(1, _BLOCK // max(width, 1))):
        result[block] = scores(X[block])
    return result


def gamma_of(X: Any, gamma: Any) -> float:
    """The factor of squared distances; "scale" is scikit-learn's."""
    if gamma != "scale":
        return float(gamma)
    if sparse.issparse(X):
        variance = float(X.multiply(X).mean(dtype=np.float64) - X.mean(dtype=np.float64) ** 2)
    else:
        variance = float(X.var(dtype=np.float64))
    return 1 / (X.shape[1] * variance) if variance > 0 else 1.0


def _check_kernel(gram: np.ndarray) -> None:
    """Refuse a matrix that is not one of inner products."""
    largest = float(np.abs(gram).max())
    if not np.allclose(gram, gram.T, rtol=1e-6, atol=1e-8 * largest):
        i, j = np.unravel_index(np.abs(gram - gram.T).argmax(), gram.shape)
        raise ValueError(
            f"kernel='precomputed' needs a symmetric matrix; of the rows that are labeled or in pairs, K[{i}, {j}] is "
            f"{gram[i, j]:.6g} and K[{j}, {i}] is {gram[j, i]:.6g}."
        )
    eigenvalues = np.linalg.eigvalsh(gram)
    if eigenvalues[0] < -_NOT_A_KERNEL * max(eigenvalues[-1], -eigenvalues[0]):
        raise ValueError(
            f"The precomputed matrix is no kernel: its smallest eigenvalue is {eigenvalues[0]:.3g}. Give inner "
            "products, not distances; clip negative eigenvalues if it is an approximation."
        )

"""Gaussian mixtures of minimum message length: EM on one component at a time, which removes what data do not support.

The algorithm is that of Figueiredo and Jain (2002). Data are centered and divided by their overall spread first, so
that the run does not depend on the unit of X; message lengths are those of X.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pluribus._engine import track
from pluribus._kernels.points.component_densities import put_densities, sum_moments, sum_responsibilities
from pluribus.increments._shared.errors import DegenerateIncrementsError

_FIRST_VARIANCE = 0.1  # of the components at the start, times the mean variance of a feature
_NOTHING = 1e-9  # objects: a component with less has no mean


class Spread(NamedTuple):
    """The center of the data, and the root of the mean variance of their features."""

    center: np.ndarray
    scale: float

    @classmethod
    def of(cls, X: np.ndarray) -> "Spread":
        """The spread of X; raises if all rows are equal."""
        scale = float(np.sqrt(X.var(axis=0).mean()))
        if scale == 0 or (X[0] == X).all():
            raise DegenerateIncrementsError("All rows of X are equal, so there is nothing to cluster.")
        return cls(X.mean(axis=0), scale)


@dataclass(frozen=True)
class Mixture:
    """A fitted mixture, in the units of X."""

    weights: np.ndarray  # (k,)
    means: np.ndarray  # (k, d)
    covariances: np.ndarray  # (k, d, d)
    message_length: float
    path: list[tuple[int, float, int]]  # components, message length and sweeps of each local optimum

    def posteriors(self, X: np.ndarray) -> np.ndarray:
        """The probability of each component for each row of X, (n, k)."""
        spread = Spread(self.means.mean(axis=0), float(np.sqrt(np.trace(self.covariances.mean(axis=0)))))
        components = Components(
            np.ascontiguousarray((X - spread.center) / spread.scale),
            (self.means - spread.center) / spread.scale,
            self.covariances / spread.scale**2,
            self.weights,
        )
        components.count()
        return components.weights * components.scaled / components.total[:, None]

    def take(self, order: np.ndarray) -> "Mixture":
        """The components in another order."""
        return Mixture(self.weights[order], self.means[order], self.covariances[order], self.message_length, self.path)


class Components:
    """The live components of a mixture, and the densities of all rows under each."""

    def __init__(self, X: np.ndarray, means: np.ndarray, covariances: np.ndarray, weights: np.ndarray) -> None:
        n, k = len(X), len(means)
        self.X, self.means, self.covariances, self.weights = X, means.copy(), covariances.copy(), weights.copy()
        self.log_density, self.scaled = np.full((n, k), -np.inf), np.zeros((n, k))
        self.reference, self.total = np.full(n, -np.inf), np.empty(n)
        for m in range(k):
            self.refresh(m)

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def n_parameters(self) -> int:
        """N, the parameters of one component: mean and covariance."""
        d = self.X.shape[1]
        return d + d * (d + 1) // 2

    def count(self) -> np.ndarray:
        """Σ_i u_im, the objects of each component."""
        return sum_responsibilities(self.weights, self.log_density, self.scaled, self.reference, self.total)

    def move(self, m: int, weight: float, count: float, ridge: float) -> None:
        """M step: the mean and covariance of component m by its responsibilities, then its new weight."""
        first, second = sum_moments(self.X, m, self.weights[m], self.scaled, self.total, self.means[m])
        shift = first / count
        self.means[m] += shift
        self.covariances[m] = second / count - np.outer(shift, shift) + ridge * np.eye(len(shift))
        self.weights[m] = weight
        self.weights /= self.weights.sum()
        self.refresh(m)

    def refresh(self, m: int) -> None:
        """The densities under component m."""
        try:
            lower = np.linalg.cholesky(self.covariances[m])
        except np.linalg.LinAlgError:
            raise ValueError(
                "A component has no spread in some direction, so its density is infinite: raise ridge."
            ) from None
        put_densities(self.X, m, self.means[m], lower, self.log_density, self.scaled, self.reference)

    def remove(self, m: int) -> None:
        """Leave component m out; the weights of the others sum to 1 again."""
        self.weights, self.means = np.delete(self.weights, m), np.delete(self.means, m, axis=0)
        self.covariances = np.delete(self.covariances, m, axis=0)
        self.log_density, self.scaled = np.delete(self.log_density, m, axis=1), np.delete(self.scaled, m, axis=1)
        self.weights /= self.weights.sum()

    def sweep(self, ridge: float, least: int) -> None:
        """Component-wise EM over all live components, which removes those with too few objects."""
        half, m = self.n_parameters / 2, 0
        while m < len(self):
            counts = self.count()
            supported = np.maximum(counts - half, 0)
            if supported[m] > 0:
                self.move(m, supported[m] / supported.sum(), counts[m], ridge)
            elif len(self) > least:
                self.remove(m)
                continue
            elif counts[m] > _NOTHING:  # no component can be spared: plain EM
                self.move(m, counts[m] / len(self.X), counts[m], ridge)
            m += 1

    def message_length(self) -> float:
        """N/2 Σ_m log(n a_m / 12) + k/2 log(n / 12) + k (N + 1)/2 - log-likelihood."""
        self.count()
        n, k, N = len(self.X), len(self), self.n_parameters
        likelihood = np.log(self.total).sum() + self.reference.sum()
        code = N / 2 * np.log(n * self.weights / 12).sum() + k / 2 * np.log(n / 12) + k * (N + 1) / 2
        return float(code - likelihood)


def fit_mixture(
    X: np.ndarray,
    means: np.ndarray,
    *,
    min_components: int = 1,
    ridge: float = 1e-3,
    tol: float = 1e-5,
    max_iter: int = 1000,
    verbose: bool = True,
) -> Mixture:
    """The mixture of the shortest message that a start with these means leads to."""
    n, d = X.shape
    k = len(means)
    spread = Spread.of(X)
    components = Components(
        np.ascontiguousarray((X - spread.center) / spread.scale),
        (means - spread.center) / spread.scale,
        np.tile(_FIRST_VARIANCE * np.eye(d), (k, 1, 1)),
        np.full(k, 1 / k),
    )
    unit = n * d * np.log(spread.scale)  # of the log-likelihood
    path: list[tuple[int, float, int]] = []
    best = None
    for _ in track(range(k - min_components + 1), "Gaussian mixture", verbose=verbose):
        length, n_sweeps = _converge(components, min_components, ridge, tol, max_iter)
        path.append((len(components), float(length + unit), n_sweeps))
        if best is None or length < best[0]:
            best = length, components.weights.copy(), components.means.copy(), components.covariances.copy()
        if len(components) <= min_components:
            break
        components.remove(int(np.argmin(components.weights)))
    assert best is not None
    length, weights, centers, covariances = best
    centers, covariances = spread.center + spread.scale * centers, spread.scale**2 * covariances
    return Mixture(weights, centers, covariances, float(length + unit), path)


def _converge(components: Components, least: int, ridge: float, tol: float, max_iter: int) -> tuple[float, int]:
    """Sweeps until the message length stays the same: the length, and the number of sweeps."""
    before = np.inf
    for n_sweeps in range(1, max_iter + 1):
        components.sweep(ridge, least)
        length = components.message_length()
        if abs(before - length) < tol * abs(length):
            return length, n_sweeps
        before = length
    return length, max_iter

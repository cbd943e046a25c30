"""Embeddings that keep distances: Sammon's mapping and curvilinear components."""

import warnings

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.exceptions import ConvergenceWarning

from pluribus._engine import track
from pluribus._kernels.points.curvilinear import pull_apart

_RATE = (0.5, 0.005)  # of CCA: from, to
_LAST_RADIUS = 0.01
_JITTER = 1e-4


def sammon(
    distances: np.ndarray, counts: np.ndarray, start: np.ndarray, max_iter: int, seed: int
) -> tuple[np.ndarray, float, None, None, None, bool]:
    """Minimize Σ w (δ - d)² / δ / Σ w δ over pairs, weighted by their counts."""
    n, d = start.shape
    if n == 1:
        return start, 0.0, None, None, None, True
    positive = distances[distances > 0]
    delta = np.maximum(distances, positive.min() / 2 if positive.size else 1.0)  # no division by 0
    weight = np.outer(counts, counts)
    np.fill_diagonal(weight, 0)
    total = (weight * delta).sum()

    def stress(flat: np.ndarray) -> tuple[float, np.ndarray]:
        points = flat.reshape(n, d)
        current = np.maximum(cdist(points, points), 1e-12)
        error = delta - current
        pull = weight * error / (delta * current)
        gradient = -4 / total * (pull.sum(axis=1)[:, None] * points - pull @ points)
        return float((weight * error**2 / delta).sum() / total), gradient.ravel()

    solution = minimize(
        stress, _jittered(start, seed).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": max_iter, "gtol": 1e-8}
    )
    converged = solution.nit < max_iter
    if not converged:
        warnings.warn(
            f"Sammon's mapping stopped after {max_iter} iterations before it converged; raise max_iter.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return solution.x.reshape(n, d), float(solution.fun), None, None, None, converged


def curvilinear(
    distances: np.ndarray, start: np.ndarray, n_epochs: int, seed: int, verbose: bool
) -> tuple[np.ndarray, float]:
    """Stochastic descent on ½ Σ (δ - d)² over pairs whose distance d in the output is within a shrinking radius.

    The returned cost is for the initial radius.
    """
    n = len(start)
    points = _jittered(start, seed)
    reach = 3 * float(start.std(axis=0).max(initial=0))
    if n == 1 or reach == 0:
        return start, 0.0
    rng = np.random.default_rng(seed)
    progress = np.arange(n_epochs * n).reshape(n_epochs, n) / max(n_epochs * n - 1, 1)
    rate = _RATE[0] * (_RATE[1] / _RATE[0]) ** progress
    radius = reach * (_LAST_RADIUS / reach) ** progress
    for epoch in track(range(n_epochs), "curvilinear components", verbose=verbose):
        pull_apart(points, distances, rng.permutation(n), rate[epoch], radius[epoch])
    current = cdist(points, points)
    within = (current <= reach) & ~np.eye(n, dtype=bool)
    return points, float(((distances - current)[within] ** 2).sum() / 2)


def residual_variance(distances: np.ndarray, coordinates: np.ndarray) -> float:
    """1 - ρ² between the distances and those of the coordinates; 0 if all distances are equal."""
    original, embedded = squareform(distances, checks=False), pdist(coordinates)
    if len(original) < 2 or np.ptp(original) < 1e-12:
        return 0.0
    if np.ptp(embedded) < 1e-12:
        return 1.0
    return float(np.clip(1 - np.corrcoef(original, embedded)[0, 1] ** 2, 0, 1))


def _jittered(start: np.ndarray, seed: int) -> np.ndarray:
    """Move all points a little: a force along their difference cannot separate coinciding points."""
    scale = _JITTER * max(float(np.abs(start).max(initial=0)), 1e-12)
    return start + scale * np.random.default_rng(seed).standard_normal(start.shape)

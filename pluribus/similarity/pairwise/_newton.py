"""Newton's method for loss(f) + λ‖f‖²."""

from typing import NamedTuple

import numpy as np

from pluribus.similarity.pairwise._logistic import Loss
from pluribus.similarity.pairwise._spaces import Space

_SHORTEST = 2.0**-40  # step that is tried


class Fitted(NamedTuple):
    """The coefficients of f, the objective at the start and then falling, the steps, and whether no more are needed."""

    coefficients: np.ndarray
    path: np.ndarray
    n_iter: int
    converged: bool


def minimize(loss: Loss, space: Space, lam: float, start: np.ndarray, *, tol: float, max_iter: int) -> Fitted:
    """Newton steps, halved until the objective does not rise, until it falls by less than ``tol`` of itself.

    What the loss has in any case does not count: with many pairs it would hide what is left to gain.
    """

    def objective(coefficients: np.ndarray) -> tuple[float, np.ndarray]:
        f = space.values(coefficients)
        return loss.value(f) + lam * space.squared_norm(coefficients, f), f

    coefficients = start
    current, f = objective(coefficients)
    path = [current]
    for n_iter in range(1, max_iter + 1):
        direction = space.step(coefficients, loss.gradient(f), loss.curvature(f), lam)
        length = 1.0
        following, f_new = objective(coefficients + direction)
        while not following <= current and length > _SHORTEST:
            length /= 2
            following, f_new = objective(coefficients + length * direction)
        if not following <= current:  # no step lowers what rounding leaves of the objective
            return Fitted(coefficients, np.array(path), n_iter, True)
        coefficients, f = coefficients + length * direction, f_new
        path.append(following)
        if current - following <= tol * max(1.0, following - loss.floor):
            return Fitted(coefficients, np.array(path), n_iter, True)
        current = following
    return Fitted(coefficients, np.array(path), max_iter, False)

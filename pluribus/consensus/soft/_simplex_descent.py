"""Descent on memberships with rows on the simplex; the objective never rises."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pluribus._kernels.points.simplex import project_rows
from pluribus.consensus.soft._pair_fit import PairFit, Point

_RELATIVE_DECREASE = 1e-7
_ROUNDING = 1e-14
_EASE = 1.1


class FittedMemberships(NamedTuple):
    """The memberships at the end of a descent; ``path`` is the objective at the start and after each iteration."""

    membership: np.ndarray
    path: list[float]
    converged: bool

    @property
    def objective(self) -> float:
        """The objective at the end."""
        return self.path[-1]


def projected_gradient(fit: PairFit, Y: np.ndarray, max_iter: int, tol: float) -> FittedMemberships:
    """Y ← Π(Z - ∇P(Z) / L), where Z extrapolates Y by its last step (Nesterov), or is Y if that does not descend.

    L is found by backtracking: doubled until the quadratic bound at Z holds, then lowered again.
    """
    sizes = fit.sizes[:, None]
    noise = _ROUNDING * max(fit.constant, 1.0)
    bound = max(float(fit.row_weight.max()), 1e-12)
    here = ahead = fit.at(Y)
    momentum = 1.0
    path = [here.objective]
    for _ in range(max_iter):
        while True:
            new = ahead.membership + (4 / bound) * ahead.gain
            project_rows(new)
            step = new - ahead.membership
            promised = 4 * float((sizes * ahead.gain * step).sum()) - bound / 2 * float((sizes * step * step).sum())
            there = fit.at(new)
            if there.objective <= ahead.objective - promised + noise:
                if there.objective <= here.objective:
                    break
                if ahead is not here:  # extrapolated too far
                    ahead, momentum = here, 1.0
                    continue
            if promised <= noise and ahead is here:  # the descent is below rounding
                return FittedMemberships(here.membership, path, True)
            bound *= 2
        path.append(there.objective)
        if _converged(here, there, tol, noise):
            return FittedMemberships(there.membership, path, True)
        bound /= _EASE
        momentum, last = (1 + (1 + 4 * momentum**2) ** 0.5) / 2, momentum
        ahead = _carry_on(fit, here, there, (last - 1) / momentum)
        here = there
    return FittedMemberships(here.membership, path, False)


def _carry_on(fit: PairFit, old: Point, new: Point, by: float) -> Point:
    """The point beyond ``new`` in the direction from ``old``; it may lie outside of the simplex."""
    if by == 0:
        return new
    beyond = new.membership + by * (new.membership - old.membership)
    return fit.at(beyond, new.pull + by * (new.pull - old.pull))


def baum_eagon(fit: PairFit, Y: np.ndarray, max_iter: int, tol: float) -> FittedMemberships:
    """y_ik ← y_ik (c + G_ik) / (c + Σ_l y_il G_il), eq. (5), with c between 0 and the row's weight.

    With the weight of the row, which is the constant n of the source, the objective cannot rise but steps are very
    short. Smaller constants are therefore tried first. Memberships of 0 stay 0.
    """
    noise = _ROUNDING * max(fit.constant, 1.0)
    share = 1.0
    here = fit.at(Y)
    path = [here.objective]
    for _ in range(max_iter):
        share = share / 1.5
        while True:
            growth = share * fit.row_weight[:, None] + here.gain
            if share == 1.0 or growth.min() > 0:
                there = fit.at(grow(here.membership, growth))
                if there.objective <= here.objective:
                    break
                if share == 1.0:  # it rose only by rounding
                    return FittedMemberships(here.membership, path, True)
            share = min(1.0, 2 * share)
        path.append(there.objective)
        if _converged(here, there, tol, noise):
            return FittedMemberships(there.membership, path, True)
        here = there
    return FittedMemberships(here.membership, path, False)


def grow(Y: np.ndarray, growth: np.ndarray) -> np.ndarray:
    """Multiply, and normalize the rows; a row of zeros stays as it was."""
    new = Y * growth
    total = new.sum(axis=1, keepdims=True)
    return np.divide(new, total, out=Y.copy(), where=total > 0)


SOLVERS: dict[str, Callable[[PairFit, np.ndarray, int, float], FittedMemberships]] = {
    "projected_gradient": projected_gradient,
    "baum_eagon": baum_eagon,
}


def _converged(old: Point, new: Point, tol: float, noise: float) -> bool:
    """Whether neither the memberships nor the objective changed."""
    little = old.objective - new.objective <= max(_RELATIVE_DECREASE * old.objective, noise)
    return little and float(np.abs(new.membership - old.membership).max()) < tol

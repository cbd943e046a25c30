"""Dual coordinate descent: sweeps over the pairs until no margin changes."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from pluribus._engine import track
from pluribus.similarity.metric._forms import Form

_INNER = 10  # sweeps over the pairs that matter between two sweeps over all


def descend(
    form: Form,
    visited: np.ndarray,
    bounds: np.ndarray,
    *,
    tol: float,
    max_iter: int,
    rng: np.random.Generator,
    verbose: bool,
) -> tuple[np.ndarray, int, bool]:
    """Coefficients of the pairs, the number of sweeps, and whether the last sweep over all pairs changed little.

    Most pairs keep more than the margin and a coefficient of 0. After each sweep over all pairs, the others are swept
    alone for a while.
    """
    alpha, seen = np.zeros(len(bounds)), np.empty(len(bounds))
    active, inner = visited, 0
    for sweep in track(range(1, max_iter + 1), "metric", verbose=verbose):
        change = form.sweep(rng.permutation(active), bounds, alpha, seen)
        if inner == 0:
            if change < tol:
                return alpha, sweep, True
            active = visited[(alpha[visited] > 0) | (seen[visited] < 1)]
        inner += 1
        if inner > _INNER or (change < tol and inner > 1):
            active, inner = visited, 0
    return alpha, max_iter, False


def duality_gap(alpha: np.ndarray, bounds: np.ndarray, margins: np.ndarray, start: np.ndarray) -> float:
    """Primal minus dual objective, both for ½ ‖A - A₀‖².

    If some pair is unbounded (hard margin), the primal objective is that of A₀ + f (A - A₀), with the least f for which
    all unbounded pairs keep the margin.
    """
    gained = margins - start
    squared = float(alpha @ gained)  # ‖A - A₀‖², as A - A₀ = Σ α P
    dual = float(alpha @ (1 - start)) - squared / 2
    hard = np.isinf(bounds) & (start < 1)
    factor = 1.0
    if hard.any():
        with np.errstate(divide="ignore"):
            factor = float(((1 - start[hard]) / gained[hard]).max())
        if not np.isfinite(factor):
            return np.inf
    slack = np.maximum(1 - start - factor * gained, 0)
    soft = np.isfinite(bounds)
    return factor**2 * squared / 2 + float(bounds[soft] @ slack[soft]) - dual


def warn_unfinished(max_iter: int, gap: float) -> None:
    """The margins still moved."""
    warnings.warn(
        f"The margins still moved after max_iter={max_iter} sweeps; the duality gap is {gap:.3g}. Give a larger "
        "max_iter or tol.",
        ConvergenceWarning,
        stacklevel=4,
    )

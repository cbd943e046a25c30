"""How far the coefficient of each pair may go, and which pairs can be kept apart at all."""

import warnings
from numbers import Integral

import numpy as np

from pluribus.constraints import ConstraintError
from pluribus.similarity.metric._pairs import Apart

_LEAST_NORM, _MOST_NORM = 1e-280, 1e280  # of ‖δ‖⁴: its inverse, and products with it, are finite
_LARGEST = float(np.finfo(np.float64).max)
_UNEVEN = 1e12  # ratio of the largest ‖δ‖⁴ to the smallest beyond which one pair decides


def bounds_of(C: float, apart: Apart, norms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of the pairs to visit, and the largest coefficient of each pair.

    Raises if a pair of identical rows is hard, as nothing can keep it apart; if it is soft, its slack is constant, and
    it is left out with a warning.
    """
    if not (norms < _MOST_NORM).all():
        raise ValueError(
            "X holds numbers so large that the fourth power of a difference overflows: scale X, for example by its "
            "standard deviation."
        )
    C = float(C) if not isinstance(C, Integral) or C <= _LARGEST else np.inf  # a whole number may be larger
    counts = apart.weights > 0
    identical = counts & (norms < _LEAST_NORM)
    if identical.any():
        i, j = apart.pairs[np.flatnonzero(identical)[0]].tolist()
        if np.isinf(C):
            raise ConstraintError(f"pair ({i}, {j}) has identical rows: infeasible; use finite C")
        if identical.sum() == counts.sum():
            raise ValueError(f"All pairs have identical rows, such as ({i}, {j}): nothing can tell them apart.")
        warnings.warn(
            f"{identical.sum():,} of the {counts.sum():,} pairs have identical rows, such as ({i}, {j}): no metric "
            "keeps them apart, and they are left out.",
            UserWarning,
            stacklevel=4,
        )
    visited = np.flatnonzero(counts & ~identical)
    bounds = np.where(counts, np.inf, 0.0) if np.isinf(C) else C * apart.weights
    if np.isinf(C) and norms[visited].max() > _UNEVEN * norms[visited].min():
        c = visited[norms[visited].argmin()]
        i, j = apart.pairs[c].tolist()
        warnings.warn(
            f"The rows of pair ({i}, {j}) are nearly equal, compared with other pairs, so this pair alone decides most "
            "of the metric; use finite C.",
            UserWarning,
            stacklevel=4,
        )
    return visited, bounds

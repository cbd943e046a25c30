"""New objects, next to those that a model was fitted to."""

import numpy as np

_FARTHEST = 1e50  # times the largest number of fit: squares of larger ones, and what follows from them, overflow


def largest_number(X: np.ndarray) -> float:
    """The largest magnitude in X, 1 if all of X is 0."""
    return max(float(X.max()), -float(X.min())) or 1.0


def check_not_far(X: np.ndarray, largest: float) -> None:
    """Refuse new objects whose squared distances to those of fit are beyond the range of numbers."""
    if largest_number(X) > _FARTHEST * largest:
        raise ValueError(
            f"X holds numbers of a size of {largest_number(X):.3g}, but those of fit are at most {largest:.3g}: scale "
            "X as it was scaled there."
        )

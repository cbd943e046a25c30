"""The means that a mixture starts from."""

import warnings
from numbers import Integral

import numpy as np

from pluribus.increments._shared.distinct_rows import distinct_rows


def start_means(X: np.ndarray, centers: np.ndarray, n_components: int, seed: int) -> np.ndarray:
    """Given centers, and random distinct rows of X up to a number of components."""
    rows = distinct_rows(X).first
    drawn = np.random.default_rng(seed).choice(rows, max(0, n_components - len(centers)), replace=False)
    return np.concatenate([centers, X[drawn]])


def possible_components(X: np.ndarray, max_components: int) -> int:
    """At most as many components as X has distinct rows; warns if these are fewer."""
    n_distinct = len(distinct_rows(X).first)
    if max_components > n_distinct:
        warnings.warn(
            f"X has {n_distinct} distinct rows, fewer than max_components={max_components}: the mixture starts with "
            f"{n_distinct} components.",
            UserWarning,
            stacklevel=3,
        )
    return min(max_components, n_distinct)


def check_components(least: int, least_name: str, most: int) -> tuple[int, int]:
    """The least and the most components; refuses a least above the most."""
    for name, value in ((least_name, least), ("max_components", most)):
        if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
            raise ValueError(f"{name}={value!r} is not a whole number.")
    if least > most:
        raise ValueError(f"{least_name}={least} is more than max_components={most}: raise max_components.")
    return int(least), int(most)

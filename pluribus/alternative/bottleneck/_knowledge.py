"""What is known of the rows: groups, or variables."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import check_summable, number_array
from pluribus.alternative._shared.known import Known, read_known

_MOST_GROUPS = 50  # whole numbers stored as floats: with more of them it is not clear that they are labels

_LARGEST_SUM = 1e150  # of variables: their squares are summed


class Knowledge(NamedTuple):
    """Groups, and the variables if these are known instead (then all rows are in one group)."""

    groups: Known
    codes: np.ndarray  # as those of ``groups``, but rows without a label are a group of their own
    variables: np.ndarray | None  # (n, p)


def read_knowledge(known: Any, n: int, form: str) -> Knowledge:
    """What ``fit`` or ``predict`` got as ``known``; None is one group of all rows."""
    if known is None:
        return _in_groups(Known(np.zeros(n, dtype=np.int64), (("all",),)))
    numbers = _real_numbers(known)
    if form == "continuous" or (form == "auto" and numbers is not None and (numbers != np.floor(numbers)).any()):
        nothing = Known(np.zeros(n, dtype=np.int64), (("all",),))
        return Knowledge(nothing, nothing.codes, _checked_variables(known, n))
    if numbers is not None and numbers.ndim == 1 and len(np.unique(numbers)) > _MOST_GROUPS:
        raise ValueError(
            f"known has {len(np.unique(numbers))} different numbers, stored as floats: give knowledge='continuous' if "
            "it is a variable, or integers if these are labels."
        )
    return _in_groups(read_known(known, n))


def warn_of_small_groups(codes: np.ndarray, n_clusters: int) -> None:
    """Groups with fewer rows than clusters tell little about how the clusters look in them."""
    small = int((np.bincount(codes) < n_clusters).sum())
    if small:
        warnings.warn(
            f"{small} of {int(codes.max()) + 1} known groups have fewer than n_clusters={n_clusters} rows: they say "
            "little about the clusters. Merge known groups, or give one partition fewer.",
            UserWarning,
            stacklevel=3,
        )


def _in_groups(groups: Known) -> Knowledge:
    return Knowledge(groups, np.where(groups.codes < 0, groups.n_groups, groups.codes), None)


def _real_numbers(known: Any) -> np.ndarray | None:
    """The finite numbers of ``known`` if it is made of floats."""
    try:
        values = np.asarray(known)
    except ValueError:
        return None
    if values.dtype.kind != "f":
        return None
    return values[np.isfinite(values)] if values.ndim == 1 else np.where(np.isfinite(values), values, 0)


def _checked_variables(known: Any, n: int) -> np.ndarray:
    try:
        values = number_array("known", known)
    except ValueError:
        raise ValueError("known must hold numbers if knowledge='continuous': give an array of shape (n, p).") from None
    values = values.reshape(-1, 1) if values.ndim == 1 else values
    if values.ndim != 2 or len(values) != n or not values.shape[1]:
        raise ValueError(f"known has the shape {values.shape}, but X has {n} rows: give one row of variables for each.")
    if not np.isfinite(values).all():
        raise ValueError("known has NaN or infinite values: give finite variables, or leave these rows out.")
    check_summable("known", values, _LARGEST_SUM)
    return values

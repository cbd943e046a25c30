"""What sets a cluster apart: features and categories in which it differs from the rest."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus.report.result.case import Case
from pluribus.report.result.summary import Trait

_TRAITS = 6
_SMALLEST_DIFFERENCE = 0.1
_CATEGORIES = 50
_BLOCK = 64

Names = list[tuple[str, str | None]]  # feature, and category or None


def profiles(case: Case) -> list[tuple[Trait, ...]]:
    """The traits of each cluster, the strongest first.

    The measure is the mean of the cluster minus the mean of all other clustered objects, in standard deviations of
    the column. A category is a 0/1 column, so numbers and categories are ranked together; of categories only those
    that are over-represented are named.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Case
    >>> from pluribus.report.result._profiles import profiles
    >>> labels = np.array([0, 0, 0, 1, 1])
    >>> case = Case(
    ...     "t", Ensemble([labels]), labels, np.eye(2)[labels], np.zeros(5), np.array(list("abcde")),
    ...     frame=pd.DataFrame({"size": [1, 2, 3, 7, 8], "color": ["red", "red", "blue", "blue", "blue"]}),
    ... )
    >>> for trait in profiles(case)[0]:
    ...     print(trait.feature, trait.category, round(trait.inside, 2), round(trait.outside, 2))
    size None 2.0 7.5
    color red 0.67 0.0
    """
    k = case.n_clusters
    clustered = np.flatnonzero(case.labels >= 0)
    assigned = sparse.csr_array(
        (np.ones(len(clustered)), (case.labels[clustered], clustered)), shape=(k, len(case.labels))
    )
    found: list[list[Trait]] = [[] for _ in range(k)]
    for names, values in _columns(case):
        inside, outside, difference = _compare(assigned, values)
        for c, j in zip(*np.nonzero(_noteworthy(names, difference)), strict=True):
            feature, category = names[j]
            found[c].append(Trait(feature, category, inside[c, j], outside[c, j], difference[c, j]))
    return [tuple(sorted(traits, key=lambda t: -abs(t.difference))[:_TRAITS]) for traits in found]


def _noteworthy(names: Names, difference: np.ndarray) -> np.ndarray:
    """Which of a block's differences to keep: at most the strongest `_TRAITS` of each cluster."""
    is_category = np.array([category is not None for _, category in names])
    strength = np.where(is_category & (difference < 0), 0, np.abs(difference))
    weakest = np.sort(strength, axis=1)[:, -min(_TRAITS, len(names))][:, None]
    return strength >= np.maximum(weakest, _SMALLEST_DIFFERENCE)


def _compare(assigned: sparse.csr_array, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean inside and outside of each cluster, and the difference in standard deviations; missing values left out."""
    known = np.isfinite(values)
    filled = np.where(known, values, 0.0)
    counts = np.asarray(assigned @ known.astype(np.float64))
    total = counts.sum(axis=0)
    # Centered first: sums of squares of raw values lose the digits of columns far from zero.
    center = filled.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    filled = np.where(known, values - center, 0.0)
    sums = np.asarray(assigned @ filled)
    squares = np.asarray(assigned @ filled**2).sum(axis=0)
    mean = _ratio(sums.sum(axis=0), total)
    spread = np.sqrt(np.maximum(_ratio(squares, total) - mean**2, 0))
    spread[spread <= 1e-9 * np.maximum(1e-300, np.abs(center))] = 0  # constant but for rounding
    inside = _ratio(sums, counts)
    outside = _ratio(sums.sum(axis=0) - sums, total - counts)
    comparable = (counts > 0) & (total - counts > 0)
    difference = np.where(comparable, _ratio(inside - outside, spread + np.zeros_like(sums)), 0.0)
    return inside + center, outside + center, difference


def _ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.divide(a, b, out=np.zeros(np.broadcast(a, b).shape), where=b > 0)


def _columns(case: Case) -> Iterator[tuple[Names, np.ndarray]]:
    """Blocks of columns as numbers, each named (feature, category or None)."""
    if case.frame is not None:
        frame = case.frame
        numeric = [j for j, dtype in enumerate(frame.dtypes) if _is_number(dtype)]
        for start in range(0, len(numeric), _BLOCK):
            block = frame.iloc[:, numeric[start : start + _BLOCK]]
            names: Names = [(str(name), None) for name in block.columns]
            yield names, block.to_numpy(dtype=np.float64, na_value=np.nan)
        for j in sorted(set(range(frame.shape[1])) - set(numeric)):
            names, values = _indicators(frame.iloc[:, j])
            if names:
                yield names, values
    elif case.X is not None:
        d = case.X.shape[1]
        features = list(case.feature_names) or [f"feature {j}" for j in range(d)]
        for start in range(0, d, _BLOCK):
            names = [(str(name), None) for name in features[start : start + _BLOCK]]
            yield names, np.asarray(case.X[:, start : start + _BLOCK], dtype=np.float64)


def _is_number(dtype: object) -> bool:
    return bool(
        pd.api.types.is_numeric_dtype(dtype)
        and not pd.api.types.is_bool_dtype(dtype)
        and not pd.api.types.is_complex_dtype(dtype)
    )


def _indicators(column: pd.Series) -> tuple[Names, np.ndarray]:
    """A 0/1 column for each of the most frequent categories; values that occur once describe nobody."""
    codes, categories = pd.factorize(column)
    counts = np.bincount(codes[codes >= 0], minlength=len(categories))
    frequent = np.argsort(-counts, kind="stable")[:_CATEGORIES]
    frequent = frequent[counts[frequent] > 1]
    values = (codes[:, None] == frequent[None, :]).astype(np.float64)
    values[codes < 0] = np.nan
    return [(str(column.name), str(categories[c])) for c in frequent], values

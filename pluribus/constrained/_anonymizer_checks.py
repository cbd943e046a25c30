"""Whether a published table is anonymous, counted from nothing but the table."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from ._conditions import Distinct, EntropyDiversity, RecursiveDiversity

Diversity = Distinct | EntropyDiversity | RecursiveDiversity


class PublishedCheck(NamedTuple):
    """What was counted on a published table.

    Attributes
    ----------
    sizes : ndarray
        Rows of each equivalence class: those that are equal in all quasi-identifiers.
    diversity : ndarray or None
        Of each class: the number of different sensitive values, the exponential of their entropy, or how often the
        most frequent value is as frequent as the l-th and all rarer ones together.
    """

    sizes: np.ndarray
    diversity: np.ndarray | None


def check_published(
    table: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    sensitive: str | None = None,
    diversity: str = "distinct",
    l: int | float = 1,  # noqa: E741
) -> PublishedCheck:
    """Count the equivalence classes of a published table, and the diversity of each.

    Parameters
    ----------
    table : data frame
    quasi_identifiers : sequence of str
        Columns that are generalized; what is missing in all rows of a class is equal.
    sensitive : str, optional
        The column whose diversity is to be counted.
    diversity : {"distinct", "entropy", "recursive"}
    l : int
        For ``"recursive"``: which value counts as rare.

    Examples
    --------
    >>> import pandas as pd
    >>> from pluribus.constrained import check_published
    >>> table = pd.DataFrame({"age": [31.5, 31.5, 60, 60], "diagnosis": ["flu", "cold", "flu", "flu"]})
    >>> found = check_published(table, ["age"], "diagnosis")
    >>> found.sizes.tolist(), found.diversity.tolist()
    ([2, 2], [2.0, 1.0])
    """
    classes = table.groupby(list(quasi_identifiers), dropna=False, sort=False).ngroup().to_numpy()
    sizes = np.bincount(classes)
    if sensitive is None:
        return PublishedCheck(sizes, None)
    values = pd.factorize(table[sensitive], use_na_sentinel=False)[0]
    return PublishedCheck(sizes, diversity_of(classes, values, diversity, l))


def diversity_of(classes: np.ndarray, values: np.ndarray, diversity: str, l: int | float) -> np.ndarray:  # noqa: E741
    """Of the sensitive values in each class, 0 to c - 1."""
    n_values = int(values.max()) + 1
    cells, counts = np.unique(classes * n_values + values, return_counts=True)
    group = cells // n_values
    c = int(classes.max()) + 1
    sizes = np.bincount(classes, minlength=c)
    if diversity == "distinct":
        return np.bincount(group, minlength=c).astype(np.float64)
    if diversity == "entropy":
        shares = counts / sizes[group]
        return np.exp(-np.bincount(group, shares * np.log(shares), minlength=c))
    order = np.lexsort((-counts, group))
    group, counts = group[order], counts[order]
    rank = np.arange(len(group)) - np.searchsorted(group, group)
    rare = np.bincount(group, np.where(rank >= l - 1, counts, 0), minlength=c)
    most = np.zeros(c)
    most[group[rank == 0]] = counts[rank == 0]
    return np.divide(most, rare, out=np.full(c, np.inf), where=rare > 0)


def kind_of(condition: Diversity) -> str:
    """Its name among the options."""
    return {Distinct: "distinct", EntropyDiversity: "entropy", RecursiveDiversity: "recursive"}[type(condition)]


def is_diverse(condition: Diversity, found: np.ndarray) -> np.ndarray:
    """Which of the classes satisfy the condition, by what ``diversity_of`` counted."""
    if isinstance(condition, RecursiveDiversity):
        return found < condition.m
    return found >= condition.l * (1 - 1e-9)

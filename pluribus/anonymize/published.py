"""Whether a published table is anonymous, checked from the table alone."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pluribus._engine import is_one_of, list_of
from pluribus.constrained import Distinct, EntropyDiversity, RecursiveDiversity
from pluribus.constrained._internal import Requirements
from pluribus.tables import TableError
from pluribus.tables._internal import listing

Diversity = Distinct | EntropyDiversity | RecursiveDiversity
KINDS: dict[str, Any] = {"distinct": Distinct, "entropy": EntropyDiversity, "recursive": RecursiveDiversity}


class PublishedCheck(NamedTuple):
    """The equivalence classes of a published table.

    Attributes
    ----------
    sizes : ndarray
        Number of rows in each equivalence class, which are equal in all quasi-identifiers.
    diversity : ndarray or None
        Of each class: the number of different sensitive values, the exponential of their entropy, or the ratio of the
        most frequent value to the l-th and all rarer ones together.
    """

    sizes: np.ndarray
    diversity: np.ndarray | None


def check_published(
    table: pd.DataFrame,
    quasi_identifiers: str | Sequence[str],
    sensitive: str | None = None,
    diversity: str = "distinct",
    l: int | float = 1,  # noqa: E741
) -> PublishedCheck:
    """Count the equivalence classes of a published table, and the diversity of each.

    Parameters
    ----------
    table : data frame
    quasi_identifiers : str or sequence of str
        Columns that are generalized; missing values are equal to each other.
    sensitive : str, optional
        The column whose diversity is computed.
    diversity : {"distinct", "entropy", "recursive"}
    l : int
        For ``"recursive"``: which value counts as rare.

    Examples
    --------
    >>> import pandas as pd
    >>> from pluribus.anonymize import check_published
    >>> table = pd.DataFrame({"age": [31.5, 31.5, 60, 60], "diagnosis": ["flu", "cold", "flu", "flu"]})
    >>> classes = check_published(table, ["age"], "diagnosis")
    >>> classes.sizes.tolist(), classes.diversity.tolist()
    ([2, 2], [2.0, 1.0])
    """
    if not isinstance(table, pd.DataFrame) or table.empty:
        raise TableError("The table is empty or not a table: give a pandas.DataFrame with rows and columns.")
    if not is_one_of(diversity, KINDS):
        raise ValueError(f"diversity is {diversity!r}: there are {', '.join(KINDS)}.")
    quasi = listed(quasi_identifiers)
    if not quasi:
        raise TableError("quasi_identifiers is empty: give the columns that are generalized.")
    check_names(table.columns, quasi_identifiers=quasi, sensitive=[] if sensitive is None else [sensitive])
    classes = table.groupby(quasi, dropna=False, sort=False, observed=True).ngroup().to_numpy()
    sizes = np.bincount(classes)
    if sensitive is None:
        return PublishedCheck(sizes, None)
    values = pd.factorize(table[sensitive], use_na_sentinel=False)[0]
    return PublishedCheck(sizes, diversity_of(classes, values, diversity, l))


def listed(quasi_identifiers: Any) -> list[Any]:
    """The names that were given, one or several."""
    if isinstance(quasi_identifiers, str):
        return [quasi_identifiers]
    return list_of("quasi_identifiers", quasi_identifiers, "names of columns", error=TableError)


def check_names(names: pd.Index, **wanted: Sequence[Any]) -> None:
    """Raise if a name is not among the columns, or if two columns have the same name."""
    if not names.is_unique:
        raise TableError("More than one column has the same name: rename them.")
    for what, columns in wanted.items():
        unknown = [name for name in columns if not _is_among(name, names)]
        if unknown:
            raise TableError(
                f"{what}: the table has no column {listing(unknown)}. Its columns are {listing(names, 20)}."
            )


def _is_among(name: Any, names: pd.Index) -> bool:
    try:
        return name in names
    except TypeError:  # lists and the like name no column
        return False


def wanted_diversity(series: pd.Series, diversity: str, l: float, m: float) -> tuple[Diversity, np.ndarray]:  # noqa: E741
    """The condition on the sensitive column in each group, and its values coded; raises if it cannot hold."""
    name, n_missing = str(series.name), int(series.isna().sum())
    if n_missing:
        raise TableError(
            f"'{name}' is missing in {n_missing:,} rows, so its diversity cannot be computed: fill in the values, or "
            "leave out l."
        )
    given = (name, m, l) if diversity == "recursive" else (name, l)
    condition: Diversity = KINDS[diversity](*given)
    codes = pd.factorize(series, sort=False)[0]
    Requirements.of([condition], len(series), {name: codes}).ensure_feasible(1)
    return condition, codes


def diversity_of(classes: np.ndarray, values: np.ndarray, diversity: str, l: int | float) -> np.ndarray:  # noqa: E741
    """The diversity of the sensitive values in each class, 0 to c - 1."""
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
    """The option that names this kind of condition."""
    return next(name for name, kind in KINDS.items() if isinstance(condition, kind))


def least_rows(condition: Diversity) -> int:
    """The smallest number of rows that can satisfy the condition."""
    one = np.zeros(1, np.int64)
    alone = is_diverse(condition, diversity_of(one, one, kind_of(condition), condition.l))[0]
    return max(int(np.ceil(condition.l)), 1 if alone else 2)


def is_diverse(condition: Diversity, diversity: np.ndarray) -> np.ndarray:
    """Which classes satisfy the condition, given their diversity by ``diversity_of``."""
    if isinstance(condition, RecursiveDiversity):
        return diversity < condition.m
    return diversity >= condition.l * (1 - 1e-9)

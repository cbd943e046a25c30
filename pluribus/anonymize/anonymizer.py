"""Tables published so that each row is equal to at least k - 1 others."""

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from pluribus._engine import is_one_of
from pluribus.anonymize._columns import GENERALIZED, QuasiColumn, Roles, roles
from pluribus.anonymize._groups import GroupSearch, Step, error_of
from pluribus.anonymize.published import (
    KINDS,
    Diversity,
    check_names,
    check_published,
    is_diverse,
    kind_of,
    least_rows,
    wanted_diversity,
)
from pluribus.anonymize.report import AnonymityReport, ColumnReport, DiversityReport
from pluribus.tables import Table, TableError

_ORDER = (
    "The rows are in the order of the original table: shuffle them if that order could be known, such as by date or by "
    "name."
)


class Anonymizer(BaseEstimator):
    """Publish a table so that each row is equal to at least k - 1 others in all columns that could identify it.

    Quasi-identifiers are columns that could identify a person together with another source (age, place, profession).
    They are made equal within groups of at least k similar rows: each group gets its mean, median or range, and for
    categories its most frequent value or the set of its values. A sensitive column (a diagnosis) is published
    unchanged. With ``l`` each group also has l well-represented values of it, so that knowing the group of a person
    does not reveal the value.

    As little information as possible is lost: groups are found by MDAV, by exact assignments of at least k rows to
    their means, by moves and swaps of rows, and by regrouping neighboring groups. For one numeric column the groups are
    optimal. Time and memory are near-linear in the number of rows.

    Columns that identify a single row (text that is different in most rows, identifiers, row counters) are left out,
    and so is the index. The published table is then checked from scratch, and refused if it is not anonymous. See
    ``report_`` for the limits: k-anonymity is no guarantee against background knowledge.

    Parameters
    ----------
    k : int, default=5
        The minimum number of rows that are equal in all quasi-identifiers.
    sensitive : str, optional
        A column to publish unchanged, which is not a quasi-identifier.
    l : int or float, optional
        The minimum diversity of the sensitive column in each group; None for no minimum.
    diversity : {"distinct", "entropy", "recursive"}, default="distinct"
        At least l different values; an entropy of at least log(l); or a most frequent value that is less than
        ``recursive_m`` times as frequent as the l-th and all rarer ones together.
    recursive_m : float, default=2.0
        See ``diversity``.
    generalize : {"mean", "range", "median"}, default="mean"
        The published value of numbers and dates. Categories get the most frequent value, or with ``"range"`` the set of
        values. Means preserve sums. Ranges show the uncertainty, but also the smallest and the largest value of each
        group.
    random_state : int, RandomState or None
    n_jobs : int, optional
        Cores; the result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    groups_ : ndarray of shape (n,)
        The group of each row.
    group_sizes_ : ndarray of shape (n_groups,)
    information_loss_ : float
        The squared error within groups, in percent of that of the whole table, where each quasi-identifier has
        variance 1: 0 if nothing is lost, 100 if all rows become equal.
    quasi_identifiers_ : list of str
        The columns that were generalized.
    report_ : AnonymityReport

    References
    ----------
    J. Domingo-Ferrer, J. M. Mateo-Sanz, "Practical data-oriented microaggregation for statistical disclosure control",
    IEEE Transactions on Knowledge and Data Engineering 14(1), 2002.

    A. K. H. Tung, J. Han, L. V. S. Lakshmanan, R. T. Ng, "Clustering with constraints", in Constrained Clustering:
    Advances in Algorithms, Theory, and Applications, 2008.

    Examples
    --------
    >>> import pandas as pd
    >>> from pluribus.anonymize import Anonymizer
    >>> people = pd.DataFrame({"age": [21, 24, 23, 60, 61, 65], "diagnosis": list("abaabb")})
    >>> model = Anonymizer(k=3, sensitive="diagnosis", l=2)
    >>> print(model.fit_transform(people))
            age diagnosis
    0  22.66667         a
    1  22.66667         b
    2  22.66667         a
    3  62.00000         a
    4  62.00000         b
    5  62.00000         b
    >>> model.group_sizes_.tolist(), round(model.information_loss_, 2)
    ([3, 3], 0.8)
    """

    def __init__(
        self,
        k: int = 5,
        *,
        sensitive: str | None = None,
        l: float | None = None,  # noqa: E741
        diversity: str = "distinct",
        recursive_m: float = 2.0,
        generalize: str = "mean",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.k = k
        self.sensitive = sensitive
        self.l = l
        self.diversity = diversity
        self.recursive_m = recursive_m
        self.generalize = generalize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit_transform(
        self, table: pd.DataFrame | Table, quasi_identifiers: str | Sequence[str] | None = None
    ) -> pd.DataFrame:
        """The table to publish, in the same order of rows.

        Parameters
        ----------
        table : data frame or Table
        quasi_identifiers : str or sequence of str, optional
            The columns to generalize; by default all except the sensitive one. Other columns are published unchanged.
        """
        frame = table.frame if isinstance(table, Table) else table
        if not isinstance(frame, pd.DataFrame):
            raise TableError(f"Give a table with named columns, a pandas.DataFrame; got {type(frame).__name__}.")
        frame = frame.reset_index(drop=True)
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
        check_names(frame.columns)
        self._check(len(frame))
        assigned = roles(frame, quasi_identifiers, None if self.sensitive is None else str(self.sensitive))
        condition, codes = None, {}
        if self.l is not None:
            sensitive = frame[str(self.sensitive)]
            condition, coded = wanted_diversity(sensitive, self.diversity, self.l, self.recursive_m)
            codes = {str(self.sensitive): coded}
        decimal = table.decimal if isinstance(table, Table) else "."
        columns = [QuasiColumn(name, frame[name], decimal) for name in assigned.quasi]
        features = [column.features() for column in columns]
        X = np.ascontiguousarray(np.column_stack(features))
        if X.shape[1] == 0:  # all rows are equal
            X = np.zeros((len(frame), 1))
        path = self._group(X, condition, codes)
        made = {column.name: column.published(self.groups_, self.generalize) for column in columns}
        for name in made:
            if len(self.group_sizes_) == len(frame) or frame[name].nunique(dropna=False) == 1:
                made[name] = frame[name], "as it was"
        order = [name for name in frame.columns if name in made or name in assigned.kept]
        published = pd.DataFrame({name: made[name][0] if name in made else frame[name] for name in order})
        for name in published.select_dtypes("category"):  # values that no row has are not published
            published[name] = published[name].cat.remove_unused_categories()
        self.quasi_identifiers_ = list(assigned.quasi)
        self._report(
            published, columns, features, {name: far for name, (_, far) in made.items()}, assigned, condition, path
        )
        return published

    def _group(self, X: np.ndarray, condition: Diversity | None, codes: dict[str, np.ndarray]) -> list[Step]:
        """Set the groups, numbered from the largest, and their loss; return the steps of the search."""
        path: list[Step] = []
        least = self.k if condition is None else max(self.k, least_rows(condition))
        if least == 1:
            warnings.warn("k=1 changes no row: nothing is anonymous.", UserWarning, stacklevel=3)
            self.groups_ = np.arange(len(X))
        else:
            search = GroupSearch(
                X, least, condition, codes, random_state=self.random_state, n_jobs=self.n_jobs, verbose=self.verbose
            )
            self.groups_, path = search.run(), search.path
        sizes = np.bincount(self.groups_)
        order = np.argsort(-sizes, kind="stable")
        rank = np.empty(len(sizes), np.int64)
        rank[order] = np.arange(len(sizes))
        self.groups_, self.group_sizes_ = rank[self.groups_], sizes[order]
        total = error_of(X, np.zeros(len(X), np.int64))
        self.information_loss_ = 100 * min(error_of(X, self.groups_) / total, 1.0) if total else 0.0
        return path

    def _report(
        self,
        published: pd.DataFrame,
        columns: list[QuasiColumn],
        features: list[np.ndarray],
        how_far: dict[str, str],
        assigned: Roles,
        condition: Diversity | None,
        path: list[Step],
    ) -> None:
        """Check the published table, and set the report."""
        kind, l_value = ("distinct", 1) if condition is None else (kind_of(condition), condition.l)
        sensitive = None if self.sensitive is None else str(self.sensitive)
        check = check_published(published, assigned.quasi, sensitive, kind, l_value)
        notes, diversity = list(assigned.notes), None
        # Groups with equal values form larger classes, which are at least as diverse.
        anonymous = check.sizes.min() >= self.k
        if condition is not None and check.diversity is not None:
            least = check.diversity.max() if kind == "recursive" else check.diversity.min()
            diversity = DiversityReport(str(sensitive), kind, str(condition), float(least), check.diversity)
            anonymous &= is_diverse(condition, check.diversity).all()
        elif check.diversity is not None and self.k > 1 and (check.diversity == 1).any():
            notes.append(
                f"'{sensitive}' has only one value in {int((check.diversity == 1).sum()):,} of {len(check.sizes):,} "
                "classes: knowing the class of a person reveals it. Set l to require diversity."
            )
        if not anonymous:
            raise RuntimeError("The resulting table is not anonymous and is not published. Please report this.")
        if len(check.sizes) < len(self.group_sizes_):
            notes.append(
                f"{len(self.group_sizes_):,} groups form {len(check.sizes):,} classes: some have the same values."
            )
        n_missing = sum(int(column.gaps.sum()) for column in columns)
        if n_missing and self.k > 1:
            notes.append(
                f"{n_missing:,} missing values of quasi-identifiers are replaced by the value of their group, if any."
            )
        self.report_ = AnonymityReport(
            n_rows=len(published),
            k=self.k,
            n_groups=len(self.group_sizes_),
            class_sizes=check.sizes,
            information_loss=self.information_loss_,
            columns=tuple(
                ColumnReport(
                    column.name,
                    column.kind,
                    GENERALIZED[self.generalize][column.kind],
                    self._loss(of_column),
                    how_far[column.name],
                    int(column.gaps.sum()),
                )
                for column, of_column in zip(columns, features, strict=True)
            ),
            diversity=diversity,
            search=tuple(path),
            dropped=assigned.dropped,
            kept=assigned.kept,
            notes=(*notes, _ORDER),
        )

    def _loss(self, features: np.ndarray) -> float:
        if not features.shape[1]:
            return float("nan")
        X = np.ascontiguousarray(features)
        return 100 * error_of(X, self.groups_) / error_of(X, np.zeros(len(X), np.int64))

    def _check(self, n: int) -> None:
        for name, value, known in (
            ("diversity", self.diversity, tuple(KINDS)),
            ("generalize", self.generalize, tuple(GENERALIZED)),
        ):
            if not is_one_of(value, known):
                raise ValueError(f"{name} is {value!r}: there are {', '.join(known)}.")
        if isinstance(self.k, bool) or not isinstance(self.k, Integral) or self.k < 1:
            raise ValueError(f"k is {self.k!r}: give a whole number of rows, 1 or more.")
        if n == 0:
            raise TableError("The table has no rows.")
        if self.k > n:
            raise ValueError(f"k is {self.k}, but the table has {n} rows: give at most {n}.")
        if self.l is not None and self.sensitive is None:
            raise ValueError("l is the diversity of a sensitive column: give its name as sensitive.")
        if self.l is not None and (isinstance(self.l, bool) or not isinstance(self.l, Real) or not 1 <= self.l <= n):
            raise ValueError(f"l is {self.l!r}: give a number from 1 to {n}.")

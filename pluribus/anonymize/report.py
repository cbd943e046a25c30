"""The report on a published table, and its distance from the original."""

from dataclasses import dataclass, field

import numpy as np

from pluribus.anonymize._groups import Step

WARNING = (
    "k-anonymity hides each person among k rows with equal quasi-identifiers. It is no guarantee against background "
    "knowledge: anyone who knows more about a person than the quasi-identifiers, or has another table of the same "
    "people, may still learn more. Differential privacy is such a guarantee."
)


@dataclass(frozen=True)
class ColumnReport:
    """How a quasi-identifier is published.

    Attributes
    ----------
    name, kind : str
    published_as : str
        Mean, median or range; most frequent value or set of values.
    loss : float
        The squared error within groups, in percent of the column's total; nan if the column is constant.
    how_far : str
        The distance of published values from those of the rows, in words.
    n_missing : int
        Number of missing values, which get the value of their group.
    """

    name: str
    kind: str
    published_as: str
    loss: float
    how_far: str
    n_missing: int


@dataclass(frozen=True)
class DiversityReport:
    """The diversity of the sensitive column in the published classes."""

    attribute: str
    kind: str
    condition: str
    least: float  # of all classes; for recursive diversity, the largest ratio
    of_classes: np.ndarray = field(repr=False)  # the diversity of each class


@dataclass(frozen=True)
class AnonymityReport:
    """The result of an ``Anonymizer``, checked on the published table from scratch.

    Attributes
    ----------
    n_rows, k, n_groups : int
    class_sizes : ndarray
        Number of rows in each class, which are equal in all published quasi-identifiers. There are fewer classes than
        groups if groups have the same values.
    information_loss : float
        Squared error within groups in percent of that of the table; all quasi-identifiers have the same weight.
    columns : tuple of ColumnReport
    diversity : DiversityReport or None
    search : tuple of Step
        The information loss (as a share) and the number of groups after each step of the search.
    dropped : dict
        Columns that are left out, and why.
    kept : tuple of str
        Columns that are published unchanged.
    notes : tuple of str
        In plain words.
    warning : str
        The limits of k-anonymity.
    """

    n_rows: int
    k: int
    n_groups: int
    class_sizes: np.ndarray = field(repr=False)
    information_loss: float
    columns: tuple[ColumnReport, ...]
    diversity: DiversityReport | None
    search: tuple[Step, ...]
    dropped: dict[str, str]
    kept: tuple[str, ...]
    notes: tuple[str, ...]
    warning: str = WARNING

"""What was published, and how far that is from the table it came from."""

from dataclasses import dataclass, field

import numpy as np

from pluribus.anonymize._groups import Step

WARNING = (
    "k-anonymity hides who is who among k rows that look alike. It is no guarantee against background knowledge: "
    "whoever knows more about a person than the quasi-identifiers, or has another table published from the same "
    "people, may still find out more. Differential privacy is such a guarantee."
)


@dataclass(frozen=True)
class ColumnReport:
    """What became of a quasi-identifier.

    Attributes
    ----------
    name, kind : str
    published_as : str
        Mean, median or range; most frequent value or set of values.
    loss : float
        Its part of the squared error that is lost, in percent of its own; nan if the column is constant.
    how_far : str
        How far published values are from those of the rows, in words.
    n_missing : int
        Missing values, which got the value of their group.
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
    least: float  # diverse of all classes; for recursive diversity, the most
    found: np.ndarray = field(repr=False)  # of each class


@dataclass(frozen=True)
class AnonymityReport:
    """What an ``Anonymizer`` published, checked on the published table from scratch.

    Attributes
    ----------
    n_rows, k, n_groups : int
    class_sizes : ndarray
        Rows of each class of rows that are equal in all published quasi-identifiers. There may be fewer classes than
        groups, where groups got the same values.
    information_loss : float
        Squared error within groups in percent of that of the table; all quasi-identifiers have the same weight.
    columns : tuple of ColumnReport
    diversity : DiversityReport or None
    search : tuple of Step
        The information loss (as a share) and the number of groups after each step of the search.
    dropped : dict
        Columns that are left out, and why.
    kept : tuple of str
        Columns that are published as they are.
    notes : tuple of str
        In plain words.
    warning : str
        What k-anonymity is not.
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

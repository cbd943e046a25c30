"""From a table of references to entities: who is who, how sure, and why."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pluribus._kernels.graphs.path_margins import path_margins
from pluribus.constraints import Constraints
from pluribus.relational.entities.collective_relational import CollectiveRelational
from pluribus.tables import Table, as_table, read_table
from pluribus.tables._internal import listing

_MADE, _NOT_MADE, _FIRST = "made", "not made", "first"


@dataclass(frozen=True)
class Resolution:
    """The entities behind the references of a table.

    Attributes
    ----------
    ids : ndarray of shape (n,)
        What the references are called.
    entities : ndarray of shape (n,)
        The entity of each, numbered from the largest.
    certainty : ndarray of shape (n,)
        From 0 to 1: how far the similarities that decided on the reference are from the threshold. It is 0 at the
        threshold, and 1 at the highest similarity of all merges or, for an entity that stands apart, at 0. It is a
        margin, not a probability.
    merges : pandas.DataFrame
        Every merge down to the last candidate, the most doubtful first: ``verdict`` ("made", "not made", or "first" for
        references that were joined before the first merge), ``similarity`` with its parts ``attributes`` and
        ``overlap``, the most similar references ``one`` and ``other`` of the two clusters, and the sizes of both.
    threshold : float
    frame : pandas.DataFrame
        The columns that were compared.
    model : CollectiveRelational
    notes : tuple of str
    together : ndarray of shape (p, 2), optional
        Row numbers of references that occur in one link.
    """

    ids: np.ndarray
    entities: np.ndarray
    certainty: np.ndarray
    merges: pd.DataFrame
    threshold: float
    frame: pd.DataFrame
    model: CollectiveRelational
    notes: tuple[str, ...] = ()
    together: np.ndarray | None = None

    @property
    def n_entities(self) -> int:
        """The number of entities."""
        return int(self.entities.max(initial=-1)) + 1

    def to_frame(self) -> pd.DataFrame:
        """The id, the entity and the certainty of each reference."""
        return pd.DataFrame({"id": self.ids, "entity": self.entities, "certainty": np.round(self.certainty, 6)})


def resolve(
    data: Any,
    *,
    links: Any = None,
    name: str | Iterable[str] | None = None,
    id_column: str | None = None,
    ignore: Iterable[str] = (),
    constraints: Constraints | None = None,
    alpha: float = 0.5,
    threshold: float | str = "auto",
    verbose: bool = True,
) -> Resolution:
    """Find the entities behind the rows of a table.

    Parameters
    ----------
    data : path, data frame or Table
        One row for each reference.
    links : column of the table, path of a CSV file, or what ``CollectiveRelational.fit`` takes, optional
        References that occur together. References with the same value in the column are in one link. A file has two
        columns: the link, and the id of a reference.
    name : column or columns, optional
        What references are compared by; by default all columns but the id and the links.
    id_column : str, optional
        The column that names the references; by default one called "id".
    ignore : iterable of str
        Columns to leave out.
    constraints : Constraints, optional
        Pairs that belong together or apart.
    alpha, threshold, verbose
        See :class:`CollectiveRelational`.

    Examples
    --------
    >>> import pandas as pd
    >>> from pluribus.relational import resolve
    >>> guide = pd.DataFrame({
    ...     "id": ["a", "b", "c", "d"],
    ...     "name": ["Arnie Morton's", "Art's Deli", "Arnie Mortons of Chicago", "Arts Delicatessen"],
    ...     "phone": ["310/246-1501", "818/762-1221", "310-246-1501", "818-762-1221"],
    ... })
    >>> resolve(guide, threshold=0.3, verbose=False).entities.tolist()
    [0, 1, 0, 1]
    """
    table = as_table(data, id_column=id_column, ignore=ignore, least_rows=1)
    column = links if isinstance(links, str) and links in table.frame.columns else None
    frame, notes = _compared(table, name, column)
    model = CollectiveRelational(alpha, threshold, verbose=verbose)
    given = _links(links, column, table)
    model.fit(frame, links=given, constraints=constraints)
    if model.threshold == "auto":
        notes.append(f"The threshold {model.threshold_:.3f} was chosen without labels: look at the doubtful merges.")
    if model.n_bootstrap_refused_:
        notes.append(f"{model.n_bootstrap_refused_:,} pairs of like references stayed apart because of cannot-links.")
    merges, certainty = _explained(model, table.ids)
    said = (*table.notes, *notes)
    together = None if given is None else model.together_
    return Resolution(table.ids, model.labels_, certainty, merges, model.threshold_, frame, model, said, together)


def _compared(table: Table, name: Any, link_column: str | None) -> tuple[pd.DataFrame, list[str]]:
    """The columns to compare."""
    columns = [str(column) for column in table.frame.columns if column != link_column]
    if name is None:
        if not columns:
            raise ValueError(f"'{table.name}' has no column to compare references by: give one besides id and links.")
        return table.frame[columns], [f"References are compared by {listing(columns, 12)}."]
    chosen = [name] if isinstance(name, str) or not isinstance(name, Iterable) else list(name)
    if not chosen or not all(isinstance(column, str) and column in columns for column in chosen):
        raise ValueError(f"name={name!r:.100}: '{table.name}' has the columns {listing(columns, 20)} to compare by.")
    return table.frame[list(dict.fromkeys(chosen))], []


def _links(links: Any, column: str | None, table: Table) -> Any:
    """Links by row numbers."""
    if column is not None:
        values = table.frame[column]
        rows = np.flatnonzero(values.notna().to_numpy())
        return pd.DataFrame({"link": pd.factorize(values.iloc[rows])[0], "reference": rows})
    if not isinstance(links, str | os.PathLike):
        return links
    if not Path(links).exists():
        columns = listing([str(name) for name in table.frame.columns], 20)
        raise ValueError(f"links={str(links)!r} is neither a file nor a column of '{table.name}', which has {columns}.")
    given = read_table(links, least_rows=1).frame
    if given.shape[1] != 2:
        raise ValueError(f"{links} has {given.shape[1]} columns: give two, the link and the id of a reference.")
    place = pd.Index(table.ids).get_indexer(given.iloc[:, 1].astype(str))
    if (place < 0).any():
        wrong = given.iloc[:, 1].astype(str)[place < 0].unique()
        raise ValueError(f"{links} names references that '{table.name}' does not have: {listing(list(wrong), 5)}.")
    return pd.DataFrame({"link": pd.factorize(given.iloc[:, 0].astype(str))[0], "reference": place})


def _explained(model: CollectiveRelational, ids: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
    """The merges, the most doubtful first, and the certainty of each reference."""
    merges, first, t = model.merges_, model.first_labels_, model.threshold_
    n, n_made = len(first), len(np.unique(first)) - model.n_clusters_
    similarity = merges["similarity"].to_numpy()
    pairs = merges[["a", "b"]].to_numpy(dtype=np.int64)
    joined, further, sizes = path_margins(first, np.bincount(first, minlength=n), pairs, similarity, n_made)
    highest = max(similarity.max(initial=1.0), t)
    above = np.where(np.isinf(joined), 1.0, (joined - t) / max(highest - t, 1e-12))
    below = np.where(np.isinf(further), 1.0, (t - further) / max(t, 1e-12))
    certainty = np.clip(np.minimum(above, below), 0, 1)
    one, other = merges["i"].to_numpy(), merges["j"].to_numpy()
    table = pd.DataFrame(
        {
            "verdict": np.where(np.arange(len(merges)) < n_made, _MADE, _NOT_MADE),
            "similarity": similarity,
            "attributes": merges["attributes"],
            "overlap": merges["overlap"],
            "one": ids[one],
            "other": ids[other],
            "size_one": sizes[pairs[:, 0]],
            "size_other": sizes[pairs[:, 1]],
            "row_one": one,
            "row_other": other,
        }
    )
    table = table.iloc[np.lexsort((np.arange(len(table)), np.abs(similarity - t)))].reset_index(drop=True)
    joined_first = _first(model, ids)
    return (pd.concat([table, joined_first], ignore_index=True) if len(joined_first) else table), certainty


def _first(model: CollectiveRelational, ids: np.ndarray) -> pd.DataFrame:
    """The pairs that made first clusters."""
    one, other = model.bootstrap_.pairs.T
    return pd.DataFrame(
        {
            "verdict": np.full(len(one), _FIRST, dtype=object),
            "attributes": model.bootstrap_.similarity,
            "one": ids[one],
            "other": ids[other],
            "size_one": np.ones(len(one), np.int64),
            "size_other": np.ones(len(one), np.int64),
            "row_one": one,
            "row_other": other,
        }
    )

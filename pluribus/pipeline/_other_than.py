"""The partitions that a result is to differ from: reading them, the method, and the number of clusters."""

import warnings
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from pluribus._engine import track
from pluribus.alternative import BestAlternative, by_name
from pluribus.alternative._internal import Residuals, read_known
from pluribus.compare import adjusted_rand_index, normalized_mutual_information_index
from pluribus.partitions._internal import encode_labels, stratified_sample
from pluribus.pipeline._data import Data
from pluribus.pipeline._label_files import label_columns
from pluribus.pipeline._methods import alternative_names
from pluribus.tables import as_table
from pluribus.tables._internal import listing
from pluribus.validate import silhouette_index

_DEFAULT = "best-alternative"
_TRIED = "condens"  # the method with which it tries numbers of clusters
_MOST_CLUSTERS = 10  # that are tried if the number is not given
_ROWS = 2000  # whose silhouettes decide
_TIE = 0.02  # silhouettes that differ by less are equal: the smaller number wins
FINDS_K_BY = (
    f"the smallest within {_TIE} of the highest mean silhouette, once the means of the known groups are subtracted"
)


def alternative_method(method: str | None, other_than: Any, connected: bool) -> str | None:
    """The name of the method, checked against ``other_than``: the two go together."""
    finds_other = method in alternative_names()
    if other_than is None:
        if finds_other:
            raise ValueError(f"method={method!r} needs the partition that is known: give other_than.")
        return method
    if connected:
        raise ValueError("other_than and connected do not go together: leave out one of them.")
    if method is not None and not finds_other:
        raise ValueError(
            f"method={method!r} does not look for another partition: use {listing(alternative_names())}, or leave out "
            "other_than."
        )
    return method or _DEFAULT


def read_other_than(given: Any, table: Data) -> tuple[pd.DataFrame, list[str]]:
    """The known partitions of the rows, a column of texts for each (None where there is no label), and notes."""
    ids = pd.Index([str(name) for name in table.ids], dtype=object)
    columns: dict[str, np.ndarray] = {}
    notes: list[str] = []
    for place, one in enumerate(_each(given, len(ids))):
        title = "known" if place == 0 else f"known {place + 1}"
        for name, labels in _read(one, title, ids, notes).items():
            columns[_unused(name, columns)] = _texts(labels, name)
    if not columns:
        raise ValueError(
            "other_than is empty: give a file of labels, a mapping from ids to labels, or a label for each row."
        )
    frame = pd.DataFrame(columns, dtype=object)
    for name, column in frame.items():
        n_groups, n_missing = column.nunique(), int(column.isna().sum())
        if not n_groups:
            raise ValueError(f"other_than: {name!r} has no label for any row of the data.")
        missing = f", {n_missing:,} without" if n_missing else ""
        notes.append(f"Other than {name!r}: {n_groups:,} groups of {len(column) - n_missing:,} objects{missing}.")
    return frame, notes


def choose_k(method: Any, X: Any, known: pd.DataFrame, verbose: bool) -> int:
    """The smallest number of clusters with about the highest silhouette in what the known groups leave unexplained.

    The choice among methods would run all of them for each number: CondEns stands for it.
    """
    n = X.shape[0]
    groups = read_known(known, n)
    residuals = Residuals(X, groups.codes, groups.n_groups)
    index = {2: -1.0}
    chooses = isinstance(method, BestAlternative)
    plain = by_name(_TRIED)(random_state=method.random_state, n_jobs=method.n_jobs) if chooses else clone(method)
    if "verbose" in plain.get_params(deep=False):
        plain.set_params(verbose=False)
    for k in track(range(2, min(_MOST_CLUSTERS, n - 1) + 1), "numbers of clusters", verbose=verbose):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the fit with the chosen number warns again
            labels = clone(plain).set_params(n_clusters=k).fit(X, known=known).labels_
        shown = stratified_sample(labels, _ROWS)
        shown = shown[labels[shown] >= 0]
        if len(np.unique(labels[shown])) < 2:
            continue
        index[k] = float(silhouette_index(labels[shown], residuals.rows(shown), sample_size=None))
    return min(k for k, value in index.items() if value >= max(index.values()) - _TIE)


def difference(labels: np.ndarray, known: pd.DataFrame) -> list[str]:
    """How much a result has in common with each known partition, in a sentence."""
    sentences = []
    for name, column in known.items():
        codes = encode_labels(column)[0]
        both = (codes >= 0) & (labels >= 0)
        if both.any():
            nmi = normalized_mutual_information_index(codes[both], labels[both])
            ari = round(adjusted_rand_index(codes[both], labels[both]), 2) + 0.0  # no -0.00
            sentences.append(
                f"In common with {name!r}: normalized mutual information {nmi:.2f}, adjusted Rand index {ari:.2f} "
                "(0: nothing, 1: the same partition)."
            )
    return sentences


def _each(given: Any, n: int) -> list[Any]:
    """The things that were given, each of which has one or more partitions."""
    if not isinstance(given, list | tuple):
        return [given]
    if all(isinstance(item, str) for item in given):
        return [given] if len(given) == n else list(given)  # a label for each row, or files
    holds = (PathLike, Mapping, pd.Series, pd.DataFrame, np.ndarray, list, tuple)
    return list(given) if all(isinstance(item, (str, *holds)) for item in given) else [given]


def _read(given: Any, title: str, ids: pd.Index, notes: list[str]) -> dict[str, Any]:
    if isinstance(given, str | PathLike):
        return _of_file(str(given), ids, notes)
    if isinstance(given, pd.Series):
        in_order = isinstance(given.index, pd.RangeIndex) and given.index.step == 1  # else the index names rows
        given = given.to_numpy() if in_order or not given.index.is_unique else given.to_dict()
    if isinstance(given, Mapping):
        names = pd.Series(
            list(given.values()), index=pd.Index([str(name) for name in given], dtype=object), dtype=object
        )
        return {title: _placed(names, ids, "other_than", notes)}
    if isinstance(given, pd.DataFrame):
        names = [str(name) for name in given.columns]
        return {name: _read(given.iloc[:, j], name, ids, notes)[name] for j, name in enumerate(names)}
    if isinstance(given, np.ndarray) and given.ndim == 2:
        return {f"{title} {j}": _of_length(column, ids) for j, column in enumerate(given.T, 1)}
    if isinstance(given, list | tuple | np.ndarray) and np.ndim(given) == 1:
        return {title: _of_length(given, ids)}
    raise ValueError(
        f"other_than={given!r:.100}: give a file of labels, a mapping from ids to labels, or a label for each row."
    )


def _of_file(text: str, ids: pd.Index, notes: list[str]) -> dict[str, Any]:
    """The label columns of FILE, or the column of FILE:COLUMN."""
    column = None
    if not Path(text).exists() and ":" in text:
        text, _, column = text.rpartition(":")
    table = as_table(text, least_rows=1)
    names = label_columns(table) if column is None else [column]
    if column is not None and column not in table.frame.columns:
        raise ValueError(
            f"other_than: {text} has no column {column!r}; it has {listing(map(str, table.frame.columns))}."
        )
    prefix = f"{_title(Path(text))}: " if len(names) > 1 else ""
    titles = [prefix + name if prefix or column is not None else _title(Path(text)) for name in names]
    if not table.named:
        return {title: _of_length(table.frame[name].to_numpy(), ids) for title, name in zip(titles, names, strict=True)}
    rows = table.frame.set_axis(pd.Index([str(name) for name in table.ids], dtype=object))
    return {title: _placed(rows[name], ids, text, notes) for title, name in zip(titles, names, strict=True)}


def _title(path: Path) -> str:
    """The name of a file without its ending; all results have a labels.csv, which is called by its folder."""
    return path.parent.name if path.name == "labels.csv" and path.parent.name else path.stem


def _placed(labels: pd.Series, ids: pd.Index, source: str, notes: list[str]) -> np.ndarray:
    """The labels in the order of the rows; None for rows that are not named."""
    if not labels.index.is_unique:
        raise ValueError(f"{source} names {labels.index[labels.index.duplicated()][0]!r} more than once.")
    if not ids.is_unique:
        raise ValueError(f"{source}: several rows of the data have the same id: give each an id of its own.")
    unused = int((~labels.index.isin(ids)).sum())
    if unused == len(labels):
        raise ValueError(
            f"{source}: none of its {len(labels):,} objects is in the data. The first is {labels.index[0]!r}, that of "
            f"the data is {ids[0]!r}."
        )
    if unused:
        notes.append(f"{source}: {unused:,} of {len(labels):,} objects are not in the data, and are left out.")
    return labels.astype(object).reindex(ids).to_numpy(dtype=object)


def _of_length(labels: Any, ids: pd.Index) -> Any:
    if len(labels) != len(ids):
        raise ValueError(
            f"other_than has {len(labels):,} labels, but there are {len(ids):,} objects: give one for each (None where "
            "there is none), or labels by id."
        )
    return labels


def _texts(labels: Any, name: str) -> np.ndarray:
    codes, classes = encode_labels(labels, f"other_than {name!r}")
    named = np.array([*map(str, classes), None], dtype=object)
    return named[codes]  # the code -1 reads the None at the end


def _unused(name: str, taken: Mapping[str, Any]) -> str:
    """A name for a column that no other has."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name} {number}", number + 1
    return free

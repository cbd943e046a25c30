"""Checks of what is given: references, candidate pairs, links."""

import datetime
from collections.abc import Iterable
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus._engine import is_sized
from pluribus.constraints._internal import as_constraints
from pluribus.relational.entities._texts import References

_MOST_TOGETHER = 100_000_000  # pairs of references in common links


class Candidates(NamedTuple):
    """Pairs of references that may be of one entity.

    Attributes
    ----------
    pairs : ndarray of shape (m, 2)
        Row numbers, i < j, each pair once, sorted.
    similarity : ndarray of shape (m,)
        From 0 to 1.
    """

    pairs: np.ndarray
    similarity: np.ndarray


class Known(NamedTuple):
    """What constraints say."""

    group: np.ndarray  # (n,) the first reference of the group that must-links make of each reference
    apart: np.ndarray  # (q, 2) pairs of such references that are different entities


class Hypergraph(NamedTuple):
    """Which references occur together."""

    of: sparse.csr_array  # references × links
    members: sparse.csr_array  # links × references
    pairs: np.ndarray  # (p, 2) references in a common link, i < j
    times: np.ndarray  # (p,) in how many


def as_references(given: Any, name: str = "references") -> References:
    """References with attributes: a data frame, or one text each."""
    if hasattr(given, "to_pandas"):  # polars, pyarrow
        given = given.to_pandas()
    if isinstance(given, pd.DataFrame):
        if given.shape[1] == 0:
            raise ValueError(f"{name} has no columns: give at least one column of attributes.")
        return References(_with_scalars(given, name))
    scalar = isinstance(given, str | bytes | dict) or not isinstance(given, Iterable)
    if scalar or sparse.issparse(given) or getattr(given, "ndim", 1) != 1:
        raise ValueError(
            f"{name} is of type {type(given).__name__}: give a list of texts, or a data frame with a row for each "
            "reference; fit also takes a sparse matrix of similarities."
        )
    values = given.tolist() if isinstance(given, np.ndarray | pd.Series) else list(given)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return References(_with_scalars(pd.DataFrame({"name": column}), name))


def _with_scalars(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """The frame with row numbers; cells that are lists or other structures are refused."""
    frame = frame.set_axis([str(column) for column in frame.columns], axis=1).reset_index(drop=True)
    if not frame.columns.is_unique:
        raise ValueError(f"{name} has two columns of one name: give each a name of its own.")
    for place, column in enumerate(frame.columns):
        kinds = set(map(type, frame.iloc[:, place])) if frame.dtypes.iloc[place].kind == "O" else set()
        wrong = [kind for kind in kinds if not _is_scalar(kind)]
        if wrong:
            raise ValueError(f"{name} has a {wrong[0].__name__} in column '{column}': give texts or numbers.")
    return frame


def _is_scalar(kind: type) -> bool:
    return issubclass(kind, str | Number | datetime.date | np.generic | type(None) | type(pd.NA) | type(pd.NaT))


def as_known(constraints: Any, n: int) -> Known:
    """Constraints on n references, all hard."""
    if n == 0 and constraints is None:
        return Known(np.empty(0, np.int64), np.empty((0, 2), np.int64))
    given = as_constraints(constraints, max(n, 1))
    if not (np.isinf(given.must_weight).all() and np.isinf(given.cannot_weight).all()):
        raise ValueError(
            "constraints has pairs with weights: entities follow hard pairs only. Leave the weights out, or the pairs."
        )
    closure = given.closure()
    return Known(closure.representatives[closure.chunk_of], closure.representatives[closure.cannot_link].reshape(-1, 2))


def is_similarity(given: Any) -> bool:
    """Whether references are given as a matrix of their similarities."""
    return sparse.issparse(given)


def matrix_candidates(matrix: Any) -> tuple[Candidates, int]:
    """The candidate pairs of a sparse n × n matrix of similarities, and n."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"references is a sparse matrix of shape {matrix.shape}: similarities are square, n × n.")
    entries = matrix.copy().tocoo()  # conversion may sort the entries in place
    n = matrix.shape[0]
    rows, columns, values = entries.row, entries.col, entries.data
    if values.dtype.kind not in "biuf":
        raise ValueError(f"references is a sparse matrix of {values.dtype}: give numbers from 0 to 1.")
    other = rows != columns  # every reference is like itself
    return _candidates(rows[other], columns[other], values[other], n, "references"), n


def as_candidates(given: Any, n: int) -> Candidates:
    """Candidate pairs: a sparse matrix, or rows (i, j, similarity)."""
    if sparse.issparse(given):
        found, m = matrix_candidates(given)
        if m != n:
            raise ValueError(f"candidates is a matrix of {m} × {m}, but there are {n} references.")
        return found
    if isinstance(given, Candidates):
        given = np.column_stack([given.pairs, given.similarity])
    if hasattr(given, "to_pandas"):
        given = given.to_pandas()
    try:
        if np.iscomplexobj(given):
            raise TypeError
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty((0, 0))
        if not (is_sized(given) and len(given) == 0):
            raise ValueError("candidates holds no numbers: give rows (i, j, similarity).") from None
    if array.size == 0 and array.ndim >= 1:
        return Candidates(np.empty((0, 2), np.int64), np.empty(0))
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"candidates has the shape {array.shape}: give rows (i, j, similarity), shape (m, 3).")
    ids = array[:, :2]
    wrong = np.flatnonzero(~(np.isfinite(ids).all(axis=1) & (ids == np.floor(ids)).all(axis=1)))
    if len(wrong):
        raise ValueError(f"candidates row {wrong[0]} has no row numbers: the first two values are whole numbers.")
    return _candidates(ids[:, 0], ids[:, 1], array[:, 2], n, "candidates")


def _candidates(one: np.ndarray, other: np.ndarray, values: np.ndarray, n: int, name: str) -> Candidates:
    values = values.astype(np.float64)
    for problem, wrong in {
        f"a row number that is not from 0 to {n - 1}": (one < 0) | (other < 0) | (one >= n) | (other >= n),
        "a reference paired with itself": one == other,
        "a similarity that is not from 0 to 1": ~((values >= 0) & (values <= 1)),
    }.items():
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise ValueError(f"{name} has {problem}: the pair ({one[at]:g}, {other[at]:g}) with {values[at]:g}.")
    codes = np.minimum(one, other).astype(np.int64) * n + np.maximum(one, other).astype(np.int64)
    order = np.lexsort((values, codes))
    codes, values = codes[order], values[order]
    repeated = np.flatnonzero((codes[1:] == codes[:-1]) & (values[1:] != values[:-1]))
    if len(repeated):
        at = repeated[0]
        i, j = divmod(int(codes[at]), n)
        raise ValueError(
            f"{name} has the pair ({i}, {j}) twice, with {values[at]:g} and {values[at + 1]:g}: give each pair once."
        )
    first = np.append(True, codes[1:] != codes[:-1])[: len(codes)]
    codes = codes[first]
    return Candidates(np.column_stack([codes // max(n, 1), codes % max(n, 1)]), values[first])


def as_links(given: Any, n: int) -> Hypergraph:
    """Hyper-edges: lists of row numbers, a sparse incidence (links × references), or a frame (link, reference)."""
    if sparse.issparse(given):
        if given.shape[1] != n:
            raise ValueError(
                f"links is a sparse matrix with {given.shape[1]} columns, but there are {n} references: give a column "
                "for each reference and a row for each link."
            )
        entries = given.copy().tocoo()
        link, reference = entries.row[entries.data != 0], entries.col[entries.data != 0]
    elif isinstance(given, pd.DataFrame):
        if given.shape[1] != 2:
            raise ValueError(f"links is a frame of {given.shape[1]} columns: give two, the link and the reference.")
        link, reference = pd.factorize(given.iloc[:, 0])[0], given.iloc[:, 1].to_numpy()
    else:
        link, reference = _listed(given)
    reference = _row_numbers(reference, n)
    if (np.asarray(link) < 0).any():
        raise ValueError("links has a row without a link: give each row the name of its link.")
    n_links = int(np.max(link, initial=-1)) + 1
    members = sparse.csr_array((np.ones(len(link), np.int64), (link, reference)), shape=(n_links, n))
    members.sum_duplicates()
    members.data[:] = 1
    sizes = np.diff(members.indptr).astype(np.int64)
    if (sizes * (sizes - 1) // 2).sum() > _MOST_TOGETHER:
        raise ValueError(
            f"links puts more than {_MOST_TOGETHER:,} pairs of references together (the largest link has "
            f"{sizes.max():,}): leave very large links out, they say little about anybody."
        )
    together = sparse.triu(members.T @ members, 1).tocoo()
    order = np.lexsort((together.col, together.row))
    pairs = np.column_stack([together.row[order], together.col[order]]).astype(np.int64)
    return Hypergraph(members.T.tocsr(), members, pairs, together.data[order].astype(np.int64))


def _listed(given: Any) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(given, str | bytes | dict) or not isinstance(given, Iterable) or getattr(given, "ndim", 1) == 0:
        raise ValueError(f"links is of type {type(given).__name__}: give a list of lists of row numbers.")
    lists = []
    for place, link in enumerate(given):
        if isinstance(link, str | bytes | dict) or not isinstance(link, Iterable) or getattr(link, "ndim", 1) != 1:
            raise ValueError(f"links has {link!r:.100} at place {place}: give a list of row numbers for each link.")
        lists.append(list(link))
    link = np.repeat(np.arange(len(lists)), [len(one) for one in lists])
    reference = np.empty(len(link), dtype=object)
    reference[:] = [value for one in lists for value in one]
    return link, reference


def _row_numbers(values: np.ndarray, n: int) -> np.ndarray:
    try:
        if values.dtype == object and any(isinstance(value, bool | str | bytes | complex) for value in values):
            raise TypeError
        if values.dtype.kind == "c":
            raise TypeError
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("links holds something else than row numbers: give whole numbers of references.") from None
    wrong = ~(np.isfinite(numbers) & (numbers == np.floor(numbers)) & (numbers >= 0) & (numbers < n))
    if numbers.ndim != 1 or wrong.any():
        first = numbers.ravel()[np.flatnonzero(wrong)[0]] if wrong.any() else numbers
        raise ValueError(f"links has {first} where a row number from 0 to {n - 1} is needed.")
    return numbers.astype(np.int64)

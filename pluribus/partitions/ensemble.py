"""The ensemble: r partitions of the same n objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus._engine import list_of, memory_limit
from pluribus._kernels.labels.row_hashes import hash_rows, rows_differ
from pluribus.partitions import _files
from pluribus.partitions._labels import smallest_int
from pluribus.partitions._memberships import check_membership, harden
from pluribus.partitions._parse import (
    check_coverage,
    check_ids,
    check_index,
    check_names,
    check_weights,
    columns_of,
    distinct,
    encode_columns,
    encode_matrix,
    first_positions,
    index_ids,
    memberships_of,
)
from pluribus.partitions.contingency import contingency_of_codes

KEPT = 0.05  # of the memory allowed: distinct rows that take less are not sought again


class UniqueRows(NamedTuple):
    """Objects with the same label row, collapsed: ``ensemble[inverse]`` gives the original back."""

    ensemble: Ensemble
    counts: np.ndarray
    inverse: np.ndarray


class Ensemble:
    """r partitions of the same n objects, each with its own number of clusters, each perhaps on a sub-sample.

    Labels may be any hashables; ``-1``, ``None`` and NaN mean "not clustered in this partition". They are stored
    in the smallest integer type that holds them: a million objects in 50 partitions of up to 127 clusters take 50 MB.

    Parameters
    ----------
    labels : Ensemble, array of shape (n, r), data frame, or list of r label sequences
        In an array or a data frame (pandas, polars) each column is a partition; in a list each item is one.
    weights : sequence of r non-negative numbers, default all 1
    names : sequence of r strings, default the data frame's columns or "p0", "p1", …
    ids : sequence of n values, optional
        The objects' names, kept for reading and writing.

    Attributes
    ----------
    labels : ndarray of shape (n, r)
        Read-only; each column coded 0 … k_p - 1 by first occurrence, -1 = missing.
    n_clusters : ndarray of shape (r,)
    classes : tuple of r arrays
        The original label of each code.
    memberships : tuple of r arrays of shape (n, k_p), or None
        Soft partitions, if the ensemble was made of them.

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> e = Ensemble([["a", "a", "b", "b"], [0, 0, 1, 2], [0, 0, -1, 1]])
    >>> e
    Ensemble(n_objects=4, n_partitions=3, n_clusters=2–3, missing=8.3%)
    >>> e.labels
    array([[ 0,  0,  0],
           [ 0,  0,  0],
           [ 1,  1, -1],
           [ 1,  2,  1]], dtype=int8)
    """

    def __init__(self, labels: Any, *, weights: Any = None, names: Any = None, ids: Any = None) -> None:
        if isinstance(labels, np.matrix):
            labels = np.asarray(labels)
        if isinstance(labels, Ensemble):
            weights = labels.weights if weights is None else weights
            names = labels.names if names is None else names
            ids = labels.ids if ids is None else ids
            coded, classes, memberships = labels.labels, labels.classes, labels.memberships
        elif _is_integer_matrix(labels) and (encoded := encode_matrix(labels, names)) is not None:
            coded, classes, memberships = *encoded, None
        else:
            columns, own_names = columns_of(labels)
            names = own_names if names is None else names
            ids = index_ids(labels) if ids is None else ids
            coded, classes = encode_columns(columns, names)
            memberships = None
        self._set(coded, classes, weights, names, ids, memberships)

    def _set(self, labels, classes, weights, names, ids, memberships) -> None:
        n, r = labels.shape
        self.labels: np.ndarray = labels.view(np.ndarray) if isinstance(labels, np.memmap) else labels
        array: Any = self.labels
        while isinstance(array, np.ndarray):  # nor can what it is a view of be written to any more
            array.flags.writeable = False
            array = array.base
        self._all_differ = False  # as far as is known
        self._distinct: UniqueRows | None = None
        self.classes: tuple[np.ndarray, ...] = tuple(classes)
        self.n_clusters = np.array([len(c) for c in self.classes], dtype=np.int64)
        self.weights = check_weights(weights, r)
        self.names = check_names(names, r)
        self.ids = check_ids(ids, n)
        self.memberships: tuple[np.ndarray, ...] | None = memberships
        self.has_missing = bool(labels.min() < 0)

    @classmethod
    def _make(cls, labels, classes, weights=None, names=None, ids=None, memberships=None) -> Ensemble:
        """From labels already coded, which are handed over: they become read-only."""
        self = cls.__new__(cls)
        k = max((len(c) for c in classes), default=1)
        labels = np.ascontiguousarray(labels, dtype=smallest_int(k - 1))
        self._set(labels, classes, weights, names, ids, memberships)
        return self

    @classmethod
    def from_memberships(
        cls, memberships: Sequence[Any], *, weights: Any = None, names: Any = None, ids: Any = None
    ) -> Ensemble:
        """An ensemble of soft partitions: r matrices n × k_p, rows on the simplex (all 0 = not clustered here).

        ``labels`` then holds the cluster of highest membership.

        Examples
        --------
        >>> from pluribus import Ensemble
        >>> Ensemble.from_memberships([[[0.9, 0.1], [0.2, 0.8]], [[1.0], [1.0]]]).labels.tolist()
        [[0, 0], [1, 0]]
        """
        given = list_of("memberships", memberships, "n × k matrices")
        soft = tuple(check_membership(u, f"memberships[{p}]") for p, u in enumerate(given))
        if not soft:
            raise ValueError("memberships is empty: an ensemble needs at least one partition.")
        lengths = {len(u) for u in soft}
        if len(lengths) > 1:
            raise ValueError(f"All memberships must describe the same objects; got lengths {sorted(lengths)}.")
        labels = np.column_stack([harden(u) for u in soft])
        check_coverage(labels, check_names(names, len(soft)))
        classes = [np.arange(u.shape[1]) for u in soft]
        return cls._make(labels, classes, weights, names, ids, soft)

    # -- shape ---------------------------------------------------------------------------------------------------

    @property
    def n_objects(self) -> int:
        """Number of objects, n."""
        return self.labels.shape[0]

    @property
    def n_partitions(self) -> int:
        """Number of partitions, r."""
        return self.labels.shape[1]

    @property
    def offsets(self) -> np.ndarray:
        """Where each partition's clusters start among the columns of ``one_hot()``; r + 1 entries."""
        return np.concatenate([[0], np.cumsum(self.n_clusters)])

    def __len__(self) -> int:
        return self.n_partitions

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_distinct": None}  # soon found again

    def __repr__(self) -> str:
        low, high = self.n_clusters.min(), self.n_clusters.max()
        k = f"{low}" if low == high else f"{low}–{high}"
        missing = f", missing={self.missing_share:.1%}" if self.has_missing else ""
        soft = ", soft" if self.memberships is not None else ""
        return f"Ensemble(n_objects={self.n_objects}, n_partitions={self.n_partitions}, n_clusters={k}{missing}{soft})"

    def _repr_html_(self) -> str:
        return _files.to_html(self)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Ensemble)
            and np.array_equal(self.labels, other.labels)
            and np.array_equal(self.weights, other.weights)
            and self.names == other.names
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def missing_share(self) -> float:
        """Share of the n × r labels that are missing."""
        return float((self.labels == -1).mean())

    # -- views ---------------------------------------------------------------------------------------------------

    def one_hot(self, dtype: Any = np.float64) -> sparse.csr_array:
        """The sparse n × q indicator H, q clusters in all: one 1 for each object and partition that covers it.

        ``H @ H.T`` counts how often two objects are together.

        Examples
        --------
        >>> from pluribus import Ensemble
        >>> H = Ensemble([[0, 0, 1], [0, 1, 1]]).one_hot()
        >>> (H @ H.T).toarray().astype(int).tolist()
        [[2, 1, 0], [1, 2, 1], [0, 1, 2]]
        """
        n, r = self.labels.shape
        index = np.int32 if max(self.offsets[-1], n * r) < 2**31 else np.int64
        columns = self.labels + self.offsets[:-1].astype(index)
        if not self.has_missing:
            indptr = np.arange(0, n * r + 1, r, dtype=index)
            indices = columns.ravel()
        else:
            seen = self.labels >= 0
            indptr = np.concatenate([[0], np.cumsum(seen.sum(axis=1))]).astype(index)
            indices = columns[seen]
        data = np.ones(len(indices), dtype=dtype)
        return sparse.csr_array((data, indices, indptr), shape=(n, int(self.offsets[-1])))

    def soft_one_hot(self, dtype: Any = np.float64) -> sparse.csr_array:
        """The memberships side by side, n × q; for hard partitions the same as ``one_hot``.

        Examples
        --------
        >>> from pluribus import Ensemble
        >>> Ensemble.from_memberships([[[0.9, 0.1], [0.2, 0.8]]]).soft_one_hot().toarray().tolist()
        [[0.9, 0.1], [0.2, 0.8]]
        """
        if self.memberships is None:
            return self.one_hot(dtype)
        return sparse.csr_array(np.hstack(self.memberships).astype(dtype))

    def unique_rows(self) -> UniqueRows:
        """Collapse objects that have the same label in every partition into one, with its count.

        Examples
        --------
        >>> from pluribus import Ensemble
        >>> rows = Ensemble([[0, 0, 1, 0], [0, 0, 1, 1]]).unique_rows()
        >>> rows.counts.tolist(), rows.inverse.tolist()
        ([2, 1, 1], [0, 0, 1, 2])
        """
        if self._all_differ:
            return UniqueRows(self, np.ones(self.n_objects, dtype=np.int64), np.arange(self.n_objects))
        if self._distinct is not None:
            ensemble, counts, inverse = self._distinct
            return UniqueRows(ensemble, counts.copy(), inverse.copy())
        inverse, hashes = pd.factorize(hash_rows(self.labels))
        if len(hashes) == self.n_objects:
            self._all_differ = True
            return UniqueRows(self, np.ones(self.n_objects, dtype=np.int64), inverse)
        first = first_positions(inverse, len(hashes))
        if rows_differ(self.labels, inverse, first):  # two different rows, one hash: sort instead
            _, first, inverse = np.unique(self.labels, axis=0, return_index=True, return_inverse=True)
            inverse = inverse.ravel()
        counts = np.bincount(inverse, minlength=len(first))
        found = UniqueRows(self.take_objects(first), counts, inverse)
        found.ensemble._all_differ = True
        if found.ensemble.labels.nbytes + counts.nbytes + inverse.nbytes <= KEPT * memory_limit():
            self._distinct = UniqueRows(found.ensemble, counts.copy(), inverse.copy())
        return found

    def contingency(self, a: int | str, b: int | str) -> np.ndarray:
        """Contingency table of two of the partitions, given by position or name.

        Examples
        --------
        >>> from pluribus import Ensemble
        >>> Ensemble([[0, 0, 1], [0, 1, 1]]).contingency(0, "p1")
        array([[1, 1],
               [0, 1]])
        """
        i, j = self._position(a), self._position(b)
        table = contingency_of_codes(
            self.labels[:, i], self.labels[:, j], int(self.n_clusters[i]), int(self.n_clusters[j])
        )
        return np.asarray(table)

    # -- parts and unions ----------------------------------------------------------------------------------------

    def take_objects(self, index: Any) -> Ensemble:
        """The ensemble of some of the objects; partitions keep their clusters, also those that become empty.

        Examples
        --------
        >>> from pluribus import Ensemble
        >>> Ensemble([[0, 0, 1], [0, 1, 1]]).take_objects([0, 2]).labels.tolist()
        [[0, 0], [1, 1]]
        """
        index = check_index(index, self.n_objects, least=-self.n_objects)
        if not index.size:
            raise ValueError("No objects chosen: an ensemble needs at least one.")
        soft = None if self.memberships is None else tuple(u[index] for u in self.memberships)
        ids = None if self.ids is None else self.ids[index]
        return Ensemble._make(self.labels[index], self.classes, self.weights, self.names, ids, soft)

    def take_partitions(self, which: Iterable[int | str]) -> Ensemble:
        """The ensemble of some of the partitions, given by position or name.

        Examples
        --------
        >>> from pluribus import Ensemble
        >>> Ensemble([[0, 0, 1], [0, 1, 1]]).take_partitions(["p1"]).labels.ravel().tolist()
        [0, 1, 1]
        """
        columns = [self._position(p) for p in list_of("which", which, "partitions, by position or name")]
        if not columns:
            raise ValueError("No partitions chosen: an ensemble needs at least one.")
        labels = self.labels[:, columns]
        check_coverage(labels, tuple(self.names[p] for p in columns))
        soft = None if self.memberships is None else tuple(self.memberships[p] for p in columns)
        names = [self.names[p] for p in columns]
        return Ensemble._make(labels, [self.classes[p] for p in columns], self.weights[columns], names, self.ids, soft)

    @staticmethod
    def concat(ensembles: Iterable[Ensemble]) -> Ensemble:
        """The partitions of several ensembles of the same objects, side by side.

        Examples
        --------
        >>> from pluribus import Ensemble
        >>> Ensemble.concat([Ensemble([[0, 0, 1]]), Ensemble([[0, 1, 1]])]).names
        ('p0', 'p0.1')
        """
        if not isinstance(ensembles, Iterable) or sparse.issparse(ensembles) or isinstance(ensembles, np.ndarray):
            raise ValueError(f"Give a list of ensembles; got {type(ensembles).__name__}.")
        parts = list(ensembles)
        odd = [type(part).__name__ for part in parts if not isinstance(part, Ensemble)]
        if odd:
            raise ValueError(f"Give a list of ensembles; got {odd[0]} in it.")
        if not parts:
            raise ValueError("No ensembles to concatenate.")
        lengths = [e.n_objects for e in parts]
        if len(set(lengths)) > 1:
            raise ValueError(f"The ensembles describe different numbers of objects: {lengths}.")
        given = [e.ids for e in parts if e.ids is not None]
        if any(not np.array_equal(given[0], ids) for ids in given[1:]):
            raise ValueError("The ensembles name their objects differently (ids); join them by id first.")
        soft = None
        if any(e.memberships is not None for e in parts):
            soft = tuple(u for e in parts for u in memberships_of(e))
        return Ensemble._make(
            np.hstack([e.labels for e in parts]),
            [c for e in parts for c in e.classes],
            np.concatenate([e.weights for e in parts]),
            distinct([name for e in parts for name in e.names]),
            given[0] if given else None,
            soft,
        )

    def _position(self, which: int | str) -> int:
        if isinstance(which, str):
            if which not in self.names:
                raise ValueError(f"No partition is called {which!r}; there are {', '.join(self.names[:20])}.")
            return self.names.index(which)
        r = self.n_partitions
        if not isinstance(which, Integral) or isinstance(which, bool) or not -r <= which < r:
            raise ValueError(f"Partition {which!r} does not exist; there are {r}: give a position or a name.")
        return int(which) % r

    # -- files ---------------------------------------------------------------------------------------------------

    @classmethod
    def read(cls, path: str | PathLike, *, id_column: str | None = None) -> Ensemble:
        """Read an ensemble from CSV, Parquet or NPZ: a column for each partition, a row for each object.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from pluribus import Ensemble
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
        >>> _ = path.write_text("id,a,b\\nx,0,u\\ny,1,u\\nz,1,v\\n")
        >>> e = Ensemble.read(path, id_column="id")
        >>> e.names, e.ids.tolist()
        (('a', 'b'), ['x', 'y', 'z'])
        """
        return _files.read(path, id_column)

    def write(self, path: str | PathLike) -> None:
        """Write to CSV, Parquet or NPZ (by the file's ending), whole or not at all.

        ``Ensemble.read`` gives every partition back. CSV does not keep weights, and needs ``id_column="id"`` to
        read ids as such; only NPZ keeps memberships, clusters that have no object, and files of a single object.

        Labels that are all integers, all truth values or all texts are written as they are. Others (tuples, dates,
        labels of several types) are written as text, ``str(label)``; where two labels of a partition have one text,
        the later gets a number: 1 and "1" become ``1`` and ``1 (2)``. So do integers that are too large to be read
        back exactly (above 2**53). Texts with a zero byte, a carriage return or half a surrogate pair are written as
        Python literals; in CSV also those that would be read as missing (``NA`` becomes ``'NA'``), and all texts of
        a partition where each begins like a number, a date or a truth value, unless all are plain integers.
        Partitions named by a number are quoted in the same way in CSV; delimiters in their names become ``_``.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from pluribus import Ensemble
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "e.npz"
        >>> e = Ensemble([[0, 0, 1], ["u", "v", None]], weights=[1, 2])
        >>> e.write(path)
        >>> Ensemble.read(path) == e
        True
        """
        _files.write(self, path)

    def to_frame(self) -> pd.DataFrame:
        """A data frame with a column for each partition, holding the original labels.

        Examples
        --------
        >>> from pluribus import Ensemble
        >>> Ensemble([["u", "v", None], [0, 0, 1]]).to_frame().shape
        (3, 2)
        """
        return _files.to_frame(self)


def as_ensemble(ensemble: Any) -> Ensemble:
    """An ``Ensemble`` from whatever can be one: see ``Ensemble`` for what that is.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.partitions import as_ensemble
    >>> as_ensemble(np.array([[0, 1], [0, 1], [1, 0]])).n_partitions
    2
    """
    return ensemble if isinstance(ensemble, Ensemble) else Ensemble(ensemble)


def _is_integer_matrix(labels: Any) -> bool:
    if not isinstance(labels, np.ndarray) or isinstance(labels, np.ma.MaskedArray):
        return False
    return labels.ndim == 2 and labels.size > 0 and labels.dtype.kind in "iu"

"""What users hand over as an ensemble, checked and coded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus._engine import list_of, number_array
from pluribus._kernels.labels.label_codes import code_columns, count_coded, uncovered_rows
from pluribus.partitions._labels import encode_labels, smallest_int

if TYPE_CHECKING:
    from pluribus.partitions.ensemble import Ensemble

CODED_AT_ONCE = 2**20  # entries of the table that columns are coded by


def columns_of(labels: Any) -> tuple[list[Any], list[str] | None]:
    """The partitions as columns, with their names if the container has them."""
    if isinstance(labels, pd.DataFrame) or type(labels).__module__.partition(".")[0] == "polars":
        names = [str(c) for c in labels.columns]
        if len(set(names)) < len(names):
            raise ValueError(f"The data frame has several columns of the same name: {names}.")
        return [labels[c] for c in labels.columns], names
    if sparse.issparse(labels):
        raise ValueError("labels is a sparse matrix; pass an n × r array of labels, or memberships.")
    if isinstance(labels, np.ndarray):
        if labels.ndim != 2:
            raise ValueError(
                f"An array of labels must be n × r (a column for each partition); got shape {labels.shape}. "
                "Pass [labels] for a single partition."
            )
        return list(labels.T), None
    return list_of("labels", labels, "label sequences, an n × r array or a data frame"), None


def index_ids(labels: Any) -> np.ndarray | None:
    """The ids of the objects: the index of a data frame, if it is more than a count; None for anything else."""
    if not isinstance(labels, pd.DataFrame) or isinstance(labels.index, pd.RangeIndex | pd.MultiIndex):
        return None
    if not labels.index.is_unique or labels.index.hasnans or np.array_equal(labels.index, np.arange(len(labels))):
        return None
    return labels.index.astype(str).to_numpy(dtype=str)


def encode_columns(columns: list[Any], names: Any) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    if not columns:
        raise ValueError("The ensemble is empty: it needs at least one partition.")
    called = check_names(names, len(columns))
    coded, classes = [], []
    for name, column in zip(called, columns, strict=True):
        codes, own = encode_labels(column, f"partition {name!r}")
        coded.append(codes.astype(smallest_int(len(own) - 1)))
        classes.append(own)
    lengths = [len(c) for c in coded]
    if len(set(lengths)) > 1:
        odd = next(p for p, m in enumerate(lengths) if m != lengths[0])
        raise ValueError(
            f"All partitions must label the same objects: {called[0]!r} has {lengths[0]} labels, "
            f"{called[odd]!r} has {lengths[odd]}."
        )
    if lengths[0] == 0:
        raise ValueError("The partitions are empty: there are no objects.")
    labels = np.empty((lengths[0], len(coded)), dtype=smallest_int(max(len(c) for c in classes) - 1))
    for p, column in enumerate(coded):
        labels[:, p] = column
    check_coverage(labels, called)
    return labels, tuple(classes)


def encode_matrix(labels: np.ndarray, names: Any) -> tuple[np.ndarray, tuple[np.ndarray, ...]] | None:
    """Code an n × r array of integers in one pass; None if they are below -1 or so large that counting is no way.

    Labels that nobody can change, already coded and in the smallest type, are not copied.
    """
    n, r = labels.shape
    highest = int(labels.max())
    if labels.min() < -1 or highest > max(n, 2**16):
        return None
    called = check_names(names, r)
    small = smallest_int(highest)
    n_clusters = np.zeros(r, dtype=np.int64)
    fitting = labels.flags.c_contiguous and labels.dtype == small
    if fitting and _nobody_can_change(labels) and count_coded(labels, n_clusters):
        check_coverage(labels, called)
        return labels, tuple(np.arange(k, dtype=small) for k in n_clusters)
    coded = labels.astype(small, order="C")
    classes = tuple(own.astype(labels.dtype) for own in code_in_place(coded))
    check_coverage(coded, called)
    return coded.astype(smallest_int(max(map(len, classes)) - 1), copy=False), classes


def code_in_place(labels: np.ndarray) -> tuple[np.ndarray, ...]:
    """Code the columns of an integer array by first occurrence, as ``encode_labels`` does, but in place.

    Parameters
    ----------
    labels : ndarray of shape (n, r)
        Integers from -1, which stays.

    Returns
    -------
    classes : tuple of r arrays
        The original label of each code.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.partitions._internal import code_in_place
    >>> labels = np.array([[7, 0], [-1, 2], [3, 0]])
    >>> [classes.tolist() for classes in code_in_place(labels)]
    [[7, 3], [0, 2]]
    >>> labels.tolist()
    [[0, 0], [-1, 1], [1, 0]]
    """
    r, n_labels = labels.shape[1], int(labels.max()) + 1
    step = max(1, CODED_AT_ONCE // max(n_labels, 1))
    classes: list[np.ndarray] = []
    for first in range(0, r, step):
        codes = np.full((min(step, r - first), n_labels), -1, dtype=np.int32)
        n_clusters = np.zeros(len(codes), dtype=np.int32)
        code_columns(labels, first, codes, n_clusters)
        classes += [_originals(own, k, labels.dtype) for own, k in zip(codes, n_clusters.tolist(), strict=True)]
    return tuple(classes)


def _originals(codes: np.ndarray, n_clusters: int, dtype: np.dtype) -> np.ndarray:
    """The label of each code, from the code of each label."""
    present = np.flatnonzero(codes >= 0)
    originals = np.empty(n_clusters, dtype=dtype)
    originals[codes[present]] = present
    return originals


def _nobody_can_change(labels: np.ndarray) -> bool:
    """Whether neither an array nor what it is a view of can be written to."""
    array: Any = labels
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        if isinstance(array, np.memmap) or array.base is None:
            return True
        array = array.base
    with memoryview(array) as buffer:
        return buffer.readonly


def check_coverage(labels: np.ndarray, names: Sequence[str]) -> None:
    """Every object is in some partition, and every partition has some object."""
    if labels.min() >= 0:
        return
    empty = np.flatnonzero(labels.max(axis=0) < 0)
    if empty.size:
        raise ValueError(f"Partition {names[empty[0]]!r} has no labels at all; leave it out.")
    n_uncovered, first = uncovered_rows(labels, 5)
    if n_uncovered:
        raise ValueError(
            f"{n_uncovered} objects are in no partition (the first are rows {list(first)}): nothing "
            "is known about them. Drop these rows, or add a partition that covers them."
        )


def check_weights(weights: Any, r: int) -> np.ndarray:
    if weights is None:
        return np.ones(r)
    w = number_array("weights", weights).copy()
    if w.shape != (r,):
        raise ValueError(f"weights must hold one number for each of the {r} partitions; got shape {w.shape}.")
    if not np.isfinite(w).all() or (w < 0).any() or not w.any() or w.max() > 1e300:
        raise ValueError("weights must be finite and non-negative, and not all zero.")
    w.flags.writeable = False
    return w


def check_names(names: Any, r: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"p{p}" for p in range(r))
    names = tuple(str(name) for name in list_of("names", names, f"{r} names, one for each partition"))
    if len(names) != r:
        raise ValueError(f"names must hold one name for each of the {r} partitions; got {len(names)}.")
    if len(set(names)) < r:
        raise ValueError("The partitions' names must differ from each other.")
    return names


def check_ids(ids: Any, n: int) -> np.ndarray | None:
    if ids is None:
        return None
    try:
        ids = np.asarray(ids)
    except ValueError:
        raise ValueError(f"ids must hold one value for each of the {n} objects; got lists of several.") from None
    if ids.shape != (n,):
        raise ValueError(f"ids must hold one value for each of the {n} objects; got shape {ids.shape}.")
    return ids


def check_index(index: Any, n: int, least: int = 0) -> np.ndarray:
    """Numbers of objects, also from a mask of n truth values.

    Parameters
    ----------
    index : sequence of whole numbers, or mask
    n : int
        How many objects there are.
    least : int
        The smallest number allowed: -n if they may be counted from the end.

    Examples
    --------
    >>> from pluribus.partitions._internal import check_index
    >>> check_index([True, False, True], 3).tolist()
    [0, 2]
    """
    try:
        index = np.atleast_1d(np.asarray(index))
    except ValueError:
        raise ValueError("Give the objects as a list of whole numbers; got lists of several lengths.") from None
    if index.dtype == bool and index.shape == (n,):
        index = np.flatnonzero(index)
    if index.ndim != 1 or (index.size and index.dtype.kind not in "iu"):
        raise ValueError(f"Give the objects as a list of whole numbers; got {index.dtype} of shape {index.shape}.")
    if index.size and not (index.min() >= least and index.max() < n):
        raise ValueError(f"Objects are numbered 0 … {n - 1}; got {index.min()} … {index.max()}.")
    return index.astype(np.int64)


def memberships_of(ensemble: Ensemble) -> Sequence[np.ndarray]:
    """Memberships of each partition; hard ones as 0/1."""
    if ensemble.memberships is not None:
        return ensemble.memberships
    return [(ensemble.labels[:, p, None] == np.arange(k)).astype(float) for p, k in enumerate(ensemble.n_clusters)]


def distinct(names: list[str]) -> list[str]:
    """Names made different from each other by a running number."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, -1) + 1
        out.append(name if not seen[name] else f"{name}.{seen[name]}")
    return out


def first_positions(inverse: np.ndarray, n_groups: int) -> np.ndarray:
    """Position of the first member of each group."""
    first = np.empty(n_groups, dtype=np.int64)
    first[inverse[::-1]] = np.arange(len(inverse) - 1, -1, -1)
    return first

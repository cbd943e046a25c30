"""One partition as an integer array: coding labels of any kind, and numbering clusters."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse


def encode_labels(column: Any, name: str = "labels") -> tuple[np.ndarray, np.ndarray]:
    """Code one partition's labels as 0, 1, … by first occurrence.

    Labels may be any hashables. ``-1``, ``None`` and NaN mean that the object is not clustered in this partition.

    Parameters
    ----------
    column : sequence of length n
    name : str
        How errors call this partition.

    Returns
    -------
    codes : ndarray of shape (n,), int64
        ``-1`` where the label is missing.
    classes : ndarray of shape (k,)
        The original label of each code.

    Examples
    --------
    >>> from pluribus.partitions._internal import encode_labels
    >>> codes, classes = encode_labels(["b", "a", None, "b"])
    >>> codes.tolist(), classes.tolist()
    ([0, 1, -1, 0], ['b', 'a'])
    """
    values = _factorable(_one_dimensional(column, name))
    try:
        codes, uniques = pd.factorize(values)
    except TypeError:
        raise ValueError(
            f"{name} holds lists or other structures: labels are integers, texts or other values that can be compared."
        ) from None
    codes = codes.astype(np.int64, copy=False)
    classes = np.asarray(uniques)
    _check_classes(classes, name)
    missing = _is_minus_one(classes)
    if missing.any():
        new_code = np.cumsum(~missing) - 1
        new_code[missing] = -1
        codes = np.append(new_code, -1)[codes]  # code -1 picks the appended -1
        classes = classes[~missing]
    if classes.dtype.kind == "f" and (classes < 2**63).all():
        classes = classes.astype(np.int64)  # whole numbers that became floats beside a NaN
    return codes, classes


def number_by_size(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """The labels with clusters numbered from the largest; -1 stays.

    Examples
    --------
    >>> from pluribus.partitions._internal import number_by_size
    >>> number_by_size([0, 1, 1, -1], 2).tolist()
    [1, 0, 0, -1]
    """
    labels = np.asarray(labels)
    number = np.append(np.argsort(order_by_size(labels, n_clusters)), -1)
    return number[labels]  # the label -1 reads the -1 at the end


def order_by_size(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """The order that puts the largest cluster first; ties go to the one seen first.

    Returns ``order`` with ``order[new] = old``.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.partitions._internal import order_by_size
    >>> order_by_size(np.array([2, 0, 1, 1, -1]), 3).tolist()
    [1, 2, 0]
    """
    labels = np.asarray(labels)
    clustered = labels[labels >= 0]
    sizes = np.bincount(clustered, minlength=n_clusters)
    first = np.full(n_clusters, len(labels))
    where = np.flatnonzero(labels >= 0)
    np.minimum.at(first, clustered, where)
    return np.lexsort((first, -sizes))


def smallest_int(max_value: int) -> np.dtype:
    """The smallest signed integer type that holds ``max_value``.

    Examples
    --------
    >>> from pluribus.partitions._internal import smallest_int
    >>> smallest_int(127), smallest_int(128)
    (dtype('int8'), dtype('int16'))
    """
    for dtype in (np.int8, np.int16, np.int32):
        if max_value <= np.iinfo(dtype).max:
            return np.dtype(dtype)
    return np.dtype(np.int64)


def _one_dimensional(column: Any, name: str) -> Any:
    """A 1-D array or pandas series; sequences of tuples and other hashables become object arrays."""
    if isinstance(column, pd.Series):
        return column
    if type(column).__module__.partition(".")[0] == "polars":
        return column.to_numpy()
    if sparse.issparse(column):
        raise ValueError(f"{name} is a sparse matrix: give a sequence of labels, one for each object.")
    if isinstance(column, np.ma.MaskedArray):
        values = column.data.astype(object)
        values[np.ma.getmaskarray(column)] = None
        column = values
    if not isinstance(column, np.ndarray):
        if isinstance(column, str | bytes | Mapping | set | frozenset) or not hasattr(column, "__iter__"):
            raise ValueError(f"{name} must be a sequence of labels, one for each object; got {column!r}.")
        items = list(column)
        column = np.fromiter(items, dtype=object, count=len(items))  # keeps tuples whole
        column = pd.Series(column).infer_objects().to_numpy()
    if column.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional; got an array of shape {column.shape}.")
    return column


def _factorable(values: Any) -> Any:
    """The same values in a type that pandas can tell apart: the machine's byte order, no half precision."""
    dtype = getattr(values, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iuf":
        return values
    wanted = np.dtype(np.float32) if dtype == np.float16 else dtype.newbyteorder("=")
    return values if dtype == wanted else values.astype(wanted)


def decode_labels(codes: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The original labels of codes, None where missing."""
    named = np.empty(len(classes) + 1, dtype=object)
    named[:-1] = classes
    return named[codes]  # the code -1 reads the None at the end


def _check_classes(classes: np.ndarray, name: str) -> None:
    """Numbers must be whole and at least -1."""
    if classes.dtype.kind not in "iuf":
        numbers = [x for x in classes.tolist() if isinstance(x, int | float) and not isinstance(x, bool)]
        classes = np.asarray(numbers, dtype=float)
    if classes.dtype.kind == "f":
        broken = classes[~(np.isfinite(classes) & (classes == np.floor(classes)))]
        if broken.size:
            raise ValueError(
                f"{name} has labels that are not whole numbers, such as {broken[0]}. Labels are integers or "
                "names (strings); round them, or pass memberships with Ensemble.from_memberships."
            )
    if classes.size and classes.min() < -1:
        raise ValueError(
            f"{name} has the label {int(classes.min())}. Integer labels start at 0, and -1 means "
            "'not clustered here'; shift the labels."
        )


def _is_minus_one(classes: np.ndarray) -> np.ndarray:
    if classes.dtype.kind in "if":
        return classes == -1
    if classes.dtype.kind in "ub":
        return np.zeros(len(classes), dtype=bool)
    return np.array([isinstance(x, int | float) and not isinstance(x, bool) and x == -1 for x in classes], bool)

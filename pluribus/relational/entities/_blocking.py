"""Blocking: which pairs of references are compared at all."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus._engine import real_number, track, whole_number
from pluribus._kernels.graphs.cosine_pairs import cosine_pairs, postings, prefix_ends
from pluribus.relational.entities._inputs import as_references
from pluribus.relational.entities._texts import References, exact

BLOCKINGS = ("canopies", "names", "neighborhood")
MOST_PAIRS = 50_000_000
_ROWS = 2_000  # whose canopies are found between two steps of the progress bar
_WINDOW = 10


def block(
    references: References, blocking: str | Callable[..., Any], loose: float, max_bucket: int, verbose: bool
) -> np.ndarray:
    """The pairs that a blocking lets through: i < j, each once, sorted."""
    if callable(blocking):
        return _pairs_of(blocking(references.frame), len(references))
    if blocking == "names":
        return key_pairs(_name_keys(references.columns[0]), max_bucket=max_bucket)
    if blocking == "neighborhood":
        return neighborhood_pairs(references.texts.tolist(), window=_WINDOW)
    return canopies(references.vectors, loose, max_bucket, verbose=verbose)[0]


def key_pairs(keys: Sequence[Any], *, max_bucket: int = 1000) -> np.ndarray:
    """Pairs of references with the same key.

    Parameters
    ----------
    keys : sequence of length n
        Any hashables, such as a name and an initial. References whose key is None or NaN are in no pair.
    max_bucket : int
        References with one key above which a warning is given, since their pairs grow with the square.

    Returns
    -------
    ndarray of shape (m, 2)
        Row numbers, i < j, sorted.

    Examples
    --------
    >>> from pluribus.relational import key_pairs
    >>> key_pairs(["wang w", "chen c", "wang w", "wang w"]).tolist()
    [[0, 2], [0, 3], [2, 3]]
    """
    limit = whole_number("max_bucket", max_bucket, 1)
    codes = _codes(_listed(keys))
    rows = np.flatnonzero(codes >= 0)
    rows = rows[np.argsort(codes[rows], kind="stable")]
    sizes = np.unique(codes[rows], return_counts=True)[1]
    _check_sizes(sizes, limit)
    ends = np.repeat(np.cumsum(sizes), sizes)
    later = ends - np.arange(len(rows)) - 1  # of each row: those behind it in its bucket
    left = np.repeat(np.arange(len(rows)), later)
    step = np.arange(len(left)) - np.repeat(np.cumsum(later) - later, later) + 1
    pairs = np.sort(np.column_stack([rows[left], rows[left + step]]), axis=1)
    return pairs[np.lexsort(pairs.T[::-1])]


def neighborhood_pairs(keys: Sequence[Any], *, window: int = 10) -> np.ndarray:
    """Sorted neighborhood: pairs of references that are close to each other when sorted by a key.

    Parameters
    ----------
    keys : sequence of length n
        Texts or numbers that can be sorted. References whose key is empty, None or NaN are in no pair.
    window : int
        A reference is compared with the window - 1 that follow it.

    Returns
    -------
    ndarray of shape (m, 2)
        Row numbers, i < j, sorted.

    References
    ----------
    Hernández and Stolfo, "The merge/purge problem for large databases", SIGMOD 1995.

    Examples
    --------
    >>> from pluribus.relational import neighborhood_pairs
    >>> neighborhood_pairs(["chen", "wang", "chan", "ansari"], window=2).tolist()
    [[0, 1], [0, 2], [2, 3]]
    """
    width = whole_number("window", window, 2)
    listed = _listed(keys)
    known = np.flatnonzero((_codes(listed) >= 0) & np.array([key != "" for key in listed], dtype=bool))
    try:
        order = sorted(known.tolist(), key=lambda row: listed[row])
    except TypeError:
        raise ValueError("keys holds values that cannot be sorted together: give texts, or numbers.") from None
    rows = np.array(order, dtype=np.int64)
    if (width - 1) * len(rows) > MOST_PAIRS:
        raise ValueError(f"window={window} makes more than {MOST_PAIRS:,} pairs: give a smaller one.")
    parts = [np.column_stack([rows[:-step], rows[step:]]) for step in range(1, min(width, len(rows)))]
    pairs = np.sort(np.concatenate([np.empty((0, 2), np.int64), *parts]), axis=1)
    return pairs[np.lexsort(pairs.T[::-1])]


def canopy_pairs(texts: Any, *, loose: float = 0.25, max_bucket: int = 1000, verbose: bool = True) -> np.ndarray:
    """Canopies of 3-grams: pairs of references with similar texts.

    Texts are vectors of character 3-grams with TF-IDF weights. The canopy of a reference has all references with a
    cosine of at least ``loose``. Every reference is the center of a canopy, so no pair depends on the order. Prefix
    filtering finds exactly these pairs without comparing all others.

    Parameters
    ----------
    texts : sequence of str, Series or data frame
        With several columns, the text of a reference is that of all of them.
    loose : float
        From above 0 to 1.
    max_bucket : int
        References in one canopy above which a warning is given.
    verbose : bool
        Show progress (only on a terminal).

    Returns
    -------
    ndarray of shape (m, 2)
        Row numbers, i < j, sorted.

    References
    ----------
    McCallum, Nigam and Ungar, "Efficient clustering of high-dimensional data sets with application to reference
    matching", KDD 2000.

    Examples
    --------
    >>> from pluribus.relational import canopy_pairs
    >>> canopy_pairs(["Wei Wang", "Chen Li", "Wang, Wei", "Chien Lee"], verbose=False).tolist()
    [[0, 2]]
    """
    loosest = real_number("loose", loose, 0.01, 1)
    limit = whole_number("max_bucket", max_bucket, 1)
    return canopies(as_references(texts, "texts").vectors, loosest, limit, verbose=verbose)[0]


def canopies(
    vectors: sparse.csr_array, loose: float, max_bucket: int, *, rows: np.ndarray | None = None, verbose: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs with a cosine of at least ``loose``, and their cosines; only pairs with one of ``rows``, if given."""
    n, n_features = vectors.shape
    arrays = vectors.indptr.astype(np.int64), vectors.indices.astype(np.int64), vectors.data
    ends = prefix_ends(arrays[0], arrays[2], loose)
    index = postings(arrays[0], arrays[1], ends, n_features)
    queries = np.arange(n) if rows is None else np.asarray(rows, dtype=np.int64)
    found: list[tuple[np.ndarray, np.ndarray]] = [(np.empty((0, 2), np.int64), np.empty(0))]
    count = 0
    for start in track(range(0, len(queries), _ROWS), "blocking", verbose=verbose):
        part = queries[start : start + _ROWS]
        options: tuple[Any, ...] = (part, rows is None, loose, MOST_PAIRS - count)
        found.append(cosine_pairs(*arrays, ends, *index, *options))
        count += len(found[-1][1])
        _check_total(count)
    pairs, cosines = np.concatenate([one for one, _ in found]), np.concatenate([two for _, two in found])
    codes, kept = np.unique(pairs.min(axis=1, initial=n) * n + pairs.max(axis=1, initial=0), return_index=True)
    pairs = np.column_stack([codes // max(n, 1), codes % max(n, 1)])
    _check_sizes(np.bincount(pairs.ravel(), minlength=1) + 1, max_bucket, "canopy")
    return pairs, exact(cosines[kept])


def _name_keys(names: np.ndarray) -> list[str | None]:
    """The last word of a name and the first letter of its first: "wei wang" and "w wang" have one key."""
    words = [name.split() for name in names]
    return [f"{parts[-1]} {parts[0][0]}" if parts else None for parts in words]


def _listed(keys: Any) -> list[Any]:
    if isinstance(keys, str | bytes | dict | pd.DataFrame) or not _is_sequence(keys):
        raise ValueError(f"keys is of type {type(keys).__name__}: give a sequence with one key for each reference.")
    return list(keys)


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__iter__") and not sparse.issparse(value) and getattr(value, "ndim", 1) == 1


def _codes(keys: list[Any]) -> np.ndarray:
    column = np.empty(len(keys), dtype=object)
    try:
        column[:] = keys
        return pd.factorize(column)[0].astype(np.int64)
    except (TypeError, ValueError):
        raise ValueError("keys holds structures: give one text, number or other hashable for each.") from None


def _check_sizes(sizes: np.ndarray, max_bucket: int, what: str = "bucket") -> None:
    if len(sizes) and sizes.max() > max_bucket:
        if what == "bucket":
            _check_total(int((sizes * (sizes - 1) // 2).sum()))
        warnings.warn(
            f"{np.count_nonzero(sizes > max_bucket):,} of the {what} sizes are above max_bucket={max_bucket:,} (the "
            f"largest is {sizes.max():,}): their pairs take time and memory that grow with the square of the size. "
            "Block more strictly if that is too slow.",
            UserWarning,
            stacklevel=3,
        )


def _check_total(count: int) -> None:
    if count > MOST_PAIRS:
        raise ValueError(
            f"Blocking lets more than {MOST_PAIRS:,} pairs through: block more strictly, by a larger loose, other keys "
            "or more columns."
        )


def _pairs_of(pairs: Any, n: int) -> np.ndarray:
    """What a function for blocking returned."""
    try:
        found = np.asarray(pairs)
    except ValueError:
        found = np.empty(0)
    if found.size == 0:
        return np.empty((0, 2), np.int64)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise ValueError("blocking returned something else than pairs: return row numbers of shape (m, 2).")
    if found.min() < 0 or found.max() >= n or (found[:, 0] == found[:, 1]).any():
        raise ValueError(f"blocking returned pairs that are not two different row numbers from 0 to {n - 1}.")
    low, high = found.min(axis=1).astype(np.int64), found.max(axis=1).astype(np.int64)
    codes = np.unique(low * n + high)
    return np.column_stack([codes // n, codes % n])

"""The partition that is known, as groups of rows."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pluribus.partitions import Ensemble
from pluribus.partitions._internal import columns_of, encode_labels

_MOST_NUMBERS = 50  # different numbers that are not whole; with more, a variable and no labels


class Known(NamedTuple):
    """The known groups: coded by first occurrence, -1 where the label is missing."""

    codes: np.ndarray  # (n,)
    labels: tuple[tuple[Any, ...], ...]  # of each group, one label for each known partition

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        """The groups in words. If two would be called the same, such as 1 and "1", they are written as in Python."""
        names = tuple(", ".join(map(str, own)) for own in self.labels)
        return names if len(set(names)) == len(names) else tuple(", ".join(map(repr, own)) for own in self.labels)


def read_known(known: Any, n: int) -> Known:
    """The groups of n rows in a known partition, or in the cells of several: a row without a label is in none.

    Parameters
    ----------
    known : sequence of n labels; list of such sequences, n × m array or data frame of m partitions, or Ensemble
    n : int

    Examples
    --------
    >>> from pluribus.alternative._shared.known import read_known
    >>> known = read_known([["a", "a", "b", None], [0, 1, 1, 1]], 4)
    >>> known.codes.tolist(), known.names
    ([0, 1, 2, -1], ('a, 0', 'a, 1', 'b, 1'))
    """
    if known is None:
        raise ValueError("known is missing: give the partition that you know, fit(X, known=labels).")
    if isinstance(known, Iterator | range):
        known = list(known)
    if _is_one_partition(known):
        columns = [_coded(known)]
    else:
        columns = [_coded(column) for column in columns_of(known.labels if isinstance(known, Ensemble) else known)[0]]
    wrong = [len(codes) for codes, _ in columns if len(codes) != n]
    if wrong or not columns:
        raise ValueError(f"known has {(wrong or [0])[0]} labels, but X has {n} rows: give one label for each row.")
    return _crossed(columns)


def _is_one_partition(known: Any) -> bool:
    if isinstance(known, list | tuple):
        return not known or isinstance(known[0], str | bytes) or not hasattr(known[0], "__iter__")
    return getattr(known, "ndim", None) == 1 or (hasattr(known, "to_numpy") and len(known.shape) == 1)


def _coded(known: Any) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(known, Iterable):
        raise ValueError(f"known must be a sequence of labels, or a list of such sequences; {known!r} is none.")
    values = known if hasattr(known, "dtype") else pd.Series(list(known), dtype=object).infer_objects().to_numpy()
    if getattr(values.dtype, "kind", "O") == "f":
        values = np.asarray(values)
        broken = values[np.isfinite(values) & (values != np.floor(values))]
        if len(np.unique(broken)) > _MOST_NUMBERS:
            raise ValueError(
                f"known has {len(np.unique(broken))} different numbers that are not whole: it is a continuous variable "
                "and no partition. Give labels, or use ConditionalBottleneck, which takes such variables."
            )
    return encode_labels(known, "known")


def _crossed(columns: list[tuple[np.ndarray, np.ndarray]]) -> Known:
    """The cells of the Cartesian product that have rows."""
    codes, classes = columns[0]
    labels: list[tuple[Any, ...]] = [(label,) for label in _plain(classes)]
    for further, classes in columns[1:]:
        own = _plain(classes)
        missing = (codes < 0) | (further < 0)
        cell = np.where(missing, -1, codes * len(own) + further)
        codes, cells = pd.factorize(np.where(missing, np.nan, cell))
        places = [divmod(int(place), len(own)) for place in cells]
        labels = [(*labels[one], own[other]) for one, other in places]
    if not labels:
        raise ValueError("known has no labels: all are missing. Give the partition that you know.")
    return Known(np.asarray(codes, dtype=np.int64), tuple(labels))


def _plain(classes: np.ndarray) -> list[Any]:
    """Labels as Python's own objects; times stay, since Python has none as fine."""
    return list(classes) if classes.dtype.kind in "mM" else classes.tolist()

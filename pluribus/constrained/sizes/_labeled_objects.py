"""Assignments in which every cluster gets some of the labeled objects."""

from typing import Any

import numpy as np

from pluribus.constrained.sizes._sized_assignment import BoundedAssignment
from pluribus.partitions import SizeError, assign_sizes
from pluribus.partitions._internal import encode_labels, size_bounds


class LabeledObjects:
    """Assign objects to clusters of bounded size with a minimum of labeled objects of each kind: exact.

    A cluster h of sizes τ to u that needs π labeled objects becomes two columns: one takes exactly π objects, labeled
    ones only, and the other takes τ - π to u - π of any objects. The cheapest assignment to the columns is the cheapest
    assignment to the clusters (problem (9.9) in the book, without transshipment nodes).

    Parameters
    ----------
    lower, upper : ndarray of shape (k,)
        Of all objects of each cluster.
    kinds : ndarray of shape (n,)
        The kind of each labeled object; -1 for objects without a label.
    least : ndarray of shape (number of kinds, k)
    """

    def __init__(self, lower: np.ndarray, upper: np.ndarray, kinds: np.ndarray, least: np.ndarray) -> None:
        needed = least.sum(axis=0)
        _check_room(np.maximum(lower, needed), upper, needed, len(kinds))
        kind, self.cluster = np.nonzero(least)
        self.forbidden = kinds[:, None] != kind
        exact = least[kind, self.cluster]
        self.lower = np.concatenate([np.maximum(lower - needed, 0), exact])
        self.upper = np.concatenate([upper - needed, exact])
        self.columns = np.concatenate([np.arange(len(lower)), self.cluster])

    def assign(
        self, cost: np.ndarray, prices: np.ndarray | None, previous: np.ndarray | None, thorough: bool = False
    ) -> BoundedAssignment:
        """The cheapest assignment; the prices are those of all columns."""
        reserved = cost[:, self.cluster]
        # More than all that a cycle through the columns can gain, so an object without the label never takes a place.
        reserved[self.forbidden] = cost.max() + 2 * len(self.columns) * (np.ptp(cost) + 1)
        cheapest = assign_sizes(np.hstack([cost, reserved]), self.lower, self.upper, prices=prices)
        return BoundedAssignment(self.columns[cheapest.labels], cheapest.prices, cheapest.cost, True)


def kinds_and_minima(labeled: Any, min_labeled: Any, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The kind of each labeled object, and the minimum of each kind in each cluster; raises if they cannot hold.

    ``labeled`` is a mask (one kind), or the label of each object with -1, None or NaN for none. ``min_labeled`` is for
    every kind, or a dictionary by kind.
    """
    given = np.asarray(labeled)
    if given.dtype == bool and given.ndim == 1:
        codes, names = np.where(given, 0, -1), np.array([True])
    else:
        codes, names = encode_labels(labeled, "labeled")
    if len(codes) != n:
        raise ValueError(f"labeled has {len(codes)} values, but X has {n} rows: give one for each row.")
    wanted = min_labeled if isinstance(min_labeled, dict) else dict.fromkeys(names.tolist(), min_labeled)
    if unknown := [name for name in wanted if name not in names.tolist()]:
        raise ValueError(f"min_labeled names {unknown[0]!r}, but no object has this label in labeled.")
    least = np.zeros((len(names), k), np.int64)
    for place, name in enumerate(names.tolist()):
        try:
            least[place] = size_bounds(int((codes == place).sum()), k, wanted.get(name))[0]
        except SizeError as error:
            message = str(error).replace("min_size", "min_labeled").replace("objects", f"objects labeled {name!r}", 1)
            raise SizeError(message) from None
    return codes, least


def _check_room(lower: np.ndarray, upper: np.ndarray, needed: np.ndarray, n: int) -> None:
    if (over := np.flatnonzero(needed > upper)).size:
        h = over[0]
        raise SizeError(
            f"min_labeled asks for {needed[h]} labeled objects in cluster {h}, but max_size allows {upper[h]} objects: "
            "lower the one, or raise the other."
        )
    if lower.sum() > n:
        raise SizeError(
            f"min_size and min_labeled ask for {lower.sum()} objects together, but there are {n}: lower one of them."
        )

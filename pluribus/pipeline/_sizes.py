"""Bounds on the sizes of clusters: as users state them, checked, and kept by moving the least certain objects."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pluribus.consensus import with_sizes
from pluribus.constraints import Constraints
from pluribus.constraints._internal import without_sizes
from pluribus.partitions._internal import size_bounds


@dataclass(frozen=True)
class Sizes:
    """Numbers of objects, shares of all, or equal sizes."""

    least: float | None = None
    most: float | None = None
    balance: bool = False

    @classmethod
    def of(cls, min_size: Any, max_size: Any, balance: bool) -> "Sizes | None":
        """The sizes that are asked for; None if there are none."""
        if balance and (min_size is not None or max_size is not None):
            raise ValueError("balance makes sizes equal: leave out min_size and max_size, or balance.")
        if min_size is max_size is None and not balance:
            return None
        return cls(_size("min_size", min_size), _size("max_size", max_size), balance)

    def bounds(self, n: int, k: int) -> dict[str, Any]:
        """For n objects in k clusters, as parameters of what keeps them; refuses what cannot hold."""
        least, most = (n // k, -(-n // k)) if self.balance else (self.least, self.most)
        _in_objects(n, k, least, most)
        return {"min_size": least, "max_size": most}

    def numbers(self, n: int) -> tuple[int, int]:
        """The fewest and the most clusters that n objects can have; refuses what no number of clusters can keep."""
        least, most = max(_in_objects(n, 1, self.least, None)[0], 1), _in_objects(n, n, None, self.most)[1]
        fewest, greatest = -(-n // most), n // least
        if fewest > greatest:
            raise ValueError(
                f"{n:,} objects cannot be divided into clusters of {least:,} to {most:,} objects: lower min_size, or "
                "raise max_size."
            )
        return fewest, greatest

    def check(self, n: int, k: int | None) -> None:
        """Refuse sizes that n objects, in k clusters if that is known, cannot have."""
        if k is None:
            self.numbers(n)
        else:
            self.bounds(n, k)

    def keep(self, consensus: Any) -> tuple[np.ndarray, str]:
        """The labels of a consensus within the bounds, and what was changed."""
        n = int((consensus.labels_ >= 0).sum())
        k = consensus.n_clusters_
        try:
            bounds = self.bounds(n, k)
        except ValueError as error:
            fewest, greatest = self.numbers(n)
            raise ValueError(f"{error} These sizes need {fewest:,} to {greatest:,} clusters: give k.") from None
        labels = with_sizes(consensus, **bounds)
        moved = int((labels != consensus.labels_).sum())
        least, most = _in_objects(n, k, *bounds.values())
        sizes = np.bincount(labels[labels >= 0], minlength=k)
        listed = f"{', '.join(f'{size:,}' for size in sizes[:12])}{', …' if len(sizes) > 12 else ''}"
        return labels, (
            f"{moved:,} of {n:,} objects were moved to another cluster, so that each cluster has {least:,} to {most:,} "
            f"objects: {listed}."
            if moved
            else f"All clusters of the consensus have {least:,} to {most:,} objects already: {listed}."
        )


def stated_sizes(known: Constraints, min_size: Any, max_size: Any) -> tuple[Constraints, Any, Any]:
    """The constraints without sizes, and the sizes of every cluster, as stated in one place or the other."""
    if "sizes" not in known.kinds:
        return known, min_size, max_size
    known, least, most = without_sizes(known)
    for name, given, stated in (("min_size", min_size, least), ("max_size", max_size, most)):
        if given is not None and stated is not None:
            raise ValueError(
                f"{name} is given twice, here as {given!r} and by the constraints as {stated}: give it once."
            )
    return known, least if min_size is None else min_size, most if max_size is None else max_size


def _in_objects(n: int, k: int, least: float | None, most: float | None) -> tuple[int, int]:
    """The bounds as numbers of objects, the same for each of k clusters."""
    lower, upper = size_bounds(n, k, least, most)
    return int(lower[0]), int(upper[0])


def _size(name: str, given: Any) -> float | None:
    """A number of objects, or a share: 50, 0.1 or "10%"."""
    if given is None:
        return None
    text = str(given).strip()
    try:
        size = float(text[:-1]) / 100 if text.endswith("%") else int(text) if text.isdigit() else float(text)
    except ValueError:
        size = -1
    if not 0 <= size < np.inf or (isinstance(size, float) and size > 1):
        raise ValueError(f"{name}={given!r}: give a number of objects, such as 50, or a share, such as 0.1 or 10%.")
    return size

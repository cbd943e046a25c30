"""``--min-size``, ``--max-size`` and ``--balance``: clusters of the right size."""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from pluribus.consensus import with_sizes
from pluribus.partitions import SizeError
from pluribus.partitions._internal import size_bounds

DIRECT = "size-constrained"  # the method over data that takes sizes
LOWER_ONLY = "balanced"  # and one that takes the fewest objects of a cluster, but not the most


@dataclass(frozen=True)
class Sizes:
    """What was asked for: numbers of objects, shares of all, or equal sizes."""

    least: int | float | None = None
    most: int | float | None = None
    balance: bool = False

    def bounds(self, n: int, k: int) -> dict[str, Any]:
        """For n objects in k clusters, as parameters of what keeps them; refuses what cannot hold."""
        least, most = (n // k, -(-n // k)) if self.balance else (self.least, self.most)
        _in_objects(n, k, least, most)
        return {"size_min": least, "size_max": most}

    def numbers(self, n: int) -> tuple[int, int]:
        """The fewest and the most clusters that n objects can have; refuses what no number of clusters can keep."""
        least, most = max(_in_objects(n, 1, self.least, None)[0], 1), _in_objects(n, n, None, self.most)[1]
        fewest, greatest = -(-n // most), n // least
        if fewest > greatest:
            raise ValueError(
                f"no number of clusters of {least:,} to {most:,} objects makes {n:,}: lower --min-size, or raise "
                "--max-size."
            )
        return fewest, greatest

    def kept_by(self, fitted: Any) -> tuple[Any, list[str]]:
        """The consensus with as few doubts as the sizes allow, and what was done to it."""
        n = int((fitted.labels_ >= 0).sum())
        try:
            bounds = self.bounds(n, fitted.n_clusters_)
        except ValueError as error:
            fewest, greatest = self.numbers(n)
            raise ValueError(f"{error} These sizes go with {fewest:,} to {greatest:,} clusters: give --k.") from None
        sized = copy.copy(fitted)
        sized.labels_ = with_sizes(fitted, **bounds)
        moved = int((sized.labels_ != fitted.labels_).sum())
        least, most = _in_objects(n, fitted.n_clusters_, *bounds.values())
        what = (
            f"{moved:,} of {n:,} objects are in another cluster than" if moved else "All objects are in the cluster of"
        )
        sizes = np.bincount(sized.labels_[sized.labels_ >= 0], minlength=fitted.n_clusters_)
        return sized, [
            f"{what} the consensus without bounds, so that each cluster has {least:,} to {most:,} objects: "
            f"{', '.join(f'{size:,}' for size in sizes[:12])}{', …' if len(sizes) > 12 else ''}."
        ]


def read(min_size: str | None, max_size: str | None, balance: bool) -> Sizes | None:
    """What the options ask for; None if they are not given."""
    if balance and (min_size is not None or max_size is not None):
        raise ValueError("--balance makes sizes equal: leave out --min-size and --max-size, or --balance.")
    if min_size is max_size is None and not balance:
        return None
    return Sizes(_size("--min-size", min_size), _size("--max-size", max_size), balance)


def check(sizes: Sizes | None, direct: str | None, known: Any, n: int, k: int | None) -> None:
    """Refuse sizes that nothing would keep, before any work."""
    if sizes is None:
        return
    if direct == LOWER_ONLY:
        if sizes.most is not None or sizes.balance:
            raise ValueError(
                f"--constrained-method {LOWER_ONLY} takes --min-size only: for other sizes use --constrained-method "
                f"{DIRECT}."
            )
    elif direct is not None and direct != DIRECT:
        raise ValueError(f"--constrained-method {direct} takes no sizes: use --constrained-method {DIRECT}.")
    if direct is None and known is not None:
        raise ValueError(
            "sizes and what is known cannot both be kept by a consensus: use pluribus cluster with "
            f"--constrained-method {DIRECT}."
        )
    if k is None:
        sizes.numbers(n)
    else:
        sizes.bounds(n, k)


def told(min_size: str | None, max_size: str | None, balance: bool) -> dict[str, object]:
    """For the report."""
    given = {"min-size": min_size, "max-size": max_size, "balance": balance or None}
    return {option: value for option, value in given.items() if value is not None}


def _in_objects(n: int, k: int, least: int | float | None, most: int | float | None) -> tuple[int, int]:
    """The same for each of k clusters; errors speak of the options."""
    try:
        lower, upper = size_bounds(n, k, least, most)
    except SizeError as error:
        said = str(error).replace("size_min", "--min-size").replace("size_max", "--max-size")
        raise ValueError(said) from None
    return int(lower[0]), int(upper[0])


def _size(option: str, text: str | None) -> int | float | None:
    """A number of objects, or a share: 50, 0.1 or 10%."""
    if text is None:
        return None
    said = text.strip()
    try:
        if said.endswith("%"):
            size: int | float = float(said[:-1]) / 100
        else:
            size = int(said) if said.isdigit() else float(said)
    except ValueError:
        size = -1
    if not 0 <= size < np.inf or (isinstance(size, float) and size > 1):
        raise ValueError(f"{option} is {text!r}: give a number of objects, such as 50, or a share, such as 0.1 or 10%.")
    return size

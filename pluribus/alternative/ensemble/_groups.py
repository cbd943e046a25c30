"""The known groups that can be clustered, and into how many clusters."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from pluribus._engine import whole_number
from pluribus.alternative._shared.known import Known
from pluribus.alternative.ensemble._local_clusterers import Group

_ROWS_PER_CLUSTER = 5  # with fewer rows on average, local clusters say little


def local_groups(X: Any, known: Known, n_clusters: int, local: int | Sequence[int] | None) -> list[Group]:
    """The groups with at least two different rows, each with at most as many clusters as different rows."""
    wanted = _numbers(local, n_clusters, known)
    n = X.shape[0]
    if known.n_groups * _ROWS_PER_CLUSTER * n_clusters > n:
        warnings.warn(
            f"known has {known.n_groups} groups for {n} rows: groups are small, and their clusters are uncertain. "
            "Merge groups of known, or use ResidualClusterer.",
            UserWarning,
            stacklevel=4,
        )
    order = np.argsort(known.codes, kind="stable")
    bounds = np.searchsorted(known.codes[order], np.arange(known.n_groups + 1))
    found, skipped = [], []
    for number, k in enumerate(wanted):
        rows = order[bounds[number] : bounds[number + 1]]
        n_different = min(k, _n_different(X[rows]))
        if n_different < 2:
            skipped.append(number)
        else:
            found.append(Group(number, rows, n_different))
    if not found:
        raise ValueError("No group of known has two different rows: there is nothing to cluster within the groups.")
    if skipped:
        names = known.names
        shown = ", ".join(repr(names[number]) for number in skipped[:5]) + (", …" if len(skipped) > 5 else "")
        warnings.warn(
            f"{len(skipped)} of the {known.n_groups} groups of known have no two different rows ({shown}): their rows "
            "are assigned by the clusters of the other groups.",
            UserWarning,
            stacklevel=4,
        )
    return found


def _numbers(local: Any, n_clusters: int, known: Known) -> list[int]:
    if local is None or np.ndim(local) == 0:
        return [n_clusters if local is None else whole_number("n_clusters_local", local, 2)] * known.n_groups
    if len(local) != known.n_groups:
        raise ValueError(
            f"n_clusters_local has {len(local)} numbers, but known has {known.n_groups} groups: give one for each, in "
            "the order in which the groups first occur, or a single number."
        )
    return [whole_number("n_clusters_local", number, 2) for number in local]


def _n_different(rows: Any) -> int:
    """How many different rows there are, by their places along a random direction."""
    direction = np.random.default_rng(0).normal(size=rows.shape[1])
    along = np.asarray(rows @ direction, dtype=np.float64)
    scale = np.abs(along).max(initial=0)
    return len(np.unique(np.round(along / scale, 12))) if scale > 0 else 1

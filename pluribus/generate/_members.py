"""Making the members of an ensemble: the plan of each, and the work on all."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from pluribus._engine import TaskStore, run_tasks
from pluribus.constraints import Constraints
from pluribus.partitions import Ensemble

from ._base_clusterers import cluster
from ._perturbation import View


@dataclass(frozen=True)
class Member:
    """One partition to be made, planned before any work: who clusters what, into how many, from which seed."""

    clusterer: Any
    linkage: str
    n_clusters: int | None
    asked: int  # before the number of rows limited it; 0 if the clusterer finds it by itself
    view: View

    @property
    def algorithm(self) -> str:
        """The clusterer's name, for people."""
        if self.clusterer == "agglomerative":
            return f"{self.linkage}-link"
        return self.clusterer if isinstance(self.clusterer, str) else type(self.clusterer).__name__

    def labels(self, X: Any, constraints: Constraints | None = None) -> np.ndarray:
        """Cluster: one label for each row of `X`, -1 for those not seen and for noise, in a small integer type."""
        rows = self.view.sampled_rows(X.shape[0])
        seen = self.view.of(X, rows)
        if constraints is not None and rows is not None:
            constraints = constraints.restrict(rows)
        try:
            found = cluster(self.clusterer, self.linkage, seen, self.n_clusters, self.view.seed, constraints)
        except Exception as error:
            error.add_note(f"while {self.algorithm} clustered {seen.shape[0]} rows into {self.n_clusters}")
            raise
        highest = max(int(found.max()), 0)  # noise alone has none
        labels = np.full(X.shape[0], -1, dtype=np.min_scalar_type(-1 - highest))
        labels[slice(None) if rows is None else rows] = found
        return labels


def make_ensemble(
    X: Any,
    members: Sequence[Member],
    *,
    n_jobs: int | None,
    verbose: bool,
    store: TaskStore | None,
    constraints: Constraints | None = None,
) -> Ensemble:
    """Run all members and unite them."""
    with _quiet():
        partitions = run_tasks(
            lambda member: member.labels(X, constraints),
            members,
            n_jobs=n_jobs,
            description=f"clustering {X.shape[0]:,} rows",
            verbose=verbose,
            store=store,
        )
    n_found = [int(np.count_nonzero(np.bincount(labels[labels >= 0]))) for labels in partitions]
    _report_shortfall(members, n_found)
    _check_noise(partitions)
    kept = [index for index, k in enumerate(n_found) if k]
    names = [f"{members[index].algorithm}-{index} k={n_found[index]}" for index in kept]
    return Ensemble([partitions[index] for index in kept], names=names)


def _check_noise(partitions: Sequence[np.ndarray]) -> None:
    """Refuse rows that no member has clustered; samples cover all rows, so only noise can leave some out."""
    covered = partitions[0] >= 0
    for labels in partitions[1:]:
        if covered.all():
            return
        covered |= labels >= 0
    noise = np.flatnonzero(~covered)
    if noise.size:
        raise ValueError(
            f"{noise.size} of {covered.size} rows are noise in every member (the first are rows "
            f"{noise[:5].tolist()}), so that nothing is known about them: choose parameters that leave less "
            "noise, or mix in a clusterer that leaves none, such as Generator('kmeans')"
        )


def _report_shortfall(members: Sequence[Member], n_found: Sequence[int]) -> None:
    """Say once how many members have no clusters, or clearly fewer than they were asked for."""
    n_empty = sum(k == 0 for k in n_found)
    fewer = [(member.asked, k) for member, k in zip(members, n_found, strict=True) if k < 0.9 * member.asked]
    if n_empty:
        warnings.warn(f"{n_empty} of {len(members)} members called every row noise; they are left out", stacklevel=4)
    elif fewer:
        asked, k = fewer[0]
        warnings.warn(
            f"{len(fewer)} of {len(members)} members have fewer clusters than asked for (the first {k} instead "
            f"of {asked}), most likely because too few rows differ",
            stacklevel=4,
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence what is expected of rough members: they need not converge, and neighbor graphs may fall apart."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Graph is not fully connected")
        # scikit-learn's guess about any table with as many rows as columns
        warnings.filterwarnings("ignore", "The spectral clustering API has changed")
        yield

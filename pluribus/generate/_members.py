"""The members of an ensemble: their plans, and how they are made."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pluribus._engine import ArraySpec, DaskCluster, TaskStore, recall, run_tasks
from pluribus._kernels.labels.label_codes import uncovered_rows
from pluribus.generate import _dask_members
from pluribus.generate._base_clusterers import cluster, quiet
from pluribus.generate._centers import ROWS_PER_CENTER, SAMPLED_ABOVE, Assignment, learn_centers
from pluribus.generate._label_matrix import assign, narrowed, new_matrix
from pluribus.generate._perturbation import View
from pluribus.generate._pool import Pool, gathered, waves
from pluribus.generate._side_information import SideInformation
from pluribus.generate._spectral_widths import WidthCut
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import code_in_place, encode_labels, smallest_int
from pluribus.tables import Rows
from pluribus.tables._internal import ArrayRows


@dataclass(frozen=True)
class Member:
    """The plan of one partition: its clusterer, number of clusters, rows, features and seed."""

    clusterer: Any
    linkage: str
    n_clusters: int | None
    asked: int  # n_clusters before the number of rows limits it; 0 if the clusterer finds it
    view: View

    @property
    def algorithm(self) -> str:
        """The name of the clusterer for messages."""
        if self.clusterer == "agglomerative":
            return f"{self.linkage}-link"
        if isinstance(self.clusterer, str):
            return self.clusterer
        return self.clusterer.algorithm if isinstance(self.clusterer, WidthCut) else type(self.clusterer).__name__

    @property
    def learns_centers(self) -> bool:
        """Whether the member learns centers from a sample, and assigns rows to them block by block."""
        return isinstance(self.clusterer, str) and self.clusterer == "kmeans" and self.view.rows > SAMPLED_ABOVE

    @property
    def n_needed(self) -> int:
        """The number of rows that the member learns from."""
        if not self.learns_centers or self.n_clusters is None:
            return self.view.rows
        return min(ROWS_PER_CENTER * self.n_clusters, self.view.rows)

    def needed_rows(self, n: int) -> np.ndarray | None:
        """Return these rows, in order; None for all."""
        rows = self.view.sampled_rows(n)
        if not self.learns_centers or self.n_clusters is None:
            return rows
        draw = np.random.default_rng([3, self.view.seed]).choice
        chosen = np.sort(draw(self.view.rows, self.n_needed, False, shuffle=False))
        return chosen if rows is None else rows[chosen]

    def made_of(
        self, rows: Any, n: int, needed: np.ndarray | None, side_information: SideInformation
    ) -> dict[str, np.ndarray]:
        """Cluster the needed rows: returns centers, if the member learns them, or n labels (-1 if not clustered)."""
        features = self.view.seen_features(rows.shape[1], rows.dtype)
        by_blocks = isinstance(self.clusterer, str) and self.clusterer == "landmarks"
        seen = features.in_blocks_of(rows) if by_blocks else features.of(rows)
        side_information = side_information.of(needed)
        try:
            if self.learns_centers and self.n_clusters is not None:
                return {"centers": learn_centers(seen, self.n_clusters, self.view.seed, side_information.weights)}
            labels = cluster(self.clusterer, self.linkage, seen, self.n_clusters, self.view.seed, *side_information)
        except Exception as error:
            error.add_note(f"while {self.algorithm} clustered {seen.shape[0]} rows into {self.n_clusters}")
            raise
        if labels.max() >= len(labels):  # numbers with gaps between them
            labels, _ = encode_labels(labels)
        all_labels = np.full(n, -1, dtype=smallest_int(max(int(labels.max()), 0)))  # noise alone has none
        all_labels[slice(None) if needed is None else needed] = labels
        return {"labels": all_labels}

    def expected(self, rows: Rows) -> dict[str, ArraySpec]:
        """What the arrays of `made_of` must look like: a store is not believed."""
        if self.learns_centers and self.n_clusters is not None:
            n_seen = self.view.projection or self.view.features
            return {"centers": ArraySpec(rows.dtype, (range(1, self.n_clusters + 1), n_seen))}
        return {"labels": ArraySpec("i", (rows.shape[0],), least=-1, below=self.n_needed)}

    def assignment(self, centers: np.ndarray, rows: Rows) -> Assignment:
        """Return the assignment of rows to the learned centers."""
        n, d = rows.shape
        sampled = self.view.sampled_rows(n)
        bits = None
        if sampled is not None:
            bits = np.zeros(n, dtype=bool)
            bits[sampled] = True
            bits = np.packbits(bits)
        return Assignment(self.view.seen_features(d, rows.dtype), centers, bits)


def make_ensemble(
    X: Any,
    members: Sequence[Member],
    side_information: SideInformation,
    *,
    n_jobs: int | None,
    verbose: bool,
    store: TaskStore | None,
    engine: DaskCluster | None,
) -> Ensemble:
    """Run all members, and collect their labels."""
    rows = X if isinstance(X, Rows) else ArrayRows(X)
    n = rows.shape[0]
    if engine is None:
        made = _make_members(rows, members, side_information, n_jobs, verbose, store)
    else:
        made = _dask_members.make_members(rows, members, side_information, engine, verbose=verbose, store=store)
    highest = max(len(one["centers"]) - 1 if "centers" in one else int(one["labels"].max()) for one in made)
    labels = new_matrix(n, len(members), smallest_int(highest), store)
    assignments = {
        index: member.assignment(one["centers"], rows)
        for index, (member, one) in enumerate(zip(members, made, strict=True))
        if "centers" in one
    }
    if engine is None:
        assign(rows, assignments, labels, n_jobs=n_jobs, verbose=verbose, store=store)
    else:
        _dask_members.assign(rows, assignments, labels, engine, verbose=verbose, store=store)
    for index, one in enumerate(made):
        if "labels" in one:
            labels[:, index] = one.pop("labels")  # not held twice
    classes = code_in_place(labels)
    n_found = [len(own) for own in classes]
    _report_shortfall(members, n_found)
    _check_noise(labels)
    kept = [index for index, k in enumerate(n_found) if k]
    names = [f"{members[index].algorithm}-{index} k={n_found[index]}" for index in kept]
    labels = narrowed(labels, kept, smallest_int(max(n_found) - 1))
    return Ensemble._make(labels, [classes[index] for index in kept], names=names)


def _make_members(
    rows: Rows,
    members: Sequence[Member],
    side_information: SideInformation,
    n_jobs: int | None,
    verbose: bool,
    store: TaskStore | None,
) -> list[dict[str, np.ndarray]]:
    n = rows.shape[0]

    def make(member: Member, near: Rows | Pool) -> dict[str, np.ndarray]:
        needed = member.needed_rows(n)
        return member.made_of(near.in_memory if needed is None else near.take(needed), n, needed, side_information)

    def expected(member: Member) -> dict[str, ArraySpec]:
        return member.expected(rows)

    everyone = dict(enumerate(members))
    made: dict[int, dict[str, np.ndarray]] = {} if store is None else recall(store, everyone, expected)
    missing = {index: member for index, member in everyone.items() if index not in made}
    for wave, needed in waves(rows, missing):
        with quiet():
            found = run_tasks(
                make,
                wave,
                shared=[gathered(rows, needed)],
                n_jobs=n_jobs,
                description=f"clustering {n:,} rows",
                verbose=verbose,
                store=store,
                expected=expected,
            )
        made |= zip(wave, found, strict=True)
    return [made[index] for index in everyone]


def _check_noise(labels: np.ndarray) -> None:
    """Refuse rows that are noise in every member; samples cover all rows."""
    if labels.min() >= 0:
        return
    n_noise, first = uncovered_rows(labels, 5)
    if n_noise:
        raise ValueError(
            f"{n_noise} of {len(labels)} rows are noise in every member (the first are rows {list(first)}), so they "
            "cannot be clustered: choose parameters with less noise, or mix in a clusterer without noise, such as "
            "Generator('kmeans')"
        )


def _report_shortfall(members: Sequence[Member], n_found: Sequence[int]) -> None:
    """Warn once of members without clusters, or with clearly fewer than requested."""
    n_empty = sum(k == 0 for k in n_found)
    fewer = [(member.asked, k) for member, k in zip(members, n_found, strict=True) if k < 0.9 * member.asked]
    if n_empty:
        warnings.warn(f"{n_empty} of {len(members)} members have only noise and are left out", stacklevel=4)
    elif fewer:
        asked, k = fewer[0]
        warnings.warn(
            f"{len(fewer)} of {len(members)} members have fewer clusters than requested (the first {k} instead of "
            f"{asked}), most likely because there are too few distinct rows",
            stacklevel=4,
        )

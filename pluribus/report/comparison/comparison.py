"""Two partitions of the same objects: from what was given to the numbers of their page. Nothing here draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pluribus.compare import Disagreement, disagreement
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import contingency_of_codes, stratified_sample
from pluribus.report._shared.object_map import principal_components
from pluribus.report._shared.sampling import spread_sample

_SHOWN = 5000  # objects on the map
_FITTED = 20_000  # objects that its axes are found from
_LARGEST = 30  # clusters of each side that stand alone in the table
_DISPUTED = 20


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two partitions of the same objects, and how they measure up against each other.

    Parameters
    ----------
    title : str
    partitions : Ensemble of two
        A and B, with names and ids.
    measures : mapping of name -> value
        By functions of ``pluribus.compare``, see ``compare_partitions``.
    X : array of shape (n, d), optional
        The features of the objects, for a map.
    notes : sequence of str
    parameters, versions : mappings

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> from pluribus.compare import compare_partitions
    >>> from pluribus.report import Comparison
    >>> a, b = [0, 0, 1, 1], [0, 0, 1, 2]
    >>> Comparison("four objects", Ensemble([a, b]), compare_partitions(a, b)).n_moved
    1
    """

    title: str
    partitions: Ensemble
    measures: Mapping[str, float]
    X: np.ndarray | None = None
    notes: Sequence[str] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    found: Disagreement = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.partitions.n_partitions != 2:
            raise ValueError(f"A comparison is of two partitions; {self.partitions.n_partitions} are given.")
        n = self.partitions.n_objects
        if self.X is not None and len(self.X) != n:
            raise ValueError(f"X has {len(self.X)} rows, but the partitions have {n} objects.")
        object.__setattr__(self, "found", disagreement(*self.partitions.labels.T))

    @property
    def ids(self) -> np.ndarray:
        """Of the objects: numbers from 1, if they have none."""
        n = self.partitions.n_objects
        return np.arange(1, n + 1).astype(str) if self.partitions.ids is None else self.partitions.ids

    @property
    def n_moved(self) -> int:
        """Objects that would have to change their cluster."""
        return int(self.found.moved.sum())

    def names_of(self, side: int) -> np.ndarray:
        """Each object's label as the user wrote it, "" where there is none; side 0 is A, 1 is B."""
        codes = self.partitions.labels[:, side]
        names = np.array([*map(str, self.partitions.classes[side]), ""], dtype=object)
        return names[codes]


@dataclass(frozen=True, eq=False)
class Overlaps:
    """The contingency table, its cells that are not empty, over the objects that are in both partitions."""

    row: np.ndarray
    column: np.ndarray
    count: np.ndarray
    sizes: tuple[np.ndarray, np.ndarray]  # objects of each cluster of A, and of B
    partner: np.ndarray  # of each cluster of A, in B; -1 for none

    @classmethod
    def of(cls, case: Comparison) -> "Overlaps":
        """From the labels; partners are what the best matching brings together."""
        (a, b), (k_a, k_b) = case.partitions.labels.T, case.partitions.n_clusters.tolist()
        cells = sparse.coo_array(contingency_of_codes(a, b, k_a, k_b, sparse=True))
        in_a = np.bincount(cells.row, cells.data, minlength=k_a).astype(np.int64)
        in_b = np.bincount(cells.col, cells.data, minlength=k_b).astype(np.int64)
        partner = np.full(k_a, -1)
        stays = (a >= 0) & (b >= 0) & ~case.found.moved
        partner[a[stays]] = b[stays]
        return cls(cells.row, cells.col, cells.data, (in_a, in_b), partner)

    @property
    def n(self) -> int:
        """Objects in both."""
        return int(self.count.sum())

    def main(self, side: int) -> tuple[np.ndarray, np.ndarray]:
        """For each cluster of a side, the cluster of the other that it shares the most with, and how much."""
        own, other = (self.row, self.column) if side == 0 else (self.column, self.row)
        order = np.lexsort((-other, self.count))  # the last to be written is the largest, the first of equals
        k = len(self.sizes[side])
        goal, most = np.full(k, -1), np.zeros(k, dtype=np.int64)
        goal[own[order]], most[own[order]] = other[order], self.count[order]
        return goal, most


@dataclass(frozen=True, eq=False)
class Crossing:
    """The contingency table as it is shown: partners on the diagonal, small clusters together at the end."""

    counts: np.ndarray
    names: tuple[list[str], list[str]]
    sizes: tuple[np.ndarray, np.ndarray]
    grouped: tuple[int, int]  # clusters of each side that stand together


@dataclass(frozen=True, eq=False)
class DifferenceMap:
    """The objects in two dimensions; ``color`` numbers the clusters of each side, partners have one number."""

    x: np.ndarray
    y: np.ndarray
    color: np.ndarray  # (m, 2), -1 for objects in no cluster
    names: list[str]  # of the clusters by these numbers
    labels: np.ndarray  # (m, 2) as the user wrote them
    moved: np.ndarray
    share: np.ndarray
    ids: np.ndarray
    axes: tuple[str, str]
    sampled: bool


class Disputed(NamedTuple):
    """An object that the two disagree on."""

    id: str
    a: str
    b: str
    share: float
    moved: bool


@dataclass(frozen=True, eq=False)
class ComparisonSummary:
    """All that the page of a comparison shows."""

    title: str
    names: tuple[str, str]
    n_objects: int
    n_compared: int
    n_clusters: tuple[int, int]
    n_moved: int
    overlaps: Overlaps
    labels: tuple[list[str], list[str]]  # what the clusters of each side are called
    crossing: Crossing
    edges: np.ndarray
    histogram: np.ndarray  # objects by the share of the others that they are treated differently with
    disputed: tuple[Disputed, ...]
    map: DifferenceMap | None
    measures: dict[str, float]
    parameters: dict[str, str]
    versions: dict[str, str]
    notes: tuple[str, ...]


def summarize_comparison(case: Comparison) -> ComparisonSummary:
    """Compute what the page shows.

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Comparison, summarize_comparison
    >>> case = Comparison("t", Ensemble([["x", "x", "y", "y"], [1, 1, 0, 2]]), {})
    >>> summary = summarize_comparison(case)
    >>> summary.crossing.names, summary.crossing.counts.tolist()
    ((['x', 'y'], ['1', '0', '2']), [[2, 0, 0], [0, 1, 1]])
    """
    overlaps = Overlaps.of(case)
    labels = tuple([str(label) for label in classes] for classes in case.partitions.classes)
    share = case.found.share[~np.isnan(case.found.share)]
    edges = np.linspace(0, np.ceil(max(share.max(initial=0), 0.05) * 20) / 20, 21)
    return ComparisonSummary(
        title=case.title,
        names=(case.partitions.names[0], case.partitions.names[1]),
        n_objects=case.partitions.n_objects,
        n_compared=overlaps.n,
        n_clusters=(int((overlaps.sizes[0] > 0).sum()), int((overlaps.sizes[1] > 0).sum())),
        n_moved=case.n_moved,
        overlaps=overlaps,
        labels=(labels[0], labels[1]),
        crossing=_crossing(case, overlaps, labels),
        edges=edges,
        histogram=np.histogram(share, edges)[0],
        disputed=_disputed(case),
        map=None if case.X is None else _map(case, overlaps),
        measures=dict(case.measures),
        parameters={str(name): "" if value is None else str(value) for name, value in case.parameters.items()},
        versions={str(name): str(version) for name, version in case.versions.items()},
        notes=tuple(str(note) for note in case.notes),
    )


def _order(overlaps: Overlaps) -> tuple[np.ndarray, np.ndarray]:
    """Clusters of A and of B, each beside its partner; those without one beside the cluster they share the most with.

    Two clusters without partners share nothing, or the matching would not be the best.
    """
    rows = np.flatnonzero(overlaps.partner >= 0)
    rows = rows[np.lexsort((rows, -overlaps.sizes[0][rows]))]
    ranks = [np.full(len(sizes), -1) for sizes in overlaps.sizes]
    ranks[0][rows] = ranks[1][overlaps.partner[rows]] = np.arange(len(rows))
    orders = []
    for side in (0, 1):
        held = np.flatnonzero(overlaps.sizes[side] > 0)
        matched = ranks[side][held] >= 0
        beside = np.where(matched, ranks[side][held], ranks[1 - side][overlaps.main(side)[0][held]])
        orders.append(held[np.lexsort((-overlaps.sizes[side][held], ~matched, beside))])
    return orders[0], orders[1]


def _crossing(case: Comparison, overlaps: Overlaps, labels: Sequence[list[str]]) -> Crossing:
    positions, names, sizes, grouped = [], [], [], []
    for side, order in enumerate(_order(overlaps)):
        own = overlaps.sizes[side]
        largest = np.argsort(-own[order], kind="stable")[:_LARGEST]
        alone = order[np.sort(largest)]
        position = np.full(len(own), len(alone))
        position[alone] = np.arange(len(alone))
        rest = len(order) - len(alone)
        positions.append(position)
        names.append([labels[side][c] for c in alone] + [f"{rest:,} smaller"] * (rest > 0))
        sizes.append(np.bincount(position, own, minlength=len(alone) + (rest > 0))[: len(names[-1])].astype(np.int64))
        grouped.append(rest)
    counts = np.zeros((len(names[0]), len(names[1])), dtype=np.int64)
    np.add.at(counts, (positions[0][overlaps.row], positions[1][overlaps.column]), overlaps.count)
    return Crossing(counts, (names[0], names[1]), (sizes[0], sizes[1]), (grouped[0], grouped[1]))


def _disputed(case: Comparison) -> tuple[Disputed, ...]:
    """Objects with the largest share, those that would have to move first among equals."""
    share = np.nan_to_num(case.found.share, nan=-1.0)
    candidates = np.flatnonzero(share > 0)
    if len(candidates) > _DISPUTED:
        least = np.partition(share[candidates], -_DISPUTED)[-_DISPUTED]
        candidates = candidates[share[candidates] >= least]
    moved = case.found.moved[candidates]
    chosen = candidates[np.lexsort((candidates, ~moved, -share[candidates]))][:_DISPUTED]
    a, b, ids = case.names_of(0), case.names_of(1), case.ids
    return tuple(Disputed(str(ids[i]), a[i], b[i], float(share[i]), bool(case.found.moved[i])) for i in chosen)


def _map(case: Comparison, overlaps: Overlaps) -> DifferenceMap:
    assert case.X is not None
    a = case.partitions.labels[:, 0]
    shown = spread_sample(a, np.nan_to_num(case.found.share), _SHOWN)
    fitted = stratified_sample(a, _FITTED)
    xy, axes = principal_components(np.asarray(case.X[fitted]), np.asarray(case.X[shown]))
    numbers = _numbers(overlaps)
    names = [""] * (max(int(own.max()) for own in numbers) + 1)
    for side in (1, 0):  # partners are called as A calls them
        for cluster, number in enumerate(numbers[side].tolist()):
            if number >= 0:
                names[number] = f"{'AB'[side]}: {case.partitions.classes[side][cluster]}"
    codes = case.partitions.labels[shown]
    return DifferenceMap(
        x=xy[:, 0],
        y=xy[:, 1],
        color=np.column_stack([np.append(number, -1)[codes[:, side]] for side, number in enumerate(numbers)]),
        names=names,
        labels=np.column_stack([case.names_of(side)[shown] for side in (0, 1)]),
        moved=case.found.moved[shown],
        share=case.found.share[shown],
        ids=case.ids[shown],
        axes=axes,
        sampled=len(shown) < len(a),
    )


def _numbers(overlaps: Overlaps) -> tuple[np.ndarray, np.ndarray]:
    """A number for each cluster of A and B, the same for partners, in the order of the table."""
    rows, columns = _order(overlaps)
    first, second = (np.full(len(sizes), -1) for sizes in overlaps.sizes)
    first[rows] = np.arange(len(rows))
    matched = np.flatnonzero(overlaps.partner >= 0)
    second[overlaps.partner[matched]] = first[matched]
    free = columns[second[columns] < 0]
    second[free] = len(rows) + np.arange(len(free))
    return first, second

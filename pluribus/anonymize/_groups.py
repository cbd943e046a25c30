"""Groups of at least k rows with a low squared error, in near-linear time."""

from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import run_tasks, seeds
from pluribus._kernels.assignment.admissible_moves import means_of, mend
from pluribus._kernels.assignment.group_pools import remake_pools, squared_error
from pluribus.anonymize._mdav import halves, mdav_groups, optimal_groups
from pluribus.anonymize.published import Diversity, diversity_of, is_diverse, kind_of
from pluribus.constrained import AtLeast, Condition
from pluribus.constrained._internal import MovingClusters, Requirements, refine
from pluribus.constraints import InfeasibleError
from pluribus.partitions import assign_sizes

_NEIGHBORHOOD = 256  # groups that are refined together
_POOLED = 8  # groups that are regrouped together
_POOLED_ROWS = 100  # and their rows, about
_ROUNDS = 4  # in which each group is regrouped with its nearest ones
_MOST_ROUNDS = 64
_WORK = 16_000  # rows times rounds: small tables get more rounds
_DRAWS = 100_003  # random numbers, used in turn; a prime, so that they do not repeat in the same places
_PASSES = 4  # over neighborhoods, different ones each time
_FLOWS = 50  # exact assignments, at most
_SWAPS = 1_000_000  # that are tried to repair a group
_LEAST = 1e-10  # of the total squared error per row: less is rounding


class Step(NamedTuple):
    """The result of one step of the search."""

    name: str
    n_groups: int
    loss: float  # squared error, as a share of that of all rows in one group


class GroupSearch:
    """Search for groups of at least k similar rows, with enough diversity of a sensitive attribute.

    For one column the groups are optimal. Otherwise MDAV makes the first groups. The error is then lowered in
    neighborhoods of a few hundred groups: by exact assignments of at least k rows to the means, by moves and swaps of
    rows, and by regrouping the rows of a few groups at a time. Groups that are not diverse are repaired by moves and
    swaps, or joined to others, and the error is lowered again by changes that keep all groups diverse.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    k : int
    diversity : Distinct, EntropyDiversity, RecursiveDiversity or None
    attributes : dict of one column
        The sensitive attribute, coded from 0.
    """

    def __init__(
        self,
        X: np.ndarray,
        k: int,
        diversity: Diversity | None = None,
        attributes: dict[str, np.ndarray] | None = None,
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.X, self.k, self.diversity, self.attributes = X, k, diversity, attributes or {}
        self.random = np.random.default_rng(seeds(random_state, 1)[0])
        self.n_jobs, self.verbose = n_jobs, verbose
        self.total = squared_error(X, np.zeros(len(X), np.int64), X.mean(axis=0)[None])
        self.least = _LEAST * self.total / len(X)
        self.path: list[Step] = []
        self.labels = np.zeros(len(X), np.int64)

    def run(self) -> np.ndarray:
        """The labels of the rows; ``path`` has the error after each step."""
        self._make_first_groups()
        if self.X.shape[1] > 1 and self.labels.max() > 0:
            self._lower("moves, swaps and new pools", diverse=False)
        if self.diversity is not None:
            self._over_neighborhoods(self._make_diverse, "diverse groups")
            self._join_neighborhoods()
            self._note("diverse groups")
            self._lower("diverse: moves, swaps and new pools", diverse=True)
        return self.labels

    def _join_neighborhoods(self) -> None:
        """Join groups that are not diverse because their whole neighborhood is not."""
        while self.diversity is not None and self.labels.max() > 0:
            values = next(iter(self.attributes.values()))
            of_groups = diversity_of(self.labels, values, kind_of(self.diversity), self.diversity.l)
            short = np.flatnonzero(~is_diverse(self.diversity, of_groups))
            if not len(short):
                break
            self.labels = _join(self.X, self.labels, short)

    def _make_first_groups(self) -> None:
        n = len(self.X)
        if n < 2 * self.k:
            self._note("one group")
        elif self.X.shape[1] == 1:
            self.labels = optimal_groups(self.X[:, 0], self.k)
            self._note("optimum of one column")
        else:
            self.labels = mdav_groups(self.X, self.k, n_jobs=self.n_jobs, verbose=self.verbose)
            self._note("MDAV")
            self._over_neighborhoods(self._reassign, "exact assignments")
            self._note("exact assignments")

    def _lower(self, name: str, *, diverse: bool) -> None:
        """Lower the error in neighborhoods: in one pass if there is only one, or if all groups will change again."""
        last = diverse or self.diversity is None
        for number in range(_PASSES if last and self.labels.max() >= _NEIGHBORHOOD else 1):
            self._over_neighborhoods(self._improve if not diverse else self._improve_diverse, f"{name}, {number + 1}")
            self._note(f"{name}, {number + 1}")

    def _note(self, name: str) -> None:
        error = error_of(self.X, self.labels)
        self.path.append(Step(name, int(self.labels.max()) + 1, error / self.total if self.total else 0.0))

    def _over_neighborhoods(self, function: Any, description: str) -> None:
        places = neighborhoods(self.X, self.labels, self.random)
        tasks = zip(places, seeds(int(self.random.integers(2**31)), len(places)), strict=True)

        def task(given: tuple[np.ndarray, int]) -> np.ndarray:
            rows, seed = given
            labels = np.unique(self.labels[rows], return_inverse=True)[1].astype(np.int64)
            return function(rows, np.ascontiguousarray(self.X[rows]), labels, seed)

        of_places = run_tasks(task, tasks, n_jobs=self.n_jobs, description=description, verbose=self.verbose)
        labels, first = np.empty(len(self.X), np.int64), 0
        for rows, inside in zip(places, of_places, strict=True):
            names, codes = np.unique(inside, return_inverse=True)
            labels[rows] = first + codes
            first += len(names)
        self.labels = labels

    def _requirements(self, rows: np.ndarray, *, diverse: bool) -> Requirements:
        conditions: list[Condition] = [AtLeast(self.k)]
        if diverse and self.diversity is not None:
            conditions.append(self.diversity)
        attributes = {name: values[rows] for name, values in self.attributes.items()} or None
        return Requirements.of(conditions, len(rows), attributes)

    def _reassign(self, rows: np.ndarray, X: np.ndarray, labels: np.ndarray, seed: int) -> np.ndarray:
        return reassign(X, labels, self.k, self.least)

    def _improve(self, rows: np.ndarray, X: np.ndarray, labels: np.ndarray, seed: int) -> np.ndarray:
        return self._improve_under(self._requirements(rows, diverse=False), X, labels, seed)

    def _improve_diverse(self, rows: np.ndarray, X: np.ndarray, labels: np.ndarray, seed: int) -> np.ndarray:
        return self._improve_under(self._requirements(rows, diverse=True), X, labels, seed)

    def _improve_under(self, requirements: Requirements, X: np.ndarray, labels: np.ndarray, seed: int) -> np.ndarray:
        """Moves and swaps, then pools of a few groups that are regrouped, then moves and swaps again."""
        labels = refine(X, labels, labels.max() + 1, requirements).labels
        n_rounds = int(np.clip(_WORK // len(self.X), _ROUNDS, _MOST_ROUNDS))
        random = np.random.default_rng(seed)
        n_pooled = int(np.clip(_POOLED_ROWS * (labels.max() + 1) // len(X), 2, _POOLED))
        most = len(X) // self.k
        orders = random.permuted(np.tile(np.arange(most), (n_rounds, 1)), axis=1)
        draws = np.r_[0, random.random(_DRAWS)]
        remake_pools(X, labels, requirements.rules, self.k, most, n_pooled, orders, draws, self.least)
        labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        return refine(X, labels, labels.max() + 1, requirements).labels

    def _make_diverse(self, rows: np.ndarray, X: np.ndarray, labels: np.ndarray, seed: int) -> np.ndarray:
        """The groups repaired, or joined if this fails; a neighborhood that is not diverse becomes one group."""
        try:
            requirements = self._requirements(rows, diverse=True)
        except InfeasibleError:
            return np.zeros(len(X), np.int64)
        return repair_or_join(X, labels, requirements)


def neighborhoods(X: np.ndarray, labels: np.ndarray, random: np.random.Generator) -> list[np.ndarray]:
    """The rows of each neighborhood: at most a few hundred nearby groups, whole groups only."""
    centers = means(X, labels)
    place = np.empty(len(centers), np.int64)
    count = 0
    for groups in halves(centers, _NEIGHBORHOOD, random, along="random"):
        place[groups] = count
        count += 1
    of_row = place[labels]
    order = np.argsort(of_row, kind="stable")
    return np.split(order, np.cumsum(np.bincount(of_row, minlength=count))[:-1])


def reassign(X: np.ndarray, labels: np.ndarray, k: int, least: float) -> np.ndarray:
    """Lower the error by exact assignments to the means of the groups, whose number stays, until it stops falling."""
    centers = means(X, labels)
    error, prices = squared_error(X, labels, centers), None
    squares = (X**2).sum(axis=1)[:, None]
    for _ in range(_FLOWS):
        cost = np.maximum(squares - 2 * X @ centers.T + (centers**2).sum(axis=1), 0)
        cheapest = assign_sizes(cost, min_size=k, prices=prices)
        centers = means(X, cheapest.labels)
        new = squared_error(X, cheapest.labels, centers)
        if new >= error - least:
            return labels
        labels, error, prices = cheapest.labels, new, cheapest.prices
    return labels


def repair_or_join(X: np.ndarray, labels: np.ndarray, requirements: Requirements) -> np.ndarray:
    """Groups that satisfy the conditions, by moves and swaps; the others are joined to the nearest group.

    One group remains if none satisfy the conditions.
    """
    while labels.max() > 0:
        labels = _repair(X, labels, requirements)
        short = np.flatnonzero(requirements.shortfalls(labels, labels.max() + 1))
        if not len(short):
            break
        labels = _join(X, labels, short)
    return labels


def _repair(X: np.ndarray, labels: np.ndarray, requirements: Requirements) -> np.ndarray:
    """Labels after moves and swaps that repair as many groups as possible."""
    n_groups = int(labels.max()) + 1
    clusters = MovingClusters(X, labels, n_groups, requirements)
    for g in np.flatnonzero(requirements.shortfalls(labels, n_groups)):
        how = 1, _SWAPS
        mend(clusters.X, requirements.rules, clusters.tally, g, *how, clusters.means, clusters.labels, *clusters.chains)
    return clusters.labels


def _join(X: np.ndarray, labels: np.ndarray, short: np.ndarray) -> np.ndarray:
    """Labels with each of these groups joined to the one with the nearest mean; a group takes part in one join."""
    centers, names = means(X, labels), np.arange(labels.max() + 1)
    taken = np.zeros(len(names), bool)
    for g in short:
        if not taken[g]:
            far = ((centers - centers[g]) ** 2).sum(axis=1)
            far[taken], far[g] = np.inf, np.inf
            nearest = far.argmin()
            if np.isfinite(far[nearest]):
                names[g], taken[[g, nearest]] = nearest, True
    return np.unique(names[labels], return_inverse=True)[1].astype(np.int64)


def means(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The mean of each group."""
    c = int(labels.max()) + 1
    centers = np.empty((c, X.shape[1]))
    means_of(X, labels, centers, np.empty(c, np.int64))
    return centers


def error_of(X: np.ndarray, labels: np.ndarray) -> float:
    """The sum of squared distances to the means of the groups."""
    return squared_error(X, labels, means(X, labels))

"""CDistance: transport between the points of clusters, and between clusters."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from pluribus._engine import run_tasks, seeds
from pluribus.compare._places import Places
from pluribus.compare._transport import transport_cost

_MOST_WAYS = 2_000**2  # between the points of two clusters
_MOST_PROBLEMS = 100_000  # each between two clusters


class Clouds(NamedTuple):
    """One partition: for each cluster the weights of its points, which sum to 1."""

    X: Any
    weights: sparse.csc_array  # (n, k)
    shares: np.ndarray


def clouds(places: Places, X: Any, *, sample: int | None = None, random_state: Any = 0) -> list[Clouds]:
    """All partitions, their clusters as distributions over the points, or over a sample of them."""
    X = places.check_vectors(X)
    if sample is not None:
        if isinstance(sample, bool) or not (isinstance(sample, int | np.integer) and sample >= 1):
            raise ValueError(f"sample must be a whole number of objects, at least 1; got {sample!r}.")
        rng = np.random.default_rng(seeds(random_state, 1)[0])
        index = np.sort(rng.choice(places.n_objects, min(sample, places.n_objects), replace=False))
        places, X = places.take_objects(index), X[index]
    weights = sparse.csc_array(places.memberships / places.masses)
    return [Clouds(X, weights[:, clusters], places.shares(clusters)) for clusters in places.slices]


def ratio(a: Clouds, b: Clouds, n_jobs: int | None = None, verbose: bool = True) -> float:
    """The cost of the best plan between clusters, over that of the plan that knows nothing."""
    n_problems = len(a.shares) * len(b.shares)
    if n_problems > _MOST_PROBLEMS:
        raise ValueError(
            f"CDistance solves a transport problem for every two clusters, here {n_problems:,} of them, and the limit "
            f"is {_MOST_PROBLEMS:,}. Use lift_emd_distance."
        )
    moves = _all_moves(a, b)
    most = _largest(moves)
    if most > _MOST_WAYS:
        raise ValueError(
            "The exact CDistance solves a transport problem between the points of every two clusters; the largest here "
            f"has {most:,} ways between points, and the limit is {_MOST_WAYS:,}. Give sample=2000 to compare the "
            f"partitions on so many of the {a.X.shape[0]:,} objects, or use lift_emd_distance, which is linear in n."
        )

    def cost(move: tuple[np.ndarray, ...]) -> float:
        sources, supply, sinks, demand = move
        moved = supply.sum()
        if not moved:
            return 0.0
        ways = cdist(_points(a.X, sources), _points(a.X, sinks))
        return moved * transport_cost(supply / moved, demand / moved, ways)

    found = run_tasks(cost, moves, n_jobs=n_jobs, description="transport between clusters", verbose=verbose)
    ground = np.reshape(found, (len(a.shares), len(b.shares)))
    spread = float(a.shares @ ground @ b.shares)
    # Both are one cluster, the same: nothing to move, and no other way to do so.
    return min(transport_cost(a.shares, b.shares, ground) / spread, 1.0) if spread > 0 else 0.0


def affordable(a: Clouds, b: Clouds) -> bool:
    """Whether ``ratio`` will take them."""
    return len(a.shares) * len(b.shares) <= _MOST_PROBLEMS and _largest(_all_moves(a, b)) <= _MOST_WAYS


def _points(X: Any, index: np.ndarray) -> np.ndarray:
    return X[index].toarray() if sparse.issparse(X) else X[index]


def _all_moves(a: Clouds, b: Clouds) -> list[tuple[np.ndarray, ...]]:
    return [_moves(a.weights, i, b.weights, j) for i in range(len(a.shares)) for j in range(len(b.shares))]


def _largest(moves: list[tuple[np.ndarray, ...]]) -> int:
    return max(len(sources) * len(sinks) for sources, _, sinks, _ in moves)


def _moves(u: sparse.csc_array, i: int, v: sparse.csc_array, j: int) -> tuple[np.ndarray, ...]:
    """Points where one cluster has more weight than the other, by how much; and the other way round.

    What both have in the same place need not move: so costs a transport with the distance as its price.
    """
    own, other = slice(*u.indptr[i : i + 2]), slice(*v.indptr[j : j + 2])
    points = np.union1d(u.indices[own], v.indices[other])
    difference = np.zeros(len(points))
    difference[np.searchsorted(points, u.indices[own])] += u.data[own]
    difference[np.searchsorted(points, v.indices[other])] -= v.data[other]
    difference[np.abs(difference) < 1e-15] = 0
    more, less = difference > 0, difference < 0
    return points[more], difference[more], points[less], -difference[less]


def cdistance(
    a: Any,
    b: Any,
    X: Any,
    *,
    sample: int | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> float:
    """How much one partition must be moved to become the other, over moving it blindly: 0 to 1 (CDistance).

    The way between two clusters is the transport distance between their points; the distance is the cost of the best
    plan between clusters over that of the plan that spreads each cluster over all others. Against a partition into
    one cluster it is 1. Not a metric. Exact, and expensive: a transport problem for every two clusters, each about
    cubic in the number of points. It refuses clusters of more than about 2,000 points that differ.

    Parameters
    ----------
    a, b : sequences of n labels, or n × k memberships
    X : array or sparse matrix of shape (n, d)
    sample : int, optional
        Compare on so many objects, drawn at random; clusters of which none is drawn are left out.
    random_state : int, RandomState, Generator or None
        For the sample. A fixed number by default, so that distances of several calls are on one sample.
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    References
    ----------
    Coen, Ansari and Fillmore, "Comparing clusterings in space", ICML 2010.

    Examples
    --------
    >>> from pluribus.compare import point_transport
    >>> X = [[0], [1], [2], [3], [7], [8], [9], [10]]
    >>> a, near, far = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1, 0]
    >>> round(cdistance(a, near, X), 6), round(cdistance(a, far, X), 6)
    (0.285714, 0.714286)
    """
    first, second = clouds(Places.of_pair(a, b), X, sample=sample, random_state=random_state)
    return ratio(first, second, n_jobs, verbose)

"""Connected clusters of small radius (connected k-center)."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import StrOptions

from pluribus._engine import run_tasks, seeds
from pluribus._kernels.graphs.connected_partitions import best_connected_partition
from pluribus.relational.connected._base import PARAMETERS, ConnectedMixin, farthest_first
from pluribus.relational.connected._space import Growth, Space

_MOST_EXACT = 18  # objects that can be divided exactly: time grows as 3^n


class ConnectedKCenter(ConnectedMixin, BaseEstimator):
    """Divide linked objects into k connected clusters whose farthest member is near its center.

    Use it if a cluster that is not connected is useless: regions on a map, customers who hear from each other. The
    method spreads k centers so that each is the object that the others reach last, along paths that stay near the
    center. Clusters then grow from the centers along the links, nearest objects first, centers move to the middle of
    their clusters, and the clusters grow again as long as the largest radius falls. Several starts are tried.

    The problem is NP-hard, and the factors 3 and 6 of the source do not hold for three or more clusters. Instead
    ``lower_bound_`` is a radius that no k connected clusters can go below. If attributes and links matter on average
    rather than in the worst case, use :class:`ConnectedKMeans`.

    Parameters
    ----------
    n_clusters : int
    method : {"greedy", "exact"}
        "exact" finds the best clusters of up to 18 objects.
    metric : {"euclidean", "cosine", "precomputed"}
    n_init : int
        Number of starts.
    max_iter : int
        Moves of the centers in each start.
    random_state : int, RandomState, Generator or None
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    centers_ : ndarray of shape (k,)
        The object in the middle of each cluster.
    radius_, radii_ : float, ndarray of shape (k,)
        The largest distance of a member to its center, over all and for each cluster.
    lower_bound_ : float or None
        No connected clusters have a smaller radius. None if distances are given that are not a metric.
    absorbed_ : ndarray of shape (n,)
        The radius of its cluster when an object joined: large for outliers. Zeros for "exact".

    References
    ----------
    Ge, Ester, Gao, Hu, Bhattacharya and Ben-Moshe, "Joint cluster analysis of attribute data and relationship data",
    TKDD 2(2), 2008.

    Examples
    --------
    >>> from pluribus.relational import ConnectedKCenter
    >>> X = [[0], [1], [2], [3], [4], [5]]
    >>> links = [(0, 2), (2, 4), (4, 1), (1, 3), (3, 5)]
    >>> model = ConnectedKCenter(2, random_state=0).fit(X, graph=links)
    >>> model.labels_.tolist(), model.radius_, model.lower_bound_
    ([0, 0, 0, 0, 0, 1], 2.0, 2.0)
    """

    known_as = {"ckc": {}}
    suits = "Linked objects whose clusters must be connected; the farthest member counts."

    _parameter_constraints: dict = PARAMETERS | {"method": [StrOptions({"greedy", "exact"})]}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        method: str = "greedy",
        metric: str = "euclidean",
        n_init: int = 10,
        max_iter: int = 50,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, graph: Any = None, constraints: Any = None) -> "ConnectedKCenter":
        """Divide the objects.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or distances of shape (n, n)
        y : ignored
        graph : edge list, sparse matrix, networkx graph, path or Graph
            The links between the rows of X, see :func:`pluribus.tables.as_graph`; an edge list names rows by their
            number. Weights do not matter.
        constraints : Constraints, optional
            In place of ``graph``, constraints that state a graph.
        """
        space = self._space(X, graph, constraints)
        if self.method == "exact":
            return self._fit_exactly(space)
        starts = run_tasks(
            lambda seed: self._start(space, np.random.default_rng(seed)),
            seeds(self.random_state, self.n_init),
            description="connected k-center",
            verbose=self.verbose,
        )
        growth, centers, radii, _ = min(starts, key=lambda start: start[2].max())
        self._set_result(space, growth, centers, radii)
        metric = space.is_metric(np.random.default_rng(0))
        self.lower_bound_ = float(space.shown(max(start[3] for start in starts) / 2)) if metric else None
        return self

    def _start(self, space: Space, rng: np.random.Generator) -> tuple[Growth, np.ndarray, np.ndarray, float]:
        """One start: the clusters, their centers and radii, and the radius within which the start reaches all."""
        seeds, reach = farthest_first(space, self.n_clusters, int(rng.integers(space.n)))
        best = None
        for _ in range(self.max_iter):
            growth = space.grow(seeds)
            centers, radii = space.centers(growth.labels, self.n_clusters)
            if best is not None and radii.max() >= best[2].max():
                break
            best = growth, centers, radii
            seeds = centers
        assert best is not None
        return *best, reach

    def _fit_exactly(self, space: Space) -> "ConnectedKCenter":
        n = space.n
        if n > _MOST_EXACT:
            raise ValueError(f"method='exact' is for {_MOST_EXACT} objects at most; got {n}. Use method='greedy'.")
        D = np.array([space.from_object(c) for c in range(n)])
        adjacent = np.zeros(n, dtype=np.int64)
        for v in range(n):
            adjacent[v] = sum(1 << int(w) for w in space.indices[space.indptr[v] : space.indptr[v + 1]])
        labels, _ = best_connected_partition(adjacent, D, self.n_clusters)
        growth = Growth(labels.astype(np.int32), np.zeros(n))
        self._set_result(space, growth, *space.centers(growth.labels, self.n_clusters))
        self.lower_bound_ = self.radius_
        return self

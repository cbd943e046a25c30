"""Connected clusters of small radius from random starts (NetScan)."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from pluribus._engine import run_tasks, seeds
from pluribus.relational.connected._base import PARAMETERS, ConnectedMixin, by_degree, farthest_first, warn_of_no_end
from pluribus.relational.connected._space import Growth, Space


class NetScan(ConnectedMixin, BaseEstimator):
    """Grow connected clusters around well-linked objects, and move the centers to the middle, in turn.

    The first centers are drawn by the number of their links. Clusters grow along the links, nearest objects first; an
    object between two clusters goes where those behind it are nearer. Then the member nearest to the mean becomes the
    center. An iteration takes time in proportion to the links, so it serves graphs with millions of them.
    :class:`ConnectedKCenter` starts from centers that are spread out, and is the better choice for small graphs.

    The source grows the radius by steps of the mean distance, which lets the first cluster flood the graph. Here the
    radius grows from object to object.

    Parameters
    ----------
    n_clusters : int
    metric : {"euclidean", "cosine", "precomputed"}
    n_init : int
        Number of starts; the one with the least radius counts.
    max_iter : int
    random_state : int, RandomState, Generator or None
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_, n_clusters_, centers_, radius_, radii_, lower_bound_, absorbed_ : see :class:`ConnectedKCenter`
    n_iter_ : int
        Iterations of the best start.

    References
    ----------
    Ge, Ester, Gao, Hu, Bhattacharya and Ben-Moshe, "Joint cluster analysis of attribute data and relationship data",
    TKDD 2(2), 2008.

    Examples
    --------
    >>> from pluribus.relational import NetScan
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> model = NetScan(2, random_state=0).fit(X, graph=[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])
    >>> model.labels_.tolist(), model.centers_.tolist()
    ([0, 0, 0, 1, 1, 1], [1, 4])
    """

    known_as = {"netscan": {}}
    suits = "Large graphs of linked objects whose clusters must be connected."

    _parameter_constraints: dict = PARAMETERS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "euclidean",
        n_init: int = 5,
        max_iter: int = 50,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, graph: Any = None, constraints: Any = None) -> "NetScan":
        """Divide the objects; the parameters are those of :class:`ConnectedKCenter`."""
        space = self._space(X, graph, constraints)
        starts = run_tasks(
            lambda seed: self._start(space, np.random.default_rng(seed)),
            seeds(self.random_state, self.n_init),
            description="NetScan",
            verbose=self.verbose,
        )
        growth, centers, radii, self.n_iter_, ended = min(starts, key=lambda start: start[2].max())
        if not ended:
            warn_of_no_end(self.max_iter)
        self._set_result(space, growth, centers, radii)
        rng = np.random.default_rng(0)
        reach = farthest_first(space, self.n_clusters, int(rng.integers(space.n)))[1]
        self.lower_bound_ = float(space.shown(reach / 2)) if space.is_metric(rng) else None
        return self

    def _start(self, space: Space, rng: np.random.Generator) -> tuple[Growth, np.ndarray, np.ndarray, int, bool]:
        """One start: the best clusters that were seen, their centers and radii, iterations, and whether it ended."""
        k = int(self.n_clusters)
        centers, seen, best = by_degree(space, k, rng), set(), None
        for n_iter in range(1, self.max_iter + 1):
            growth = space.grow(centers)
            middle, radii = space.centers(growth.labels, k)
            if best is None or radii.max() < best[2].max():
                best = growth, middle, radii
            if space.precomputed:
                centers = middle
            else:
                centers = space.nearest_members(growth.labels, space.means(growth.labels, k))
            state = tuple(sorted(centers.tolist()))
            if state in seen:
                return *best, n_iter, True
            seen.add(state)
        assert best is not None
        return *best, self.max_iter, False

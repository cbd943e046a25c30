"""Connected clusters of small squared error (connected k-means)."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import run_tasks, seeds
from pluribus.relational.connected._base import PARAMETERS, ConnectedMixin, by_degree, warn_of_no_end
from pluribus.relational.connected._space import Growth, Space

_MOST_SMOOTHING = 100  # steps: long before, linked objects are all alike


class ConnectedKMeans(ConnectedMixin, BaseEstimator):
    """k-means whose clusters are connected in a graph.

    Clusters grow along the links from the member nearest to the mean, nearest objects first, then the means move, in
    turn. The start with the least squared error counts: single starts vary much. By default a start comes from plain
    k-means, which ignores the links.

    Attributes of linked objects are often sparse and noisy, as words of short texts are. ``smoothing`` averages them
    over linked objects before the clustering, which helps if linked objects tend to be of one kind.

    Parameters
    ----------
    n_clusters : int
    smoothing : int
        How often attributes are averaged over neighbors, from 0 to 100.
    init : {"kmeans", "degree"}
        Starts from k-means, or from objects drawn by the number of their links, as the source does.
    metric : {"euclidean", "cosine"}
    n_init : int
        Number of starts.
    max_iter : int
    random_state : int, RandomState, Generator or None
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (k, d)
        Means; with smoothing, of the smoothed attributes.
    inertia_ : float
        Sum of squared distances to the means.
    centers_, radius_, radii_, absorbed_ : see :class:`ConnectedKCenter`
    n_iter_ : int

    References
    ----------
    Ge, Ester, Gao, Hu, Bhattacharya and Ben-Moshe, "Joint cluster analysis of attribute data and relationship data",
    TKDD 2(2), 2008.

    Examples
    --------
    >>> from pluribus.relational import ConnectedKMeans
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> model = ConnectedKMeans(2, random_state=0).fit(X, graph=[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])
    >>> model.labels_.tolist(), model.inertia_
    ([0, 0, 0, 1, 1, 1], 4.0)
    """

    known_as = {"connected-kmeans": {}}
    suits = "Linked objects whose clusters must be connected; the mean member counts."

    _parameter_constraints: dict = PARAMETERS | {
        "smoothing": [Interval(Integral, 0, _MOST_SMOOTHING, closed="both")],
        "init": [StrOptions({"kmeans", "degree"})],
        "metric": [StrOptions({"euclidean", "cosine"})],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        smoothing: int = 0,
        init: str = "kmeans",
        metric: str = "euclidean",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.smoothing = smoothing
        self.init = init
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, graph: Any = None, constraints: Any = None) -> "ConnectedKMeans":
        """Divide the objects; the parameters are those of :class:`ConnectedKCenter`."""
        space = self._space(X, graph, constraints)
        if self.smoothing:
            space.smooth(self.smoothing)
        starts = run_tasks(
            lambda seed: self._start(space, seed),
            seeds(self.random_state, self.n_init),
            description="connected k-means",
            verbose=self.verbose,
        )
        growth, means, inertia, self.n_iter_, ended = min(starts, key=lambda start: start[2])
        if not ended:
            warn_of_no_end(self.max_iter)
        order = self._set_result(space, growth, *space.centers(growth.labels, self.n_clusters))
        self.cluster_centers_, self.inertia_ = means[order], inertia
        return self

    def _start(self, space: Space, seed: int) -> tuple[Growth, np.ndarray, float, int, bool]:
        """One start: the best clusters that were seen, their means and error, the iterations, and whether it ended."""
        k, best, seen = int(self.n_clusters), None, set()
        members, points = self._first(space, seed)
        for n_iter in range(1, self.max_iter + 1):
            growth = space.grow(members, points)
            points = space.means(growth.labels, k)
            members = space.nearest_members(growth.labels, points)
            inertia = space.squared_error(growth.labels, points)
            if best is None or inertia < best[2]:
                best = growth, points, inertia
            state = growth.labels.tobytes()
            if state in seen:
                return *best, n_iter, True
            seen.add(state)
        assert best is not None
        return *best, self.max_iter, False

    def _first(self, space: Space, seed: int) -> tuple[np.ndarray, np.ndarray | None]:
        """The objects that clusters grow from first, and the points that distances are to."""
        rng = np.random.default_rng(seed)
        k = int(self.n_clusters)
        if self.init == "degree" or space.n_components > 1:
            return by_degree(space, k, rng), None
        start = KMeans(k, n_init=1, random_state=int(rng.integers(2**31))).fit(space.X)
        used = np.unique(start.labels_)
        if len(used) < k:  # fewer distinct rows than clusters
            return by_degree(space, k, rng), None
        points = space.means(start.labels_, k)
        return space.nearest_members(start.labels_, points), points

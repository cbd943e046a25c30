"""k-means with pairs that may be broken at a price (PCKMeans)."""

from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from pluribus.constrained._shared.base import STARTS_PARAMETERS
from pluribus.constrained._shared.pair_descent import Problem
from pluribus.constrained._shared.pair_kmeans import ConstrainedKMeans
from pluribus.constrained._shared.pair_network import soft_network
from pluribus.constrained._shared.points import Points
from pluribus.constrained._shared.starts import from_neighborhoods
from pluribus.constraints import Closure, Constraints


class PairwiseKMeans(ConstrainedKMeans):
    """k-means with must-links and cannot-links that may be broken at a price (PCKMeans).

    It lowers half the sum of squared distances to the centers plus the weight of each pair that is broken. A pair
    without a weight is hard and is never broken; the weight of a soft one is compared with squared distances, so it
    means the more the smaller the scale of X: with a variance of one in each cluster it is the log-odds that the pair
    is right (:func:`pluribus.constraints.log_odds`).

    Objects that share pairs are assigned together, exactly where the pairs form trees or small components, else by
    greed and exchanges of groups. The objective never rises. The first
    start puts centers on the means of linked objects, those far apart and heavy first; the others are drawn.

    Prefer it to :class:`CopKMeans` when some pairs may be wrong, to :class:`MetricPairwiseKMeans` when the scale of
    the features is right as it is. Without constraints it is k-means.

    Parameters
    ----------
    n_clusters : int, default=8
    init : {"neighborhoods", "k-means++"} or array of shape (n_clusters, d)
        Where to start. "neighborhoods": the first time from the means of objects that hard must-links, groups or
        labels hold together, as far as there are any, then drawn; "k-means++": always drawn.
    n_init : int, default=10
        Number of starts; the result with the lowest objective is kept.
    max_iter : int, default=300
        Of one start.
    tol : float, default=1e-4
        A start ends when its centers move less than this, relative to the variance of the data.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Cores for the starts; the result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters, d)
    inertia_ : float
        Weighted sum of squared distances of the rows to their centers.
    objective_ : ndarray
        Half the inertia and the weight of broken pairs, after each assignment of the best start.
    n_iter_ : int
    violations_ : Violations
        The pairs that are broken; none of them hard.

    References
    ----------
    Basu, Banerjee and Mooney (2004), Active semi-supervision for pairwise constrained clustering, SDM.

    Examples
    --------
    >>> from pluribus import Constraints
    >>> from pluribus.constrained import PairwiseKMeans
    >>> X = [[0], [1], [6], [7]]
    >>> weak = Constraints(4, must_link=[(1, 2)], must_weight=1)
    >>> PairwiseKMeans(2, random_state=0).fit(X, constraints=weak).violations_.must_link.tolist()
    [[1, 2]]
    >>> strong = Constraints(4, must_link=[(1, 2)], must_weight=20)
    >>> PairwiseKMeans(2, random_state=0).fit(X, constraints=strong).labels_.tolist()
    [1, 0, 0, 0]
    """

    _parameter_constraints: dict = {
        **STARTS_PARAMETERS,
        "init": [StrOptions({"neighborhoods", "k-means++"}), "array-like", "sparse matrix"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "neighborhoods",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_constraints(self, constraints: Constraints) -> None:
        """Preferences are welcome."""

    def _problem(
        self, points: Points, constraints: Constraints, closure: Closure, witness: np.ndarray | None
    ) -> Problem:
        return Problem.of(points, *soft_network(closure, self.n_clusters), witness)

    def _first_rows(self, number: int, seed: int, points: Points, closure: Closure) -> np.ndarray:
        several = np.flatnonzero(closure.chunk_sizes > 1)
        if self.init == "neighborhoods" and number == 0:
            return from_neighborhoods(points, several, self.n_clusters, seed)
        return super()._first_rows(number, seed, points, closure)

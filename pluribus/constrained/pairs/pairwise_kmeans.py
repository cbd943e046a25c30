"""k-means with pairs that may be broken at a price (PCKMeans)."""

from typing import Any

from pluribus.constrained._shared.kmeans import ConstrainedKMeans
from pluribus.constrained._shared.pair_assignment import PairAssignment
from pluribus.constrained._shared.pair_network import soft_network
from pluribus.constrained._shared.parameters import FIRST_CENTERS_WITH_PAIRS, STARTS
from pluribus.constrained._shared.points import Points
from pluribus.constrained._shared.starts import starts
from pluribus.constraints import Constraints


class PairwiseKMeans(ConstrainedKMeans):
    """k-means with must-links and cannot-links that may be broken at a price (PCKMeans).

    It minimizes, over the labels z and the centers μ,

        J(z, μ) = ½ Σ_i ‖x_i - μ_{z_i}‖² + Σ_must-links w_ij [z_i ≠ z_j] + Σ_cannot-links w_ij [z_i = z_j].

    A pair without a weight is hard and is never broken. The weight of a soft pair is compared with squared distances,
    so it depends on the scale of X. If each cluster has a variance of 1, the weight is the log-odds that the pair is
    right (:func:`pluribus.constraints.log_odds`).

    Objects that share pairs are assigned jointly: exactly where the pairs form trees or small components, elsewhere
    greedily, followed by exchanges of groups. The objective never rises. The first start puts the centers on the means
    of objects that hard constraints keep together, heavy and distant ones first; the other starts are drawn.

    Prefer it to :class:`CopKMeans` when some pairs may be wrong. Prefer :class:`MetricPairwiseKMeans` when features
    differ in scale or relevance. Without constraints it is k-means.

    Parameters
    ----------
    n_clusters : int, default=8
    init : {"neighborhoods", "k-means++"} or array of shape (n_clusters, d)
        The first centers. "neighborhoods": the first start uses the means of objects that hard must-links, groups or
        labels keep together, and draws the rest; the other starts are drawn. "k-means++": all starts are drawn.
    n_init : int, default=10
        Number of starts; the result with the lowest objective is kept.
    max_iter : int, default=300
        Iterations of one start.
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
        J: half the inertia plus the weight of broken pairs, after each assignment of the best start.
    n_iter_ : int
    violations_ : Violations
        The broken pairs; none of them is hard.

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

    known_as = {"pckmeans": {}}
    suits = "Pairs that may be wrong, and features on a meaningful scale."

    _parameter_constraints: dict = {
        **STARTS,
        **FIRST_CENTERS_WITH_PAIRS,
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

    def fit(
        self, X: Any, y: Any = None, *, constraints: Constraints | None = None, sample_weight: Any = None
    ) -> "PairwiseKMeans":
        """Cluster X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        constraints : Constraints, optional
            Hard and soft pairs, groups and labels of the n rows.
        sample_weight : array of shape (n,), optional
            How much each row counts.
        """
        given = self._check_given(X, constraints, sample_weight)
        witness = self._check_feasible(given.constraints).witness
        closure = given.constraints.closure(self.n_clusters)
        points = Points.of(given, closure)  # hard must-links: a chunklet is one weighted point
        pairs, costs = soft_network(closure, self.n_clusters)  # w_ij of the broken pairs; infinite if hard
        assignment = PairAssignment.of(points, pairs, costs, closure, witness)
        neighborhoods = (closure.chunk_sizes > 1).nonzero()[0]
        best = self._best_run(
            starts(self.init, points, self.n_clusters, self.random_state, self.n_init, neighborhoods=neighborhoods),
            assign=assignment.cheapest,  # argmin_z J(z, μ), and J
            update=assignment.means,  # argmin_μ J(z, μ)
            variance=points.variance,
        )
        self._set_kmeans_result(given, closure, assignment, best)
        # Soft pairs that hard constraints break cost the same for all labels: J has them, the search does not.
        self.objective_ = best.path + self.violations_.weight - assignment.penalty(best.labels)
        return self

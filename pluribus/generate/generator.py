"""Ensembles by one clusterer, run many times on perturbed data."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from pluribus._engine import is_one_of, seeds
from pluribus.generate._base import BaseGenerator, check_repeatable
from pluribus.generate._base_clusterers import LINKAGES, MAX_DISTANCES, NAMED, chooses_k_itself
from pluribus.generate._k_rules import RULES, KRule, k_range, requested_range
from pluribus.generate._members import Member
from pluribus.generate._perturbation import View, members_per_round
from pluribus.generate.communities import Communities, require_igraph


class Generator(BaseGenerator):
    """Cluster a table many times, each time a little differently.

    An ensemble is better than its members if they are good and make different errors. Members differ by their random
    start, by their number of clusters, and optionally by the rows and features that they use.

    The default suits tables from 100 to 1,000,000 rows: 100 members by k-means, each with one random start and its own
    number of clusters, finer than the clusters of the result (see `k_range`). Such fine members split natural clusters
    of any shape into small round pieces, and seldom join two clusters. The consensus then merges the pieces that are
    often together. Above 10,000 rows the centers are learned from a sample: a member of a million rows and ten features
    takes about 1.2 seconds on one core.

    Parameters
    ----------
    clusterer : str or a clusterer, default="kmeans"
        "kmeans", "agglomerative", "mixture", "spectral", "landmarks", "communities", or any scikit-learn clusterer. It
        is cloned; its `n_clusters` (`n_components` for a mixture) and `random_state` are set for each member,
        unless it has none or its `n_clusters` is None. Its noise (-1) counts as not clustered. "spectral" uses the
        graph of the 10 nearest neighbors. "landmarks" is spectral clustering of up to millions of rows by links of each
        row to a few of at most 1,000 landmarks (or 2 for each cluster); it works best with few members of about 20 to
        60 clusters. "communities" is the Leiden algorithm on the graph of the 15 nearest neighbors, with a resolution
        drawn for each member, which decides on the number of clusters: see `Communities`.
    n_members : int, default=100
        Number of partitions.
    n_clusters : int, (int, int), str or callable, default="auto"
        Number of clusters of each member: fixed, drawn from a range, or from the range of a rule for the number of rows
        ("auto", "sqrt", "linear", "sqrt-or-50", "coarse", or a function). See `k_range`.
    subsample : float, default=1.0
        Share of the rows that each member clusters, drawn without replacement; the others get -1. All rows are drawn
        about equally often.
    subspace : float or int, default=1.0
        Share (float) or number (int) of the features that each member uses.
    projection : int, optional
        Number of dimensions to which each member projects its features at random (Gaussian).
    linkage : {"ward", "complete", "average", "single", "genie"}, default="average"
        Linkage of "agglomerative". It has no random start, so vary its members by `n_clusters`, `subsample` or
        `subspace`. "genie" is single link that merges the smallest clusters first when sizes become unequal, with a
        Gini threshold of 0.1, 0.3, 0.5 or 0.7 drawn for each member; it needs no distances of all pairs in memory.
    random_state : int, RandomState, numpy Generator or None, default=None
        The same integer gives the same ensemble for any `n_jobs`; a larger `n_members` only adds members.
    engine : "dask", the address of a scheduler, or a distributed.Client, optional
        A Dask cluster whose workers make the ensemble, with the same result; "dask" is the client in scope. By default
        it is made in this process.
    n_jobs : int, default=None
        Members computed at a time in this process; None is 1, -1 is the number of cores.
    verbose : bool, default=True
        Show progress (only on a terminal).

    References
    ----------
    A. Fred, A. K. Jain, "Combining multiple clusterings using evidence accumulation", IEEE TPAMI 27(6), 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pluribus.generate import Generator
    >>> X = load_iris().data
    >>> ensemble = Generator(n_members=20, random_state=0).generate(X)
    >>> ensemble.n_objects, ensemble.n_partitions
    (150, 20)
    >>> ensemble.names[0]
    'kmeans-0 k=...'
    >>> from sklearn.cluster import Birch
    >>> Generator(Birch(threshold=0.1), n_members=5, n_clusters=3, subsample=0.8).generate(X).n_clusters
    array([3, 3, 3, 3, 3])
    """

    _parameter_constraints: dict = {
        "clusterer": [StrOptions(set(NAMED)), HasMethods(["fit_predict", "get_params", "set_params"])],
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "n_clusters": [Integral, tuple, list, StrOptions(set(RULES)), callable],
        "subsample": [Interval(Real, 0, 1, closed="right")],
        "subspace": [
            Interval(Real, 0, 1, closed="right"),
            Interval(Integral, 1, None, closed="left"),
        ],
        "projection": [Interval(Integral, 1, None, closed="left"), None],
        "linkage": [StrOptions(set(LINKAGES))],
        "random_state": ["random_state", np.random.Generator],
        "engine": "no_validation",
        "n_jobs": [Integral, None],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        clusterer: Any = "kmeans",
        *,
        n_members: int = 100,
        n_clusters: KRule = "auto",
        subsample: float = 1.0,
        subspace: float | int = 1.0,
        projection: int | None = None,
        linkage: str = "average",
        random_state: Any = None,
        engine: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.clusterer = clusterer
        self.n_members = n_members
        self.n_clusters = n_clusters
        self.subsample = subsample
        self.subspace = subspace
        self.projection = projection
        self.linkage = linkage
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _plan(self, n: int, d: int, *, sparse: bool, random_state: Any) -> list[Member]:
        self._validate_params()
        rows = max(1, round(self.subsample * n))
        features = self._n_features(d)
        self._check_rows(n, rows)
        self._check_form(rows, features, sparse)
        k_min, k_max = k_range(rows, self.n_clusters)
        asked_min = requested_range(rows, self.n_clusters)[0]
        by_itself = chooses_k_itself(self.clusterer)
        per_round = members_per_round(n, rows)
        own_seeds = seeds(random_state, self.n_members)
        members = []
        for index, seed in enumerate(own_seeds):
            turn, place = divmod(index, per_round)
            view = View(rows, features, self.projection, own_seeds[turn * per_round], place, seed)
            k = int(np.random.default_rng([0, seed]).integers(k_min, k_max + 1))
            members.append(
                Member(
                    self.clusterer,
                    self.linkage,
                    n_clusters=None if by_itself else k,
                    asked=0 if by_itself else max(k, asked_min),
                    view=view,
                )
            )
        return members

    def _identity(self, n: int, random_state: Any) -> Any:
        check_repeatable(random_state)
        n_clusters = k_range(max(1, round(self.subsample * n)), self.n_clusters)
        # Without n_members: the first members are the same for any number of them.
        left_out = {"n_members", "engine", "n_jobs", "verbose"}
        parameters = {k: v for k, v in self.get_params(deep=False).items() if k not in left_out}
        return "Generator", {**parameters, "n_clusters": n_clusters, "random_state": random_state}

    def _n_features(self, d: int) -> int:
        if isinstance(self.subspace, Integral):
            if self.subspace > d:
                raise ValueError(f"subspace={self.subspace} is more than the {d} features of X: give at most {d}")
            return int(self.subspace)
        return max(1, round(self.subspace * d))

    def _check_rows(self, n: int, rows: int) -> None:
        if self.n_members < members_per_round(n, rows):
            raise ValueError(
                f"n_members={self.n_members} with subsample={self.subsample} cannot cover all {n} rows: give "
                f"n_members={members_per_round(n, rows)} or more, or a larger subsample"
            )

    def _check_form(self, rows: int, features: int, sparse: bool) -> None:
        if self.projection is not None and self.projection > features:
            raise ValueError(
                f"projection={self.projection} is more than the {features} features of a member: give fewer, or None "
                "for no projection"
            )
        if sparse and self.projection is None and self.clusterer in ("agglomerative", "mixture"):
            raise ValueError(
                f"X is sparse, but clusterer={self.clusterer!r} needs dense rows: give projection=50 (random "
                "projections are dense and small), or clusterer='kmeans'"
            )
        self._check_communities()
        n_bytes = 4 * rows * (rows - 1)
        if self.clusterer == "agglomerative" and self.linkage not in ("single", "genie") and n_bytes > MAX_DISTANCES:
            fitting = int((MAX_DISTANCES / 4) ** 0.5)
            raise ValueError(
                f"clusterer='agglomerative' with linkage={self.linkage!r} would need {n_bytes / 1e9:.0f} GB for the "
                f"distances between the {rows:,} rows of each member: give a subsample of at most {fitting:,} rows, "
                "linkage='single', or clusterer='kmeans'"
            )

    def _check_communities(self) -> None:
        if not (is_one_of(self.clusterer, ("communities",)) or isinstance(self.clusterer, Communities)):
            return
        require_igraph()
        if self.n_clusters != "auto":
            raise ValueError(
                f"n_clusters={self.n_clusters!r}, but communities find the number of clusters: leave it out, or "
                "give clusterer=Communities(resolution=...), of which higher ones find more clusters"
            )

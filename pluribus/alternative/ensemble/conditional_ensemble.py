"""Another partition by local clusterings within the known groups (CondEns)."""

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from pluribus._engine import run_tasks, seeds, track
from pluribus.alternative._shared.base import AlternativeMixin
from pluribus.alternative._shared.criteria import explained_beyond, information_beyond
from pluribus.alternative._shared.known import Known
from pluribus.alternative._shared.residuals import Residuals
from pluribus.alternative.ensemble._combination import category_utility, check_combine, combine
from pluribus.alternative.ensemble._groups import local_groups
from pluribus.alternative.ensemble._local_clusterers import COUNTS, KMEANS, Group, check_base, fit_and_extend
from pluribus.compare import diversity, normalized_mutual_information_index
from pluribus.partitions import Ensemble


class ConditionalEnsemble(AlternativeMixin, BaseEstimator):
    """Cluster within each group of a known partition, and combine what the groups agree on.

    Within a known group, the known partition explains nothing: a clustering of the group alone can only find something
    else. Each group is clustered by ``base``, each local clustering is extended to all rows (nearest center, most
    probable component, nearest row), and a consensus function combines the extended partitions. All is repeated
    ``n_init`` times. The run is kept whose clusters explain the most within the known groups, and mean the same in all.

    The extension compares rows of different groups. If the known partition shifts the features, these shifts hide the
    wanted clusters. By default the mean of each group is therefore subtracted first, unless the base models counts.

    Any clusterer and any consensus function can be used, and the local clusterings are cheap. The known partition must
    have few groups with enough rows in each; for a continuous variable, or many small groups, use
    ``ConditionalBottleneck`` or :class:`ResidualClusterer`.

    Parameters
    ----------
    n_clusters : int
        Number of clusters of the result.
    base : {"kmeans", "em-multinomial", "em-gaussian", "ib"} or clusterer
        What clusters each group: k-means, a mixture of multinomials (for counts) or of Gaussians with diagonal
        covariances, the information bottleneck (for counts), or any object with ``fit``, and ``predict`` or
        ``labels_``. A label of -1 is no vote.
    n_clusters_local : int or list of int, optional
        Clusters in each group, by default ``n_clusters``; a list follows the order in which groups first occur.
    combine : str or consensus function
        How local clusterings are combined: a name in ``pluribus.consensus.names()`` or an instance.
    center : bool, optional
        Subtract the mean of each known group. By default True, except for bases that model counts, and for sparse rows
        with other bases than k-means.
    n_init : int
        Number of runs, of which the best is kept.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest; -1 for rows without a vote.
    n_clusters_ : int
    ensemble_ : Ensemble
        The local clusterings, extended to all rows.
    local_models_ : dict
        The fitted base clusterer of each known group, by the name of the group.
    score_ : float
        Total category utility: half the quadratic mutual information with the local clusterings, summed.
    agreement_ : float
        Mean normalized mutual information between two local clusterings. If it is low, the groups have different
        structures.
    nmi_with_known_ : float
        Normalized mutual information with the known partition; 0 says that the result is all new.

    References
    ----------
    Gondek and Hofmann, "Non-redundant clustering with conditional ensembles", KDD 2005. Gondek, "Non-redundant data
    clustering", in Constrained Clustering, CRC Press 2008, chapter 11.

    Examples
    --------
    >>> from pluribus.alternative import ConditionalEnsemble
    >>> X = [[0, 0], [0, 1], [10, 0], [10, 1]]  # plain 2-means finds the known partition again
    >>> model = ConditionalEnsemble(2, random_state=0).fit(X, known=[0, 0, 1, 1])
    >>> model.labels_.tolist(), model.score_, model.nmi_with_known_
    ([0, 1, 0, 1], 1.0, 0.0)
    """

    known_as = {
        "condens": {},
        "condens-em": {"base": "em-multinomial"},
        "condens-gaussian": {"base": "em-gaussian"},
    }
    suits = "A known partition of few, large groups; any clusterer; fast."

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 2, None, closed="left")],
        "n_clusters_local": [Interval(Integral, 2, None, closed="left"), "array-like", None],
        "center": ["boolean", None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        base: Any = "kmeans",
        n_clusters_local: Any = None,
        combine: Any = "qmi",
        center: bool | None = None,
        n_init: int = 5,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.base = base
        self.n_clusters_local = n_clusters_local
        self.combine = combine
        self.center = center
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, known: Any = None) -> "ConditionalEnsemble":
        """Find another partition than the known one.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : ignored
        known : sequence of n labels, or several of them
            Any hashables; -1, None and NaN are missing: such rows take no part in the local clusterings, but get a
            cluster. Of several partitions (a list of sequences, an n × m array, a data frame), the cells of their
            Cartesian product count.
        """
        X, groups = self._check_given(X, known)
        center = self._centers(X)
        check_base(self.base, X, center)
        check_combine(self.combine, self.n_clusters)
        local = local_groups(X, groups, self.n_clusters, self.n_clusters_local)
        whole = np.zeros(X.shape[0], dtype=np.int64)
        space = Residuals(X, groups.codes, groups.n_groups) if center else Residuals(X, whole, 1)
        runs = track(seeds(self.random_state, self.n_init), "conditional ensembles", verbose=self.verbose)
        best = max((self._run(space, local, groups, center, seed) for seed in runs), key=lambda run: run[0])
        _, labels, self.ensemble_, models, covered = best
        names = groups.names
        self.local_models_ = {names[group.number]: model for group, model in zip(local, models, strict=True)}
        result = np.full(X.shape[0], -1, dtype=np.int64)
        result[covered] = labels
        self.score_ = float(sum(category_utility(labels, column) for column in self.ensemble_.labels.T))
        pairs = len(local) > 1
        shared = diversity(self.ensemble_, normalized_mutual_information_index, verbose=False) if pairs else 1.0
        self.agreement_ = float(shared)
        self._finish(groups, result)
        return self

    def _centers(self, X: Any) -> bool:
        if self.center is not None:
            return bool(self.center)
        counts = isinstance(self.base, str) and self.base in COUNTS
        k_means = isinstance(self.base, str) and self.base == KMEANS
        return not counts and (k_means or not sparse.issparse(X))

    def _run(
        self, space: Residuals, local: list[Group], known: Known, center: bool, seed: int
    ) -> tuple[float, np.ndarray, Ensemble, list[Any], np.ndarray]:
        """One run: how much it explains, its labels, the ensemble and models behind them, and the rows they cover."""
        k_means = isinstance(self.base, str) and self.base == KMEANS
        matrix = None if k_means else space.matrix() if center else space.X
        own_seeds = seeds(seed, len(local) + 1)
        found = run_tasks(
            lambda task: fit_and_extend(self.base, space, matrix, *task),
            list(zip(local, own_seeds, strict=False)),
            n_jobs=self.n_jobs,
            verbose=False,
        )
        votes = np.column_stack([labels for _, labels in found])  # steps 1 and 2
        covered = np.flatnonzero((votes >= 0).any(axis=1))
        if not len(covered):
            raise ValueError("The base clusterer found noise alone: change its parameters, or use another one.")
        ensemble = Ensemble(votes[covered] if len(covered) < len(votes) else votes)
        labels = combine(ensemble, self.combine, self.n_clusters, own_seeds[-1])  # step 3
        result = np.full(len(votes), -1, dtype=np.int64)
        result[covered] = labels
        return self._quality(space, known, result), labels, ensemble, [model for model, _ in found], covered

    def _quality(self, space: Residuals, known: Known, labels: np.ndarray) -> float:
        """What the clusters explain within the known groups, and a little of what they explain in all (step 4)."""
        if isinstance(self.base, str) and self.base in COUNTS:
            return information_beyond(space.X, labels, known)
        return explained_beyond(space, labels, known)

"""Clusters that tell most about the features beyond what is known (coordinated conditional information bottleneck)."""

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from pluribus._engine import check_summable, run_tasks, seeds
from pluribus.alternative._shared.base import AlternativeMixin
from pluribus.alternative._shared.bottleneck import (
    Cooling,
    Partition,
    by_annealing,
    by_moves,
    by_reassignment,
    distinct_rows,
    objective_of,
    one_hot,
)
from pluribus.alternative._shared.families import FAMILIES, center_of, family_of, prepare_rows
from pluribus.alternative._shared.group_scores import GroupScores
from pluribus.alternative.bottleneck._knowledge import Knowledge, read_knowledge, warn_of_small_groups
from pluribus.alternative.bottleneck._linear_scores import LinearScores
from pluribus.alternative.bottleneck._result import informations, posterior
from pluribus.partitions._internal import normalized_entropy, order_by_size
from pluribus.tables._internal import check_new_scale, refuse_annotated

COORDINATIONS = (1.0, 0.3, 0.1, 0.03, 0.01)  # the weights that "auto" tries


class ConditionalBottleneck(AlternativeMixin, BaseEstimator):
    """Find clusters that tell as much as possible about the features, beyond a partition or variables that are known.

    The clusters C of rows X with features F maximize I(C;F|Z) + λ I(C;F) - T I(C;X), where Z is what is known. The
    first term asks for something new. The second (``coordination``) asks that a cluster means the same in every known
    group; without it, clusters could be numbered differently in each. The last one is lowered step by step
    (deterministic annealing): at a high temperature T all rows share one cluster, and clusters split one by one, each
    at its own critical temperature, which is computed. So the result does not depend on a random start. Single moves
    of rows then raise the first two terms until none is left.

    A known partition that dominates the features comes back if λ is above ``critical_coordination_``. By default
    several weights are tried, and the clusters count that explain most of the differences between rows and the mean of
    their known group.

    Prefer it when the known partition is strong, when what is known are variables, or when results must not depend on
    chance. :class:`ConditionalEnsemble` takes any clusterer and is faster.

    Parameters
    ----------
    n_clusters : int
        1 puts all rows into one cluster, which tells nothing: all information is 0.
    likelihood : {"auto", "multinomial", "gaussian", "bernoulli"}
        Features are counts (only their shares of each row matter), numbers of comparable scale, or 0 and 1. "auto"
        takes numbers from 0 as counts if most are 0 or all rows have the same total; dense ones must be whole for this,
        sparse ones may be weighted (tf-idf). It takes dense 0 and 1 as Bernoulli, and others as numbers.
    knowledge : {"auto", "categorical", "continuous"}
        Whether ``known`` has labels or variables. "auto" takes numbers that are not whole as variables.
    coordination : "auto" or float
        The weight λ.
    method : {"annealing", "sequential", "hard"}
        Deterministic annealing; single moves from random partitions; or moves of all rows at once (as in k-means) from
        random partitions.
    cooling : float
        Factor by which the temperature falls.
    max_information : float, optional
        Stop annealing when I(C;X) reaches this number of bits. Memberships are then soft.
    n_init : int
        Random partitions to start from, for methods other than annealing.
    tol : float
        Go to the next temperature if no membership changes by more.
    max_iter : int
        Iterations at one temperature, or of one start.
    random_state : int, RandomState, Generator or None
        For methods other than annealing.
    n_jobs : int, optional
        Threads over weights and starts. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
        Posterior of the clusters, given the row and what is known of it; the memberships of the last temperature if
        ``max_information`` stopped the annealing.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    information_ : dict
        In bits: ``"I(C;F|Z)"``, ``"I(C;F)"``, ``"I(C;X)"``, ``"I(Z;F)"``, ``"I(C;Z)"``, ``"H(C)"``, ``"H(Z)"``. With
        the Gaussian likelihood, those with F are half the variance explained, over log 2. Those of Z alone are NaN for
        continuous knowledge.
    nmi_with_known_ : float
        Normalized mutual information with the known groups; 0 if variables are known.
    coordination_ : float
        The weight λ.
    coordination_path_ : ndarray of shape (tried, 2)
        Weights that were tried, and how much of the differences from the known groups their clusters explain.
    critical_coordination_ : float
        With a larger weight, the known groups themselves would score higher than these clusters.
    critical_temperature_ : float
        Temperature of the first split; NaN without annealing.
    temperatures_, objective_ : ndarray of shape (n_iter_,)
        Temperature of each iteration, and I(C;F|Z) + λ I(C;F) - T I(C;X) in bits; it never falls at a fixed
        temperature. T = 0 stands for hard memberships.
    n_iter_ : int
    likelihood_ : str

    References
    ----------
    Gondek and Hofmann, "Conditional information bottleneck clustering", workshop on clustering large data sets, ICDM
    2003. Gondek, "Non-redundant data clustering", chapter 11 of Basu, Davidson and
    Wagstaff (eds.), *Constrained Clustering*, 2009.

    Examples
    --------
    Four texts about cats or dogs (the first two features), in English or French (the last two). The language is known:

    >>> from pluribus.alternative import ConditionalBottleneck
    >>> X = [[5, 0, 9, 0], [0, 5, 9, 0], [5, 0, 0, 9], [0, 5, 0, 9]]
    >>> model = ConditionalBottleneck(2, likelihood="multinomial").fit(X, known=["en", "en", "fr", "fr"])
    >>> model.labels_.tolist()
    [0, 1, 0, 1]
    >>> round(model.information_["I(C;F|Z)"], 3), abs(round(model.information_["I(C;Z)"], 3))
    (0.357, 0.0)
    """

    known_as = {"ccib": {}, "seq-ccib": {"method": "sequential"}}
    suits = "A strong known partition or known variables; counts, numbers or yes and no; results without chance."

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "likelihood": [StrOptions({"auto", *FAMILIES})],
        "knowledge": [StrOptions({"auto", "categorical", "continuous"})],
        "coordination": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
        "method": [StrOptions({"annealing", "sequential", "hard"})],
        "cooling": [Interval(Real, 1, None, closed="neither")],
        "max_information": [Interval(Real, 0, None, closed="neither"), None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        likelihood: str = "auto",
        knowledge: str = "auto",
        coordination: Any = "auto",
        method: str = "annealing",
        cooling: float = 1.1,
        max_information: float | None = None,
        n_init: int = 10,
        tol: float = 1e-4,
        max_iter: int = 200,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.likelihood = likelihood
        self.knowledge = knowledge
        self.coordination = coordination
        self.method = method
        self.cooling = cooling
        self.max_information = max_information
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def has_random_starts(self) -> bool:
        """Whether the result may depend on ``random_state``: annealing starts from one cluster."""
        return self.method != "annealing"

    def fit(self, X: Any, y: Any = None, *, known: Any = None, sample_weight: Any = None) -> "ConditionalBottleneck":
        """Find the clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : ignored
        known : sequence of n labels; several such sequences, an n × m array or data frame of labels; or variables
            Several partitions stand for their cells. Rows without a label (None, NaN, -1) are a group of their own.
            Variables are an array of shape (n,) or (n, p). Without it the method is the plain information bottleneck.
        sample_weight : array-like of shape (n,), optional
            The weight P(x) of each row; with the totals of the rows, long documents count more.
        """
        X = self._check_rows(X)
        knowledge = read_knowledge(known, X.shape[0], self.knowledge)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        check_summable("sample_weight", weights)
        data, inverse = self._data(X, knowledge, weights / weights.sum())
        partitions = self._partitions(data)
        tried = [(weight, data.novelty(found.q)) for weight, found in partitions]
        best = int(np.argmax([novelty for _, novelty in tried]))
        self.coordination_, self.coordination_path_ = partitions[best][0], np.array(tried)
        return self._set_result(X, knowledge, data, inverse, partitions[best][1])

    def predict(self, X: Any, known: Any = None) -> np.ndarray:
        """The cluster that explains each new row best.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
        known : what is known of these rows, in the form given to ``fit``
            Rows in a group that ``fit`` did not have, and all rows if it is missing, go by the clusters as a whole.
        """
        check_is_fitted(self)
        refuse_annotated(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=False)
        check_new_scale(X)
        rows = prepare_rows(X, self._scores.family, self._center)
        return self._scores.scores_of_new(rows, self._known_of(known, X), self._profiles, self.coordination_).argmax(1)

    def _known_of(self, known: Any, X: Any) -> Any:
        """The variables of new rows, or their groups, -1 for one that is new."""
        n, linear = X.shape[0], isinstance(self._scores, LinearScores)
        if known is None:
            return None if linear else np.full(n, 0 if len(self._group_labels) == 1 else -1)
        knowledge = read_knowledge(known, n, "continuous" if linear else "categorical")
        if knowledge.variables is not None:
            m, before = knowledge.variables.shape[1], len(self._scores.location)
            if m != before:
                raise ValueError(f"known has {m} variables, but fit had {before}.")
            return knowledge.variables
        seen = {labels: code for code, labels in enumerate(self._group_labels)}
        numbers = np.array(
            [seen.get(labels, -1) for labels in knowledge.groups.labels] + [len(seen) if self._some_missing else -1]
        )
        return numbers[knowledge.groups.codes]  # the code -1 reads the last one

    def _data(self, X: Any, knowledge: Knowledge, weights: np.ndarray) -> tuple[Any, np.ndarray]:
        """The distinct rows with their weights, and which of them each row is."""
        family = family_of(X) if self.likelihood == "auto" else FAMILIES[self.likelihood]
        self._center, self.likelihood_ = center_of(X, family), family.name
        rows = prepare_rows(X, family, self._center)
        if knowledge.variables is not None:
            if self.method == "sequential":
                raise ValueError("method='sequential' needs known groups: use method='annealing' for known variables.")
            return LinearScores(rows, knowledge.variables, weights, family), np.arange(X.shape[0])
        first, inverse = distinct_rows(rows, knowledge.codes)
        n_groups = int(knowledge.codes.max()) + 1
        if n_groups == len(first) > 1:
            raise ValueError(
                "no information is left within the known groups: the rows of each are all the same, or it has one row. "
                "Give a partition with fewer groups."
            )
        if n_groups > 1:
            warn_of_small_groups(knowledge.codes, self.n_clusters)
        merged = np.bincount(inverse, weights=weights)
        return GroupScores(rows[first], knowledge.codes[first], merged, family), inverse

    def _partitions(self, data: Any) -> list[tuple[float, Partition]]:
        """The best partition for each weight λ."""
        plain = isinstance(data, GroupScores) and data.rows.n_groups == 1
        auto = (0.0,) if plain else COORDINATIONS  # with one group, both terms are the same
        chosen = auto if isinstance(self.coordination, str) else (float(self.coordination),)
        starts = [0] if self.method == "annealing" else seeds(self.random_state, self.n_init)
        found = run_tasks(
            lambda task: self._partition(data, *task),
            [(weight, seed) for weight in chosen for seed in starts],
            n_jobs=self.n_jobs,
            description="conditional bottleneck",
            verbose=self.verbose,
        )
        return [
            (
                weight,
                max(found[i * len(starts) : (i + 1) * len(starts)], key=lambda run: objective_of(data, run.q, weight)),
            )
            for i, weight in enumerate(chosen)
        ]

    def _partition(self, data: Any, coordination: float, seed: int) -> Partition:
        k = min(self.n_clusters, data.n)
        if self.method == "annealing":
            limit = np.inf if self.max_information is None else self.max_information
            return by_annealing(data, k, coordination, Cooling(self.cooling, self.tol, self.max_iter, limit))
        if self.method == "sequential":
            return by_moves(data, k, coordination, seed)
        return by_reassignment(data, k, coordination, seed, self.max_iter)

    def _set_result(
        self, X: Any, knowledge: Knowledge, data: Any, inverse: np.ndarray, found: Partition
    ) -> "ConditionalBottleneck":
        used = np.unique(found.labels)
        labels = np.searchsorted(used, found.labels)
        order = order_by_size(labels[inverse], len(used))
        labels = np.argsort(order)[labels]
        q = found.q[:, used[order]] if found.soft else one_hot(labels, len(used))
        q /= q.sum(axis=1, keepdims=True)
        self._scores, self._profiles = data, data.profiles(q)
        self._group_labels = knowledge.groups.labels
        self._some_missing = bool((knowledge.groups.codes < 0).any())
        self.temperatures_, self.objective_, self.n_iter_ = found.temperatures, found.objective, len(found.objective)
        self.critical_temperature_ = found.critical_temperature
        self.membership_ = q[inverse] if found.soft else posterior(X, data, labels, inverse, self.coordination_)
        self.uncertainty_ = normalized_entropy(self.membership_)
        self.information_, self.critical_coordination_ = informations(data, q)
        self._finish(knowledge.groups, labels[inverse])
        self._warn(found)
        return self

    def _warn(self, found: Partition) -> None:
        known, clusters, shared = (self.information_[name] for name in ("H(Z)", "H(C)", "I(C;Z)"))
        if min(known, clusters) > 0 and shared / min(known, clusters) > 0.5:
            warnings.warn(
                "the clusters resemble the known groups: they share more than half of their information. Give a "
                f"coordination below {self.coordination_:g}, or another n_clusters.",
                UserWarning,
                stacklevel=4,
            )
        if not found.converged:
            warnings.warn(
                "the memberships did not become hard or stable; the most probable clusters are kept. Give a larger "
                "max_iter, or drop rows that are the same.",
                ConvergenceWarning,
                stacklevel=4,
            )

"""Documents clustered under feedback that teaches which terms matter."""

import warnings
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from pluribus._engine import run_tasks, seeds
from pluribus.constraints import Constraints, Feasibility

from ._base import ConstrainedMixin, Given
from ._kmeans import hard_network
from ._term_mixture import TermMixture, divergences, fit_mixture, warp


class Round(NamedTuple):
    """A clustering with some weights of the terms."""

    mixture: TermMixture
    term_weights: np.ndarray
    scores: np.ndarray  # (n, k)
    broken: np.ndarray  # which pairs
    cost: float  # of the broken pairs


class FeedbackClusterer(ConstrainedMixin, BaseEstimator):
    """Cluster counts, such as the words of documents, and learn from pairs which terms matter.

    The documents are drawn from a mixture of multinomials, where each term counts as often as it weighs, 1 at first.
    Pairs that the clustering breaks then change the weights: terms that tell two documents apart which belong apart
    become heavier, terms that tell two documents apart which belong together become lighter. The mixture is fitted
    anew, and so on for some rounds. One statement about two documents so changes where a thousand others go, and
    ``term_weights_`` says in words what was learned.

    Prefer it for sparse counts that could be grouped in several sensible ways, and a handful of counterexamples. The
    weights are the same everywhere, so they cannot satisfy all pairs: soft pairs may stay broken, and where hard ones
    would, ``labels_`` is the likeliest partition that satisfies them. Too many rounds drive weights to extremes.

    Parameters
    ----------
    n_clusters : int, default=8
    smoothing : float, default=1.0
        Added to each count (Laplace).
    n_rounds : int, default=5
        How often to change the weights, at most; fewer if no pair is broken. The round that breaks least is kept.
    n_steps : int, default=10
        Steps by which weights change in a round.
    step_size : float, default=0.1
        The largest change of a log-weight in a step.
    n_init : int, default=5
        Starts of each fit; the likeliest is kept.
    max_iter : int, default=200
        Iterations of one start.
    tol : float, default=1e-7
        A start ends when its objective rises by less than this share.
    random_state : int, RandomState or None
    n_jobs : int, optional
        Cores for the starts; the result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters)
        Posteriors from the terms alone.
    uncertainty_ : ndarray of shape (n,)
    term_weights_ : ndarray of shape (V,)
        How much each term counts; 1 on average.
    term_probabilities_ : ndarray of shape (n_clusters, V)
    cluster_weights_ : ndarray of shape (n_clusters,)
    violations_ : Violations
        The soft pairs that ``labels_`` breaks.
    objective_ : ndarray
        Log-posterior after each iteration of the fit that was kept.
    n_iter_ : int
    n_rounds_ : int
        How often the weights were changed for the fit that was kept.

    References
    ----------
    Cohn, Caruana and McCallum, "Semi-supervised clustering with user feedback", in *Constrained Clustering*, 2009.

    Examples
    --------
    Four documents on {cats, dogs} in {prose, verse}; terms: cat, dog, once, rhyme.

    >>> import numpy as np
    >>> from pluribus import Constraints
    >>> from pluribus.constrained import FeedbackClusterer
    >>> X = np.array([[5, 0, 9, 0], [5, 0, 0, 9], [0, 5, 9, 0], [0, 5, 0, 9]])
    >>> FeedbackClusterer(2, random_state=0).fit_predict(X)
    array([0, 1, 0, 1], dtype=int32)
    >>> told = Constraints(4, cannot_link=[(0, 2)], cannot_weight=1)
    >>> model = FeedbackClusterer(2, random_state=0).fit(X, constraints=told)
    >>> model.labels_, model.term_weights_.argmax() < 2
    (array([0, 0, 1, 1], dtype=int32), np.True_)
    """

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        "n_rounds": [Interval(Integral, 0, None, closed="left")],
        "n_steps": [Interval(Integral, 1, None, closed="left")],
        "step_size": [Interval(Real, 0, None, closed="neither")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        smoothing: float = 1.0,
        n_rounds: int = 5,
        n_steps: int = 10,
        step_size: float = 0.1,
        n_init: int = 5,
        max_iter: int = 200,
        tol: float = 1e-7,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.smoothing = smoothing
        self.n_rounds = n_rounds
        self.n_steps = n_steps
        self.step_size = step_size
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, constraints: Any = None, sample_weight: Any = None) -> "FeedbackClusterer":
        """Cluster the documents.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, V)
            Counts, not negative; not only whole numbers.
        y : ignored
        constraints : Constraints, optional
        sample_weight : array of shape (n,), optional
            How much each document counts.
        """
        given = self._check_given(X, constraints, sample_weight)
        _check_counts(given.X)
        found = self._check_feasible(given.constraints)
        told = _told(given.constraints)
        term_weights = np.ones(given.X.shape[1])
        rounds = []
        for seed in seeds(self.random_state, self.n_rounds + 1):
            rounds.append(self._round(given, told, term_weights, seed))
            gradient = self._gradient(given, told, rounds[-1].broken)
            if not np.any(gradient):
                break
            term_weights = warp(term_weights, gradient, self.n_steps, self.step_size)
        if rounds[-1].cost > 0 and not np.any(gradient):
            warnings.warn("the documents of some broken pairs are alike in all terms: no weight can help", stacklevel=2)
        self.n_rounds_ = int(np.argmin([each.cost for each in rounds]))
        self._adopt(given, rounds[self.n_rounds_], found)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest cluster of new documents."""
        X = self._check_new(X)
        _check_counts(X)
        mixture = TermMixture(self.term_probabilities_, self.cluster_weights_, self.objective_)
        return mixture.scores(X, self.term_weights_).argmax(axis=1).astype(np.int32)

    def _round(self, given: Given, told: "Told", term_weights: np.ndarray, seed: int) -> Round:
        """Fit the mixture from several starts, and see which pairs it breaks."""
        fits = run_tasks(
            lambda start: fit_mixture(
                given.X,
                given.weights,
                term_weights,
                self.n_clusters,
                smoothing=self.smoothing,
                max_iter=self.max_iter,
                tol=self.tol,
                seed=start,
            ),
            seeds(seed, self.n_init),
            n_jobs=self.n_jobs,
            description=type(self).__name__,
            verbose=self.verbose,
        )
        best = max(fits, key=lambda fit: fit.path[-1])
        scores = best.scores(given.X, term_weights)
        one, other = scores.argmax(axis=1)[told.pairs].T
        broken = (one == other) != told.together
        return Round(best, term_weights, scores, broken, float(told.weights[broken].sum()))

    def _gradient(self, given: Given, told: "Told", broken: np.ndarray) -> np.ndarray:
        """Where the weights of the terms should go: up if they separate what belongs apart, else down."""
        X = sparse.csr_array(given.X[told.pairs[broken].ravel()], dtype=np.float64)
        each = divergences(X[::2], X[1::2], self.smoothing)
        return np.where(told.together[broken], -1.0, 1.0) * told.weights[broken] @ each

    def _adopt(self, given: Given, kept: Round, found: Feasibility) -> None:
        labels = _likeliest(given.constraints, kept.scores, found)
        order = self._finish(given.constraints, labels, self.n_clusters, softmax(kept.scores, axis=1))
        self.term_weights_ = kept.term_weights
        self.term_probabilities_ = kept.mixture.theta[order]
        self.cluster_weights_ = kept.mixture.prior[order]
        self.objective_ = kept.mixture.path
        self.n_iter_ = len(self.objective_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


class Told(NamedTuple):
    """What was said, as pairs with finite weights."""

    pairs: np.ndarray  # (m, 2)
    together: np.ndarray  # (m,)
    weights: np.ndarray  # (m,)


def _told(constraints: Constraints) -> Told:
    """The pairs as they were said; of groups and labels, each object with the first, and the first of each apart."""
    must, cannot = [constraints.must_link], [constraints.cannot_link]
    weights = [constraints.must_weight, constraints.cannot_weight]
    if len(constraints.group_names) or len(constraints.classes):
        closure = constraints.closure()
        first = closure.representatives
        alone = np.arange(constraints.n_objects)
        linked = np.flatnonzero(first[closure.chunk_of] != alone)
        must.append(np.column_stack([first[closure.chunk_of[linked]], linked]))
        cannot.append(first[closure.cannot_link])
        weights = [weights[0], np.full(len(must[1]), np.inf), weights[1], np.full(len(cannot[1]), np.inf)]
    weight = np.concatenate(weights)
    soft = weight[np.isfinite(weight)]
    n_must = sum(map(len, must))
    pairs = np.concatenate([*must, *cannot])
    return Told(pairs, np.arange(len(pairs)) < n_must, np.where(np.isinf(weight), soft.max(initial=1), weight))


def _likeliest(constraints: Constraints, scores: np.ndarray, found: Feasibility) -> np.ndarray:
    """The labels with the highest scores that satisfy the hard constraints."""
    closure = constraints.closure()
    cost = -(closure.chunk_indicator @ scores)
    labels = cost.argmin(axis=1)
    if len(closure.cannot_link):
        network, apart = hard_network(closure, scores.shape[1])
        witness = None if found.witness is None else found.witness[closure.representatives][network.held]
        labels[network.held] = network.assign(cost[network.held], apart, witness=witness)
    return labels[closure.chunk_of]


def _check_counts(X: Any) -> None:
    values = X.data if sparse.issparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(
            f"Negative values in data passed to X: the smallest is {values.min()}, but counts of terms are 0 or more."
        )

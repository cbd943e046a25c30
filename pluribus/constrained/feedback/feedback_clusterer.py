"""Clustering of documents with feedback from which term weights are learned."""

import warnings
from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from pluribus._engine import real_number, run_tasks, seeds
from pluribus.constrained._shared.base import ConstrainedMixin, Given
from pluribus.constrained._shared.counts import check_counts
from pluribus.constrained._shared.parameters import AT_LEAST_ONE, POSITIVE, STARTS
from pluribus.constrained.feedback._feedback import (
    Feedback,
    Preferences,
    barred_places,
    check_feedback,
    gradient_of_broken,
    gradient_of_clusters,
    preferences_of,
    satisfied,
    with_pairs,
)
from pluribus.constrained.feedback._steps import (
    Round,
    Step,
    matched_to,
    merged,
    most_likely_labels,
    split_in_two,
    with_new_prototype,
)
from pluribus.constrained.feedback._term_mixture import Corpus, Separation, TermMixture, warp
from pluribus.constrained.feedback._verbs import FeedbackVerbs
from pluribus.partitions._internal import order_by_size
from pluribus.tables._internal import check_new_scale


class FeedbackClusterer(FeedbackVerbs, ConstrainedMixin, BaseEstimator):
    """Cluster counts, such as the words of documents, and learn from pairs which terms matter.

    The documents come from a mixture of multinomials in which term j has the weight γ_j: the log-likelihood of
    document x in cluster h is Σ_j γ_j N(x, j) log θ_hj, where N counts terms. All weights are 1 at first. Pairs that
    the clustering breaks then change them: weights rise for terms that separate two documents that belong apart, and
    fall for terms that separate two documents that belong together. The mixture is fitted again, for several rounds. A
    single statement about two documents can therefore move a thousand others, and ``term_weights_`` shows what was
    learned.

    Prefer it for sparse counts that could be grouped in several sensible ways, and a handful of counterexamples. The
    weights are the same everywhere, so they cannot satisfy all pairs: soft pairs may stay broken. If hard pairs would,
    ``labels_`` is the most likely partition that satisfies them. Too many rounds drive weights to extremes.

    Pairs can be given to ``fit`` as constraints. Or look at the clusters (``top_terms``) and correct them, one verb at
    a time: ``apart``, ``together``, ``not_in``, ``move``, ``good``, ``bad``, ``split``, ``merge``. Each verb clusters
    again, keeps the numbers of the clusters, and returns the model; ``undo`` takes the last statement back. Statements
    about objects hold in ``labels_`` unless they have a weight.

    Parameters
    ----------
    n_clusters : int, default=8
    smoothing : float, default=1.0
        Added to each count (Laplace).
    n_rounds : int, default=5
        The largest number of changes of the weights; fewer if no pair is broken. The round with the fewest broken
        pairs, by weight, is kept.
    n_steps : int, default=10
        Steps of the weights in a round.
    step_size : float, default=0.1
        The largest change of a log-weight in a step, or of a weight if steps are additive.
    update : {"multiplicative", "additive"}
        How a step changes the weights: by factors, after which their mean is 1 again, or as in the source by addends.
    mean : {"length", "equal"}
        The mean with which two documents are compared: by their lengths, or as in the source with equal shares. With
        equal shares, separating documents of unequal lengths can lower the weight of a term that separates them.
    m_step : {"weighted", "raw"}
        Whether term probabilities count terms with their weights, which makes the fit a maximum of its objective, or
        as in the source without them. The fit then ends where the objective would fall.
    n_init : int, default=5
        Number of starts of each fit; the most likely result is kept.
    max_iter : int, default=200
        Iterations of one start.
    tol : float, default=1e-7
        A start ends when its objective rises by less than this share of its value.
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
        The weight γ of each term; 1 on average unless updates are additive.
    term_probabilities_ : ndarray of shape (n_clusters, V)
    cluster_weights_ : ndarray of shape (n_clusters,)
    violations_ : Violations
        The soft pairs that ``labels_`` breaks.
    objective_ : ndarray
        Log-posterior after each iteration of the fit that was kept.
    n_iter_ : int
    n_rounds_ : int
        How often the weights were changed for the fit that was kept.
    feedback_ : tuple of Feedback
        The statements since ``fit``, in order.
    satisfied_ : ndarray of bool
        Which statements hold in ``labels_``; those about clusters are applied once and count as satisfied.
    history_ : list of named tuples
        The ``feedback``, ``labels``, ``mixture`` and ``term_weights`` of each step, from ``fit`` to now.

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
    >>> known = Constraints(4, cannot_link=[(0, 2)], cannot_weight=1)
    >>> model = FeedbackClusterer(2, random_state=0).fit(X, constraints=known)
    >>> model.labels_, model.term_weights_.argmax() < 2
    (array([0, 0, 1, 1], dtype=int32), np.True_)

    The same, by a statement:

    >>> model = FeedbackClusterer(2, random_state=0).fit(X)
    >>> model.top_terms(1, ["cat", "dog", "once", "rhyme"])
    [['once'], ['rhyme']]
    >>> model.apart(0, 2).labels_
    array([1, 1, 0, 0], dtype=int32)
    >>> model.top_terms(1, ["cat", "dog", "once", "rhyme"])
    [['dog'], ['cat']]
    >>> model.undo().labels_
    array([0, 1, 0, 1], dtype=int32)
    """

    known_as = {"feedback": {}}
    suits = "Counts, such as words of documents, and a user who corrects a few examples."

    _parameter_constraints: dict = {
        **STARTS,
        "smoothing": [POSITIVE],
        "n_rounds": [Interval(Integral, 0, None, closed="left")],
        "n_steps": [AT_LEAST_ONE],
        "step_size": [POSITIVE],
        "update": [StrOptions({"multiplicative", "additive"})],
        "mean": [StrOptions({"length", "equal"})],
        "m_step": [StrOptions({"weighted", "raw"})],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        smoothing: float = 1.0,
        n_rounds: int = 5,
        n_steps: int = 10,
        step_size: float = 0.1,
        update: str = "multiplicative",
        mean: str = "length",
        m_step: str = "weighted",
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
        self.update = update
        self.mean = mean
        self.m_step = m_step
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, constraints: Any = None, sample_weight: Any = None) -> "FeedbackClusterer":
        """Cluster the documents. Earlier statements are forgotten.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, V)
            Counts, 0 or more, not necessarily whole numbers. A reference to X is kept, for later statements.
        y : ignored
        constraints : Constraints, optional
        sample_weight : array of shape (n,), optional
            How much each document counts.
        """
        given = self._check_given(X, constraints, sample_weight)
        check_counts(given.X)
        check_new_scale(given.X)
        witness = self._check_feasible(given.constraints).witness
        corpus = self._corpus(given, (), self.n_clusters)
        rounds = self._learn_weights(
            lambda weights, seed: self._fit_starts(corpus, self.n_clusters, weights, seed),
            corpus,
            preferences_of(given.constraints),
            np.ones(given.X.shape[1]),
            self.random_state,
        )
        best = int(np.argmin([each.cost for each in rounds]))
        labels = most_likely_labels(given.constraints, rounds[best].scores, witness, corpus)
        order = order_by_size(labels, self.n_clusters)
        self._given = given
        self.history_: list[Step] = []
        mixture = rounds[best].mixture.take(order)
        return self._set_step(
            Step((), np.argsort(order)[labels], mixture, rounds[best].term_weights, rounds[0].term_weights, best)
        )

    def _learn_weights(
        self,
        fit: Callable[[np.ndarray, int], TermMixture],
        corpus: Corpus,
        preferences: Preferences,
        term_weights: np.ndarray,
        random_state: Any,
    ) -> list[Round]:
        """Fit the mixture, find the broken preferences, change the term weights γ; several rounds."""
        rounds: list[Round] = []
        for seed in seeds(random_state, self.n_rounds + 1):
            mixture = fit(term_weights, seed)  # EM with these weights
            rounds.append(Round.of(mixture, term_weights, corpus, preferences))
            labels = rounds[-1].scores.argmax(axis=1)
            gradient = gradient_of_broken(corpus.X, preferences, labels, self._separation)  # ∂/∂γ of the divergences
            if not np.any(gradient):
                break
            term_weights = self._warp(term_weights, gradient)
        if rounds[-1].cost > 0 and not np.any(gradient):
            warnings.warn(
                "the documents of some broken pairs do not differ in any term: no weight can separate them",
                stacklevel=3,
            )
        return rounds

    def tell(self, *feedback: Feedback) -> "FeedbackClusterer":
        """Apply statements about the current clusters, and cluster again.

        Clusters keep their numbers. If the statements cannot all hold, an error is raised and nothing changes.
        """
        check_is_fitted(self)
        new = check_feedback(feedback, self._given.X.shape[0], self.n_clusters_)
        return self._cluster_again(self._apply_to_clusters(new), new_starts=any(each.is_about_pairs for each in new))

    def refit(self) -> "FeedbackClusterer":
        """Cluster again from new starts, with all statements and the current term weights."""
        check_is_fitted(self)
        last = self.history_[-1]
        corpus = self._corpus(self._given, (), self.n_clusters_)
        mixture = self._fit_starts(corpus, self.n_clusters_, last.term_weights, self._next_seed())
        mixture = matched_to(self.labels_, mixture, corpus.X, last.term_weights)
        return self._cluster_again(last._replace(mixture=mixture), new_starts=True)

    def undo(self) -> "FeedbackClusterer":
        """Go back to before the last ``tell``, verb or ``refit``."""
        check_is_fitted(self)
        if len(self.history_) < 2:
            raise ValueError("there is no statement since fit: nothing to undo.")
        self.history_.pop()
        return self._set_step(self.history_.pop())

    def predict(self, X: Any) -> np.ndarray:
        """The most likely cluster of new documents."""
        X = self._check_new(X)
        check_counts(X)
        return self.history_[-1].mixture.scores(X, self.term_weights_).argmax(axis=1).astype(np.int32)

    def _apply_to_clusters(self, new: tuple[Feedback, ...]) -> Step:
        """The last step after the new statements about clusters; those about objects are only recorded."""
        X, last = self._given.X, self.history_[-1]
        step = last._replace(feedback=(*last.feedback, *new))
        of_clusters = [each for each in new if each.is_about_clusters]
        if not of_clusters:
            return step
        gradient = np.sum(
            [gradient_of_clusters(X, each, self.labels_, self._separation) for each in of_clusters], axis=0
        )
        if np.any(gradient):
            step = step._replace(
                term_weights=self._warp(last.term_weights, gradient),
                first_weights=self._warp(last.first_weights, gradient),
            )
        corpus = self._corpus(self._given, (), self.n_clusters_)
        for statement in of_clusters:
            if statement.verb == "bad":
                step = with_new_prototype(step, corpus, statement.about[0], self._next_seed())
            elif statement.verb == "split":
                step = split_in_two(step, corpus, statement.about[0], seeds(self._next_seed(), self.n_init))
            elif statement.verb == "merge":
                step = merged(step, corpus, *statement.about)
        return step

    def _cluster_again(self, step: Step, *, new_starts: bool) -> "FeedbackClusterer":
        """EM from this step; if the result breaks preferences, the term weights are learned again from all of them."""
        feedback, k = step.feedback, len(step.mixture.prior)
        constraints = with_pairs(self._given.constraints, feedback)
        witness = self._check_feasible(constraints, k).witness
        corpus, preferences = self._corpus(self._given, feedback, k), preferences_of(constraints, feedback)
        mixture = corpus.climb(step.mixture, step.term_weights)
        rounds = [Round.of(mixture, step.term_weights, corpus, preferences)]
        if rounds[0].cost > 0:
            rounds += self._learn_weights(
                lambda weights, seed: self._fit_from(step, corpus, preferences, weights, seed if new_starts else None),
                corpus,
                preferences,
                step.first_weights,
                self._next_seed(),
            )
        best = int(np.argmin([each.cost for each in rounds]))  # on ties, the current clusters
        mixture, term_weights, scores, _ = rounds[best]
        labels = most_likely_labels(constraints, scores, witness, corpus)
        n_rounds = best - 1 if best else step.n_rounds
        return self._set_step(Step(feedback, labels, mixture, term_weights, step.first_weights, n_rounds))

    @property
    def _separation(self) -> Separation:
        return Separation(self.smoothing, self.mean == "equal")

    def _warp(self, term_weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        return warp(term_weights, gradient, self.n_steps, self.step_size, additive=self.update == "additive")

    def _next_seed(self) -> int:
        return seeds(self.random_state, len(self.history_) + 1)[-1]

    def _corpus(self, given: Given, feedback: tuple[Feedback, ...], n_clusters: int) -> Corpus:
        barred = barred_places(feedback, n_clusters)
        smoothing = real_number("smoothing", self.smoothing, 0, 1e100)
        return Corpus(given.X, given.weights, smoothing, self.max_iter, self.tol, *barred, raw=self.m_step == "raw")

    def _fit_starts(self, corpus: Corpus, n_clusters: int, term_weights: np.ndarray, seed: int) -> TermMixture:
        """EM from several starts; the most likely mixture."""
        fits = run_tasks(
            lambda start: corpus.fit(n_clusters, term_weights, start),
            seeds(seed, self.n_init),
            n_jobs=self.n_jobs,
            description=type(self).__name__,
            verbose=self.verbose,
        )
        return max(fits, key=lambda fit: fit.path[-1])

    def _fit_from(
        self, now: Step, corpus: Corpus, preferences: Preferences, term_weights: np.ndarray, seed: int | None
    ) -> TermMixture:
        """EM from the current clusters; if the result breaks preferences, also from a new start, given a seed.

        From the current clusters alone, EM rarely changes much.
        """
        continued = corpus.climb(now.mixture, term_weights)
        if seed is None or Round.of(continued, term_weights, corpus, preferences).cost == 0:
            return continued
        new = corpus.unbarred().fit(len(now.mixture.prior), term_weights, seed)
        new = corpus.climb(matched_to(now.labels, new, corpus.X, term_weights), term_weights)
        return max(continued, new, key=lambda mixture: mixture.path[-1])

    def _set_step(self, step: Step) -> "FeedbackClusterer":
        """Make a step the current result."""
        constraints = with_pairs(self._given.constraints, step.feedback)
        membership = softmax(step.mixture.scores(self._given.X, step.term_weights), axis=1)
        self._set_result(constraints, step.labels.astype(np.int32), membership.shape[1], membership)
        self.history_.append(step)
        self.feedback_ = step.feedback
        self.satisfied_ = satisfied(step.feedback, self.labels_)
        self.term_weights_ = step.term_weights
        self.term_probabilities_, self.cluster_weights_, self.objective_ = step.mixture
        self.n_iter_ = len(self.objective_)
        self.n_rounds_ = step.n_rounds
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

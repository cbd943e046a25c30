"""Kernel logistic regression and support vectors with labels and pairs (CPKLR, CPSVM, NPKLR, WPKLR)."""

import warnings
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus._engine import real_number, seeds
from pluribus.constraints import Constraints, Violations
from pluribus.constraints._internal import as_constraints
from pluribus.similarity.pairwise._bases import Basis, feature_basis, gamma_of, kernel_basis
from pluribus.similarity.pairwise._functions import Objective, Statements, fit_functions
from pluribus.similarity.pairwise._given import Pairs, known_labels, label_weights, stated_pairs
from pluribus.similarity.pairwise._margins import class_scores, pair_margins
from pluribus.similarity.pairwise._newton import Fitted
from pluribus.tables._internal import check_new_scale, check_scale, refuse_annotated

_FLOATS = [np.float64, np.float32]

_MOST_WEIGHT = 1e12  # of pairs and of the norm: beyond, the other terms are lost in rounding


class PairwiseKernelClassifier(ClassifierMixin, BaseEstimator):
    """Classify with few labels, and pairs of rows that are of the same class or of different ones.

    The decision function f minimizes, over all functions of the kernel,

        Σ_labeled s_i L(y_i f_i) + μ Σ_pairs w_ij L'(f_i, c_ij f_j) + λ ‖f‖²

    where c is +1 for must-links and -1 for cannot-links, and rows of pairs need no label. L is the logistic loss
    (CPKLR) or the hinge (CPSVM). The convex pair loss punishes different values: L' = L(u) + L(-u) with
    u = f_i - c f_j, or |u| for the hinge. It never rewards agreement, so it draws f towards 0. The pair loss that is
    not convex (NPKLR) is minus the logarithm of the probability that the pair holds. It also rewards confident
    agreement, even if both ends are wrong. Its minimum is local, found by EM from the solution for the labels alone.

    With more than two classes there is one function for each class against the rest. A cannot-link then says that not
    both rows are of the class.

    Prefer it when labels are scarce and pairs are cheap: tracked regions of a video, answers to "is this the same?".
    It needs at least one label of each class; without any, cluster under constraints (:mod:`pluribus.constrained`).

    Parameters
    ----------
    loss : {"logistic", "hinge"}
    pairwise : {"convex", "nonconvex"}
        The pair loss; "nonconvex" needs the logistic loss.
    mu : float
        Weight of all pairs, 0 or more.
    lam : float
        Weight of the squared norm, more than 0.
    kernel : {"rbf", "linear", "precomputed"}
        "linear" works with the features themselves, at any number of rows. "precomputed": X is the kernel matrix.
    gamma : "scale" or float
        exp(-γ‖x - x'‖²) is the RBF kernel; "scale" is 1 / (number of features · variance of X).
    n_components : int, optional
        Approximate the RBF kernel by this many landmarks (Nyström), drawn among the rows that are labeled or in pairs.
        Without it, memory grows with the square of the number of these rows: use it for more than a few thousand.
    fit_intercept : bool
        Add a constant, whose square is part of ‖f‖². Use it with ``kernel="linear"``.
    class_weight : dict, "balanced" or None
        Factors of the weights of labels. "balanced": in each decision function, positive and negative labels have
        the same total weight.
    max_iter : int
        Newton or EM steps, or sweeps of the hinge over labels and pairs, at most.
    tol : float
        Newton and EM end when a step lowers the objective by less than this share of it; the hinge ends when the
        objective is within this share of its minimum.
    random_state : int, RandomState, Generator or None
        For landmarks, and for the order in which the hinge visits labels and pairs.
    n_jobs : int, optional
        Threads for the decision functions of several classes. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    labeled_ : ndarray
        The labeled rows of X.
    support_ : ndarray of shape (n_points,)
        The rows of X that are labeled or in a pair.
    dual_coef_ : ndarray of shape (n_functions, n_points)
        With a kernel: f = Σ dual_coef_ K(·, x) over these rows. One function for two classes, else one for each class.
    coef_ : ndarray of shape (n_functions, n_features)
        With ``kernel="linear"``, or for the features of landmarks.
    intercept_ : ndarray of shape (n_functions,)
    gamma_ : float or None
        Of the RBF kernel.
    objective_ : ndarray of shape (n_functions,)
        The minimum of each function's objective.
    objective_path_ : list of n_functions arrays
        The objective at the start, and then after each step, or every tenth sweep of the hinge.
    n_iter_ : int
        The most steps of a function.
    pairs_ : ndarray of shape (m, 2)
        Pairs of rows, must-links first; the members of a group are linked to its first row.
    pair_same_ : ndarray of shape (m,)
        Whether each pair is a must-link.
    pair_margin_ : ndarray of shape (m,)
        How clearly the predictions keep each pair: the best sum of scores that keeps it, minus the best that breaks
        it. Negative for violated pairs, and 0 for ties.
    pair_violated_ : ndarray of shape (m,)
        Whether the predictions violate each pair.
    pair_violation_ : float
        The share of pairs that the predictions violate; 0 without pairs.
    violations_ : Violations
        The constraints that the predictions violate.

    References
    ----------
    Yan, Zhang, Yang and Hauptmann, "A discriminative learning framework with pairwise constraints for video object
    classification", IEEE TPAMI 28(4), 2006.

    Examples
    --------
    Six points on a line, with two labels. A must-link moves the boundary:

    >>> from pluribus import Constraints
    >>> from pluribus.similarity import PairwiseKernelClassifier
    >>> X = [[0], [1], [2], [3], [4], [5]]
    >>> y = ["a", None, None, None, None, "b"]
    >>> model = PairwiseKernelClassifier(gamma=0.2)
    >>> "".join(model.fit(X, y).predict(X))
    'aaabbb'
    >>> known = Constraints(6, must_link=[(0, 3)])
    >>> "".join(model.fit(X, y, constraints=known).predict(X))
    'aaaabb'
    >>> model.violations_.count
    0
    """

    known_as: dict = {
        "cpklr": {"loss": "logistic", "pairwise": "convex"},
        "cpsvm": {"loss": "hinge", "pairwise": "convex"},
        "npklr": {"loss": "logistic", "pairwise": "nonconvex"},
        "wpklr": {"loss": "logistic", "pairwise": "convex"},  # the weights come with the constraints
    }
    suits = "A class for new rows, from a few labels and many pairs."

    _parameter_constraints: dict = {
        "loss": [StrOptions({"logistic", "hinge"})],
        "pairwise": [StrOptions({"convex", "nonconvex"})],
        "mu": [Interval(Real, 0, None, closed="left")],
        "lam": [Interval(Real, 0, None, closed="neither")],
        "kernel": [StrOptions({"rbf", "linear", "precomputed"})],
        "gamma": [StrOptions({"scale"}), Interval(Real, 0, None, closed="neither")],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    classes_: np.ndarray
    violations_: Violations

    def __init__(
        self,
        loss: Literal["logistic", "hinge"] = "logistic",
        *,
        pairwise: Literal["convex", "nonconvex"] = "convex",
        mu: float = 1.0,
        lam: float = 0.01,
        kernel: Literal["rbf", "linear", "precomputed"] = "rbf",
        gamma: float | Literal["scale"] = "scale",
        n_components: int | None = None,
        fit_intercept: bool = False,
        class_weight: Any = None,
        max_iter: int = 1000,
        tol: float = 1e-6,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.loss = loss
        self.pairwise = pairwise
        self.mu = mu
        self.lam = lam
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        constraints: Constraints | None = None,
        sample_weight: Any = None,
        labeled: Any = None,
    ) -> Self:
        """Learn the decision functions.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d), or of shape (n, n) if ``kernel="precomputed"``
            All rows, labeled and unlabeled.
        y : sequence of length n
            The class of each row; -1, None or NaN where it is not known.
        constraints : Constraints, optional
            Pairs, groups and labels of the rows. The weight of a pair is its confidence, such as the share of answers
            that are right; hard pairs have the weight 1. Groups are must-links to their first row.
        sample_weight : array of shape (n,), optional
            The weight of each label; those of unlabeled rows do not count.
        labeled : array of n truth values, optional
            Which rows are labeled, if -1 is a class.
        """
        self._validate_params()
        X = self._checked(X, reset=True)
        n = X.shape[0]
        mu, lam = (real_number(name, getattr(self, name), 0, _MOST_WEIGHT) for name in ("mu", "lam"))
        constraints = as_constraints(constraints, n)
        labels = known_labels(y, n, labeled, constraints)
        pairs = stated_pairs(constraints, labels)
        weight = label_weights(sample_weight, X, labels, self.class_weight)
        self.classes_, self.labeled_, self.n_samples_fit_ = labels.classes, labels.rows, n
        self.support_ = np.union1d(labels.rows, pairs.rows)
        landmark_seed, order_seed = seeds(self.random_state, 2)
        self._basis = self._make_basis(X, landmark_seed)
        known = Statements(self.support_, labels, weight, self.class_weight == "balanced", pairs)
        objective = Objective(self.loss, self.pairwise, mu, lam, float(self.tol), self.max_iter)
        fitted = fit_functions(
            known, self._basis.space, objective, order_seed, n_jobs=self.n_jobs, verbose=self.verbose
        )
        self._set_functions(fitted)
        self._report_pairs(X, constraints, pairs)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The values of f: (n,) for two classes, positive for the second; (n, n_classes) for more.

        Parameters
        ----------
        X : as in ``fit``; of shape (n_new, n) if ``kernel="precomputed"``
        """
        check_is_fitted(self)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._scores(self._checked(X, reset=False))
        if not np.isfinite(scores).all():
            raise ValueError("X has values so large that f is infinite there: give rows on the scale of those of fit.")
        return scores

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row: the sign of f, or the class with the largest f."""
        scores = class_scores(self.decision_function(X))
        return self.classes_[scores.argmax(axis=1)]

    @available_if(lambda self: self.loss == "logistic")
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, with the logistic loss only.

        With two classes P(second) = sig(f). With more it is that of the class being the only one whose function is
        positive, given that just one is: the softmax of f.
        """
        f = self.decision_function(X)
        if f.ndim == 1:
            return np.column_stack([expit(-f), expit(f)])
        return softmax(f, axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """The rows; raises if they, or the parameters together, are wrong."""
        if self.loss == "hinge" and self.pairwise == "nonconvex":
            raise ValueError("loss='hinge' has no form with pairwise='nonconvex': use pairwise='convex' or 'logistic'.")
        if self.n_components is not None and self.kernel != "rbf":
            raise ValueError(f"n_components approximates the kernel 'rbf'; leave it out for kernel={self.kernel!r}.")
        refuse_annotated(X)
        precomputed = self.kernel == "precomputed"
        X = validate_data(self, X, accept_sparse=False if precomputed else "csr", dtype=_FLOATS, reset=reset)
        if not precomputed:
            (check_scale if reset else check_new_scale)(X)
        elif reset and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"kernel='precomputed' needs a square matrix, one row and column for each object; got {X.shape}."
            )
        return sparse.csr_array(X) if sparse.issparse(X) else X

    def _make_basis(self, X: Any, seed: int) -> Basis:
        self.gamma_ = gamma_of(X, self.gamma) if self.kernel == "rbf" else None
        landmarks = None
        if self.n_components is not None:
            n_components = min(self.n_components, len(self.support_))
            landmarks = Nystroem(gamma=self.gamma_, n_components=n_components, random_state=seed)
        constant = float(self.fit_intercept)
        if self.kernel == "linear" or landmarks is not None:
            return feature_basis(X, self.support_, landmarks, constant)
        return kernel_basis(X, self.support_, self.gamma_, constant)

    def _set_functions(self, fitted: list[Fitted]) -> None:
        self._coefficients = np.array([one.coefficients for one in fitted])
        for name in ("coef_", "dual_coef_"):
            self.__dict__.pop(name, None)  # of a fit with another kernel
        if self.kernel == "linear" or self.n_components is not None:
            n_features = self._coefficients.shape[1] - int(self.fit_intercept)
            self.coef_ = self._coefficients[:, :n_features]
            self.intercept_ = self._coefficients[:, n_features:].sum(axis=1)
        else:
            self.dual_coef_ = self._coefficients
            self.intercept_ = float(self.fit_intercept) * self.dual_coef_.sum(axis=1)
        self.objective_path_ = [one.path for one in fitted]
        self.objective_ = np.array([one.path[-1] for one in fitted])
        self.n_iter_ = max(one.n_iter for one in fitted)
        if not all(one.converged for one in fitted):
            warnings.warn(
                f"max_iter={self.max_iter} steps were not enough to minimize the objective to tol={self.tol}: raise "
                "max_iter, or lam, or scale X.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _scores(self, X: Any) -> np.ndarray:
        scores = self._basis.scores(X, self._coefficients)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def _report_pairs(self, X: Any, constraints: Constraints, pairs: Pairs) -> None:
        """Compare the pairs with the predictions at their rows."""
        scores = class_scores(self._scores(X[self.support_]))
        one, other = np.searchsorted(self.support_, pairs.rows.T)
        self.pairs_, self.pair_same_ = pairs.rows, pairs.same
        self.pair_margin_ = pair_margins(scores[one], scores[other], pairs.same)
        predicted = np.full(X.shape[0], -1)
        predicted[self.support_] = scores.argmax(axis=1)
        self.pair_violated_ = (predicted[pairs.rows[:, 0]] == predicted[pairs.rows[:, 1]]) != pairs.same
        self.pair_violation_ = float(self.pair_violated_.mean()) if len(pairs.rows) else 0.0
        self.violations_ = constraints.violations(predicted)

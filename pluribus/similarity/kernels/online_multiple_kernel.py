"""Online learning of a classifier and of the weights of its kernels (SPOM and its proximal family)."""

import warnings
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus._engine import real_number, seeds
from pluribus._kernels.proximal.online_steps import best_paths
from pluribus.similarity.kernels._examples import Examples, read_examples, read_sequences
from pluribus.similarity.kernels._kernel_set import KernelSet, as_blocks
from pluribus.similarity.kernels._learning import Course, check_linear, choose_solver, learn
from pluribus.similarity.kernels._model_state import ModelState, Problem, Weights
from pluribus.similarity.kernels._new_rows import class_scores, combine
from pluribus.similarity.kernels._regularizers import NUMBERS, Regularizer

_FLOATS = [np.float64, np.float32]


class OnlineMultipleKernel(ClassifierMixin, BaseEstimator):
    """Learn a classifier, and how much each of several kernels should count, in a few passes over the examples (SPOM).

    Each kernel k_m has a block of weights θ_m, and a label y of an object x scores f(x, y) = Σ_m ⟨θ_m, φ_m(x, y)⟩. The
    method minimizes

        λ Ω(‖θ_1‖, …, ‖θ_M‖) + mean loss of the examples,   λ = 1 / (C N).

    An online step takes one example: it moves θ against the gradient of the loss, then shrinks the norms of the blocks
    by the proximity operator of Ω. There is no inner solver. At the optimum the classifier is that of the single kernel
    Σ β_m k_m, and Ω decides which weights β it prefers: few kernels ("mkl", "group_lasso"), all of them ("lq"), or
    something in between. ``kernel`` evaluates the combination for other methods.

    Rows may form sequences, such as the letters of words. Then labels of neighbors are decided together: each step from
    a label to the next has a weight, and the best labels of a sequence are found by dynamic programming.

    Use it if you have labels and several candidates for a similarity, or several groups of features. A kernel that is 1
    for equal objects and 0 otherwise gets a large weight, because it memorizes the labels: leave such kernels out.
    Without labels, use :class:`MultipleKernelKMeans`.

    Parameters
    ----------
    kernels : str, callable, or list of these, optional
        "linear", "quadratic" (1 + ⟨x, x'⟩)², "gaussian" exp(-‖x - x'‖² / 2σ²), "spline" max(0, 1 - ‖x - x'‖ / h),
        "precomputed", a pairwise kernel of scikit-learn, or a function of two tables that returns the matrix of their
        values. A pair adds parameters: ``("gaussian", {"sigma": 2.0})``, ``("spline", {"width": 3.0})``. By default σ
        is the median distance, and h leaves 95 % of the values 0. By default linear, quadratic and gaussian; if X is a
        list of tables, one linear kernel for each.
    C : float, default=1.0
        Weight of the losses.
    regularizer : {"mkl", "group_lasso", "lq", "elastic", "sparse_group_lasso", "l2"}, default="mkl"
        Ω of the norms b: ½(Σ b)²; Σ b; ½(Σ b^q)^(2/q); mix ½ Σ b² + (1 - mix) ½(Σ b)²; mix Σ b + (1 - mix) Σ |θ|, for
        linear kernels only; ½ Σ b², the plain sum of the kernels.
    q : float, default=1.5
        Of "lq", 1 to 2. Weights then have ‖β‖_p fixed for p = q / (2 - q).
    mix : float, default=0.5
        Of "elastic" and "sparse_group_lasso", 0 to 1.
    loss : {"hinge", "log"}, default="hinge"
    solver : {"auto", "online", "dual"}, default="auto"
        "online" are the proximal steps of the source. "dual" takes each example to its best dual coefficients for the
        present weights, and changes the weights after each pass; it needs no step size and is closer to the optimum
        after as many passes. It is for the hinge loss, without "sparse_group_lasso" and without pairs: then "auto"
        uses it.
    epochs : int, default=20
        Passes over the examples.
    eta0 : float or "auto", default="auto"
        Of online steps: the size of step t is eta0 / √t. "auto" tries 0.01, 0.1, 1 and 10 for five passes each.
    average : bool, default=False
        Of online steps: return the mean of the models of the second half of the passes, instead of the last one.
    project : bool, default=True
        Of online steps: keep θ in a ball that has the optimum in it.
    normalize : bool, default=True
        Scale each kernel to k(x, x) = 1.
    transitions : {"fixed", "learned"}, default="fixed"
        Of sequences: whether the kernel of the label steps has the weight 1, or is one more kernel to learn.
    random_state : int, RandomState, Generator or None
        The order of the examples.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    kernel_weights_ : ndarray of shape (M,)
        β, not negative, with the sum 1. All 0 if C is too small to learn anything.
    kernel_names_ : list of str
    selected_ : ndarray
        The kernels with weights above 0.
    block_norms_ : ndarray of shape (M,)
        ‖θ_m‖.
    coef_ : list of ndarray of shape (classes, d) or None
        θ_m of linear kernels.
    dual_coef_ : list of csr_array of shape (n, classes) or None
        Of the other kernels: θ_m = Σ_i dual_coef_[i] ⊗ φ_m(x_i).
    transition_coef_ : ndarray of shape (classes, classes) or None
        Of sequences: the weight of each label after each other.
    transition_weight_ : float or None
        ‖θ_0‖ of the transitions, relative to Σ ‖θ_m‖, if it is learned.
    objective_ : ndarray
        After each pass.
    solver_ : {"online", "dual"}
    eta0_ : float or None
        The step size of online steps.
    classes_ : ndarray
    n_features_in_ : int
        Columns of X, or of all its blocks.

    Notes
    -----
    Constraints: known labels are labels, and hard must-links and groups hand them on. With ``y=None`` the rows without
    a label are not examples, but they may be in pairs. A pair that labels do not decide is an example with two objects
    whose labels are unknown: its loss is that of the best labels that break the statement, against the best ones that
    respect it. A weight w counts as tanh(w / 2), the probability that the statement is right minus the probability that
    it is wrong. Pairs join after the first pass, because this loss is not convex: it needs a first model.

    References
    ----------
    Martins, Smith, Xing, Aguiar and Figueiredo, "Online learning of structured predictors with multiple kernels",
    AISTATS 2011.

    Examples
    --------
    Two groups of features, of which the second is noise; each is a kernel:

    >>> import numpy as np
    >>> from pluribus.similarity import OnlineMultipleKernel
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> blocks = [y[:, None] + 0.3 * rng.normal(size=(100, 2)) - 0.5, rng.normal(size=(100, 2))]
    >>> model = OnlineMultipleKernel(random_state=0, verbose=False).fit(blocks, y)
    >>> model.kernel_weights_.round(2).tolist()
    [0.89, 0.11]
    >>> model.kernel(blocks).shape
    (100, 100)
    """

    known_as: dict = {
        "mkl": {},
        "spom": {"solver": "online"},
        "lq-mkl": {"regularizer": "lq"},
        "elastic-mkl": {"regularizer": "elastic"},
    }
    suits = "Labels, or sequences of labels, and several candidate kernels or groups of features."

    _parameter_constraints: dict = {
        "kernels": [str, callable, list, tuple, None],
        "C": [Interval(Real, 0, None, closed="neither")],
        "regularizer": [StrOptions(set(NUMBERS))],
        "q": [Interval(Real, 1, 2, closed="both")],
        "mix": [Interval(Real, 0, 1, closed="both")],
        "loss": [StrOptions({"hinge", "log"})],
        "solver": [StrOptions({"auto", "online", "dual"})],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "eta0": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "average": ["boolean"],
        "project": ["boolean"],
        "normalize": ["boolean"],
        "transitions": [StrOptions({"fixed", "learned"})],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        kernels: Any = None,
        *,
        C: float = 1.0,
        regularizer: str = "mkl",
        q: float = 1.5,
        mix: float = 0.5,
        loss: Literal["hinge", "log"] = "hinge",
        solver: Literal["auto", "online", "dual"] = "auto",
        epochs: int = 20,
        eta0: float | Literal["auto"] = "auto",
        average: bool = False,
        project: bool = True,
        normalize: bool = True,
        transitions: Literal["fixed", "learned"] = "fixed",
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.kernels = kernels
        self.C = C
        self.regularizer = regularizer
        self.q = q
        self.mix = mix
        self.loss = loss
        self.solver = solver
        self.epochs = epochs
        self.eta0 = eta0
        self.average = average
        self.project = project
        self.normalize = normalize
        self.transitions = transitions
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, sequences: Any = None, constraints: Any = None) -> Self:
        """Learn the classifier and the weights of the kernels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or list of M of these
            One table for all kernels, or one for each kernel: a table, or an n × n matrix if the kernel is
            "precomputed".
        y : array of shape (n,), or list of sequences of labels, optional
            The class of each row. It can be left out if constraints have labels.
        sequences : list of ranges or arrays of row numbers, optional
            The rows of each sequence, in order; each row is in one. Not needed if y is a list of sequences and their
            rows follow each other.
        constraints : Constraints, optional
        """
        self._validate_params()
        kernels = self._read_kernels(X)
        examples = read_examples(kernels.n, y, sequences, constraints)
        problem = self._problem(examples)
        check_linear(kernels, problem)
        self.solver_ = choose_solver(self.solver, problem)
        course = Course(self.solver_, self.epochs, self.eta0, self.average, bool(self.verbose))
        learned = learn(kernels, problem, course, seeds(self.random_state, 1)[0])
        self.classes_, self.objective_, self.eta0_ = examples.classes, learned.path, learned.rate
        self._kernels, self._chained = kernels, examples.chained
        self._set_result(learned.state, learned.weights, problem)
        return self

    def _read_kernels(self, X: Any) -> KernelSet:
        if as_blocks(X, self.kernels) is None:
            X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS, order="C")
        kernels = KernelSet(self.kernels, self.normalize, X)
        if kernels.several:
            self.n_features_in_ = int(sum(kernels.widths))
        return kernels

    def _problem(self, examples: Examples) -> Problem:
        lam = 1 / (real_number("C", self.C, 1e-100, 1e100) * len(examples.kinds))
        regularizer = Regularizer(self.regularizer, float(self.q), float(self.mix))
        per_object = 1.0 if self.loss == "hinge" else float(np.log(len(examples.classes)))
        radius = regularizer.radius(lam, per_object * examples.mean_cost) if self.project else np.inf
        return Problem(examples, regularizer, lam, self.loss == "hinge", self.transitions == "learned", radius)

    def _set_result(self, state: ModelState, weights: Weights, problem: Problem) -> None:
        blocks, kernels = state.blocks, self._kernels
        norms = np.sqrt(state.squares_of(weights))
        place_of = np.argsort(blocks.order)
        self.block_norms_ = norms[place_of]
        self.kernel_names_ = kernels.names
        self.kernel_weights_ = problem.regularizer.kernel_weights(self.block_norms_)
        self.selected_ = np.flatnonzero(self.kernel_weights_)
        if not self.selected_.size:
            warnings.warn(
                f"C={self.C} is too small (lambda too large): all weights are 0, and nothing was learned.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.coef_: list[Any] = [None] * len(kernels)
        self.dual_coef_: list[Any] = [None] * len(kernels)
        for m, place in enumerate(place_of):
            if blocks.is_kernel[place]:
                self.dual_coef_[m] = sparse.csr_array(weights.A[place])
            else:
                self.coef_[m] = weights.S[:, blocks.part(place)].copy()
        self.transition_coef_ = weights.transitions if self._chained else None
        learned = self._chained and problem.learned and norms.any()
        self.transition_weight_ = float(norms[-1] / norms.sum()) if learned else None

    def decision_function(self, X: Any, *, diagonals: Any = None) -> np.ndarray:
        """The score of each class for each row, without transitions; of two classes, that of the second less the first.

        Parameters
        ----------
        X : as for ``fit``
            Precomputed kernels have a row for each new object, and a column for each object of ``fit``.
        diagonals : list of M arrays or None, optional
            k(x, x) of the new objects for precomputed kernels, if that differed between objects in ``fit``.
        """
        scores = self._scores(X, diagonals)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _scores(self, X: Any, diagonals: Any) -> np.ndarray:
        check_is_fitted(self)
        if not self._kernels.several:
            X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS, order="C", reset=False)
        coefficients = [
            dual.toarray() if primal is None else primal.T
            for primal, dual in zip(self.coef_, self.dual_coef_, strict=True)
        ]
        return class_scores(self._kernels, X, coefficients, diagonals)

    def predict(self, X: Any, *, sequences: Any = None, diagonals: Any = None) -> np.ndarray:
        """The class of each row.

        Parameters
        ----------
        X, diagonals : as for ``decision_function``
        sequences : list of ranges or arrays of row numbers
            If the model was fitted on sequences.
        """
        scores = self._scores(X, diagonals)
        if self._chained != (sequences is not None):
            raise ValueError(
                "the model was fitted on sequences: give the sequences of these rows, too."
                if self._chained
                else "sequences were given, but the model was fitted without them."
            )
        if not self._chained:
            return self.classes_[scores.argmax(axis=1)]
        chains = read_sequences(sequences, len(scores))
        labels = np.empty(len(scores), np.int64)
        best_paths(chains.rows, chains.pointers, scores, self.transition_coef_, labels)
        return self.classes_[labels]

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, sequences: Any = None, diagonals: Any = None
    ) -> float:
        """The share of rows with the right class."""
        predicted = self.predict(X, sequences=sequences, diagonals=diagonals)
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def kernel(self, X: Any, Y: Any = None, *, diagonals: Any = None) -> np.ndarray:
        """Σ β_m k_m between the rows of X and those of Y, by default X.

        Precomputed kernels are given by their values: X is a list of matrices, and there is no Y.
        """
        check_is_fitted(self)
        return combine(self._kernels, self.kernel_weights_, X, Y, diagonals)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernels == "precomputed"
        return tags

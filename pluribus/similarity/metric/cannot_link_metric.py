"""A Mahalanobis metric from pairs that are known to be different."""

from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import euclidean_distances, pairwise_kernels
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus._engine import seeds, whole_number
from pluribus.similarity.metric._bounds import bounds_of
from pluribus.similarity.metric._descent import descend, duality_gap, warn_unfinished
from pluribus.similarity.metric._forms import Form, make_form
from pluribus.similarity.metric._pairs import Apart, pairs_of_names, read_names, read_pairs
from pluribus.similarity.metric._prior import read_prior
from pluribus.tables._internal import check_new_scale, refuse_annotated

_HOLDS = {"full": "A_", "sparse": "A_", "diagonal": "w_", "kernel": "support_points_"}  # what was learned, by kind


class CannotLinkMetric(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Learn which differences between rows matter from pairs that are known to be different, and from nothing else.

    The squared distance of two rows is δᵀ A δ, where δ is their difference. Of all metrics A, the smallest one is taken
    under which all given pairs are at least 1 apart:

    minimize ½ ‖A‖² + C Σ ξ, subject to δᵀ A δ ≥ 1 - ξ and ξ ≥ 0 for each pair.

    The solution is A = Σ α δ δᵀ with 0 ≤ α ≤ C, so it has no negative eigenvalue, and one pass of dual coordinate
    descent after another finds it. ``transform`` maps rows so that Euclidean distances are the learned ones: any
    clusterer can follow in a pipeline.

    Use it if it is easy to say what is different and hard to say what is equal. In records of people, for example,
    different names are different people, and what tells these apart also tells apart people of one name
    (``fit_names``). This assumes that pairs within a name differ in the same way as pairs across names. If you have
    must-links, too, use a method that learns from both, such as :class:`pluribus.constrained.MetricPairwiseKMeans`.

    Directions in which no supporting pair differs get no weight: different rows can have distance 0. A small C makes A
    proportional to the scatter of the given differences, and nothing is learned any more.

    Parameters
    ----------
    C : float, default=1.0
        The price of a pair that is less than 1 apart. ``inf`` is the hard margin: every pair is 1 apart, and one pair
        of nearly equal rows can decide all. The effect of C depends on the scale of X: C δ⁴ counts.
    kind : {"full", "diagonal", "sparse", "kernel"}
        "full" learns all of A, a dense array. "sparse" learns the same, but stores only products of features that are
        both different in some pair: for sparse X with many features. "diagonal" learns a weight for each feature.
        "kernel" learns "full" in the space of a kernel; its time grows with the square of the number of pairs.
    kernel : {"linear", "poly", "rbf", "cosine"}
        For kind="kernel".
    gamma : float, optional
        Of the kernels "poly" and "rbf"; by default 1 / n_features.
    degree : int
    coef0 : float
        Of the kernel "poly".
    prior : float or array of shape (d, d), or (d,) for kind="diagonal", optional
        A metric to stay close to: ‖A - prior‖² is minimized. A number is that multiple of the identity, and keeps A of
        full rank.
    max_iter : int
        Most sweeps over the pairs.
    tol : float
        Sweeps end if none changes the squared distance of the visited pair by as much as this.
    random_state : int, RandomState, Generator or None
        For the order in which pairs are visited, and for the pairs that ``fit_names`` draws.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    A_ : ndarray of shape (d, d), or csr_array for kind="sparse"
        Not for kind="diagonal", which has ``w_``, and not for kind="kernel".
    w_ : ndarray of shape (d,)
        The weights of the features, for kind="diagonal".
    components_ : array or csr_array of shape (r, d)
        ``components_.T @ components_`` is A. For kind="kernel", d is the number of support points.
    pairs_, alpha_, margins_ : ndarray of shape (m, 2), (m,) and (m,)
        The pairs, their coefficients, and their squared distances.
    support_ : ndarray
        The places of the pairs with a positive coefficient.
    support_points_ : array or csr_array
        The rows of supporting pairs, for kind="kernel".
    margin_ : float
        The least squared distance of a pair whose weight is not 0; 1 if all keep the margin.
    normalized_margin_ : float
        The margin divided by the Frobenius norm of A, which is maximized by the hard margin.
    dual_gap_ : float
        How far the objective is from its optimum, at most. NaN after ``partial_fit``.
    n_iter_ : int
        Sweeps that were made.

    References
    ----------
    Oyama and Tanaka, "Learning a distance metric for object identification without human supervision", PKDD 2006; also
    chapter 15 of Basu, Davidson and Wagstaff (eds.), "Constrained Clustering", CRC Press 2008.

    Examples
    --------
    >>> from pluribus.similarity import CannotLinkMetric
    >>> X = [[0, 0], [1, 0], [0, 2]]
    >>> metric = CannotLinkMetric(tol=1e-9).fit(X, constraints=[(0, 1), (0, 2)])
    >>> metric.A_.round(6).tolist()
    [[1.0, 0.0], [0.0, 0.25]]
    >>> metric.pairwise_distances(X).round(3).tolist()
    [[0.0, 1.0, 1.0], [1.0, 0.0, 1.414], [1.0, 1.414, 0.0]]
    """

    A_: Any
    w_: np.ndarray
    support_points_: Any
    n_iter_: int
    known_as = {"cannot-link-metric": {}, "cannot-link-weights": {"kind": "diagonal"}}
    suits = "Pairs that are surely different, such as records under different names, and no pairs that are equal."

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="right")],
        "kind": [StrOptions({"full", "diagonal", "sparse", "kernel"})],
        "kernel": [StrOptions({"linear", "poly", "rbf", "cosine"})],
        "gamma": [Interval(Real, 0, None, closed="neither"), None],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, 0, None, closed="left")],
        "prior": [Interval(Real, 0, None, closed="left"), "array-like", None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        kind: str = "full",
        kernel: str = "linear",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        prior: Any = None,
        max_iter: int = 300,
        tol: float = 1e-3,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.C = C
        self.kind = kind
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.prior = prior
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, constraints: Any = None, pair_weight: Any = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : ignored
        constraints : pairs of row numbers, of shape (m, 2), or Constraints
            The pairs that are different. Known labels of a Constraints give all pairs of different labels, or 100,000
            of them. Its must-links and groups are ignored with a warning. Its weights multiply C; hard pairs weigh as
            much as the heaviest soft pair, or 1.
        pair_weight : array of shape (m,), optional
            Weights of pairs that are given as an array: C is multiplied by them.
        """
        X = self._checked(X)
        rng = np.random.default_rng(seeds(self.random_state, 1)[0])
        return self._learn(X, read_pairs(constraints, pair_weight, X.shape[0], rng), rng)

    def fit_names(self, X: Any, names: Any, *, max_pairs: int | None = 10_000) -> Self:
        """Learn the metric from names: rows with different names are different.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        names : sequence of length n
            Any hashable; -1, None or NaN where there is none.
        max_pairs : int or None
            At most this many pairs, drawn at random; None for all. More pairs can help on real names; training on the
            closest pairs alone is worse.

        Examples
        --------
        >>> from pluribus.similarity import CannotLinkMetric
        >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
        >>> metric = CannotLinkMetric(tol=1e-9, random_state=0).fit_names(X, ["Ann", "Ann", "Bob", "Bob"])
        >>> metric.A_.diagonal().round(6).tolist()
        [1.0, 0.0, 0.0]
        """
        X = self._checked(X)
        if max_pairs is not None:
            max_pairs = whole_number("max_pairs", max_pairs, 1)
        rng = np.random.default_rng(seeds(self.random_state, 1)[0])
        pairs = pairs_of_names(read_names(names, X.shape[0]), max_pairs, rng)
        if not len(pairs):
            raise ValueError("names are all the same, so no rows are known to be different: give two names or more.")
        return self._learn(X, Apart(pairs, np.ones(len(pairs))), rng)

    def partial_fit(self, X: Any, y: Any = None, *, constraints: Any = None, pair_weight: Any = None) -> Self:
        """Go on with more pairs: visit each of them once, in their order, and only add to the metric.

        A pair that is less than 1 apart is moved to distance 1, or as far as C allows. Rows and pairs of earlier calls
        are not kept, so nothing that they added is taken back: the result keeps the margins, but it is not the
        smallest such metric, and ``dual_gap_`` is NaN. ``alpha_``, ``margins_`` and ``margin_`` are about the last
        call. The parameters are those of ``fit``. Not for kind="kernel", which would have to keep all rows.

        Examples
        --------
        >>> from pluribus.similarity import CannotLinkMetric
        >>> metric = CannotLinkMetric().partial_fit([[0, 0], [2, 0]], constraints=[(0, 1)])
        >>> metric.partial_fit([[0, 0], [1, 1]], constraints=[(0, 1)]).A_.tolist()
        [[0.4375, 0.1875], [0.1875, 0.1875]]
        """
        first = not hasattr(self, "n_iter_")
        X = self._checked(X, reset=first)
        if self.kind == "kernel":
            raise ValueError("partial_fit is not for kind='kernel', which would have to keep all rows: use fit.")
        rng = np.random.default_rng(seeds(self.random_state, 1)[0])
        apart = read_pairs(constraints, pair_weight, X.shape[0], rng)
        form = self._form(X, apart.pairs, read_prior(self.prior, self.kind, X.shape[1]) if first else self._current())
        visited, bounds = bounds_of(self.C, apart, form.norms)
        alpha = np.zeros(len(bounds))
        form.sweep(visited, bounds, alpha, np.empty(len(bounds)))
        self.n_iter_ = 1 if first else self.n_iter_ + 1
        self._keep(form, apart, alpha)
        self.dual_gap_ = np.nan
        return self

    def transform(self, X: Any) -> Any:
        """Map rows so that their Euclidean distances are the learned ones.

        Sparse rows stay sparse for kind="sparse" and "diagonal".
        """
        X = self._new_rows(X)
        features = X if self._kernel is None else self._kernel(X, self.support_points_)
        return features.astype(X.dtype, copy=False) @ self.components_.T.astype(X.dtype)

    def pairwise_distances(self, X: Any, Y: Any = None) -> np.ndarray:
        """The learned distance of each row of X to each row of Y, by default of X."""
        one = self.transform(X)
        other = one if Y is None else self.transform(Y)
        if sparse.issparse(one) or sparse.issparse(other):
            return euclidean_distances(one, other)
        return cdist(one, other)

    @property
    def components_(self) -> Any:
        """The factor of A; of a full metric it is computed when it is first used."""
        check_is_fitted(self)
        return self._learned.components

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def _checked(self, X: Any, *, reset: bool = True) -> Any:
        self._validate_params()
        refuse_annotated(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=reset, ensure_min_samples=2)
        check_new_scale(X)
        return X

    def _new_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        refuse_annotated(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=False)
        check_new_scale(X)
        return X

    def _learn(self, X: Any, apart: Apart, rng: np.random.Generator) -> Self:
        prior = read_prior(self.prior, self.kind, X.shape[1])
        form = self._form(X, apart.pairs, prior)
        visited, bounds = bounds_of(self.C, apart, form.norms)
        alpha, self.n_iter_, finished = descend(
            form, visited, bounds, tol=self.tol, max_iter=self.max_iter, rng=rng, verbose=self.verbose
        )
        self._keep(form, apart, alpha)
        gap = duality_gap(alpha[visited], bounds[visited], self.margins_[visited], form.start[visited])
        self.dual_gap_ = gap
        if not finished:
            warn_unfinished(self.max_iter, gap)
        return self

    def _current(self) -> Any:
        """The metric so far, as a prior for more pairs."""
        if self.kind != self._fitted_kind:
            raise ValueError(f"kind={self.kind!r}, but the metric so far is {self._fitted_kind!r}: call fit first.")
        return self._learned if self.kind == "sparse" else self._learned.A

    def _form(self, X: Any, pairs: np.ndarray, prior: Any) -> Form:
        self._kernel: Callable[..., np.ndarray] | None = None
        if self.kind == "kernel":
            parameters = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
            self._kernel = partial(pairwise_kernels, metric=self.kernel, filter_params=True, **parameters)
        return make_form(self.kind, X, pairs, prior, self._kernel)

    def _keep(self, form: Form, apart: Apart, alpha: np.ndarray) -> None:
        """Set what was learned."""
        self._learned, self._fitted_kind = form.learned(alpha), self.kind
        for other in _HOLDS.values():
            self.__dict__.pop(other, None)  # of a fit of another kind
        setattr(self, _HOLDS[self.kind], self._learned.A)
        self.pairs_, self.alpha_, self.margins_ = apart.pairs, alpha, form.margins()
        self.support_ = np.flatnonzero(alpha)
        self.margin_ = float(self.margins_[apart.weights > 0].min())
        length = self._learned.length
        self.normalized_margin_ = self.margin_ / length if length > 0 else 0.0  # a tiny C: the norm rounds to 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

"""Maximum a posteriori classifier with dissimilarity increments (MAP-DID)."""

import warnings
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.mixture import GaussianMixture
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from pluribus._engine import real_number, run_tasks, seeds, track
from pluribus.increments._shared.new_objects import check_not_far, largest_number
from pluribus.increments._shared.ties import warn_of_ties
from pluribus.increments.classifier._class_mixture import class_mixture
from pluribus.increments.classifier._neighborhood import FeatureNeighborhood, GivenNeighborhood, Neighborhood
from pluribus.increments.classifier._space import Space, dissimilarity_space, embedded_space, feature_space
from pluribus.increments.dissimilarity_embedding import DissimilarityEmbedding
from pluribus.tables._internal import check_distances, check_scale

_FLOOR = 1e-9  # of the median nearest-neighbor distance of a class: its least mean increment
_FLOOR_OF_DUPLICATES = 1e-12  # of the spread of all objects: the same for a class of duplicates
_OBJECTS_FOR_DIMENSION = 3  # of an embedding, in the smallest class


class LikelihoodTerms(NamedTuple):
    """The two factors of the likelihood, as logarithms: arrays with a row for each object, a column for each class."""

    positions: np.ndarray
    increments: np.ndarray


class IncrementsClassifier(ClassifierMixin, BaseEstimator):
    """Classify by where objects lie, and by how the distances between neighbors change.

    Each class has a Gaussian mixture for the positions of its objects, and one distribution for their dissimilarity
    increments (:class:`IncrementsDistribution`). The increment of a new object x in a class is |d(x, a) - d(a, b)|,
    where a is the object of the class nearest to x, and b the one nearest to a. Its class maximizes

        log p(class) + log Σ α N(x; μ, Σ) + increment_weight · log p(increment; mean increment of the class).

    Prefer it if classes differ in local density or regularity as well as in position: the second factor separates a
    grid from random points in the same square, which no mixture can. If classes differ only in position, it changes
    little. Objects that are only known by dissimilarities are embedded first (:class:`DissimilarityEmbedding`).

    A new object is compared with the objects of ``fit``. If it is one of these, it is its own nearest neighbor, and
    its increment is not that of a new object: measure errors by cross-validation.

    Parameters
    ----------
    max_components : int
        Components of the mixture of each class, at most; the BIC chooses. There are at least d + 1 objects for each.
    criterion : {"bic"}
    covariance_type : {"full", "diag"}
        Of the mixtures. Use "diag" for more than about 50 features. Classes with fewer than d + 1 objects always have
        diagonal covariances, with a warning.
    reg_covar : float
        Added to the variances of the mixtures, as a share of the mean variance of the features.
    increments : {"single", "set"}
        The increment of a new object as above, or the mean density over the increments of all triplets of neighbors
        that the object is part of once it is inserted into the class. "set" needs all distances.
    increment_weight : float
        The weight of the second factor, 0 to 1e6; 0 is the plain mixture classifier.
    metric : {"euclidean", "precomputed"}
        Whether X holds features, or dissimilarities between objects, which need not be a metric.
    embedding : {"pes", "ppes", "npes", "ces"}, optional
        How dissimilarities become features (:class:`DissimilarityEmbedding`). Distances are then those of the
        embedding. Without it, increments are those of the dissimilarities, and the mixtures need ``prototypes``.
    prototypes : float, optional
        Use a dissimilarity space: the features are distances to prototypes, whose number is this share of the training
        objects, at most 0.5. Prototypes are centers of k-means; with dissimilarities and no embedding, they are objects
        that are far from each other.
    n_components : int, or (int, int), optional
        Dimensions of the embedding, if there is one, as in :class:`DissimilarityEmbedding`. By default those that hold
        95 % of the positive and of the negative eigenvalues, but at most a third of the number of objects in the
        smallest class.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
    priors_ : ndarray of shape (k,)
        Share of each class.
    mixtures_ : list of GaussianMixture
        One for each class.
    mean_increments_ : ndarray of shape (k,)
        Mean increment of each class.
    embedding_ : DissimilarityEmbedding or None
    n_features_in_ : int
        Features, or objects whose dissimilarities ``predict`` needs.

    References
    ----------
    Aidos, Fred and Duin, "Classification using high order dissimilarities in non-Euclidean spaces", ICPRAM 2012.

    Examples
    --------
    Random points and a grid with jitter share a square:

    >>> import numpy as np
    >>> from sklearn.model_selection import StratifiedKFold, cross_val_score
    >>> from pluribus.increments import IncrementsClassifier
    >>> rng = np.random.default_rng(0)
    >>> grid = np.stack(np.meshgrid(np.arange(20), np.arange(20)), axis=-1).reshape(-1, 2) + 0.5
    >>> X = np.vstack([rng.uniform(0, 20, (400, 2)), grid + rng.normal(0, 0.08, (400, 2))])
    >>> y = np.repeat(["random", "grid"], 400)
    >>> for weight in (0, 1):
    ...     model = IncrementsClassifier(increment_weight=weight, random_state=0, verbose=False)
    ...     print(cross_val_score(model, X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0)).mean().round(1))
    0.5
    0.9
    >>> model.fit(X, y).mean_increments_.round(2).tolist()
    [0.1, 0.31]
    """

    known_as: dict = {"map-did": {}}
    suits = "Classes that differ in local density or regularity, in tens to thousands of objects each."

    _parameter_constraints: dict = {
        "max_components": [Interval(Integral, 1, None, closed="left")],
        "criterion": [StrOptions({"bic"})],
        "covariance_type": [StrOptions({"full", "diag"})],
        "reg_covar": [Interval(Real, 0, 1, closed="both")],
        "increments": [StrOptions({"single", "set"})],
        "increment_weight": [Interval(Real, 0, None, closed="left")],
        "metric": [StrOptions({"euclidean", "precomputed"})],
        "embedding": [StrOptions({"pes", "ppes", "npes", "ces"}), None],
        "prototypes": [Interval(Real, 0, 0.5, closed="right"), None],
        "n_components": DissimilarityEmbedding._parameter_constraints["n_components"],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    classes_: np.ndarray
    priors_: np.ndarray
    mixtures_: list[GaussianMixture]
    mean_increments_: np.ndarray
    embedding_: DissimilarityEmbedding | None

    def __init__(
        self,
        max_components: int = 5,
        *,
        criterion: Literal["bic"] = "bic",
        covariance_type: Literal["full", "diag"] = "full",
        reg_covar: float = 1e-6,
        increments: Literal["single", "set"] = "single",
        increment_weight: float = 1.0,
        metric: Literal["euclidean", "precomputed"] = "euclidean",
        embedding: Literal["pes", "ppes", "npes", "ces"] | None = None,
        prototypes: float | None = None,
        n_components: int | tuple[int, int] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.max_components = max_components
        self.criterion = criterion
        self.covariance_type = covariance_type
        self.reg_covar = reg_covar
        self.increments = increments
        self.increment_weight = increment_weight
        self.metric = metric
        self.embedding = embedding
        self.prototypes = prototypes
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the classes.

        Parameters
        ----------
        X : array of shape (n, d), or of shape (n, n) if ``metric="precomputed"``
            Features, or symmetric dissimilarities that are 0 on the diagonal.
        y : array of shape (n,)
            The class of each object; each class has at least three objects.
        """
        self._validate_params()
        real_number("increment_weight", self.increment_weight, 0, 1e6)
        self._check_parameters()
        precomputed = self.metric == "precomputed"
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32] if precomputed else np.float64)
        X = check_distances(X) if precomputed else X
        check_scale(X)
        self._largest = largest_number(X)
        self.classes_, codes = _classes_of(y)
        counts = np.bincount(codes)
        self._check_classes(counts)
        self.priors_ = counts / len(codes)
        members = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])

        self._space, features = self._make_space(X, int(counts.min()))
        self.embedding_ = self._space.embedding
        self.mixtures_ = self._fit_mixtures(features, members)
        self._neighborhoods = [self._neighborhood(X, features, own) for own in members]
        spread = float(np.sqrt(features.var(axis=0).mean())) or 1.0
        self.mean_increments_ = np.array([_mean_increment(own, spread) for own in self._neighborhoods])
        for name, own in zip(self.classes_, self._neighborhoods, strict=True):
            warn_of_ties(own.increments, f" of {_named(name)}")
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each object.

        Parameters
        ----------
        X : array of shape (n_new, d), or of shape (n_new, n) if ``metric="precomputed"``
            Features, or dissimilarities to the objects of ``fit``.
        """
        joint = self._joint(X)
        return self.classes_[joint.argmax(axis=1)]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of the probabilities of the classes, (n_new, k)."""
        joint = self._joint(X)
        return joint - logsumexp(joint, axis=1, keepdims=True)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the classes, (n_new, k)."""
        return np.exp(self.predict_log_proba(X))

    def log_likelihood_terms(self, X: Any) -> LikelihoodTerms:
        """The two factors of the likelihood in each class: of the position, and of the increment.

        Parameters
        ----------
        X : as in ``predict``

        Returns
        -------
        positions, increments : arrays of shape (n_new, k)
            Logarithms; neither priors nor ``increment_weight`` are part of them.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from pluribus.increments import IncrementsClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = IncrementsClassifier(1, verbose=False).fit(X, y)
        >>> positions, increments = model.log_likelihood_terms([[6, 3, 5, 1.6]])
        >>> positions.round(1).tolist()
        [[-249.5, -0.8, -1.5]]
        >>> increments.round(1).tolist()
        [[-570.8, 1.4, 1.3]]
        """
        check_is_fitted(self)
        X = self._checked_new(X)
        features = self._space.features(X)
        new = X if self._by_given_dissimilarities else features
        positions, increments = np.empty((len(X), len(self.classes_))), np.empty((len(X), len(self.classes_)))
        for j in track(range(len(self.classes_)), "classes", verbose=self.verbose):
            positions[:, j] = self.mixtures_[j].score_samples(features)
            own, mean = self._neighborhoods[j], float(self.mean_increments_[j])
            density = own.log_densities if self.increments == "single" else own.log_mean_densities
            increments[:, j] = density(new, mean, self.n_jobs)
        return LikelihoodTerms(positions, increments)

    def __sklearn_tags__(self) -> Any:
        """Dissimilarities are split by rows and by columns in cross-validation."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    @property
    def _by_given_dissimilarities(self) -> bool:
        """Whether increments are those of the given dissimilarities, and not of features."""
        return self.metric == "precomputed" and self.embedding is None

    def _joint(self, X: Any) -> np.ndarray:
        """log p(class) + log p(x | class), eq. of the class."""
        terms = self.log_likelihood_terms(X)
        return np.log(self.priors_) + terms.positions + self.increment_weight * terms.increments

    def _check_parameters(self) -> None:
        if self.metric == "euclidean" and self.embedding is not None:
            raise ValueError(
                f"embedding={self.embedding!r} is for dissimilarities: give these, and metric='precomputed', or leave "
                "it out."
            )
        if self._by_given_dissimilarities and self.prototypes is None:
            raise ValueError(
                "metric='precomputed' needs features for the mixtures: give an embedding, such as 'pes', or a share of "
                "prototypes, such as 0.1."
            )

    def _check_classes(self, counts: np.ndarray) -> None:
        if len(counts) < 2:
            raise ValueError("y has only one class; a classifier needs at least two.")
        if counts.min() < 3:
            few = _named(self.classes_[counts.argmin()])
            raise ValueError(
                f"There are {counts.min()} objects in {few}; an increment needs three. Leave the class out, or merge "
                "it with another."
            )

    def _checked_new(self, X: Any) -> np.ndarray:
        if self.metric == "precomputed":
            X = check_array(X, dtype=np.float64)
            if X.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {X.shape[1]} columns; give dissimilarities to each of the {self.n_features_in_} objects of "
                    "fit."
                )
            if X.min() < 0:
                raise ValueError(f"Dissimilarities must not be negative; the lowest is {X.min():g}.")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        check_not_far(X, self._largest)
        return X

    def _make_space(self, X: np.ndarray, smallest_class: int) -> tuple[Space, np.ndarray]:
        if self.embedding is not None:
            embedding = DissimilarityEmbedding(self.embedding, self.n_components)
            most = max(1, smallest_class // _OBJECTS_FOR_DIMENSION) if self.n_components is None else None
            return embedded_space(X, embedding, most, self.prototypes)
        if self.metric == "precomputed":
            return dissimilarity_space(X, float(self.prototypes or 0))
        return feature_space(X, self.prototypes)

    def _fit_mixtures(self, features: np.ndarray, members: list[np.ndarray]) -> list[GaussianMixture]:
        d, seed = features.shape[1], seeds(self.random_state, 1)[0]
        reg_covar = self.reg_covar * (float(features.var(axis=0).mean()) or 1.0)
        small = [_named(name) for name, own in zip(self.classes_, members, strict=True) if len(own) < d + 1]
        if small and self.covariance_type == "full":
            warnings.warn(
                f"Fewer than {d + 1} objects in {', '.join(small[:5])}{' …' * (len(small) > 5)}: too few for the "
                f"covariances of {d} features, so these classes have diagonal ones.",
                UserWarning,
                stacklevel=3,
            )

        def fit_class(own: np.ndarray) -> GaussianMixture | None:
            kind = "diag" if len(own) < d + 1 else self.covariance_type
            return class_mixture(features[own], self.max_components, kind, reg_covar, seed)

        mixtures = run_tasks(fit_class, members, n_jobs=self.n_jobs, description="mixtures", verbose=self.verbose)
        for name, mixture in zip(self.classes_, mixtures, strict=True):
            if mixture is None:
                raise ValueError(f"The covariance of {_named(name)} is singular: raise reg_covar.")
        return [mixture for mixture in mixtures if mixture is not None]

    def _neighborhood(self, X: np.ndarray, features: np.ndarray, members: np.ndarray) -> Neighborhood:
        if self._by_given_dissimilarities:
            return GivenNeighborhood(X, members, self.n_jobs)
        return FeatureNeighborhood(features[members], self.n_jobs)


def _classes_of(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes, and the place of each object's class among them."""
    try:
        check_classification_targets(y)
        return np.unique(y, return_inverse=True)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must hold the class of each object, either all words or all numbers. {error}") from None


def _mean_increment(own: Neighborhood, spread: float) -> float:
    floor = _FLOOR * float(np.median(own.gap)) or _FLOOR_OF_DUPLICATES * spread
    return max(float(own.increments.mean()), floor)


def _named(label: Any) -> str:
    return f"class {label}"

"""Clusterers of one known group, and how their clusters extend to all rows."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

from pluribus.alternative._shared.clusterers import check_clusterer, configured_clusterer, gaussian_mixture
from pluribus.alternative._shared.families import row_totals
from pluribus.alternative._shared.plain_bottleneck import PlainBottleneck
from pluribus.alternative._shared.residuals import Residuals
from pluribus.constrained._internal import Corpus, TermMixture

KMEANS, MULTINOMIAL, GAUSSIAN, BOTTLENECK = "kmeans", "em-multinomial", "em-gaussian", "ib"
BASES = (KMEANS, MULTINOMIAL, GAUSSIAN, BOTTLENECK)
COUNTS = (MULTINOMIAL, BOTTLENECK)  # those that model counts, which centered rows are not
SMOOTHING, TOLERANCE, MAX_ITER = 0.01, 1e-6, 300  # of EM for counts


class Group(NamedTuple):
    """The rows of one known group, and how many clusters it gets."""

    number: int
    rows: np.ndarray
    n_clusters: int


def check_base(base: Any, X: Any, center: bool) -> None:
    """Refuse a base clusterer that is none, or that the rows do not suit."""
    check_clusterer(base, BASES)
    if isinstance(base, str) and base in COUNTS:
        if center:
            raise ValueError(f"base={base!r} is for counts, and centered rows are none: give center=False.")
        if (X.data if sparse.issparse(X) else X).min(initial=0) < 0:
            raise ValueError(f"base={base!r} is for counts, but X has negative numbers: use base='kmeans'.")
        if base == BOTTLENECK and not (totals := row_totals(X)).all():
            raise ValueError(
                f"base='ib' compares shares of counts, but row {int(totals.argmin())} of X is all zero: leave such "
                "rows out, or use base='em-multinomial'."
            )
    if sparse.issparse(X) and center and base != KMEANS:
        raise ValueError("center=True would make the sparse X dense: use base='kmeans', or center=False.")
    if isinstance(base, str) and base == GAUSSIAN and sparse.issparse(X):
        raise ValueError("base='em-gaussian' needs dense rows: use base='kmeans' or 'em-multinomial' for a sparse X.")


def fit_and_extend(base: Any, space: Residuals, matrix: Any, group: Group, seed: int) -> tuple[Any, np.ndarray]:
    """The model of one group, and its cluster of every row; -1 where it has none.

    ``space`` has the rows without the means that are to be removed, ``matrix`` the same as an array, which k-means does
    not need.
    """
    if isinstance(base, str) and base == KMEANS:
        model = KMeans(group.n_clusters, n_init=1, random_state=seed).fit(space.X[group.rows])
        return model, _nearest_center(space, model.cluster_centers_ - space.means[space.group[group.rows[0]]])
    model = _configured(base, group.n_clusters, seed, matrix)
    model.fit(matrix[group.rows])
    if hasattr(model, "predict"):
        return model, np.asarray(model.predict(matrix))
    return model, _of_nearest_row(matrix, group.rows, np.asarray(model.labels_))


def _nearest_center(space: Residuals, centers: np.ndarray) -> np.ndarray:
    """The minimum of |center|² / 2 - row · center."""
    score = space.dot(centers)
    score -= ((centers**2).sum(axis=1) / 2).astype(score.dtype)
    return score.argmax(axis=1)


def _of_nearest_row(matrix: Any, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """For a clusterer that cannot predict: the cluster of the nearest row that it has seen."""
    nearest = NearestNeighbors(n_neighbors=1).fit(matrix[rows])
    return labels[nearest.kneighbors(matrix, return_distance=False).ravel()]


def _configured(base: Any, n_clusters: int, seed: int, matrix: Any) -> Any:
    if isinstance(base, str):
        if base == MULTINOMIAL:
            return MultinomialMixture(n_clusters, seed)
        if base == GAUSSIAN:
            return gaussian_mixture(matrix, n_clusters, seed, covariance_type="diag")
        return PlainBottleneck(n_clusters)
    return configured_clusterer(base, n_clusters, seed)


class MultinomialMixture(BaseEstimator):
    """A mixture of multinomials over counts, from one random start."""

    def __init__(self, n_clusters: int, random_state: int) -> None:
        self.n_clusters, self.random_state = n_clusters, random_state

    def fit(self, X: Any) -> "MultinomialMixture":
        """EM until the likelihood gains less than a millionth."""
        n, d = X.shape
        corpus = Corpus(
            X, np.ones(n), SMOOTHING, MAX_ITER, TOLERANCE, np.empty(0, dtype=np.int64), np.zeros((0, self.n_clusters))
        )
        self.mixture_: TermMixture = corpus.fit(self.n_clusters, np.ones(d), self.random_state)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The component that each row most probably comes from."""
        return self.mixture_.scores(X, np.ones(X.shape[1])).argmax(axis=1)

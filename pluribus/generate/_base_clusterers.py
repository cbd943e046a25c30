"""The clusterers of members, tuned for ensembles: one random start each, for diversity."""

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from pluribus._kernels.linkage.genie import genie_labels
from pluribus._kernels.linkage.spanning_tree import tree_of_features
from pluribus.constraints import Constraints
from pluribus.generate._landmarks import cluster_by_landmarks
from pluribus.generate.communities import Communities

NAMED = ("kmeans", "agglomerative", "mixture", "spectral", "landmarks", "communities")
LINKAGES = ("ward", "complete", "average", "single", "genie")
_GINI_THRESHOLDS = (0.1, 0.3, 0.5, 0.7)

# Bytes for the distances of all pairs of rows of a member by complete, average or Ward linkage, at most.
MAX_DISTANCES = 2**31


def cluster(
    clusterer: Any,
    linkage: str,
    X: Any,
    k: int | None,
    seed: int,
    constraints: Constraints | None = None,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Return the label of each row of `X`, -1 for noise.

    `k` is None for a clusterer that finds the number of clusters.
    """
    clusterer = Communities() if isinstance(clusterer, str) and clusterer == "communities" else clusterer
    given = {"constraints": constraints, "sample_weight": weights}
    fit_params = {name: value for name, value in given.items() if value is not None}
    if constraints is not None:
        return np.asarray(_for_member(clusterer, X.shape[0], k, seed).fit_predict(X, **fit_params))
    if X.shape[0] == 1 or k == 1:
        return np.zeros(X.shape[0], dtype=np.int8)
    if (
        k is not None
        and k == X.shape[0]
        and (clusterer == "spectral" or isinstance(clusterer, sklearn.cluster.SpectralClustering))
    ):
        return np.arange(k)  # the eigensolver cannot compute as many eigenvectors as rows
    if k is None or not isinstance(clusterer, str):
        return np.asarray(_for_member(clusterer, X.shape[0], k, seed).fit_predict(X, **fit_params))
    if clusterer == "kmeans":
        return _k_means(X, k, seed, weights)
    if clusterer == "agglomerative" and linkage == "genie":
        return _genie(X, k, seed)
    if clusterer == "agglomerative":
        return sklearn.cluster.AgglomerativeClustering(n_clusters=k, linkage=linkage).fit_predict(X)
    if clusterer == "mixture":
        # The floor of the variances follows the scale of the data; with few rows per component they could be singular.
        floor = 1e-3 * float(X.var(axis=0).mean()) or 1e-6
        mixture = sklearn.mixture.GaussianMixture(k, reg_covar=floor, init_params="random_from_data", random_state=seed)
        return mixture.fit_predict(X)
    if clusterer == "landmarks":
        return cluster_by_landmarks(X, k, seed)
    return _spectral(X, k, seed)


def takes_constraints(clusterer: Any) -> bool:
    """Whether the ``fit_predict`` of a clusterer takes constraints, pairs among them."""
    if isinstance(clusterer, str) or "constraints" not in inspect.signature(clusterer.fit_predict).parameters:
        return False
    return "pairs" in kept_kinds(clusterer)


def kept_kinds(clusterer: Any) -> tuple[str, ...]:
    """The kinds of statements that a clusterer keeps, as it declares them."""
    return tuple(getattr(clusterer, "keeps", ("pairs",)))


def chooses_k_itself(clusterer: Any) -> bool:
    """Whether a clusterer has no parameter for the number of clusters, or None for it."""
    return clusterer == "communities" if isinstance(clusterer, str) else not _k_parameters(clusterer)


def _k_means(X: Any, k: int, seed: int, weights: np.ndarray | None) -> np.ndarray:
    k, weights = startable(k, weights)
    learner = sklearn.cluster.KMeans(k, init="random", n_init=1, max_iter=100, random_state=seed)
    return learner.fit_predict(X, sample_weight=weights)


def startable(k: int, weights: np.ndarray | None) -> tuple[int, np.ndarray | None]:
    """At most as many clusters as rows with a weight; equal weights if all are 0."""
    n_counting = k if weights is None else int(np.count_nonzero(weights))
    return (min(k, n_counting), weights) if n_counting else (k, None)


def _genie(X: np.ndarray, k: int, seed: int) -> np.ndarray:
    """Genie on the Euclidean spanning tree, with one of four thresholds: O(n² d) time, O(n) memory."""
    first, second, length = tree_of_features(np.ascontiguousarray(X, np.float64), np.arange(len(X)))
    low, high = np.minimum(first, second), np.maximum(first, second)
    order = np.lexsort((high, low, length))
    threshold = np.random.default_rng([5, seed]).choice(_GINI_THRESHOLDS)
    return genie_labels(low[order], high[order], k, threshold)


def _spectral(X: Any, k: int, seed: int) -> np.ndarray:
    learner = sklearn.cluster.SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=min(10, X.shape[0]), n_init=1, random_state=seed
    )
    return learner.fit_predict(X)


def _for_member(clusterer: Any, n: int, k: int | None, seed: int) -> Any:
    """Clone a clusterer, set its number of clusters and its seed, and limit its neighbors to the number of rows."""
    parameters = clusterer.get_params()
    changes: dict[str, Any] = dict.fromkeys(_k_parameters(clusterer), k)
    for name, value in parameters.items():
        last = name.rpartition("__")[2]
        if last == "random_state":
            changes[name] = seed
        elif last == "n_neighbors" and value is not None:
            changes[name] = min(value, n)
    return clone(clusterer).set_params(**changes)


def _k_parameters(clusterer: Any) -> list[str]:
    """Return the parameters for the number of clusters, including those of the steps of a pipeline."""
    parameters = clusterer.get_params()
    names = [name for name in parameters if name.rpartition("__")[2] == "n_clusters"]
    if not names and "n_components" in parameters:  # mixtures; elsewhere it means dimensions
        names = ["n_components"]
    return [name for name in names if parameters[name] is not None]


@contextmanager
def quiet() -> Iterator[None]:
    """Silence warnings that are normal for members: no convergence, and disconnected neighbor graphs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Graph is not fully connected")
        # scikit-learn warns of any table with as many rows as columns
        warnings.filterwarnings("ignore", "The spectral clustering API has changed")
        yield

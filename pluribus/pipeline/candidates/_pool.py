"""Candidates: the partition of an ensemble and its merges, Genie on a spanning tree, k-means and Gaussian mixtures."""

import warnings
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture

from pluribus._engine import run_tasks, seeds
from pluribus.partitions._internal import encode_labels, number_by_size
from pluribus.pipeline.candidates._genie import THRESHOLDS, genie
from pluribus.pipeline.candidates._neighborhood import (
    Neighborhood,
    Tree,
    euclidean_tree,
    nearest_others,
    reachability_tree,
)

OWN = "own"
MOST_OBJECTS = 20_000
_LEAST_OBJECTS = 30
_LEAST_IN_CLUSTER = 3  # on average
_NEIGHBORS = 25
_CORE_NEIGHBOR = 4
_COMPONENTS = 15  # that mixtures look at, if there are more features
_COVARIANCES = ("full", "tied", "diag")


class Pool(NamedTuple):
    """Partitions of the same n objects into as many clusters, and the geometry that they are judged by."""

    names: tuple[str, ...]
    labels: np.ndarray  # (m, n), clusters numbered from the largest
    n_clusters: int
    near: Neighborhood
    tree: Tree  # by mutual reachability


def make_candidates(
    X: np.ndarray,
    own: np.ndarray,
    merges: Mapping[str, np.ndarray],
    n_clusters: int,
    seed: int | None = None,
    n_jobs: int | None = None,
) -> Pool | None:
    """Make the candidates, or None if the table is too small or fewer than two candidates have all clusters.

    Parameters
    ----------
    X : array of shape (n, d), float32 or float64, finite
    own : labels
        The partition that other candidates compete with.
    merges : dict of labels by name
        Further merges of the same evidence.
    n_clusters : int
    seed : int or None
        For k-means and mixtures.
    n_jobs : int, optional
        The result does not depend on it.
    """
    n = len(X)
    if n_clusters < 2 or n < max(_LEAST_OBJECTS, _LEAST_IN_CLUSTER * n_clusters):
        return None
    near = nearest_others(X, min(_NEIGHBORS, n - 1), n_jobs)
    trees = run_tasks(
        lambda make: make(),
        [partial(euclidean_tree, X, near), partial(reachability_tree, X, near, _CORE_NEIGHBOR)],
        n_jobs=n_jobs,
        verbose=False,
    )
    made = {OWN: own, **merges, **_by_trees(trees[0], n_clusters), **_by_centers(X, n_clusters, seed, n_jobs)}
    coded = {name: encode_labels(labels)[0] for name, labels in made.items()}
    full = {name: labels for name, labels in coded.items() if labels.max() + 1 == n_clusters}
    if len(full) < 2:
        return None
    labels = np.array([number_by_size(each, n_clusters) for each in full.values()])
    return Pool(tuple(full), labels, n_clusters, near, trees[1])


def _by_trees(tree: Tree, n_clusters: int) -> dict[str, np.ndarray]:
    return {f"genie {threshold}": genie(tree, n_clusters, threshold) for threshold in THRESHOLDS}


def _by_centers(X: np.ndarray, n_clusters: int, seed: int | None, n_jobs: int | None) -> dict[str, np.ndarray]:
    """k-means and mixtures. k-means takes the place of a mixture that cannot be fitted."""
    own_seeds = seeds(seed, 1 + len(_COVARIANCES))
    features = _components(_scaled(X), own_seeds[0])
    tasks = [
        partial(_k_means, X, n_clusters, own_seeds[0]),
        *(
            partial(_mixture, features, n_clusters, covariance, own)
            for covariance, own in zip(_COVARIANCES, own_seeds[1:], strict=True)
        ),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fewer distinct rows than clusters, and of fits that have not converged
        k_means, *mixtures = run_tasks(lambda fit: fit(), tasks, n_jobs=n_jobs, verbose=False)
    named = {
        f"mixture {covariance}": k_means if labels is None else labels
        for covariance, labels in zip(_COVARIANCES, mixtures, strict=True)
    }
    return {"k-means": k_means, **named}


def _k_means(X: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    return KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(X)


def _mixture(X: np.ndarray, n_clusters: int, covariance: str, seed: int) -> np.ndarray | None:
    model = GaussianMixture(
        n_clusters, covariance_type=covariance, n_init=2, reg_covar=1e-3, max_iter=60, random_state=seed
    )
    try:
        return model.fit_predict(X)
    except ValueError:  # a covariance that is not positive definite
        return None


def _scaled(X: np.ndarray) -> np.ndarray:
    """X by one factor, so that the mean variance is 1: mixtures add a constant to variances."""
    variance = float(X.var(axis=0, dtype=np.float64).mean())
    return X / X.dtype.type(np.sqrt(variance)) if variance > 0 else X


def _components(X: np.ndarray, seed: int) -> np.ndarray:
    """The first principal components, if there are many features."""
    if X.shape[1] <= _COMPONENTS:
        return X
    solver = "covariance_eigh" if X.shape[1] <= len(X) else "full"
    return PCA(min(_COMPONENTS, len(X)), svd_solver=solver, random_state=seed).fit_transform(X)

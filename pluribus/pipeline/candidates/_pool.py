"""Candidates: the merges of an ensemble's evidence, Genie on a spanning tree, k-means and Gaussian mixtures."""

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
from pluribus.pipeline.candidates._terms import Links, links_of

OWN = "own"
_LEAST_OBJECTS = 30
_LEAST_IN_CLUSTER = 3  # on average
_NEIGHBORS = 25
_CORE_NEIGHBOR = 4
_COMPONENTS = 15  # that mixtures look at, if there are more features
_COVARIANCES = ("full", "tied", "diag")


class Effort(NamedTuple):
    """How long k-means and mixtures look for their best fit."""

    centers: int  # starts of k-means
    mixtures: int  # starts of a mixture
    steps: int  # of a mixture


THOROUGH, QUICK = Effort(10, 2, 60), Effort(5, 1, 25)


class Ground(NamedTuple):
    """What all candidates of some objects have in common, whatever the number of clusters."""

    X: np.ndarray
    components: np.ndarray  # that mixtures look at
    near: Neighborhood
    tree: Tree  # Euclidean
    reach: Tree  # by mutual reachability
    links: Links


class Pool(NamedTuple):
    """Partitions of the same n objects into as many clusters."""

    names: tuple[str, ...]
    labels: np.ndarray  # (m, n), clusters numbered from the largest
    n_clusters: int
    ground: Ground


def survey(X: np.ndarray, seed: int, n_jobs: int | None = None) -> Ground | None:
    """Neighbors and spanning trees; None if there are too few objects.

    Parameters
    ----------
    X : array of shape (n, d), float32 or float64, finite
    seed : int
    n_jobs : int, optional
        The result does not depend on it.
    """
    if len(X) < _LEAST_OBJECTS:
        return None
    near = nearest_others(X, min(_NEIGHBORS, len(X) - 1), n_jobs)
    trees = run_tasks(
        lambda make: make(),
        [partial(euclidean_tree, X, near), partial(reachability_tree, X, near, _CORE_NEIGHBOR)],
        n_jobs=n_jobs,
        verbose=False,
    )
    return Ground(X, _components(_scaled(X), seed), near, trees[0], trees[1], links_of(near))


def make_candidates(
    ground: Ground,
    given: Mapping[str, np.ndarray],
    n_clusters: int,
    *,
    effort: Effort,
    seed: int,
    n_jobs: int | None = None,
) -> Pool | None:
    """Make the candidates, or None if there are too few objects or fewer than two candidates have all clusters.

    Parameters
    ----------
    ground : Ground
    given : dict of labels by name
        The partitions of the ensemble.
    n_clusters : int
    effort : Effort
    seed : int
        For k-means and mixtures.
    n_jobs : int, optional
        The result does not depend on it.
    """
    if n_clusters < 2 or len(ground.X) < _LEAST_IN_CLUSTER * n_clusters:
        return None
    made = {**given, **_by_trees(ground.tree, n_clusters), **_by_centers(ground, n_clusters, effort, seed, n_jobs)}
    coded = {name: encode_labels(labels)[0] for name, labels in made.items()}
    full = {name: labels for name, labels in coded.items() if labels.max() + 1 == n_clusters}
    if len(full) < 2:
        return None
    labels = np.array([number_by_size(each, n_clusters) for each in full.values()])
    return Pool(tuple(full), labels, n_clusters, ground)


def make_one(X: np.ndarray, name: str, n_clusters: int, seed: int) -> np.ndarray | None:
    """One candidate that does not come from the ensemble, by its name; None if it cannot be made."""
    if len(X) < _LEAST_OBJECTS:
        return None
    kind, _, setting = name.partition(" ")
    if kind == "genie":
        tree = euclidean_tree(X, nearest_others(X, min(_NEIGHBORS, len(X) - 1)))
        return genie(tree, n_clusters, float(setting))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "mixture":
            return _mixture(_components(_scaled(X), seed), n_clusters, setting, QUICK, seed)
        return _k_means(X, n_clusters, QUICK, seed)


def _by_trees(tree: Tree, n_clusters: int) -> dict[str, np.ndarray]:
    return {f"genie {threshold}": genie(tree, n_clusters, threshold) for threshold in THRESHOLDS}


def _by_centers(
    ground: Ground, n_clusters: int, effort: Effort, seed: int, n_jobs: int | None
) -> dict[str, np.ndarray]:
    """k-means and mixtures. k-means takes the place of a mixture that cannot be fitted."""
    own_seeds = seeds(seed, 1 + len(_COVARIANCES))
    tasks = [
        partial(_k_means, ground.X, n_clusters, effort, own_seeds[0]),
        *(
            partial(_mixture, ground.components, n_clusters, covariance, effort, own)
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


def _k_means(X: np.ndarray, n_clusters: int, effort: Effort, seed: int) -> np.ndarray:
    return KMeans(n_clusters, n_init=effort.centers, random_state=seed).fit_predict(X)


def _mixture(X: np.ndarray, n_clusters: int, covariance: str, effort: Effort, seed: int) -> np.ndarray | None:
    model = GaussianMixture(
        n_clusters,
        covariance_type=covariance,
        n_init=effort.mixtures,
        reg_covar=1e-3,
        max_iter=effort.steps,
        random_state=seed,
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

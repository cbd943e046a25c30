"""Starts by k-means, whose own start cuts the data along their variance (Su and Dy, 2007)."""

from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans

from pluribus._engine import run_tasks
from pluribus.increments._shared.description import Model, Unit, describe
from pluribus.increments._shared.dissimilarities import Dissimilarities


class Clusters(NamedTuple):
    """Clusters by k-means."""

    codes: np.ndarray  # (n,), from 0, without gaps
    centers: np.ndarray


def variance_partitions(X: np.ndarray, most: int) -> list[np.ndarray]:
    """The centers of 1, 2, … up to ``most`` clusters; fewer if X has fewer distinct rows.

    The cluster with the largest sum of squares is cut at its mean, along the feature of the largest variance.
    """

    def add(members: np.ndarray) -> None:
        clusters.append(members)
        centers.append(X[members].mean(axis=0))
        squares.append(((X[members] - centers[-1]) ** 2).sum(axis=0))

    clusters: list[np.ndarray] = []
    centers: list[np.ndarray] = []
    squares: list[np.ndarray] = []  # of each cluster and feature, about the center
    add(np.arange(len(X)))
    partitions = [np.array(centers)]
    while len(partitions) < most:
        widest = int(np.argmax([of_cluster.sum() for of_cluster in squares]))
        members, center, spread = clusters.pop(widest), centers.pop(widest), squares.pop(widest)
        feature = int(np.argmax(spread))
        beyond = X[members, feature] > center[feature]
        if not beyond.any() or beyond.all():
            break
        add(members[~beyond])
        add(members[beyond])
        partitions.append(np.array(centers))
    return partitions


def kmeans(X: np.ndarray, centers: np.ndarray) -> Clusters:
    """k-means from a start."""
    fitted = KMeans(len(centers), init=centers, n_init=1).fit(X)
    codes = np.unique(fitted.labels_, return_inverse=True)[1]
    return Clusters(codes.astype(np.int64), fitted.cluster_centers_)


def kmeans_centers(X: np.ndarray, k: int) -> np.ndarray:
    """The centers of k clusters by k-means; fewer if X has fewer distinct rows."""
    [clusters] = run_tasks(lambda start: kmeans(X, start), variance_partitions(X, k)[-1:], verbose=False)
    return clusters.centers


def best_kmeans(
    X: np.ndarray,
    objects: Dissimilarities,
    unit: Unit,
    least: int,
    most: int,
    *,
    model: Model = "did",
    verbose: bool = True,
) -> Clusters:
    """k-means with that number of clusters, from least to most, which has the shortest description."""

    def described(start: np.ndarray) -> tuple[float, Clusters]:
        clusters = kmeans(X, start)
        return describe(objects, clusters.codes, model, unit=unit).length, clusters

    starts = variance_partitions(X, most)
    starts = starts[min(least, len(starts)) - 1 :]
    candidates = run_tasks(described, starts, description="k-means", verbose=verbose)
    return min(candidates, key=lambda candidate: candidate[0])[1]

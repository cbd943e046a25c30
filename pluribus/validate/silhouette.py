"""The silhouette: is each object nearer to its own cluster than to the next?"""

from typing import Any

import numpy as np

from pluribus.validate._pairs import Pairs
from pluribus.validate._partition import Missing, check_labels, with_pairs
from pluribus.validate._sampling import check_sample_size, estimate, sums_limit
from pluribus.validate.estimate import Estimate


def silhouette_index(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    similarity: Any = None,
    metric: str = "euclidean",
    missing: Missing = "error",
    sample_size: int | str | None = "auto",
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Estimate:
    """Mean silhouette, from -1 to 1: more is better.

    Of each object, how much nearer it is on average to the objects of its own cluster than to those of the next:
    (b - a) / max(a, b). With similarities it is how much more similar, (a - b) / max(a, b), which is not the silhouette
    of the distances 1 - similarity. An object alone in its cluster has 0. It prefers round clusters of one size, and
    is fair between partitions with different numbers of clusters. On evidence it follows the shapes that the ensemble
    found, but there it favors few clusters.

    Parameters
    ----------
    labels : sequence of n labels
        -1, None and NaN mean that the object is in no cluster.
    X : array, sparse matrix or data frame of shape (n, d)
    distances : array of shape (n, n)
    similarity : CoAssociation, Ensemble, or matrix (n, n) of values in [0, 1], dense or sparse
        Exactly one of X, distances and similarity is given.
    metric : str
        For X, any of ``sklearn.metrics.pairwise_distances``.
    missing : {"error", "ignore", "singletons"}
        Refuse partitions with objects in no cluster, ignore these objects, or count each as a cluster of its own.
    sample_size : "auto", int or None
        Objects to use at most; "auto" is 5,000, None is all. Beyond it the value is estimated from a sample in which
        all clusters show, and has an interval. With similarities all are used wherever that is linear in n.
    random_state : int, RandomState, Generator or None
        Of the sample.
    n_jobs : int, optional
        Threads. The result does not depend on it.

    Returns
    -------
    Estimate
        A float, with ``low``, ``high`` and ``n_sampled``.

    References
    ----------
    Rousseeuw, "Silhouettes", J. Comput. Appl. Math. 20, 1987.
    Duarte, Fred, Lourenço and Duarte, "On consensus clustering validation", SSPR 2010.

    Examples
    --------
    >>> from pluribus.evidence import CoAssociation
    >>> from pluribus.validate import silhouette_index
    >>> labels = [0, 0, 0, 1, 1, 1]
    >>> round(silhouette_index(labels, X=[[0], [1], [2], [10], [11], [12]]), 4)
    0.8657
    >>> ensemble = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]
    >>> round(silhouette_index(labels, similarity=CoAssociation(ensemble)), 4)
    0.9352
    """
    check_sample_size(sample_size)
    codes, pairs = with_pairs(labels, X, distances, similarity, missing=missing, metric=metric, n_jobs=n_jobs)
    return estimate(mean_silhouette, pairs, codes, sums_limit(pairs, codes, sample_size), random_state)


def silhouettes(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    similarity: Any = None,
    metric: str = "euclidean",
    missing: Missing = "error",
    n_jobs: int | None = None,
) -> np.ndarray:
    """The silhouette of each object, from -1 to 1: which objects lie well in their cluster, and which do not.

    Compares each object with all, in O(n² d) time for X and without an n × n array: draw a sample of many objects.

    Parameters
    ----------
    labels, X, distances, similarity, metric, missing, n_jobs : see ``silhouette_index``
        Their mean is that index.

    Returns
    -------
    ndarray of shape (n,)
        nan for objects in no cluster.

    Examples
    --------
    >>> from pluribus.validate import silhouettes
    >>> silhouettes([0, 0, 0, 1, 1], X=[[0], [1], [5], [6], [7]]).round(2)
    array([ 0.54,  0.55, -0.67,  0.75,  0.8 ])
    """
    codes, pairs = with_pairs(labels, X, distances, similarity, missing=missing, metric=metric, n_jobs=n_jobs)
    clustered = check_labels(labels, missing) >= 0
    out = np.full(len(clustered), np.nan)
    out[clustered] = _of_each(pairs.sums(codes, int(codes.max()) + 1), codes, pairs.similar)
    return out


def mean_silhouette(pairs: Pairs, codes: np.ndarray, weights: np.ndarray) -> float:
    """Over all objects, those drawn counting for the ones that were not."""
    return float(np.average(_of_each(pairs.sums(codes, int(codes.max()) + 1), codes, pairs.similar), weights=weights))


def _of_each(sums: np.ndarray, codes: np.ndarray, similar: bool) -> np.ndarray:
    """Of each object, from its sums with the members of each cluster."""
    sizes = np.bincount(codes, minlength=sums.shape[1])
    everyone = np.arange(len(codes))
    own = sums[everyone, codes] / np.maximum(sizes[codes] - 1, 1)
    others = sums / sizes
    others[everyone, codes] = -np.inf if similar else np.inf
    next_best = others.max(axis=1) if similar else others.min(axis=1)
    gap = own - next_best if similar else next_best - own
    larger = np.maximum(own, next_best)
    out = np.divide(gap, larger, out=np.zeros(len(codes)), where=larger > 0)
    out[sizes[codes] == 1] = 0
    return out

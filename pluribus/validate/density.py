"""Density-based validation (DBCV): are clusters dense inside, and sparse between?"""

import math
from numbers import Real
from typing import Any, Literal

import numpy as np

from pluribus._kernels.linkage.mutual_reachability import core_distances, nearest_cluster, reachability_tree
from pluribus.validate._pairs import FeaturePairs, Pairs
from pluribus.validate._partition import check_labels, with_pairs
from pluribus.validate._sampling import GROUPS, check_sample_size, estimate, limit_of
from pluribus.validate._tree_values import tree_values
from pluribus.validate.estimate import Estimate

Noise = Literal["noise", "error", "ignore"]


def dbcv_index(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    dim: float | None = None,
    missing: Noise = "noise",
    sample_size: int | str | None = "auto",
    random_state: Any = 0,
) -> Estimate:
    """Density-based clustering validation (DBCV), from -1 to 1: more is better.

    Each cluster is joined by a minimum spanning tree of mutual reachability: the distance of two objects, or the core
    distance of either if that is larger. The core distance is large where the cluster is sparse. The longest edge
    inside the tree says how sparse the cluster is, and the shortest mutual reachability to the inside of another one
    how well it is separated; leaves of the trees do not count for either. A cluster has
    (separation - sparseness) / max(separation, sparseness), and the index is the mean of these, weighted by the sizes
    of the clusters. It accepts clusters of any shape and of different density, knows noise, and is fair between
    partitions with different numbers of clusters. Where classes are compact and overlap, the silhouette is the better
    guide.

    Distances are squared, as in the program of the authors. Their paper leaves open which of several minimum spanning
    trees to take, and programs differ by that: here a sparse object that can be joined equally well to several is
    joined to the densest of them, so that the index does not depend on the order of the objects. A cluster of one
    object has no density and counts as noise, as it does for the authors. If no edge lies inside a tree, all its edges
    count, and of a cluster of two both objects. Duplicates have a core distance of 0. With fewer than two clusters of
    two objects or more, the index is 0.

    Parameters
    ----------
    labels, X, distances, random_state : see ``silhouette_index``
        Distances between features are Euclidean.
    dim : float, optional
        The number of dimensions that core distances are for. By default that of the features; for data that lies near
        a surface of few dimensions, theirs. It must be given with distances, which do not tell it.
    missing : {"noise", "error", "ignore"}
        Objects in no cluster are noise, which lowers the index by its share of all objects. Or refuse them, or ignore
        them, which flatters a partition that leaves out the hard ones.
    sample_size : "auto", int or None
        Objects to use at most; "auto" is 5,000. The index depends on how dense the objects are, so that of a sample is
        not that of all objects: compare it only with others of the same size. The interval is that of such samples.

    Returns
    -------
    Estimate

    References
    ----------
    Moulavi, Jaskowiak, Campello, Zimek and Sander, "Density-based clustering validation", SDM 2014.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from pluribus.validate import dbcv_index
    >>> X, moons = make_moons(300, noise=0.05, random_state=0)
    >>> halves = (X[:, 0] > 0.5).astype(int)
    >>> round(dbcv_index(moons, X), 2), round(dbcv_index(halves, X), 2)
    (0.93, -0.95)
    >>> with_noise = moons.copy()
    >>> with_noise[:30] = -1
    >>> round(dbcv_index(with_noise, X), 2)
    0.81
    """
    check_sample_size(sample_size)
    if not isinstance(missing, str) or missing not in ("noise", "error", "ignore"):
        raise ValueError(f"missing must be 'noise', 'error' or 'ignore'; got {missing!r}.")
    if dim is not None and not (isinstance(dim, Real) and not isinstance(dim, bool) and 0 < dim < math.inf):
        raise ValueError(f"dim={dim!r}: give a number of dimensions, which is positive.")
    others = "error" if missing == "error" else "ignore"
    codes, pairs = with_pairs(labels, X, distances, None, missing=others)
    if dim is None and not isinstance(pairs, FeaturePairs):
        raise ValueError(
            "Core distances depend on the number of dimensions, which distances do not tell: give dim, for example "
            "the number of features that they were computed from."
        )
    dimensions = float(pairs.X.shape[1] if dim is None else dim)
    clustered = len(codes) / len(check_labels(labels, others)) if missing == "noise" else 1.0

    def validity(pairs: Pairs, codes: np.ndarray, weights: np.ndarray) -> float:
        sizes = np.bincount(codes, weights)
        return clustered * float(sizes @ _validities(pairs, codes, dimensions) / sizes.sum())

    value = estimate(validity, pairs, codes, limit_of(sample_size), random_state)
    if value.exact:
        return value
    half = math.sqrt(GROUPS) * (value.high - value)  # extremes vary in large samples as they do in small ones
    return Estimate(value, low=max(value - half, -1.0), high=min(value + half, 1.0), n_sampled=value.n_sampled)


def _validities(pairs: Pairs, codes: np.ndarray, dim: float) -> np.ndarray:
    """Of each cluster; 0 for one object, which has no density, and where there is no other cluster to be apart from."""
    values, given = tree_values(pairs)
    unit = float(values.max()) if given else 0.0
    sizes = np.bincount(codes)
    core, sparseness, inside = np.zeros(len(codes)), np.zeros(len(sizes)), []
    for cluster, members in enumerate(np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])):
        if len(members) < 2:
            continue
        core_distances(values, unit, members, dim, core)  # definition 1
        first, second, length = reachability_tree(values, unit, members, core)
        n_edges = np.bincount(np.concatenate([first, second]), minlength=len(codes))
        internal = (n_edges[first] > 1) & (n_edges[second] > 1)
        sparseness[cluster] = length[internal].max() if internal.any() else length.max()  # definition 5
        inside.append(members[n_edges[members] > 1] if len(members) > 2 else members)
    out = np.zeros(len(sizes))
    if len(inside) < 2:
        return out
    separation = nearest_cluster(values, unit, np.concatenate(inside), codes, core, len(sizes))  # definition 6
    some = (sizes > 1) & (np.maximum(separation, sparseness) > 0)
    out[some] = (separation[some] - sparseness[some]) / np.maximum(separation[some], sparseness[some])  # definition 7
    return out

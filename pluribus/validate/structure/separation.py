"""How deep a valley of the density separates each cluster of a partition from the rest."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.utils import check_array

from pluribus._engine import check_n_jobs, seeds
from pluribus.partitions._internal import encode_labels
from pluribus.validate.structure._spread_ties import spread_ties
from pluribus.validate.structure._valleys import Density, chance_growth, valleys_around, weakest_at_most

_FEWEST = 16  # objects: fewer say nothing
_WIDTHS = (8, 12, None)  # neighbors of a density; None is the usual number


def cluster_separation(X: Any, labels: Any, *, random_state: Any = 0, n_jobs: int | None = None) -> np.ndarray:
    """How deep a valley of the density lies around each cluster, over the deepest that chance makes.

    From 1 on, a cluster is significant by itself: the way from its densest objects to denser ones outside leads through
    a region of clearly fewer objects. Infinite if no neighbors lead outside, NaN for the cluster with the densest
    objects, which no way leads up from, and where nothing can be said: fewer than 16 objects, or all rows the same.
    Values below 0.125 are rough.

    Parameters
    ----------
    X : array of shape (n, d)
        Features, scaled as for clustering.
    labels : sequence of n labels
        Objects with the label -1 are left out.
    random_state : int, RandomState, Generator or None
        For the spread of values that occur many times.
    n_jobs : int, optional

    Returns
    -------
    ndarray of shape (k,)
        For the clusters in the order of their sorted labels.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.validate import cluster_separation
    >>> one = np.random.default_rng(0).normal(size=(300, 2))
    >>> two, half = np.append(one, one + [7, 0], axis=0), np.repeat([0, 1], 300)
    >>> bool(np.nanmin(cluster_separation(two, half)) > 1)
    True
    >>> bool(np.nanmin(cluster_separation(one, one[:, 0] > 0)) > 1)
    False
    """
    check_n_jobs(n_jobs)
    X = check_array(X, dtype=[np.float64, np.float32])
    codes, classes = encode_labels(labels)
    if len(codes) != len(X):
        raise ValueError(f"labels has {len(codes)} entries, but X has {len(X)} rows: give one label for each row.")
    order = _order(classes)
    kept = codes >= 0
    scale = np.abs(X).max() or 1.0
    spread = (
        spread_ties(X[kept] / scale, np.random.default_rng(seeds(random_state, 1)[0]))
        if kept.sum() >= _FEWEST
        else X[:0, :0]
    )
    if not spread.shape[1]:
        return np.full(len(classes), np.nan)
    groups = np.argsort(order)[codes[kept]]
    return valleys_around(Density.of(spread, n_jobs), groups).ratio


def _order(classes: np.ndarray) -> np.ndarray:
    """Of labels that can be compared; others by their type, then as text."""
    try:
        return np.argsort(classes)
    except TypeError:
        return np.array(sorted(range(len(classes)), key=lambda at: (type(classes[at]).__name__, str(classes[at]))))


def deepest_valley(
    X: np.ndarray, partitions: Iterable[np.ndarray], *, random_state: Any = 0, n_jobs: int | None = None
) -> float:
    """The shallowest valley around a cluster of the best of several partitions, over what chance makes.

    Fewer neighbors see narrower valleys, and more chance ones: the middle of three densities counts.

    Parameters
    ----------
    X : array of shape (n, d)
    partitions : labels from 0, each of shape (n,)
    random_state : int, RandomState, Generator or None
        For the spread of values that occur many times.
    n_jobs : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.validate.structure.separation import deepest_valley
    >>> one = np.random.default_rng(0).normal(size=(300, 2))
    >>> two, half, third = np.append(one, one + [7, 0], axis=0), np.repeat([0, 1], 300), np.repeat([0, 1, 0], 200)
    >>> deepest_valley(two, [third]) < 1 < deepest_valley(two, [third, half])
    True
    """
    spread = spread_ties(X / (np.abs(X).max() or 1.0), np.random.default_rng(seeds(random_state, 1)[0]))
    if len(X) < _FEWEST or not spread.shape[1]:
        return 0.0
    densities = [Density.of(spread, n_jobs, n_neighbors) for n_neighbors in _WIDTHS]
    deepest = -np.inf
    for labels in partitions:
        if not np.median([weakest_at_most(density, labels) for density in densities]) <= deepest:
            weakest = np.median([valleys_around(density, labels).weakest for density in densities])
            deepest = max(deepest, float(weakest))
    return (0.0 if deepest == -np.inf else deepest) / chance_growth(len(X), densities[-1].n_neighbors)

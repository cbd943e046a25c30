"""The first centers of k-means."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics.pairwise import euclidean_distances

from pluribus._engine import number_array, seeds
from pluribus.constrained._shared.points import Points


class Start(NamedTuple):
    """A seed and centers."""

    seed: int
    centers: np.ndarray


def starts(
    init: Any,
    points: Points,
    n_clusters: int,
    random_state: Any,
    n_init: int,
    *,
    neighborhoods: np.ndarray | None = None,
    drawn_from: Points | None = None,
) -> list[Start]:
    """The centers given as ``init``, or `n_init` starts by k-means++.

    Parameters
    ----------
    init : str or array of shape (n_clusters, d)
        "neighborhoods" puts the first start on the chunklets given as `neighborhoods`.
    points : Points
    n_clusters, random_state, n_init
    neighborhoods : ndarray of int, optional
        Chunklets of several objects.
    drawn_from : Points, optional
        The points in the space in which distances count, if it is another one.
    """
    if not isinstance(init, str):
        return [Start(0, given_centers(init, points, n_clusters))]
    drawn_from = points if drawn_from is None else drawn_from
    first, *others = seeds(random_state, n_init)
    of_first = neighborhoods if init == "neighborhoods" and neighborhoods is not None else np.empty(0, np.int64)
    return [
        Start(first, points.centers(from_neighborhoods(drawn_from, of_first, n_clusters, first))),
        *(Start(seed, points.centers(spread_out(drawn_from, n_clusters, seed))) for seed in others),
    ]


def given_centers(init: Any, points: Points, n_clusters: int) -> np.ndarray:
    """Centers that the user gave, checked, and moved like the points."""
    centers = init.toarray() if sparse.issparse(init) else number_array("init", init)
    expected = n_clusters, points.rows.shape[1]
    if centers.shape != expected:
        raise ValueError(f"init has shape {centers.shape}: give one center for each cluster, shape {expected}.")
    if not np.isfinite(centers).all():
        raise ValueError("init contains NaN or infinite values: give finite centers.")
    return centers.astype(np.float64) - points.shift


def spread_out(points: Points, n_clusters: int, seed: int) -> np.ndarray:
    """Rows by k-means++: drawn with probability proportional to weight and squared distance to those drawn before."""
    _, rows = kmeans_plusplus(
        points.rows,
        n_clusters,
        sample_weight=points.weights.astype(points.rows.dtype),
        x_squared_norms=points.norms.astype(points.rows.dtype),
        random_state=seed,
    )
    return rows


def from_neighborhoods(points: Points, neighborhoods: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    """Rows of chunklets of several objects; if there are too few of these, the rest is drawn as in k-means++.

    If there are too many, the heaviest comes first, and then always the one with the largest product of weight and
    distance to those taken before (weighted farthest-first traversal; Basu, Bilenko and Mooney).
    """
    if not len(neighborhoods):
        return spread_out(points, n_clusters, seed)
    random = np.random.RandomState(seed)
    taken = _farthest_first(points, neighborhoods, n_clusters).tolist()
    while len(taken) < n_clusters:
        distances = _squared_distances(points, slice(None), taken).min(axis=1)
        chances = points.weights * (distances / max(distances.max(), np.finfo(float).tiny))  # their sum is finite
        chances[taken] = 0
        if chances.sum() <= 0:  # fewer distinct points than clusters: any others
            chances = np.ones(len(chances))
            if len(taken) < len(chances):  # else there are fewer chunklets than clusters, and some come twice
                chances[taken] = 0
        taken.append(int(random.choice(len(chances), p=chances / chances.sum())))
    return np.array(taken)


def _farthest_first(points: Points, candidates: np.ndarray, n_taken: int) -> np.ndarray:
    if len(candidates) <= n_taken:
        return candidates
    weights = points.weights[candidates]
    taken = [int(np.argmax(weights))]
    nearest = np.full(len(candidates), np.inf)
    for _ in range(n_taken - 1):
        nearest = np.minimum(nearest, _squared_distances(points, candidates, candidates[taken[-1:]])[:, 0])
        nearest[taken] = -1
        taken.append(int(np.argmax(weights * np.sqrt(np.maximum(nearest, 0)) - (nearest < 0))))
    return candidates[taken]


def _squared_distances(points: Points, rows: Any, others: Any) -> np.ndarray:
    return euclidean_distances(points.rows[rows], points.rows[others], squared=True)

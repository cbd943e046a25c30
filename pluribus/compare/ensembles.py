"""All pairs of an ensemble's partitions: their distances, the partition in the middle, how diverse they are."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import run_tasks
from pluribus.compare import _lifted, adco, information, lift, mallows, matching, pairs, point_transport
from pluribus.compare._overlap import pair_of_parsed
from pluribus.compare._partitions import of_memberships
from pluribus.compare._places import Places
from pluribus.partitions import Ensemble, as_ensemble

Measure = Callable[..., Any]

_TIE = 1e-9  # of the largest sum of distances

DISTANCES: dict[str, Measure] = {
    "rand": pairs.rand_distance,
    "mirkin": pairs.mirkin_distance,
    "jaccard": pairs.jaccard_distance,
    "variation_of_information": information.variation_of_information_distance,
    "normalized_variation_of_information": information.normalized_variation_of_information_distance,
    "van_dongen": matching.van_dongen_distance,
    "edit": matching.edit_distance,
}

SPATIAL_DISTANCES: dict[str, Measure] = {
    "lift_emd": lift.lift_emd_distance,
    "lift_kernel": lift.lift_kernel_distance,
    "lift_hausdorff": lift.lift_hausdorff_distance,
    "cc": mallows.cc_distance,
    "adco": adco.adco_distance,
    "cdistance": point_transport.cdistance,
}

INDICES: dict[str, Measure] = {
    "rand": pairs.rand_index,
    "adjusted_rand": pairs.adjusted_rand_index,
    "jaccard": pairs.jaccard_index,
    "fowlkes_mallows": pairs.fowlkes_mallows_index,
    "normalized_mutual_information": information.normalized_mutual_information_index,
    "adjusted_mutual_information": information.adjusted_mutual_information_index,
    "v_measure": information.v_measure_index,
    "accuracy": matching.accuracy_index,
}


class _Spatial(NamedTuple):
    """A distance in two steps: what it needs of each partition, found for all at once, and of two of these."""

    describe: Callable[..., list[Any]]
    between: Callable[[Any, Any], float]


_SPATIAL = {
    "lift_emd": _Spatial(_lifted.lifted, lift.transport),
    "lift_kernel": _Spatial(_lifted.lifted, lift.kernel_distance),
    "lift_hausdorff": _Spatial(_lifted.lifted, lift.hausdorff),
    "cc": _Spatial(mallows.centroids, mallows.between),
    "adco": _Spatial(adco.densities, adco.distance),
    "cdistance": _Spatial(point_transport.clouds, partial(point_transport.ratio, verbose=False)),
}


def distance_matrix(
    ensemble: Any,
    metric: str | Measure = "variation_of_information",
    X: Any = None,
    *,
    n_jobs: int | None = None,
    verbose: bool = True,
    **options: Any,
) -> np.ndarray:
    """Distances between all pairs of an ensemble's partitions.

    Parameters
    ----------
    ensemble : Ensemble (hard or soft), or labels that can be one
    metric : name in ``DISTANCES`` or ``SPATIAL_DISTANCES``, or a function of two partitions (and X, if given)
        By labels each pair is compared on the objects that both partitions cover; in space each partition counts with
        its own objects. A spatial metric describes each partition once (LiftEMD: one pass over X for all of them).
    X : array of shape (n, d), or what a kernel takes
        For spatial metrics.
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).
    **options
        Of the metric, such as ``kernel`` or ``sigma``.

    Examples
    --------
    >>> from pluribus.compare import distance_matrix
    >>> distance_matrix([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 3]], "edit")
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    >>> distance_matrix([[0, 0, 1, 1], [0, 1, 1, 1], [0, 1, 0, 1]], "cc", X=[[0.0], [1], [5], [6]]).round(2)
    array([[0.  , 1.75, 2.  ],
           [1.75, 0.  , 1.25],
           [2.  , 1.25, 0.  ]])
    """
    ensemble = as_ensemble(ensemble)
    if not (isinstance(metric, str) or callable(metric)):
        raise ValueError(f"metric must be the name of a distance or a function of two partitions; got {metric!r}.")
    if not isinstance(metric, str):  # those we know by name have a faster way
        metric = next((name for name, own in (DISTANCES | SPATIAL_DISTANCES).items() if own is metric), metric)
    compare = _between_two(ensemble, metric, X, options, n_jobs, verbose)
    r = ensemble.n_partitions

    def row(i: int) -> np.ndarray:
        return np.array([compare(i, j) for j in range(i + 1, r)])

    rows = run_tasks(row, range(r - 1), n_jobs=n_jobs, description="comparing partitions", verbose=verbose)
    out = np.zeros((r, r))
    for i, values in enumerate(rows):
        out[i, i + 1 :] = out[i + 1 :, i] = values
    return out


def medoid(
    ensemble: Any,
    metric: str | Measure = "variation_of_information",
    X: Any = None,
    *,
    n_jobs: int | None = None,
    verbose: bool = True,
    **options: Any,
) -> int:
    """Which partition of an ensemble is nearest to all others, by the sum of distances (with the partitions' weights).

    Of several that are equally near the first; one of weight 0 is not chosen.

    Parameters
    ----------
    ensemble, metric, X, n_jobs, verbose, **options
        See ``distance_matrix``.

    Examples
    --------
    >>> from pluribus.compare import medoid
    >>> medoid([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 3]], "edit")
    1
    """
    ensemble = as_ensemble(ensemble)
    distances = distance_matrix(ensemble, metric, X, n_jobs=n_jobs, verbose=verbose, **options)
    return nearest_to_all(distances, ensemble.weights)


def nearest_to_all(distances: Any, weights: Any = None, candidates: Any = None) -> int:
    """Which object of a distance matrix has the smallest sum of distances, each counted by its weight.

    Of several that are equally near, but for rounding, the first. One of weight 0 is not chosen: it does not count.

    Parameters
    ----------
    distances : array of shape (r, r)
    weights : sequence of r numbers, default all 1
    candidates : sequence of int, optional
        Which may be chosen; by default all.

    Examples
    --------
    >>> from pluribus.compare._internal import nearest_to_all
    >>> distances = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    >>> nearest_to_all(distances), nearest_to_all(distances, [1, 0, 1])
    (1, 0)
    """
    distances = np.asarray(distances, dtype=float)
    weights = np.ones(len(distances)) if weights is None else np.asarray(weights, dtype=float)
    allowed = np.arange(len(distances)) if candidates is None else np.asarray(candidates)
    counted = allowed[weights[allowed] > 0]
    if len(counted) == 0:
        raise ValueError("None of the candidates has a weight above 0, so that none can be chosen.")
    cost = (distances @ weights)[counted]
    # The same sum rounds differently when clusters are numbered differently.
    return int(counted[np.flatnonzero(cost <= cost.min() + _TIE * abs(cost).max())[0]])


def diversity(
    ensemble: Any,
    metric: str | Measure = "variation_of_information",
    X: Any = None,
    *,
    n_jobs: int | None = None,
    verbose: bool = True,
    **options: Any,
) -> float:
    """Mean distance between two partitions of an ensemble, each pair counted by the product of their weights.

    Parameters
    ----------
    ensemble, metric, X, n_jobs, verbose, **options
        See ``distance_matrix``.

    Examples
    --------
    >>> from pluribus.compare import diversity
    >>> round(diversity([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 3]], "edit"), 6)
    1.333333
    """
    ensemble = as_ensemble(ensemble)
    distances = distance_matrix(ensemble, metric, X, n_jobs=n_jobs, verbose=verbose, **options)
    weights = np.outer(ensemble.weights, ensemble.weights)
    np.fill_diagonal(weights, 0)
    total = weights.sum()
    return float((weights * distances).sum() / total) if total > 0 else 0.0


def _between_two(
    ensemble: Ensemble, metric: str | Measure, X: Any, options: dict[str, Any], n_jobs: int | None, verbose: bool
) -> Callable[[int, int], float]:
    """The distance of two partitions by their numbers."""
    if isinstance(metric, str) and metric in _SPATIAL:
        describe, between = _SPATIAL[metric]
        if describe is _lifted.lifted:
            options = options | {"n_jobs": n_jobs, "verbose": verbose}
        described = describe(Places.of_ensemble(ensemble), X, **options)
        return lambda i, j: between(described[i], described[j])
    members: Any = ensemble.memberships
    if members is None:
        members = np.asfortranarray(ensemble.labels).T
    if not isinstance(metric, str):
        extra = () if X is None else (X,)
        return lambda i, j: metric(members[i], members[j], *extra, **options)
    if metric not in DISTANCES:
        known = ", ".join(sorted(DISTANCES | SPATIAL_DISTANCES))
        raise ValueError(f"No distance is called {metric!r}; there are {known}.")
    _check_overlap(ensemble)
    distance = DISTANCES[metric]
    if ensemble.memberships is not None:
        members = [of_memberships(u, name) for u, name in zip(members, ensemble.names, strict=True)]
    return lambda i, j: distance(pair_of_parsed(members[i], members[j]), None, **options)


def _check_overlap(ensemble: Ensemble) -> None:
    """Each two partitions must have an object in common."""
    if not ensemble.has_missing:
        return
    seen = (ensemble.labels >= 0).astype(np.float32)
    apart = np.argwhere(seen.T @ seen == 0)
    if len(apart):
        first, second = (ensemble.names[p] for p in apart[0])
        raise ValueError(
            f"No object is in both {first!r} and {second!r}, so they cannot be compared. Leave one of them out."
        )

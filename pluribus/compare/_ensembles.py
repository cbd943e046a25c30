"""All pairs of an ensemble's partitions, and the one in the middle."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pluribus._engine import track
from pluribus.compare import _information, _matching, _pairs
from pluribus.compare._overlap import Overlap
from pluribus.partitions import Ensemble, as_ensemble

Measure = Callable[[Any, Any], float]

DISTANCES: dict[str, Measure] = {
    "rand": _pairs.rand_distance,
    "mirkin": _pairs.mirkin_distance,
    "jaccard": _pairs.jaccard_distance,
    "variation_of_information": _information.variation_of_information_distance,
    "normalized_variation_of_information": _information.normalized_variation_of_information_distance,
    "van_dongen": _matching.van_dongen_distance,
    "edit": _matching.edit_distance,
}

INDICES: dict[str, Measure] = {
    "rand": _pairs.rand_index,
    "adjusted_rand": _pairs.adjusted_rand_index,
    "jaccard": _pairs.jaccard_index,
    "fowlkes_mallows": _pairs.fowlkes_mallows_index,
    "normalized_mutual_information": _information.normalized_mutual_information_index,
    "adjusted_mutual_information": _information.adjusted_mutual_information_index,
    "v_measure": _information.v_measure_index,
    "accuracy": _matching.accuracy_index,
}


def distance_matrix(
    ensemble: Any, metric: str | Measure = "variation_of_information", *, verbose: bool = False
) -> np.ndarray:
    """Distances between all pairs of an ensemble's partitions.

    Parameters
    ----------
    ensemble : Ensemble, or labels that can be one
    metric : name in ``DISTANCES``, or a function of two label sequences
        Each pair is compared on the objects that both partitions cover.
    verbose : bool
        Show progress (only on a terminal).

    Examples
    --------
    >>> from pluribus.compare import distance_matrix
    >>> distance_matrix([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 3]], "edit")
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    """
    ensemble = as_ensemble(ensemble)
    distance = _named(metric)
    _check_overlap(ensemble)
    labels = np.asfortranarray(ensemble.labels)
    r = ensemble.n_partitions
    out = np.zeros((r, r))
    for i in track(range(r), "comparing partitions", verbose=verbose):
        for j in range(i + 1, r):
            pair = Overlap.of_codes(labels[:, i], labels[:, j]) if isinstance(metric, str) else labels[:, i]
            out[i, j] = out[j, i] = distance(pair, labels[:, j])
    return out


def medoid(ensemble: Any, metric: str | Measure = "variation_of_information") -> int:
    """Which partition of an ensemble is nearest to all others, by the sum of distances (with the partitions' weights).

    Examples
    --------
    >>> from pluribus.compare import medoid
    >>> medoid([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 3]], "edit")
    1
    """
    ensemble = as_ensemble(ensemble)
    return int(np.argmin(distance_matrix(ensemble, metric) @ ensemble.weights))


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


def _named(metric: str | Measure) -> Measure:
    if not isinstance(metric, str):
        return metric
    try:
        return DISTANCES[metric]
    except KeyError:
        raise ValueError(f"No distance is called {metric!r}; there are {', '.join(sorted(DISTANCES))}.") from None

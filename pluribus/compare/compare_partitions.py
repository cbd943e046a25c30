"""All measures at once."""

from typing import Any

from pluribus.compare import _lifted, adco, information, lift, mallows, matching, pairs, point_transport
from pluribus.compare._overlap import pair_of
from pluribus.compare._partitions import SoftPair
from pluribus.compare._places import Places

_FUZZY = (
    pairs.rand_index,
    pairs.adjusted_rand_index,
    pairs.jaccard_index,
    pairs.fowlkes_mallows_index,
    information.mutual_information_index,
    information.normalized_mutual_information_index,
    information.homogeneity_index,
    information.completeness_index,
    information.v_measure_index,
    matching.accuracy_index,
    pairs.rand_distance,
    pairs.mirkin_distance,
    pairs.jaccard_distance,
    information.variation_of_information_distance,
    information.normalized_variation_of_information_distance,
    matching.edit_distance,
)
_HARD = (
    information.adjusted_mutual_information_index,
    matching.purity_index,
    matching.van_dongen_distance,
)


def compare_partitions(
    a: Any,
    b: Any,
    X: Any = None,
    *,
    kernel: Any = "gaussian",
    sigma: Any = "median",
    n_features: Any = "auto",
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> dict[str, float]:
    """Two partitions by every measure that applies to them, from one contingency table and one pass over X.

    Parameters
    ----------
    a, b : sequences of n labels, or n × k memberships
    X : array or sparse matrix of shape (n, d), or what the kernel takes
        Adds the spatial distances. Those by vectors (CC, ADCO, CDistance) are left out if X is a matrix of kernel
        values or the kernel is a function, and CDistance if the clusters are too large for it.
    kernel, sigma, n_features, random_state, n_jobs, verbose
        See ``lift_emd_distance``.

    Returns
    -------
    dict
        Values by the names of the functions; of soft partitions only of those with a fuzzy form.

    Examples
    --------
    >>> from pluribus.compare import compare_partitions
    >>> values = compare_partitions([0, 0, 1, 1], [0, 0, 1, 2])
    >>> round(values["adjusted_rand_index"], 6), values["edit_distance"]
    (0.571429, 1.0)
    """
    pair = pair_of(a, b)
    measures = _FUZZY if isinstance(pair, SoftPair) else _FUZZY + _HARD
    values = {measure.__name__: float(measure(pair, None)) for measure in measures}
    discrete = isinstance(kernel, str) and kernel == "discrete"
    if X is None and not discrete:
        return values
    places = Places.of_pair(a, b)
    first, second = _lifted.lifted(
        places, X, kernel=kernel, sigma=sigma, n_features=n_features, random_state=random_state, n_jobs=n_jobs,
        verbose=verbose,
    )  # fmt: skip
    values["lift_emd_distance"] = lift.transport(first, second)
    values["lift_kernel_distance"] = lift.kernel_distance(first, second)
    values["lift_hausdorff_distance"] = lift.hausdorff(first, second)
    if X is None or callable(kernel) or kernel == "precomputed":
        return values
    values["cc_distance"] = mallows.between(*mallows.centroids(places, X))
    densities = adco.densities(places, X)
    values["adco_index"] = adco.similarity(*densities)
    values["adco_distance"] = adco.distance(*densities)
    first_cloud, second_cloud = point_transport.clouds(places, X)
    if point_transport.affordable(first_cloud, second_cloud):
        values["cdistance"] = point_transport.ratio(first_cloud, second_cloud, n_jobs, verbose)
    return values

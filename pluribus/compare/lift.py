"""Spatially aware distances by the lift map: LiftEMD, LiftKD, LiftH."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from pluribus.compare._lifted import LiftedPartition, jackknife, lifted
from pluribus.compare._partitions import as_partition, cluster_names
from pluribus.compare._places import Places
from pluribus.compare._transport import transport_cost, transport_flow

Normalize = Literal["unit", "mean", "none"]


class TransportPlan(NamedTuple):
    """The cheapest way to move the masses of one partition's clusters onto another's.

    Attributes
    ----------
    flow : ndarray of shape (k, k')
        The share of all mass that goes from each cluster of a to each cluster of b. Rows add up to the sizes of a's
        clusters, columns to those of b's.
    ground : ndarray of shape (k, k')
        Distances between the clusters; the distance of the partitions is the sum of flow times ground.
    clusters_a, clusters_b : ndarray
        The labels of the clusters in the rows and columns, or the numbers of columns of memberships.

    Examples
    --------
    >>> from pluribus.compare import lift_emd_distance
    >>> X, a, b = [[0], [1], [8], [9]], [0, 0, 1, 1], [1, 1, 0, 0]
    >>> distance, plan = lift_emd_distance(a, b, X, return_plan=True)
    >>> plan.flow.tolist(), plan.clusters_b.tolist()
    ([[0.5, 0.0], [0.0, 0.5]], [1, 0])
    """

    flow: np.ndarray
    ground: np.ndarray
    clusters_a: np.ndarray
    clusters_b: np.ndarray


def transport(a: LiftedPartition, b: LiftedPartition) -> float:
    """LiftEMD: Σ f d(C, C') of the cheapest flow f between the masses of the clusters."""
    return transport_cost(a.shares, b.shares, a.space.ground(a.clusters, b.clusters))


def kernel_distance(a: LiftedPartition, b: LiftedPartition) -> float:
    """LiftKD: the kernel distance of the two distributions over lifted clusters, with exp(-d²) as the kernel."""

    def inner(p: LiftedPartition, q: LiftedPartition) -> float:
        return p.shares @ np.exp(-(a.space.ground(p.clusters, q.clusters) ** 2)) @ q.shares

    square = inner(a, a) + inner(b, b) - 2 * inner(a, b)
    return float(np.sqrt(square)) if square > 1e-14 else 0.0


def hausdorff(a: LiftedPartition, b: LiftedPartition) -> float:
    """LiftH: the largest distance from a cluster to the nearest one of the other partition."""
    ground = a.space.ground(a.clusters, b.clusters)
    return float(max(ground.min(axis=0).max(), ground.min(axis=1).max()))


def lift_emd_distance(
    a: Any,
    b: Any,
    X: Any = None,
    *,
    kernel: Any = "gaussian",
    sigma: Any = "median",
    n_features: Any = "auto",
    normalize: Normalize = "unit",
    X2: Any = None,
    random_state: Any = 0,
    return_error: bool = False,
    return_plan: bool = False,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> Any:
    """How far two partitions are apart in the space the data lives in (LiftEMD): a metric, linear in n.

    Each cluster becomes a vector in the feature space of a kernel, the sum of its objects' vectors scaled to length 1;
    clusters that fill the same region have nearly the same vector, whichever objects they hold. The distance is the
    least cost of moving the masses of one partition's clusters onto the other's. Moving objects at a border costs
    less than moving objects deep inside, which measures of the labels alone cannot see. 0 to √2 for kernels that are
    not negative.

    Parameters
    ----------
    a, b : sequences of n labels, or n × k memberships
        Objects without a label count for the partition that has one.
    X : array or sparse matrix of shape (n, d), or what the kernel takes
    kernel : {"gaussian", "laplacian", "linear", "discrete", "precomputed"} or callable
        exp(-‖x - y‖² / 2σ²); exp(-‖x - y‖₁ / σ); the inner product, so that X is a feature map already applied; 1 for
        an object and itself and 0 else, which needs no X; X is the n × n matrix of kernel values (of strings, of
        graphs); or a function of two blocks of objects that returns the matrix of their kernel values.
    sigma : "median" or float
        Bandwidth; "median" is the median distance between the objects, or 1,000 of them. A narrow kernel forgets
        space: far below the median the distance tends to that of the discrete kernel.
    n_features : "auto", "exact" or int
        Random Fourier features, ρ of them. "auto" computes kernels exactly up to 2,000 objects, takes 1,000 features
        below 20,000 objects, and 4,000 above. "exact" costs O(n²) time, not memory.
    normalize : {"unit", "mean", "none"}
        Vectors of length 1 (the source), the mean of the objects' vectors (the ground distance is then the maximum mean
        discrepancy), or their sum.
    X2 : array or sparse matrix of shape (n2, d), optional
        The objects of b, if b is a partition of other data with the same features: then a labels the rows of X, and b
        those of X2. Not for kernels that are given as a matrix, nor for the discrete one.
    random_state : int, RandomState, Generator or None
        For the features and the sample of "median". A fixed number by default, so that distances of several calls are
        in one space and can be compared.
    return_error : bool
        Return also the standard error that is due to the random features (0 if exact), estimated by leaving out each
        tenth of them, and infinite if there are too few to tell. It falls as 1 / √ρ: mean kernel values of two clusters
        are off by more than √(4 ln(2 / δ) / ρ) with a probability of at most δ, for every n.
    return_plan : bool
        Return also the :class:`TransportPlan`: which clusters of b each cluster of a is moved to.
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    References
    ----------
    Raman, Phillips and Venkatasubramanian, "Spatially-aware comparison and consensus for clusterings", SDM 2011.
    Rahimi and Recht, "Random features for large-scale kernel machines", NIPS 2007.

    Examples
    --------
    Two objects change sides, once next to the border and once far from it. For the labels it is the same:

    >>> from pluribus.compare import lift_emd_distance, rand_distance
    >>> X = [[0], [1], [2], [3], [7], [8], [9], [10]]
    >>> a, near, far = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1, 0]
    >>> rand_distance(a, near) == rand_distance(a, far)
    True
    >>> round(lift_emd_distance(a, near, X, sigma=2.0), 6), round(lift_emd_distance(a, far, X, sigma=2.0), 6)
    (0.370468, 0.402704)

    Any kernel, here of strings, by its matrix:

    >>> words = ["ant", "ante", "bee", "beet"]
    >>> K = [[len(set(x) & set(y)) / len(set(x) | set(y)) for y in words] for x in words]
    >>> round(lift_emd_distance([0, 0, 1, 1], [0, 1, 1, 1], K, kernel="precomputed"), 6)
    0.524244

    Which cluster became which, here in another sample of the same population:

    >>> distance, plan = lift_emd_distance(a, ["x", "y", "y"], X, X2=[[9], [1], [2]], sigma=2.0, return_plan=True)
    >>> plan.clusters_a.tolist(), plan.clusters_b.tolist(), plan.flow.round(2).tolist()
    ([0, 1], ['x', 'y'], [[0.0, 0.5], [0.33, 0.17]])
    """
    return _compare(
        transport, a, b, X, return_error, X2=X2, return_plan=return_plan, kernel=kernel, sigma=sigma,
        n_features=n_features, normalize=normalize, random_state=random_state, n_jobs=n_jobs, verbose=verbose,
    )  # fmt: skip


def lift_kernel_distance(
    a: Any,
    b: Any,
    X: Any = None,
    *,
    kernel: Any = "gaussian",
    sigma: Any = "median",
    n_features: Any = "auto",
    normalize: Normalize = "unit",
    X2: Any = None,
    random_state: Any = 0,
    return_error: bool = False,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> Any:
    """The kernel distance of two partitions over their lifted clusters (LiftKD). A metric; no transport is solved.

    The distance √(Σ w w κ + Σ w' w' κ - 2 Σ w w' κ) between the distributions of mass over the lifted clusters, with
    κ = exp(-d²) between two clusters. 0 to √(2 - 2e⁻²) for kernels that are not negative.

    Parameters
    ----------
    a, b, X, kernel, sigma, n_features, normalize, X2, random_state, return_error, n_jobs, verbose
        See ``lift_emd_distance``; the standard error may be infinite.

    Examples
    --------
    >>> from pluribus.compare import lift_kernel_distance
    >>> X = [[0], [1], [2], [3], [7], [8], [9], [10]]
    >>> round(lift_kernel_distance([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], X, sigma=2.0), 6)
    0.350386
    """
    return _compare(
        kernel_distance, a, b, X, return_error, X2=X2, kernel=kernel, sigma=sigma, n_features=n_features,
        normalize=normalize, random_state=random_state, n_jobs=n_jobs, verbose=verbose,
    )  # fmt: skip


def lift_hausdorff_distance(
    a: Any,
    b: Any,
    X: Any = None,
    *,
    kernel: Any = "gaussian",
    sigma: Any = "median",
    n_features: Any = "auto",
    normalize: Normalize = "unit",
    X2: Any = None,
    random_state: Any = 0,
    return_error: bool = False,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> Any:
    """The largest distance from a cluster to the nearest one of the other partition (LiftH). A metric.

    Sizes do not count: use it to find out whether one partition has a cluster, however small, that the other knows
    nothing of.

    Parameters
    ----------
    a, b, X, kernel, sigma, n_features, normalize, X2, random_state, return_error, n_jobs, verbose
        See ``lift_emd_distance``; the standard error may be infinite.

    Examples
    --------
    >>> from pluribus.compare import lift_hausdorff_distance
    >>> X = [[0], [1], [2], [3], [7], [8], [9], [10]]
    >>> round(lift_hausdorff_distance([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, 2], X, sigma=2.0), 6)
    0.632477
    """
    return _compare(
        hausdorff, a, b, X, return_error, X2=X2, kernel=kernel, sigma=sigma, n_features=n_features,
        normalize=normalize, random_state=random_state, n_jobs=n_jobs, verbose=verbose,
    )  # fmt: skip


def _compare(
    distance: Callable[[LiftedPartition, LiftedPartition], float],
    a: Any,
    b: Any,
    X: Any,
    return_error: bool,
    *,
    X2: Any = None,
    return_plan: bool = False,
    **options: Any,
) -> Any:
    if X2 is None:
        places = Places.of_pair(a, b)
    else:
        places, X = Places.of_two_sets(a, b), _stacked(X, X2, a, b, options["kernel"])
    first, second = lifted(places, X, **options)
    found: list[Any] = [distance(first, second)]
    if return_error:
        found.append(jackknife(distance, first, second))
    if return_plan:
        found.append(_plan(first, second, a, b))
    return tuple(found) if len(found) > 1 else found[0]


def _plan(first: LiftedPartition, second: LiftedPartition, a: Any, b: Any) -> TransportPlan:
    ground = first.space.ground(first.clusters, second.clusters)
    flow = transport_flow(first.shares, second.shares, ground)
    return TransportPlan(flow, ground, cluster_names(a, "a"), cluster_names(b, "b"))


def _stacked(X: Any, X2: Any, a: Any, b: Any, kernel: Any) -> Any:
    """The rows of two sets with the same features."""
    if isinstance(kernel, str) and kernel in ("precomputed", "discrete"):
        raise ValueError(
            f"kernel={kernel!r} has no features to compare two sets by: leave out X2, and give the objects of both in "
            "one set, each labeled -1 in the partition of the other."
        )
    if X is None:
        raise ValueError("X2 has the objects of b: give those of a as X.")
    sets = [rows if sparse.issparse(rows) else _as_array(rows, name) for rows, name in ((X, "X"), (X2, "X2"))]
    for rows, labels, names in zip(sets, (a, b), (("X", "a"), ("X2", "b")), strict=True):
        n = len(as_partition(labels, names[1]))
        if rows.shape[:1] != (n,):
            raise ValueError(f"{names[0]} has {rows.shape[0] if rows.ndim else 0} rows, but {names[1]} labels {n}.")
    if len({rows.ndim for rows in sets}) > 1 or sets[0].shape[1:] != sets[1].shape[1:]:
        raise ValueError(f"X has shape {sets[0].shape} and X2 has shape {sets[1].shape}: give the same features.")
    if any(map(sparse.issparse, sets)):
        return sparse.csr_array(sparse.vstack([sparse.csr_array(rows) for rows in sets]))
    return np.concatenate(sets)


def _as_array(rows: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(rows)
    except ValueError:  # of numpy, about rows of different lengths
        raise ValueError(
            f"{name} has rows of different lengths: give a table with the same features for all."
        ) from None

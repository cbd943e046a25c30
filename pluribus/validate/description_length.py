"""The description length of a partition by dissimilarity increments (G-DID)."""

import warnings
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import erfcx

from pluribus._kernels.linkage.spanning_tree import growth_increments, tree_of_distances, tree_of_features
from pluribus.validate._pairs import DistancePairs, FeaturePairs, Pairs
from pluribus.validate._partition import Missing, with_pairs
from pluribus.validate._sampling import check_sample_size, estimate, limit_of
from pluribus.validate.estimate import Estimate

_FLOOR = 1e-3  # of the mean increment of all: the least that a cluster's mean increment is taken to be
_TAIL = 50.0  # from here on the density is summed as a series
_MOST_DISTANCES = 10_000**2  # that are made at once, where they must be

Model = Literal["did", "exponential"]


class DegenerateIncrementsError(ValueError):
    """All distances, or all their increments, are 0: there is nothing to describe.

    Examples
    --------
    >>> from pluribus.validate import DegenerateIncrementsError, description_length_cost
    >>> try:
    ...     description_length_cost([0, 0, 0, 1, 1], X=[[1], [1], [1], [1], [1]])
    ... except DegenerateIncrementsError as error:
    ...     print(error)
    All objects are equal, so that no partition describes them better than another.
    """


def description_length_cost(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    model: Model = "did",
    penalty: float = 1.0,
    missing: Missing = "error",
    sample_size: int | str | None = "auto",
    random_state: Any = 0,
) -> Estimate:
    """How many nats it takes to describe the clusters by the trees that join them: less is better.

    Each cluster is joined by its minimum spanning tree. Along the tree, edges grow by increments, which are small and
    alike inside a cluster and large where there is a gap; each cluster has its own distribution of them, of which the
    mean is the parameter. The cost is the negative log-likelihood of all increments in units of the diameter of the
    data, and ½ log n for each parameter. It asks whether distances vary smoothly, and so accepts clusters of any shape,
    chains and rings too. Where classes are compact and overlap, the silhouette is the better guide. Fair between
    partitions with different numbers of clusters, one included.

    With many equal distances (integers, categories) the tree is not unique, and the cost may change by a few units with
    the order of the objects.

    Parameters
    ----------
    labels, X, distances, missing, random_state : see ``silhouette_index``
        Distances between features are Euclidean.
    model : {"did", "exponential"}
        The distribution of the increments: that of the source for two dimensions, or the simpler one of 2003.
    penalty : float
        Times ½ log n for each cluster. More of it never chooses more clusters.
    sample_size : "auto", int or None
        Objects to use at most; "auto" is 5,000. Beyond it the cost is that of a sample of so many objects: compare it
        only with others of the same size.

    References
    ----------
    Fred and Jain, "Cluster validation using a probabilistic attributed graph", ICPR 2008.
    Aidos and Fred, "On the distribution of dissimilarity increments", IbPRIA 2011.

    Examples
    --------
    >>> from pluribus.validate import description_length_cost
    >>> X = [[0], [1], [3], [7], [100], [101], [103], [107]]
    >>> [round(description_length_cost(labels, X), 4) for labels in ([0] * 8, [0] * 4 + [1] * 4)]
    [1.5367, -11.7214]
    """
    check_sample_size(sample_size)
    codes, pairs = _checked(labels, X, distances, model, penalty, missing)
    limit = limit_of(sample_size)

    def each(pairs: Pairs, codes: np.ndarray, weights: np.ndarray) -> float:
        return _described(pairs, codes, model, penalty).cost / pairs.n

    if limit is None or pairs.n <= limit:
        sizes = np.bincount(codes)
        if pairs.n < 20 and sizes.max() < 3:
            warnings.warn(
                "No cluster has three objects, so that there are no increments and the cost is the penalty alone.",
                UserWarning,
                stacklevel=2,
            )
    value = estimate(each, pairs, codes, limit, random_state)
    n = pairs.n if value.n_sampled is None else value.n_sampled
    return Estimate(n * value, low=n * value.low, high=n * value.high, n_sampled=value.n_sampled)


def description_lengths(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    model: Model = "did",
    penalty: float = 1.0,
    missing: Missing = "error",
) -> pd.DataFrame:
    """What each cluster adds to ``description_length_cost``: its size, mean increment, nats, and penalty.

    Parameters
    ----------
    labels, X, distances, model, penalty, missing : see ``description_length_cost``

    Returns
    -------
    DataFrame with a row for each cluster, the one that is seen first in ``labels`` first

    Examples
    --------
    >>> from pluribus.validate import description_lengths
    >>> X = [[0], [1], [3], [7], [100], [101], [103], [107]]
    >>> description_lengths([0] * 4 + [1] * 4, X).round(2)
       n_objects  mean_increment  negative_log_likelihood  penalty
    0          4             1.5                     -6.9     1.04
    1          4             1.5                     -6.9     1.04
    """
    codes, pairs = _checked(labels, X, distances, model, penalty, missing)
    return _described(pairs, codes, model, penalty).frame


class _Description(NamedTuple):
    cost: float
    frame: pd.DataFrame


def _checked(labels: Any, X: Any, distances: Any, model: str, penalty: float, missing: str) -> tuple[np.ndarray, Pairs]:
    if model not in ("did", "exponential"):
        raise ValueError(f"model must be 'did' or 'exponential'; got {model!r}.")
    if not (isinstance(penalty, Real) and 0 <= penalty < np.inf):
        raise ValueError(f"penalty must be a number that is not negative; got {penalty!r}.")
    codes, pairs = with_pairs(labels, X, distances, None, missing=missing, at_least=1)
    if pairs.n < 3:
        raise ValueError(f"Increments need at least three objects; got {pairs.n}.")
    return codes, pairs


def _described(pairs: Pairs, codes: np.ndarray, model: str, penalty: float) -> _Description:
    pairs = _ready(pairs)
    n = pairs.n
    unit = _diameter(pairs)
    if unit == 0:
        raise DegenerateIncrementsError(
            "All objects are equal, so that no partition describes them better than another."
        )
    mean_of_all = float(_increments(pairs, np.arange(n)).mean())
    if mean_of_all == 0:
        raise DegenerateIncrementsError(
            "All increments are 0: the objects stand on a regular lattice, and the tree that joins them has no gaps."
        )
    log_density = _did if model == "did" else _exponential
    sizes = np.bincount(codes)
    by_cluster = np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])
    means, costs = np.full(len(sizes), np.nan), np.zeros(len(sizes))
    for cluster, members in enumerate(by_cluster):
        if len(members) >= 3:
            increments = _increments(pairs, members)
            means[cluster] = mean = max(float(increments.mean()), _FLOOR * mean_of_all)
            costs[cluster] = -(log_density(increments, mean) + np.log(unit)).sum()
    frame = pd.DataFrame(
        {
            "n_objects": sizes,
            "mean_increment": means,
            "negative_log_likelihood": costs,
            "penalty": penalty / 2 * np.log(n),
        }
    )
    return _Description(float(costs.sum() + len(sizes) * penalty / 2 * np.log(n)), frame)


def _ready(pairs: Pairs) -> Pairs:
    """What the trees are grown on: dense features, or distances."""
    if isinstance(pairs, FeaturePairs) and sparse.issparse(pairs.X):
        if pairs.n**2 > _MOST_DISTANCES:
            raise ValueError(
                f"From sparse X the distances of {pairs.n:,} objects would be made at once. Reduce X to a few dense "
                "columns, or leave sample_size at 'auto'."
            )
        return DistancePairs(pairs.rows(np.arange(pairs.n)))
    return pairs


def _increments(pairs: Any, members: np.ndarray) -> np.ndarray:
    if isinstance(pairs, FeaturePairs):
        return growth_increments(*tree_of_features(pairs.X, members))
    return growth_increments(*tree_of_distances(pairs.D, members))


def _diameter(pairs: Pairs) -> float:
    return max(pairs.over_rows(lambda start, stop: float(pairs.rows(np.arange(start, stop)).max())))


def _did(w: np.ndarray, mean: float) -> np.ndarray:
    """Log-density of increments with this mean by the source's model for two dimensions (2-DID)."""
    c = np.pi * (2 - np.sqrt(2)) ** 2 / (4 * mean**2)
    v = c * w**2 / 2
    near = np.minimum(v, _TAIL)
    bracket = np.sqrt(2 * near) + np.sqrt(np.pi / 2) * (1 - 2 * near) * erfcx(np.sqrt(near))
    far = v > _TAIL
    if far.any():  # where the two parts of the bracket cancel
        term = np.ones(far.sum())
        series = term.copy()
        for i in range(1, 12):
            term = -term * (i - 0.5) * (i + 1) / (i * v[far])
            series += term
        bracket[far] = np.sqrt(2 / v[far]) * series
    return 0.5 * np.log(c) - 2 * v + np.log(bracket)


def _exponential(w: np.ndarray, mean: float) -> np.ndarray:
    return -w / mean - np.log(mean)

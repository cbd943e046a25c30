"""The description length of a partition by dissimilarity increments (G-DID)."""

import warnings
from typing import Any, Literal

import numpy as np
import pandas as pd

from pluribus._engine import is_one_of, real_number
from pluribus.increments._internal import (
    Dissimilarities,
    FeatureDissimilarities,
    GivenDissimilarities,
    describe,
)
from pluribus.validate._pairs import Pairs
from pluribus.validate._partition import Missing, with_pairs
from pluribus.validate._sampling import check_sample_size, estimate, limit_of
from pluribus.validate._tree_values import tree_values
from pluribus.validate.estimate import Estimate

_LARGEST_PENALTY = 1e100

Model = Literal["did", "exponential"]
Kind = Literal["tree", "nearest"]


def description_length_cost(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    model: Model = "did",
    increments: Kind = "tree",
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
    increments : {"tree", "nearest"}
        Along each cluster's spanning tree, or from each object to its nearest neighbor and on to the next. The latter
        do not see gaps between groups, and choose worse partitions.
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
    penalty = real_number("penalty", penalty, 0, _LARGEST_PENALTY)
    codes, pairs = _checked(labels, X, distances, model, increments, missing)
    limit = limit_of(sample_size)

    def each(pairs: Pairs, codes: np.ndarray, weights: np.ndarray) -> float:
        return describe(_dissimilarities(pairs), codes, model, penalty, increments=increments).length / pairs.n

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
    increments: Kind = "tree",
    penalty: float = 1.0,
    missing: Missing = "error",
) -> pd.DataFrame:
    """What each cluster adds to ``description_length_cost``: its size, mean increment, nats, and penalty.

    Parameters
    ----------
    labels, X, distances, model, increments, penalty, missing : see ``description_length_cost``

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
    penalty = real_number("penalty", penalty, 0, _LARGEST_PENALTY)
    codes, pairs = _checked(labels, X, distances, model, increments, missing)
    found = describe(_dissimilarities(pairs), codes, model, penalty, increments=increments)
    return pd.DataFrame(
        {
            "n_objects": found.sizes,
            "mean_increment": found.means,
            "negative_log_likelihood": found.costs,
            "penalty": found.penalty,
        }
    )


def _checked(
    labels: Any, X: Any, distances: Any, model: str, increments: str, missing: str
) -> tuple[np.ndarray, Pairs]:
    if not is_one_of(model, ("did", "exponential")):
        raise ValueError(f"model must be 'did' or 'exponential'; got {model!r}.")
    if not is_one_of(increments, ("tree", "nearest")):
        raise ValueError(f"increments must be 'tree' or 'nearest'; got {increments!r}.")
    codes, pairs = with_pairs(labels, X, distances, None, missing=missing, at_least=1)
    if pairs.n < 3:
        raise ValueError(f"Increments need at least three objects; got {pairs.n}.")
    return codes, pairs


def _dissimilarities(pairs: Pairs) -> Dissimilarities:
    values, given = tree_values(pairs)
    return GivenDissimilarities(values) if given else FeatureDissimilarities(values)

"""Merging the clusters of any partition."""

from typing import Any, Literal

from pluribus.increments._shared.description import Model
from pluribus.increments._shared.dissimilarities import as_dissimilarities
from pluribus.increments.mixture._merging import MergedPartition, merge_clusters
from pluribus.increments.mixture._rules import Rules, checked_start, warn_of_few


def merge_partition(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    criterion: Literal["gdid", "mdl", "lrt"] = "gdid",
    n_clusters: int | None = None,
    min_clusters: int = 1,
    alpha: float | Literal["auto"] = 0.05,
    order: Literal["mahalanobis", "single-link"] = "single-link",
    isolation: float | None = None,
    model: Model = "did",
    verbose: bool = True,
) -> MergedPartition:
    """Merge clusters whose dissimilarity increments say that they are one.

    It is the second half of ``IncrementsMixture``, for any partition that is too fine: of features, or of given
    distances. Clusters are never split.

    Parameters
    ----------
    labels : sequence of length n
        The start, with at most 1,000 clusters.
    X : array of shape (n, d), optional
        Features; distances between them are Euclidean.
    distances : array of shape (n, n), optional
        Any symmetric dissimilarities, in place of X.
    criterion, n_clusters, min_clusters, alpha, isolation, model, verbose : see ``IncrementsMixture``
    order : {"mahalanobis", "single-link"}
        "mahalanobis" needs X.

    Returns
    -------
    MergedPartition
        With ``labels``, ``n_clusters``, ``mean_increments``, ``cluster_of`` (the cluster of each cluster of the start,
        which are numbered as they are seen first), ``merges`` and ``alpha``. ``merges`` is a DataFrame with a row for
        each test; see ``merges_`` of ``IncrementsMixture``.

    Examples
    --------
    Two groups on a line, in four pieces:

    >>> from pluribus.increments import merge_partition
    >>> X = [[0], [1], [3], [4], [6], [7.5], [100], [101], [103], [104], [106], [107.5]]
    >>> merged = merge_partition([0] * 3 + [1] * 3 + [2] * 3 + [3] * 3, X)
    >>> merged.labels.tolist()
    [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    >>> merged.merges.loc[merged.merges.accepted, ["first", "second", "cluster"]].values.tolist()
    [[0, 1, 4], [2, 3, 5]]
    """
    rules = Rules.checked(
        "merge_partition",
        criterion=criterion,
        n_clusters=n_clusters,
        min_clusters=min_clusters,
        alpha=alpha,
        order=order,
        isolation=isolation,
        model=model,
    )
    if rules.order == "mahalanobis" and X is None:
        raise ValueError("order='mahalanobis' needs X, the features: with distances, use order='single-link'.")
    objects = as_dissimilarities(X, distances)
    codes = checked_start(labels, objects.n, "labels")
    warn_of_few(codes.max() + 1, rules)
    return merge_clusters(objects, codes, rules, verbose=bool(verbose))

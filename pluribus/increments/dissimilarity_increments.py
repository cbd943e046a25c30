"""Dissimilarity increments of features or distances."""

from typing import Any, Literal

import numpy as np

from pluribus.increments._shared.dissimilarities import as_dissimilarities


def dissimilarity_increments(
    X: Any = None,
    *,
    distances: Any = None,
    kind: Literal["nearest", "tree"] = "nearest",
    return_triplets: bool = False,
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """By how much distances change from one neighbor to the next.

    With "nearest", each object i gives one increment, |d(i, j) - d(j, k)|, where j is the nearest neighbor of i, and k
    the nearest neighbor of j other than i. With "tree", each vertex of the minimum spanning tree gives one increment
    for each of its edges but the shortest: how much longer the edge is than the shortest one. Only these contain the
    gaps between separate groups, so use them to compare partitions.

    Up to eight features a k-d tree finds the neighbors; with more, blocks of distances. Among equally near neighbors
    the first one counts.

    Parameters
    ----------
    X : array of shape (n, d), optional
        Features; distances between them are Euclidean.
    distances : array of shape (n, n), optional
        Any symmetric dissimilarities, in place of X. They need not be a metric.
    kind : {"nearest", "tree"}
    return_triplets : bool
        Return the objects behind each increment too.

    Returns
    -------
    increments : array of n numbers ("nearest") or of n - 2 numbers ("tree")
    triplets : array of shape (len(increments), 3)
        Only with ``return_triplets``: i, j and k. For "tree", j is the vertex, i the other end of its shortest edge,
        and k the other end of the edge that is longer.

    References
    ----------
    Fred and Leitão, "A new cluster isolation criterion based on dissimilarity increments", TPAMI 2003.

    Examples
    --------
    >>> from pluribus.increments import dissimilarity_increments
    >>> dissimilarity_increments([[0], [1], [3], [7]]).tolist()
    [1.0, 2.0, 1.0, 2.0]
    >>> dissimilarity_increments([[0], [1], [3], [7]], kind="tree", return_triplets=True)
    (array([1., 2.]), array([[0, 1, 2], [1, 2, 3]]))
    """
    if not isinstance(kind, str) or kind not in ("nearest", "tree"):
        raise ValueError(f"kind must be 'nearest' or 'tree'; got {kind!r}.")
    given = as_dissimilarities(X, distances)
    found = given.nearest_increments() if kind == "nearest" else given.tree_increments()
    return (found.value, found.triplet) if return_triplets else found.value

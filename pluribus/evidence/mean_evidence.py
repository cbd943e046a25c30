"""The mean evidence of each object for each cluster of a partition."""

from typing import Any

import numpy as np
from scipy import sparse

from pluribus._engine import check_summable, memory_limit, number_array, over_blocks, whole_number
from pluribus._kernels.labels.co_association import count_by_label, pooled_ratio_rows
from pluribus.evidence._memory import refuse_above
from pluribus.evidence.co_association import CoAssociation
from pluribus.partitions import as_ensemble


def mean_evidence(
    ensemble: Any,
    labels: np.ndarray,
    n_clusters: int,
    *,
    cluster_weights: np.ndarray | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """The mean evidence of each object for each cluster: a share between 0 and 1.

    It is the weight of the partitions that put the object and the objects of the cluster together, divided by the
    weight of the partitions that cover them. Both are summed over the objects of the cluster (including the object
    itself) before dividing. Without missing labels this is the mean of c_ij over the cluster. Time O(n r k), memory
    O((n + q) k) for q clusters in the whole ensemble; pairs are not visited.

    Parameters
    ----------
    ensemble : Ensemble, labels that can be one, or CoAssociation
        For ``CoAssociation.from_matrix`` it is the mean of the entries of the matrix.
    labels : array of shape (n,)
        Consensus clusters 0 … n_clusters - 1; objects with -1 are in none, but have evidence for each.
    n_clusters : int
    cluster_weights : array of shape (q,), optional
        The evidence for two objects in each cluster of the ensemble; by default the weight of its partition.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n, n_clusters)
        0 for an empty cluster, or if no partition covers the object and an object of the cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.evidence import mean_evidence
    >>> mean_evidence([[0, 0, 1, 1], [0, 1, 1, 1]], np.array([0, 0, 1, 1]), 2)
    array([[0.75, 0.  ],
           [0.75, 0.5 ],
           [0.25, 1.  ],
           [0.25, 1.  ]])
    """
    n = ensemble.shape[0] if isinstance(ensemble, CoAssociation) else None
    if isinstance(ensemble, CoAssociation) and ensemble.ensemble is None:
        n_clusters = _check_count(n_clusters, ensemble.shape[0])
        labels = _check_labels(labels, n_clusters, ensemble.shape[0])
        return _mean_of_matrix(ensemble, labels, n_clusters)
    ensemble = as_ensemble(ensemble if n is None else ensemble.ensemble)
    n = ensemble.n_objects
    n_clusters = _check_count(n_clusters, n)
    labels = _check_labels(labels, n_clusters, n)
    offsets = ensemble.offsets
    counts, seen = count_by_label(ensemble.labels, offsets, labels, n_clusters)
    if cluster_weights is None:
        cluster_weights = np.repeat(ensemble.weights, ensemble.n_clusters)
    cluster_weights = number_array("cluster_weights", cluster_weights)
    if cluster_weights.shape != (len(counts),) or not np.isfinite(cluster_weights).all():
        raise ValueError(f"cluster_weights must be {len(counts)} finite numbers, one for each cluster of the ensemble.")
    check_summable("cluster_weights", cluster_weights, np.finfo(np.float64).max / n)
    counts *= cluster_weights[:, None]
    seen *= ensemble.weights[:, None]
    out = np.empty((n, n_clusters))
    over_blocks(
        lambda start, stop: pooled_ratio_rows(ensemble.labels, offsets, counts, seen, start, stop, out),
        n,
        n_jobs=n_jobs,
    )
    if not np.isfinite(out).all():
        raise ValueError(
            f"cluster_weights of up to {np.abs(cluster_weights).max():.3g} divided by partitions' weights of down to "
            f"{ensemble.weights.min():.3g} overflow: scale the cluster_weights."
        )
    return out


def _mean_of_matrix(evidence: CoAssociation, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    member = np.flatnonzero(labels >= 0)
    ones = np.ones(len(member))
    indicator = sparse.csr_array((ones, (member, labels[member])), shape=(len(labels), n_clusters))
    sizes = np.bincount(labels[member], minlength=n_clusters)
    return (evidence @ indicator.toarray()) / np.maximum(sizes, 1)


def _check_count(n_clusters: Any, n: int) -> int:
    """A number of clusters for which the result fits into memory."""
    n_clusters = whole_number("n_clusters", n_clusters, 1)
    refuse_above(memory_limit(), 8.0 * n * n_clusters, f"The mean evidence of {n} objects in {n_clusters} clusters")
    return n_clusters


def _check_labels(labels: Any, n_clusters: int, n: int) -> np.ndarray:
    try:
        labels = np.asarray(labels)
    except ValueError:
        raise ValueError(f"labels must be {n} whole numbers, one for each object; got lists of several.") from None
    if labels.shape != (n,) or labels.dtype.kind not in "iu":
        raise ValueError(
            f"labels must be {n} whole numbers, one for each object; got {labels.dtype} of shape {labels.shape}."
        )
    labels = labels.astype(np.int64)
    if labels.size and not (labels.min() >= -1 and labels.max() < n_clusters):
        raise ValueError(
            f"labels must be between -1 and n_clusters - 1 = {n_clusters - 1}, but are between {labels.min()} and "
            f"{labels.max()}."
        )
    return labels

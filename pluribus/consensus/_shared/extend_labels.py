"""From the labels of a sample to those of all objects."""

import numpy as np

from pluribus.evidence import CoAssociation, mean_evidence
from pluribus.partitions import Ensemble


def extend_labels(
    evidence: Ensemble | CoAssociation,
    sample: np.ndarray,
    labels: np.ndarray,
    n_clusters: int,
    *,
    cluster_weights: np.ndarray | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """The labels of the objects ``sample``, and for all other objects the cluster of highest mean evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.consensus._shared.extend_labels import extend_labels
    >>> extend_labels(Ensemble([[0, 0, 1, 1], [0, 0, 1, 1]]), np.array([0, 3]), np.array([0, 1]), 2).tolist()
    [0, 0, 1, 1]
    """
    n = evidence.n_objects if isinstance(evidence, Ensemble) else evidence.shape[0]
    extended = np.full(n, -1)
    extended[sample] = labels
    if len(sample) == n:
        return extended
    means = mean_evidence(evidence, extended, n_clusters, cluster_weights=cluster_weights, n_jobs=n_jobs)
    return np.where(extended >= 0, extended, means.argmax(axis=1))

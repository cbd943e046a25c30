"""Noise: objects with little evidence for their cluster."""

from typing import Any

import numpy as np

from pluribus._engine import plain_array
from pluribus.consensus._shared.base import check_memberships_fit
from pluribus.evidence import mean_evidence
from pluribus.partitions import as_ensemble

# On blobs and moons with 10 % of uniform noise, 0.5 marks half of the noise and no other object, 0.7 three quarters of
# the noise and 1 % of the others.
WEAK = 0.6


def mark_noise(ensemble: Any, labels: Any) -> np.ndarray:
    """Label objects with weak evidence for their cluster as noise (-1).

    The evidence of an object is the mean share of members that put it together with the objects of its cluster. It is
    lower for all objects of a large or long cluster, so it is compared with the median of the cluster: it is weak if it
    is less than 60 % of that.

    Parameters
    ----------
    ensemble : Ensemble, n × r labels, or list of label sequences
    labels : array of shape (n,)
        Clusters 0, 1, …; -1 stays.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> from pluribus.consensus import mark_noise
    >>> members = [[0, 0, 0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 1, 2, 2], [0, 0, 0, 0, 0, 2, 1, 1]]
    >>> mark_noise(members, [0, 0, 0, 0, 0, 0, 1, 1]).tolist()
    [0, 0, 0, 0, 0, -1, 1, 1]
    """
    ensemble, labels = as_ensemble(ensemble), np.array(plain_array("labels", labels))
    if labels.ndim != 1:
        raise ValueError(f"labels has shape {labels.shape}: give the cluster of each object.")
    k = int(labels.max(initial=0)) + 1 if labels.dtype.kind in "iu" else 1  # mean_evidence refuses other labels
    check_memberships_fit(len(labels), k)
    evidence = mean_evidence(ensemble, labels, k)
    own = np.where(labels >= 0, evidence[np.arange(len(labels)), labels], 0.0)
    usual = np.array([np.median(own[labels == cluster]) if (labels == cluster).any() else 0.0 for cluster in range(k)])
    return np.where(own < WEAK * usual[labels], -1, labels)

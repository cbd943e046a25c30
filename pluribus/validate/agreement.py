"""How well a partition agrees with the members of an ensemble, by the names under which validation knows it."""

import warnings
from typing import Any

from pluribus.compare import average_agreement
from pluribus.validate._partition import Missing, check_labels
from pluribus.validate.estimate import Estimate


def average_consistency_index(labels: Any, ensemble: Any, *, missing: Missing = "error") -> Estimate:
    """Average cluster consistency (ACC): more is better, among partitions with the same number of clusters only.

    Whether the clusters of the members lie inside clusters of the partition. Members that only split its clusters are
    wholly consistent, and then the index says how equal the sizes of the clusters are, nothing else: 1 - Σ p². It
    prefers balanced clusters, and more of them.

    Parameters
    ----------
    labels : sequence of n labels
    ensemble : Ensemble, or labels that can be one
    missing : {"error", "ignore", "singletons"}
        Refuse partitions with objects in no cluster, ignore these objects, or count each as a cluster of its own.

    References
    ----------
    Duarte, Duarte, Fred and Rodrigues, "Average cluster consistency for cluster ensemble selection", IC3K 2009.

    Examples
    --------
    >>> from pluribus.validate import average_consistency_index
    >>> members = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]
    >>> round(average_consistency_index([0, 0, 0, 1, 1, 1], members), 6)
    0.472222
    """
    codes = check_labels(labels, missing, at_least=1)
    if codes.max() == 0:
        warnings.warn("One cluster has a consistency of 0 whatever the members say.", UserWarning, stacklevel=2)
    return Estimate(average_agreement(codes, ensemble, "consistency"))


def average_mutual_information_index(labels: Any, ensemble: Any, *, missing: Missing = "error") -> Estimate:
    """Average normalized mutual information with the members (ANMI): more is better.

    Compare only partitions with the same number of clusters: the index grows as that comes near
    the number of the members.

    Parameters
    ----------
    labels, ensemble, missing : see ``average_consistency_index``

    References
    ----------
    Strehl and Ghosh, "Cluster ensembles", JMLR 3, 2002.

    Examples
    --------
    >>> from pluribus.validate import average_mutual_information_index
    >>> members = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]
    >>> round(average_mutual_information_index([0, 0, 0, 1, 1, 1], members), 6)
    0.785796
    """
    codes = check_labels(labels, missing, at_least=1)
    return Estimate(average_agreement(codes, ensemble, "normalized_mutual_information"))

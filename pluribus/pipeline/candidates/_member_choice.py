"""The member of an ensemble that agrees most with the others, where sizes of clusters should not differ much."""

from collections.abc import Sequence

import numpy as np

from pluribus.partitions._internal import encode_labels, normalized_entropy
from pluribus.pipeline.candidates._terms import agreements, mean_with_others

_EVENNESS = 0.4
_LEAST_WEIGHT = 0.001
_TIE = 1e-12


def central_member(labels: Sequence[np.ndarray]) -> int:
    """The number of the member with the highest W + 0.4 H; of equal ones the first.

    W is the mean adjusted Rand index with the other members. These count by their own mean agreement, so that outliers
    count little. H is the entropy of the sizes of the clusters, 1 if all are equal.

    Parameters
    ----------
    labels : partitions of the same n objects, all into the same number of clusters
    """
    coded = [encode_labels(member)[0] for member in labels]
    if len(coded) == 1:
        return 0
    between = agreements(coded)
    weights = np.maximum(mean_with_others(between), 0) + _LEAST_WEIGHT
    with_others = between - np.diag(np.diag(between))
    central = with_others @ weights / (weights.sum() - weights)
    values = central + _EVENNESS * np.array([_evenness(member) for member in coded])
    return int(np.flatnonzero(values >= values.max() - _TIE)[0])


def _evenness(codes: np.ndarray) -> float:
    """The entropy of the sizes of clusters over the largest that it can be."""
    sizes = np.bincount(codes[codes >= 0])
    return float(normalized_entropy(sizes[None] / sizes.sum())[0])

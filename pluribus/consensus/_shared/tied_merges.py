"""Ties at the cut of a dendrogram: merges that the evidence supports equally, of which only one was made."""

import warnings

import numpy as np

from pluribus._kernels.labels.co_association import count_by_label
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.partitions import Ensemble

_EQUAL = 1e-9  # evidence that differs by less is the same, up to rounding


def is_tied(ensemble: Ensemble | None, linkage: np.ndarray, n_clusters: int, method: str) -> bool:
    """Whether other clusters could have been merged with the same evidence.

    The last merge that was made is compared with the next one in the dendrogram and, for average link on labels
    without missing ones, with all merges that were possible at that moment.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.consensus._shared.evidence_linkages import average_link
    >>> from pluribus.consensus._shared.tied_merges import is_tied
    >>> chain = Ensemble([[0, 0, 1], [0, 1, 1]])  # the object in the middle belongs to both others
    >>> is_tied(chain, average_link(chain, verbose=False), 2, "average")
    True
    """
    n = len(linkage) + 1
    if not 1 < n_clusters < n:
        return False
    made, following = linkage[n - n_clusters - 1, 2], linkage[n - n_clusters, 2]
    if abs(following - made) <= _EQUAL:  # the heights of centroid and median link may fall
        return True
    if method != "average" or ensemble is None or ensemble.memberships is not None or ensemble.has_missing:
        return False
    between = _evidence_between(ensemble, cut_into(linkage, n_clusters + 1), n_clusters + 1)
    return int(np.count_nonzero(between >= 1 - made - _EQUAL)) > 1


def _evidence_between(ensemble: Ensemble, groups: np.ndarray, n_groups: int) -> np.ndarray:
    """The mean evidence of each two groups, every pair once."""
    counts, _ = count_by_label(ensemble.labels, ensemble.offsets, groups, n_groups)
    weights = np.repeat(ensemble.weights, ensemble.n_clusters)
    together = (counts * weights[:, None]).T @ counts
    sizes = np.bincount(groups, minlength=n_groups)
    mean = together / (np.outer(sizes, sizes) * ensemble.weights.sum())
    return mean[np.triu_indices(n_groups, 1)]


def warn_of_ties(n_clusters: int) -> None:
    """Say that the result is one of several that the evidence supports equally."""
    warnings.warn(
        f"The evidence is tied: other merges into {n_clusters} clusters have the same support, and the order of the "
        "objects decided between them. Add partitions, or ask for another number of clusters.",
        UserWarning,
        stacklevel=4,
    )

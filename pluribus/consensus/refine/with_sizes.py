"""A consensus with bounds on the sizes of its clusters."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pluribus.partitions import assign_sizes, harden
from pluribus.partitions._internal import check_membership, size_bounds

_LEAST = 1e-6  # membership, so that every object may join every cluster


def with_sizes(consensus: Any, min_size: Any = None, max_size: Any = None) -> np.ndarray:
    """The most likely partition within bounds on the sizes of its clusters.

    Memberships are taken as probabilities. The result is the partition within the bounds that has the greatest product
    of memberships, exactly. The objects that change their cluster are therefore those about which the ensemble is least
    certain. If the sizes of a fitted consensus are within the bounds, its labels do not change. Constraints of an
    earlier fit are not enforced here.

    Parameters
    ----------
    consensus : fitted consensus function, or array of shape (n, k)
        A model with ``labels_`` and ``membership_``, or memberships. Objects without a label stay without, and do not
        count.
    min_size, max_size : int, float, sequence of k of them, or None
        A number of objects, or a share of all objects (a float up to 1.0); one for all clusters, or one for each.

    Returns
    -------
    labels : ndarray of shape (n,)
        Clusters keep their numbers, which are the columns of the memberships.

    Raises
    ------
    SizeError
        If the bounds are infeasible.

    Examples
    --------
    >>> from pluribus.consensus import EvidenceAccumulation
    >>> from pluribus.consensus import with_sizes
    >>> ensemble = [[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]]
    >>> model = EvidenceAccumulation(2).fit(ensemble)
    >>> model.labels_.tolist(), with_sizes(model, max_size=0.5).tolist()
    ([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1])
    """
    if hasattr(consensus, "fit"):
        check_is_fitted(consensus)
        if not hasattr(consensus, "membership_"):
            raise ValueError(
                f"{type(consensus).__name__} has no memberships (membership_), which are needed to move objects "
                "between clusters: use a consensus that has them, or give memberships."
            )
    if hasattr(consensus, "membership_"):
        membership, labels = consensus.membership_, consensus.labels_.copy()
    else:
        membership = check_membership(consensus)
        labels = harden(membership)
    k = membership.shape[1]
    seen = labels >= 0
    lower, upper = size_bounds(int(seen.sum()), k, min_size, max_size)
    sizes = np.bincount(labels[seen], minlength=k)
    if (sizes < lower).any() or (sizes > upper).any():
        cost = -np.log(np.maximum(membership[seen], _LEAST))
        labels[seen] = assign_sizes(cost, lower, upper).labels
    return labels

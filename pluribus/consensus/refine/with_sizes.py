"""A consensus whose clusters have the right size."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pluribus.partitions import assign_sizes, harden
from pluribus.partitions._internal import check_membership, size_bounds

_LEAST = 1e-6  # of a membership: no object is barred from any cluster


def with_sizes(consensus: Any, min_size: Any = None, max_size: Any = None) -> np.ndarray:
    """The most likely partition whose clusters have at least, and at most, as many objects as you say.

    A membership is taken for the probability that an object is in a cluster. Of all partitions within the bounds, that
    with the greatest product of memberships is found, exactly. So the objects that change their cluster are those
    about which the ensemble was least sure. If the sizes of a fitted consensus are within the bounds already, its
    labels stay as they are. Constraints that were heeded before are not heeded here.

    Parameters
    ----------
    consensus : fitted consensus function, or array of shape (n, k)
        With ``labels_`` and ``membership_``; or memberships alone. Objects without a label get none, and do not count.
    min_size, max_size : int, float, sequence of k of them, or None
        A number of objects, or a share of all up to 1.0 (a float); one for all clusters, or one for each.

    Returns
    -------
    labels : ndarray of shape (n,)
        Clusters keep their numbers, those of the columns of the memberships.

    Raises
    ------
    SizeError
        If the bounds cannot hold.

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
                f"{type(consensus).__name__} knows no memberships (membership_), so what an object costs in another "
                "cluster is not known: choose a consensus that has them, or give memberships."
            )
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

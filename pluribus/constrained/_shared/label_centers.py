"""Centers in the order of the labels that objects may have."""

import numpy as np
from scipy.optimize import linear_sum_assignment


def in_order_of_labels(centers: np.ndarray, costs: np.ndarray, may: np.ndarray) -> np.ndarray:
    """The centers, numbered so that objects are near those of the clusters that are allowed for them.

    Parameters
    ----------
    centers : ndarray of shape (k, d)
    costs : ndarray of shape (m, k)
        Of objects at the centers.
    may : ndarray of shape (m, k)
        Whether an object may be in a cluster. An object that may be in all of them says nothing.
    """
    bound = ~may.all(axis=1)
    share = may[bound] / may[bound].sum(axis=1, keepdims=True)
    own = costs[bound].astype(np.float64)
    _, center = linear_sum_assignment(share.T @ (own - own.min(axis=1, keepdims=True)))
    return centers[center]

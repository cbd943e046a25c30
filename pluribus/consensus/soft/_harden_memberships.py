"""From soft memberships to hard clusters."""

import numpy as np

from pluribus.partitions._internal import number_by_size, order_by_size

_TIE = 1e-9  # memberships as close as this are a tie


def harden_memberships(membership: np.ndarray, mass: np.ndarray, row_of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cluster of highest membership of each object, and the clusters that are not empty.

    Ties go to the cluster with the larger mass, so that the order of the clusters does not matter.

    Parameters
    ----------
    membership : ndarray of shape (rows, k)
    mass : ndarray of shape (k,)
    row_of : ndarray of shape (n,)
        The row of each object; -1 for objects in no cluster.

    Returns
    -------
    labels : ndarray of shape (n,)
        Clusters numbered from the largest, -1 = in none.
    nonempty : ndarray
        The columns of ``membership`` that are not empty, in the order of these numbers.
    """
    by_mass = np.argsort(-mass, kind="stable")
    sorted_columns = membership[:, by_mass]
    first = (sorted_columns.max(axis=1, keepdims=True) - sorted_columns <= _TIE).argmax(axis=1)
    labels = np.where(row_of >= 0, by_mass[first][row_of], -1)
    by_size = order_by_size(labels, len(mass))
    nonempty = by_size[: len(np.unique(labels[labels >= 0]))]
    return number_by_size(labels, len(mass)), nonempty

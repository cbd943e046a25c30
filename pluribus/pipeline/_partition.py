"""The partition that is returned: that of the consensus function, or a better candidate."""

from typing import Any, NamedTuple

import numpy as np


class Partition(NamedTuple):
    """Labels and memberships, by the names that a fitted consensus function has for them."""

    labels_: np.ndarray
    membership_: np.ndarray
    uncertainty_: np.ndarray
    n_clusters_: int

    @classmethod
    def of(cls, consensus: Any) -> "Partition":
        """The partition of a fitted consensus function."""
        return cls(consensus.labels_, consensus.membership_, consensus.uncertainty_, consensus.n_clusters_)

    @classmethod
    def one_group(cls, n: int) -> "Partition":
        """All objects in one cluster."""
        return cls(np.zeros(n, np.int64), np.ones((n, 1)), np.zeros(n), 1)

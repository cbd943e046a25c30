"""What a method that merges by tests leaves behind: the tree of its merges, the tests, and the increments."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

HEIGHTS = ("distance", "order of the merges")
COLUMNS = ("left", "right", "node", "distance", "outcome", "statistic")


@dataclass(frozen=True, eq=False)
class MergeRecord:
    """The merges of a method on dissimilarity increments, with the test behind each.

    Attributes
    ----------
    tree : ndarray of shape (m - 1, 4)
        The merges of the m leaves in SciPy's format. The first ``n_merges`` were made; the others complete the tree.
    n_merges : int
    heights : str
        What the heights of the tree are: "distance", or "order of the merges".
    leaf_labels, leaf_sizes : ndarrays of shape (m,)
        The cluster and the number of objects of each leaf, which is an object or a component of a mixture.
    tests : data frame
        One row for each test, in order: ``left`` and ``right``, the nodes of the tree; ``node``, the node that the
        merge made, or -1; ``distance`` between them; ``outcome`` in words; ``statistic``.
    increments : ndarray of shape (n,)
        The nearest-neighbor increment of each object inside its cluster; nan in clusters of fewer than three.
    means : ndarray of shape (k,)
        The mean increment of each cluster; nan if it has none.
    model : str
        The distribution of the increments: "did" or "exponential".

    Examples
    --------
    >>> import numpy as np, pluribus
    >>> X = np.array([0, 1, 2.2, 3.1, 4.3, 5.2, 20, 21.1, 22, 23.2, 24.1, 25.3])[:, None]
    >>> result = pluribus.cluster(X, method="sl-did", scale="none", verbose=False)
    >>> result.merges.n_merges, result.merges.means.round(2).tolist()
    (10, [0.58, 0.27])
    """

    tree: np.ndarray
    n_merges: int
    heights: str
    leaf_labels: np.ndarray
    leaf_sizes: np.ndarray
    tests: pd.DataFrame
    increments: np.ndarray
    means: np.ndarray
    model: str

"""Spectral co-clustering, by scikit-learn."""

from typing import Any

from sklearn.base import BaseEstimator

from pluribus._engine import seeds
from pluribus.constrained._shared.base import checked_rows
from pluribus.constrained._shared.parameters import AT_LEAST_ONE, STARTS
from pluribus.constrained.coclusters._co_clusters import CoClusterMixin, numbered
from pluribus.constrained.coclusters._nonnegative import Filled, spectral_labels
from pluribus.partitions._internal import order_by_size


class SpectralCoClustering(CoClusterMixin, BaseEstimator):
    """Cut the bipartite graph of rows and columns into k parts (scikit-learn's ``SpectralCoclustering``).

    Rows and columns are nodes, and entries of the table are the weights of edges between them. The singular vectors of
    the normalized table place rows and columns in one space, where k-means clusters both together. Each cluster of rows
    comes with a cluster of columns. This class adds what the other co-clusterers have: rows and columns that are all
    zero get the label -1, clusters are numbered by size, and the blocks are measured.

    Use it as a fast first answer for counts and 0/1 tables without constraints. :class:`InformationCoClustering` starts
    from it and goes on.

    Parameters
    ----------
    n_clusters : int, default=2
    n_init : int, default=10
        Starts of k-means.
    random_state : int, RandomState, Generator or None

    Attributes
    ----------
    labels_, row_labels_ : ndarray of shape (m,)
        The cluster of each row, numbered from the largest; -1 for rows that are all zero.
    column_labels_ : ndarray of shape (n,)
        The cluster of each column, the same as those of rows; -1 for columns that are all zero.
    n_clusters_ : int
    tau_ : float
        Symmetric Goodman-Kruskal tau of the blocks, 0 to 1.
    mutual_information_, information_loss_ : float
        Mutual information of the blocks, in nats, and how much less that is than of the table.

    References
    ----------
    Dhillon (2001), Co-clustering documents and words using bipartite spectral graph partitioning, KDD.

    Examples
    --------
    >>> from pluribus.constrained import SpectralCoClustering
    >>> table = [[5, 4, 0, 0], [6, 5, 0, 1], [0, 0, 3, 3], [0, 0, 4, 3], [1, 0, 5, 5]]
    >>> model = SpectralCoClustering(2, random_state=0).fit(table)
    >>> model.row_labels_.tolist(), model.column_labels_.tolist()
    ([1, 1, 0, 0, 0], [1, 1, 0, 0])
    """

    known_as = {"spectral-cocluster": {}}
    suits = "Counts and 0/1 tables: a fast first answer for rows and columns together, without constraints."

    _parameter_constraints: dict = {
        "n_clusters": [AT_LEAST_ONE],
        **{name: STARTS[name] for name in ("n_init", "random_state")},
    }

    def __init__(self, n_clusters: int = 2, *, n_init: int = 10, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "SpectralCoClustering":
        """Cluster the rows and the columns of X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, n)
            Nonnegative.
        y : ignored
        """
        filled = Filled.of(checked_rows(self, X, sparse=True), self)
        k = int(self.n_clusters)
        rows, columns = spectral_labels(filled.X, k, seeds(self.random_state, 1)[0], self.n_init)
        order = order_by_size(rows, k)
        rows, columns = filled.all_rows(numbered(rows, order)), filled.all_columns(numbered(columns, order))
        self._set_partitions(filled.whole, rows, columns, k)
        return self

"""What all co-clusterers share: two partitions, and how well the blocks that they make describe the table."""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import ClusterMixin

from pluribus.constrained._shared.base import warn_of_empty_clusters
from pluribus.partitions._internal import order_by_size


class CoClusterMixin(ClusterMixin):
    """Mixin for estimators that cluster the rows and the columns of a table together."""

    known_as: ClassVar[dict[str, dict[str, Any]]]
    suits: ClassVar[str]
    labels_: np.ndarray

    def fit_predict(self, X: Any, y: Any = None, **given: Any) -> np.ndarray:
        """Cluster X, and return the cluster of each row; the parameters are those of ``fit``."""
        return self.fit(X, **given).labels_

    def _set_partitions(self, X: Any, rows: np.ndarray, columns: np.ndarray, k: int) -> None:
        """Set both partitions and what they say about X (nonnegative); warns of empty clusters of rows."""
        warn_of_empty_clusters(rows[rows >= 0], k)
        self.labels_ = self.row_labels_ = rows
        self.column_labels_ = columns
        self.n_clusters_ = int(k)
        counts = block_counts(X, rows, columns)
        self.tau_ = symmetric_tau(counts)
        self.mutual_information_ = mutual_information(counts)
        inside = sparse.csr_array(X)[np.ix_(rows >= 0, columns >= 0)]
        self.information_loss_ = max(mutual_information(inside) - self.mutual_information_, 0.0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def numbered(labels: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The labels with cluster order[new] called new; -1 stays."""
    number = np.append(np.argsort(order), -1).astype(np.int32)
    return number[labels]


def numbered_by_size(labels: np.ndarray, k: int) -> np.ndarray:
    """The labels with the largest cluster first; -1 stays."""
    return numbered(labels, order_by_size(labels, k))


def one_hot(labels: np.ndarray, k: int) -> sparse.csr_array:
    """Objects by clusters, one where the object is in the cluster; a row of zeros for -1."""
    kept = np.flatnonzero(labels >= 0)
    return sparse.csr_array((np.ones(len(kept)), (kept, labels[kept])), shape=(len(labels), k))


def block_counts(X: Any, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The sum of X over each cluster of rows with each cluster of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.constrained.coclusters._co_clusters import block_counts
    >>> block_counts([[1, 1, 0], [0, 0, 1]], np.array([0, 1]), np.array([0, 0, 1])).tolist()
    [[2.0, 0.0], [0.0, 1.0]]
    """
    k, n_column_clusters = rows.max(initial=-1) + 1, columns.max(initial=-1) + 1
    by_column = sparse.csr_array(X, dtype=np.float64) @ one_hot(columns, n_column_clusters)
    return (one_hot(rows, k).T @ by_column).toarray()


def symmetric_tau(counts: np.ndarray) -> float:
    """Goodman and Kruskal's tau of both directions: 1 if each side tells the other, 0 if it says nothing.

    Examples
    --------
    >>> from pluribus.constrained.coclusters._co_clusters import symmetric_tau
    >>> round(symmetric_tau([[8, 0], [1, 7]]), 6)
    0.777778
    """
    p, rows, columns = _shares(counts)
    left = 1 - ((rows**2).sum() + (columns**2).sum()) / 2
    if left <= 1e-15:  # one cluster on both sides: there is nothing to tell
        return 0.0
    expected = np.outer(rows, columns)
    return float(((p - expected) ** 2 * np.add.outer(rows, columns) / expected).sum() / 2 / left)


def mutual_information(counts: Any) -> float:
    """Mutual information, in nats, of the row and the column of a table of counts, dense or sparse.

    Examples
    --------
    >>> from pluribus.constrained.coclusters._co_clusters import mutual_information
    >>> round(mutual_information([[8, 0], [1, 7]]), 6)
    0.496929
    """
    counts = sparse.coo_array(sparse.csr_array(counts, dtype=np.float64))
    rows, columns, total = counts.sum(axis=1), counts.sum(axis=0), counts.data.sum()
    if total == 0:
        return 0.0
    i, j = counts.coords
    kept = counts.data > 0
    value, i, j = counts.data[kept], i[kept], j[kept]
    return max(float((value * np.log(value * total / (rows[i] * columns[j]))).sum() / total), 0.0)


def _shares(counts: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shares of the whole, without empty rows and columns, and their sums."""
    counts = np.asarray(counts, dtype=np.float64)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    p = counts / counts.sum() if counts.size else counts
    return p, p.sum(axis=1), p.sum(axis=0)

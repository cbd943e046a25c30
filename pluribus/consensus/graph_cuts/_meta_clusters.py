"""Groups of clusters (meta-clusters): the similarity of clusters, and which group an object belongs to."""

import numpy as np
from scipy import sparse

from pluribus.consensus._shared.cluster_graph import ClusterTable


def jaccard_graph(shared: np.ndarray, table: ClusterTable) -> sparse.csr_array:
    """Jaccard similarity of clusters of different partitions, times both partitions' weights."""
    size = shared.diagonal()
    a, b = np.nonzero(shared)
    across = table.partition[a] != table.partition[b]
    a, b = a[across], b[across]
    both = shared[a, b]
    weight = both / (size[a] + size[b] - both) * table.weights[a] * table.weights[b]
    return sparse.csr_array((weight, (a, b)), shape=shared.shape)


def associate(table: ClusterTable, meta: np.ndarray, n_clusters: int) -> np.ndarray:
    """The mean membership of each row in the clusters of each meta-cluster (rows, n_clusters)."""
    total = np.bincount(meta, table.weights, minlength=n_clusters)
    mean = np.zeros((len(meta), n_clusters))
    mean[np.arange(len(meta)), meta] = table.weights / total[meta]
    return table.members @ mean


def first_at_random(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The column of the highest value in each row; ties are broken at random."""
    highest = values >= values.max(axis=1, keepdims=True) - 1e-12
    winner = highest.argmax(axis=1)
    tied = np.flatnonzero(highest.sum(axis=1) > 1)
    winner[tied] = (highest[tied] * rng.random((len(tied), values.shape[1]))).argmax(axis=1)
    return winner

"""The normalized cut of the graph of objects and clusters, from an eigenproblem of the clusters (transfer cut)."""

from typing import Any

import numpy as np
from scipy import sparse

from pluribus.consensus._shared.cluster_graph import (
    ClusterTable,
    overlaps,
)
from pluribus.consensus._shared.eigen import inverse_root, leading, unit_rows
from pluribus.consensus._shared.weighted_points import k_means

_DENSE_UP_TO = 1_000  # clusters in the ensemble, up to which the matrix of the eigenproblem is dense


def cut_spectral(
    table: ClusterTable, k: int, *, n_init: int, random_state: Any, n_jobs: int | None, verbose: bool
) -> np.ndarray:
    """Parts of the rows, followed by those of the clusters.

    They come from k-means on the leading singular vectors of D1^(-1/2) E D2^(-1/2), with E the weighted edges.
    """
    objects, clusters = transfer_cut(table, k, n_jobs)
    if len(objects) <= k:  # each distinct row of labels is a cluster
        nearest = (clusters @ objects.T).argmax(axis=1)
        return np.concatenate([np.arange(len(objects)), nearest])
    return k_means(
        np.concatenate([objects, clusters]),
        k,
        np.concatenate([table.counts, np.ones(len(clusters))]),
        n_init=n_init,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=bool(verbose),
    )


def transfer_cut(table: ClusterTable, k: int, n_jobs: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Rows of length 1 for objects and clusters, from the k leading singular pairs of the normalized graph.

    The right vectors v solve an eigenproblem of the clusters, D2^(-1/2) Eᵀ D1⁻¹ E D2^(-1/2) v = σ² v. The left vectors
    of the objects follow as u = D1^(-1/2) E D2^(-1/2) v / σ. Rows are scaled to length 1, so D1^(-1/2) cancels.
    """
    members, weights = table.members, table.weights
    object_degree = members @ weights
    row_weights = table.counts / object_degree
    cluster_degree = weights * (members.T @ table.counts.astype(float))
    scale = weights * inverse_root(cluster_degree)
    m = len(weights)
    if m <= _DENSE_UP_TO:
        small = scale[:, None] * overlaps(table, row_weights, n_jobs) * scale
        product = small.__matmul__
    else:
        transposed = sparse.csr_array(members.T)

        def product(V: np.ndarray) -> np.ndarray:
            spread = members @ (scale[:, None] * V.reshape(m, -1))
            return (scale[:, None] * (transposed @ (row_weights[:, None] * spread))).reshape(V.shape)

    values, vectors, _ = leading(product, m, k, seed=0)
    real = values > 1e-10
    values, vectors = values[real], vectors[:, real]
    objects = table.members @ (scale[:, None] * vectors / np.sqrt(values)).astype(np.float32)
    return unit_rows(objects), unit_rows(vectors.astype(np.float32))

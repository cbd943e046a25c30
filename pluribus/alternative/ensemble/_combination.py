"""The partition that the local clusterings have most in common."""

import warnings
from typing import Any

import numpy as np

from pluribus._kernels.labels.utility_moves import move_rows_by_utility
from pluribus.consensus._internal import configured
from pluribus.partitions import Ensemble, contingency

BY_UTILITY = "qmi"  # the consensus function that maximizes what is polished here
_SWEEPS = 100


def check_combine(function: Any, n_clusters: int) -> None:
    """Refuse what is neither the name of a consensus function nor one."""
    if not isinstance(function, str) and (isinstance(function, type) or not hasattr(function, "get_params")):
        raise ValueError(
            f"combine={function!r:.100} is no consensus function: give a name such as 'qmi', or an instance."
        )
    configured(function, n_clusters=n_clusters, random_state=0, verbose=False)  # raises if its package is missing


def combine(ensemble: Ensemble, function: Any, n_clusters: int, seed: int) -> np.ndarray:
    """The consensus of the extended partitions; by mutual information, improved by moves of single label rows."""
    model = configured(function, n_clusters=n_clusters, random_state=seed, verbose=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # fewer clusters than asked for: the caller says so once
        labels = model.fit(ensemble).labels_
    return polish(ensemble, labels) if function == BY_UTILITY else labels


def polish(ensemble: Ensemble, labels: np.ndarray) -> np.ndarray:
    """Move objects with equal labels from cluster to cluster while that raises the total category utility."""
    rows = ensemble.unique_rows()
    clusters = np.empty(len(rows.counts), dtype=np.int64)
    clusters[rows.inverse] = labels
    offsets = np.append(0, np.cumsum(ensemble.n_clusters))
    counts = rows.counts.astype(np.float64)
    move_rows_by_utility(rows.ensemble.labels, offsets, counts, clusters, int(labels.max()) + 1, _SWEEPS)
    return clusters[rows.inverse]


def category_utility(labels: Any, partition: Any) -> float:
    """How much clusters improve a guess of the labels of a partition: Σ_c p(c) Σ_y p(y|c)² - Σ_y p(y)².

    Examples
    --------
    >>> from pluribus.alternative.ensemble._combination import category_utility
    >>> category_utility([0, 1, 0, 1], [0, 1, 0, 1])
    0.5
    """
    table = np.asarray(contingency(labels, partition), dtype=np.float64)
    n, sizes = table.sum(), table.sum(axis=1)
    if n == 0:
        return 0.0
    within = ((table**2).sum(axis=1)[sizes > 0] / sizes[sizes > 0]).sum() / n
    return float(within - (table.sum(axis=0) ** 2).sum() / n**2)

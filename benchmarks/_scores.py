"""How right a partition is. What scores need is loaded after the peak of memory was read."""

from typing import Any

import numpy as np


def accuracy(truth: np.ndarray, labels: np.ndarray) -> float:
    """Share of objects in the right cluster under the best one-to-one matching (the papers' consistency index)."""
    from scipy.optimize import linear_sum_assignment

    classes, y = np.unique(truth, return_inverse=True)
    clusters, found = np.unique(labels, return_inverse=True)
    table = np.zeros((len(classes), len(clusters)), dtype=np.int64)
    np.add.at(table, (y, found), 1)
    return float(table[linear_sum_assignment(-table)].sum() / len(y))


def rand_score(truth: np.ndarray) -> Any:
    """Score for a case: the adjusted Rand index of its labels, and how many clusters there are."""

    def score(labels: np.ndarray) -> dict[str, Any]:
        from sklearn.metrics import adjusted_rand_score

        return {"ari": float(adjusted_rand_score(truth, labels)), "n_clusters": len(np.unique(labels))}

    return score

"""Single moves of rows that raise I(C;F|Z) + λ I(C;F), until there is none."""

import numpy as np

from pluribus._kernels.assignment.information_moves import move_rows
from pluribus.alternative._shared.group_scores import GroupScores


def move_until_stable(
    data: GroupScores, labels: np.ndarray, n_clusters: int, coordination: float, seed: int, max_iter: int = 100
) -> tuple[np.ndarray, bool]:
    """Labels that no single move improves, and whether the last pass moved nothing.

    Clusters with one row keep it.
    """
    entries, labels = data.rows.entries(), labels.astype(np.int64)
    rng = np.random.default_rng(seed)
    sizes = np.bincount(labels, minlength=n_clusters)
    for _ in range(max_iter):
        moves = move_rows(
            data.family.code,
            *entries,
            data.rows.feature_of,
            np.searchsorted(data.rows.group_of, np.arange(data.rows.n_groups + 1)),
            data.rows.groups,
            data.weights,
            coordination,
            data.d,
            labels,
            rng.permutation(data.n),
            sizes,
        )
        if not moves:
            return labels, True
    return labels, False

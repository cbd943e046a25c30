"""How clearly the predictions of a model agree with pairs."""

import numpy as np


def class_scores(decision: np.ndarray) -> np.ndarray:
    """A score for each class: one decision function becomes two scores whose difference it is."""
    return decision if decision.ndim == 2 else np.column_stack([-decision / 2, decision / 2])


def pair_margins(one: np.ndarray, other: np.ndarray, same: np.ndarray) -> np.ndarray:
    """The best sum of scores that keeps each pair, minus the best that breaks it; negative where it is broken.

    With two classes it is the smaller of |f_i| and |f_j|, negative if the pair is broken.

    Parameters
    ----------
    one, other : arrays of shape (m, n_classes)
        The scores of both ends.
    same : array of shape (m,)
        Whether each pair is a must-link.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.similarity.pairwise._margins import class_scores, pair_margins
    >>> f = class_scores(np.array([2.0, 3.0, -1.0]))
    >>> pair_margins(f[[0, 0]], f[[1, 2]], np.array([True, True])).tolist()
    [2.0, -1.0]
    """
    together = (one + other).max(axis=1)
    first, second = (np.argsort(-scores, axis=1, kind="stable")[:, :2] for scores in (one, other))
    best = [
        np.where(
            first[:, a] != second[:, b],
            np.take_along_axis(one, first[:, [a]], 1)[:, 0] + np.take_along_axis(other, second[:, [b]], 1)[:, 0],
            -np.inf,
        )
        for a, b in ((0, 0), (0, 1), (1, 0))
    ]  # of two different classes, at least one end has its best class, and the other its best or second
    return np.where(same, 1, -1) * (together - np.max(best, axis=0))

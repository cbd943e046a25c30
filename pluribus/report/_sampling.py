"""Samples of objects in which every cluster shows."""

import numpy as np

# A cluster is drawn with at least this many objects, if it has them and the sample has room.
_FLOOR = 8


def stratified_sample(labels: np.ndarray, size: int, seed: int = 0) -> np.ndarray:
    """Positions of at most `size` objects, sorted: proportional to the clusters, but none left out, if there is room.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.report._sampling import stratified_sample
    >>> labels = np.repeat([0, 1], [1000, 3])
    >>> np.bincount(labels[stratified_sample(labels, 100)])
    array([97,  3])
    """
    n = len(labels)
    if n <= size:
        return np.arange(n)
    shuffled = np.random.default_rng(seed).permutation(n)
    _, group, counts = np.unique(labels[shuffled], return_inverse=True, return_counts=True)
    if len(counts) > size:  # not every cluster can show
        return np.sort(shuffled[:size])
    floor = np.minimum(counts, min(_FLOOR, size // len(counts)))
    beyond = counts - floor
    quota = floor + (size - floor.sum()) * beyond // beyond.sum()
    by_group = np.argsort(group, kind="stable")
    rank = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = by_group[rank < quota[group[by_group]]]
    return np.sort(shuffled[chosen])


def spread_sample(labels: np.ndarray, uncertainty: np.ndarray, size: int) -> np.ndarray:
    """As `stratified_sample`, but a fifth of the places goes to the most uncertain objects.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.report._sampling import spread_sample
    >>> uncertainty = np.zeros(1000)
    >>> uncertainty[777] = 1
    >>> 777 in spread_sample(np.zeros(1000, int), uncertainty, 10)
    True
    """
    if len(labels) <= size:
        return np.arange(len(labels))
    n_uncertain = size // 5
    uncertain = np.argpartition(-uncertainty, n_uncertain)[:n_uncertain]
    others = np.setdiff1d(np.arange(len(labels)), uncertain)
    chosen = others[stratified_sample(labels[others], size - n_uncertain)]
    return np.sort(np.concatenate([uncertain, chosen]))

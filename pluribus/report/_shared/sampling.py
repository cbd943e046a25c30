"""Samples of objects in which every cluster shows."""

import numpy as np

from pluribus.partitions._internal import stratified_sample


def spread_sample(labels: np.ndarray, uncertainty: np.ndarray, size: int) -> np.ndarray:
    """As `stratified_sample`, but a fifth of the places goes to the most uncertain objects.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.report._shared.sampling import spread_sample
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

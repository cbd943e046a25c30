"""An order of the objects that does not depend on the order of the input."""

import numpy as np

from pluribus.consensus._shared.label_rows import LabelRows
from pluribus.partitions import Ensemble

_ROUNDS = 3


def canonical_order(ensemble: Ensemble) -> np.ndarray:
    """Positions of the objects, sorted by a key that follows from the ensemble alone.

    Random starts drawn in this order are the same for any order of the input. The key of an object combines the sizes
    of its clusters, then the keys of the objects in them (a color refinement). Only objects that a symmetry of the
    ensemble exchanges share a key. Objects with equal labels are neighbors in this order.
    """
    rows = LabelRows(ensemble)
    counts = rows.counts[:, None]
    frequency = rows.spread(np.random.default_rng(0).uniform(1, 2, (ensemble.n_partitions, 1)))
    size = rows.sum_by(counts)
    of_cluster = size
    for _ in range(_ROUNDS):
        key = rows.look_up(np.sin(frequency * of_cluster))
        of_cluster = size + 10 * rows.sum_by(counts * key) / np.maximum(size, 1)
    return np.argsort(key.ravel()[rows.inverse], kind="stable")

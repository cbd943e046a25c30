"""An order of objects that does not depend on the order they came in."""

import numpy as np

from pluribus.consensus._shared.label_rows import LabelRows
from pluribus.partitions import Ensemble

_ROUNDS = 3


def canonical_order(ensemble: Ensemble) -> np.ndarray:
    """Positions of the objects, ordered by what the ensemble says of them.

    Random starts drawn in this order are the same for the same objects, however these are arranged. The key of an
    object mixes the sizes of its clusters, then the keys of the objects in them (a color refinement): only objects
    that are alike up to a symmetry of the ensemble share one. Objects with equal labels stand side by side.
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

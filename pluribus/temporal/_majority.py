"""The partition that most of several agree on."""

import numpy as np

from pluribus.compare import adjusted_rand_index
from pluribus.temporal._fitness import renumbered


def majority(partitions: np.ndarray) -> tuple[np.ndarray, bool]:
    """The partition that more than half of the rows have, up to numbering, and whether there is one.

    Without one, it is the partition with the highest mean adjusted Rand index to the others; of equal ones the first.
    """
    same = np.array([renumbered(labels) for labels in partitions])
    equal = (same[:, None] == same[None]).all(axis=2).sum(axis=1)
    if 2 * equal.max() > len(partitions):
        return partitions[int(equal.argmax())], True
    near = [np.mean([adjusted_rand_index(a, b) for b in same]) for a in same]
    return partitions[int(np.argmax(np.round(near, 9)))], False

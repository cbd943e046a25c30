"""Optimal transport between the clusters of two partitions."""

import numpy as np


def transport_cost(shares_a: np.ndarray, shares_b: np.ndarray, ground: np.ndarray) -> float:
    """Least cost of moving the masses of one partition's clusters onto the other's; exact."""
    largest = float(ground.max())
    if not np.isfinite(largest):
        raise ValueError("Distances between clusters are too large to be computed. Divide X by a large number.")
    if len(shares_a) == 1 or len(shares_b) == 1:
        return float(shares_a @ ground @ shares_b)  # there is one plan only
    if largest == 0:
        return 0.0
    import ot  # takes seconds to load, and few need it

    ground = np.ascontiguousarray(ground / largest)  # the solver's tolerance is absolute
    # Scaled to one sum, bit for bit, or the solver finds the problem not to be one.
    shares_a, shares_b = shares_a / shares_a.sum(), shares_b / shares_b.sum()
    return max(float(ot.emd2(shares_a, shares_b, ground, numItermax=10_000_000)), 0.0) * largest


def transport_flow(shares_a: np.ndarray, shares_b: np.ndarray, ground: np.ndarray) -> np.ndarray:
    """A plan of the least cost: what goes from each cluster of one partition to each of the other."""
    shares_a, shares_b = shares_a / shares_a.sum(), shares_b / shares_b.sum()
    if len(shares_a) == 1 or len(shares_b) == 1:
        return np.outer(shares_a, shares_b)
    import ot

    ground = np.ascontiguousarray(ground / max(float(ground.max()), np.finfo(float).tiny))
    return ot.emd(shares_a, shares_b, ground, numItermax=10_000_000)

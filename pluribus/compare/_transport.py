"""Optimal transport between the clusters of two partitions."""

import numpy as np


def transport_cost(shares_a: np.ndarray, shares_b: np.ndarray, ground: np.ndarray) -> float:
    """Least cost of moving the masses of one partition's clusters onto the other's; exact."""
    if len(shares_a) == 1 or len(shares_b) == 1:
        return float(shares_a @ ground @ shares_b)  # there is one plan only
    import ot  # takes seconds to load, and few need it

    # Scaled to one sum, bit for bit, or the solver finds the problem not to be one.
    shares_a, shares_b = shares_a / shares_a.sum(), shares_b / shares_b.sum()
    return max(float(ot.emd2(shares_a, shares_b, np.ascontiguousarray(ground), numItermax=10_000_000)), 0.0)

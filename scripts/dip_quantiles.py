"""Quantiles of the dip statistic under uniform samples, the table in ``pluribus/validate/structure/_dip.py``.

python scripts/dip_quantiles.py
"""

import numpy as np

from pluribus._kernels.points.dip import dip_statistic
from pluribus.validate.structure._dip import PROBABILITIES, SIZES

_DRAWS = 40_000


def main() -> None:
    """Print √n × dip, one line for each size, one column for each probability of a larger value."""
    for n in SIZES:
        rng = np.random.default_rng(n)
        dips = [dip_statistic(np.sort(rng.random(n))) for _ in range(_DRAWS)]
        row = np.quantile(np.sqrt(n) * np.array(dips), 1 - np.array(PROBABILITIES))
        print("    (" + ", ".join(f"{value:.4f}" for value in row) + f"),  # {n}")


if __name__ == "__main__":
    main()

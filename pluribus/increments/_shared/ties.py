"""Warning of data on which increments mean little."""

import warnings

import numpy as np

_MOST_ZEROS = 0.2


def warn_of_ties(increments: np.ndarray) -> None:
    """Warn if more than a fifth of the increments are 0."""
    share = float(np.mean(increments == 0)) if len(increments) else 0.0
    if share > _MOST_ZEROS:
        warnings.warn(
            f"{100 * share:.0f} % of the increments are exactly 0: the data are rounded, categorical or on a lattice, "
            "and the likelihood of the increments means little. The result can depend on the order of the rows.",
            UserWarning,
            stacklevel=3,
        )

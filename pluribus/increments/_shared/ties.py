"""Increments that are exactly 0."""

import warnings

import numpy as np

_MANY = 0.2  # the share of zeros from which on the likelihood of the increments means little


def warn_of_ties(increments: np.ndarray, where: str = "") -> None:
    """Warn if many increments are exactly 0. ``where`` says which: " of class 'a'"."""
    share = float(np.mean(increments == 0))
    if share > _MANY:
        warnings.warn(
            f"{share:.0%} of the increments{where} are exactly 0: the data are rounded, categorical or on a lattice, "
            "and the likelihood means little.",
            UserWarning,
            stacklevel=4,
        )

"""Where to draw objects of which only distances are known."""

import numpy as np

from pluribus.increments import DissimilarityEmbedding

_FITTED = 2000  # objects that determine the axes, at most


def principal_coordinates(D: np.ndarray) -> np.ndarray:
    """The first two principal coordinates of each object (classical scaling); zeros where there are fewer."""
    n = len(D)
    fitted = np.arange(n) if n <= _FITTED else np.sort(np.random.default_rng(0).choice(n, _FITTED, replace=False))
    part = D[np.ix_(fitted, fitted)]
    out = np.zeros((n, 2))
    if part.max() > 0:
        xy = DissimilarityEmbedding("ppes").fit(part).transform(D[:, fitted])[:, :2]
        out[:, : xy.shape[1]] = xy
    return out

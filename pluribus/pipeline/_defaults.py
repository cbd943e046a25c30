"""The defaults: the consensus function that suits a table, and the ensemble that suits the function."""

from typing import Any

import numpy as np
from scipy import sparse

from pluribus._engine import whole_number
from pluribus.consensus import ConstrainedEvidenceAccumulation, EvidenceAccumulation, LocallyWeightedConsensus
from pluribus.generate import Generator

_MEMBERS = 100  # by k-means
_LEAST_MEMBERS, _MOST_MEMBERS = 20, 80  # through landmarks
_LABELS = 200_000  # of all members through landmarks together, within these bounds
_MOST_ROWS, _MOST_NUMBERS = 100_000, 10**8  # of a table, for members through landmarks, which need it whole
_DENSE_ROWS = 10_000  # rows of a sparse table that count as dense: one in ten becomes a landmark, and these are dense
_MOST_CLUSTERS = 20  # of the result, if members have 20 to 60
_FEWEST_FEATURES, _MOST_FEATURES, _SEEN = 8, 50, 0.75  # within this range, each member sees a share of the features


def default_consensus(X: Any, n_clusters: int | None = None) -> str:
    """The consensus function that does best on tables like X, by name.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.pipeline import default_consensus
    >>> default_consensus(np.zeros((1000, 4))), default_consensus(np.zeros((1000, 4)), 50)
    ('lwsm', 'eac')
    """
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) != 2:
        raise ValueError(f"X is a {type(X).__name__}: give a table, such as an array of shape (n, d).")
    n, d = shape
    n_clusters = None if n_clusters is None else whole_number("n_clusters", n_clusters, 1)
    numbers = max(X.nnz, d * min(n, _DENSE_ROWS)) if sparse.issparse(X) else n * d
    fits = n <= _MOST_ROWS and numbers <= _MOST_NUMBERS and (n_clusters or 0) <= _MOST_CLUSTERS
    return "lwsm" if fits else "eac"


def default_generator(
    consensus: Any = "eac", n_clusters: int | None = None, *, shape: tuple[int, int] | None = None
) -> Generator:
    """The ensemble that suits a consensus function, for a table of this shape.

    - "eac" and "ceac" merge the pieces of fine members: 100 by k-means.
    - "lwea" and "lwsm" weight clusters by how consistently the other members reproduce them: 20 accurate members of 20
      to 60 clusters, through landmarks. Tables of fewer than 10,000 rows get more, up to 80, because they cost little
      there and make the result more stable. With 8 to 50 features, each member sees three quarters of them, so that
      members make different errors; with fewer it would see too little, and with more, features are often redundant.
    - Other functions match members to the result, and do that best if members have about as many clusters: 100 by
      k-means, from k to 3 k clusters, or from 2 to 20 if k is not known.

    Examples
    --------
    >>> from pluribus.pipeline import default_generator
    >>> default_generator("ppc", 4)
    Generator(n_clusters=(4, 12))
    >>> default_generator("lwsm", shape=(5_000, 2))
    Generator(clusterer='landmarks', n_clusters='coarse', n_members=40)
    """
    k = n_clusters if n_clusters is not None else getattr(consensus, "n_clusters", None)
    k = None if k is None else whole_number("n_clusters", k, 1)
    if shape is not None and (not isinstance(shape, tuple | list) or len(shape) != 2):
        raise ValueError(f"shape={shape!r:.200}: give the number of rows and of columns.")
    n_rows, n_columns = (whole_number("shape", length, 1) for length in shape or (_MOST_ROWS, 1))
    around_k = (2, 20) if k is None else (k, 3 * k)
    named = consensus.lower() if isinstance(consensus, str) else ""
    if named in ("lwea", "lwsm") or (isinstance(consensus, LocallyWeightedConsensus) and consensus.finds_n_clusters):
        return Generator(
            "landmarks",
            n_members=int(np.clip(_LABELS / n_rows, _LEAST_MEMBERS, _MOST_MEMBERS)),
            n_clusters="coarse" if k is None or k <= _MOST_CLUSTERS else around_k,
            subspace=_SEEN if _FEWEST_FEATURES <= n_columns <= _MOST_FEATURES else 1.0,
        )
    if named in ("eac", "ceac") or isinstance(consensus, EvidenceAccumulation | ConstrainedEvidenceAccumulation):
        return Generator(n_members=_MEMBERS)
    return Generator(n_members=_MEMBERS, n_clusters=around_k)

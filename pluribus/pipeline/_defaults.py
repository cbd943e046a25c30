"""The defaults: the consensus function that suits a table, and the ensemble that suits the function."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from pluribus._engine import whole_number
from pluribus.consensus import ConstrainedEvidenceAccumulation, EvidenceAccumulation, LocallyWeightedConsensus
from pluribus.generate import Generator
from pluribus.tables import Rows

_MEMBERS = 100  # by k-means
_LEAST_MEMBERS, MOST_MEMBERS = 20, 80  # through landmarks
_LABELS = 200_000  # of all members through landmarks together, within these bounds
_MORE_MEMBERS = 200  # of a small table, if halves of the first do not agree
_STEADY = 0.97  # adjusted Rand index from which they do
_MOST_READ = 100_000  # rows in a file or in Dask, for members through landmarks, which need all of them in memory
_MOST_COLUMNS = 10**8  # columns of a sparse table times the rows that landmarks are chosen from, which are dense
_DENSE_ROWS = 10_000
_FEW_CLUSTERS = 20  # of the result, if members have 20 to 60; with more, members have k to 3 k
# Beyond, members through landmarks would have more than 300 clusters: they take five times as long as those by k-means,
# and are no better (150 and 200 groups: mean adjusted Rand index .68 against .70).
_MOST_CLUSTERS = 100
_FEWEST_FEATURES, _MOST_FEATURES, _SEEN = 8, 50, 0.75  # within this range, each member sees a share of the features


def default_consensus(X: Any, n_clusters: int | None = None) -> str:
    """The consensus function that does best on tables like X, by name.

    "lwsm" for tables in memory, of any number of rows, and up to 100 clusters. "eac" for more than 100,000 rows in a
    file or in Dask, for more clusters, and for sparse tables of more than 10,000 columns and as many rows.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.pipeline import default_consensus
    >>> default_consensus(np.zeros((1000, 4))), default_consensus(np.zeros((1000, 4)), 200)
    ('lwsm', 'eac')
    """
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) != 2:
        raise ValueError(f"X is a {type(X).__name__}: give a table, such as an array of shape (n, d).")
    n, d = shape
    n_clusters = None if n_clusters is None else whole_number("n_clusters", n_clusters, 1)
    fits = (n_clusters or 0) <= _MOST_CLUSTERS
    if isinstance(X, Rows):
        fits = fits and (X.in_memory is not None or n <= _MOST_READ)
    elif sparse.issparse(X):
        fits = fits and d * min(n, _DENSE_ROWS) <= _MOST_COLUMNS
    return "lwsm" if fits else "eac"


def with_more_members(generator: Generator) -> Generator | None:
    """A default generator with the members of a small table that has no steady result; None for larger tables.

    Small tables have 80. If halves of them give different partitions, other seeds would too; with 200, results differ
    less. Larger tables have fewer members, because each takes longer, and keep them.
    """
    if generator.clusterer != "landmarks" or generator.n_members < MOST_MEMBERS:
        return None
    return clone(generator).set_params(n_members=_MORE_MEMBERS)


def is_steady(consensus: Any) -> bool:
    """Whether halves of the ensemble give a fitted consensus function the same partition, as far as they were asked."""
    merges = getattr(consensus, "last_merges_", None)
    return merges is None or not merges.stability or merges.stability["average"] >= _STEADY


def default_generator(
    consensus: Any = "eac", n_clusters: int | None = None, *, shape: tuple[int, int] | None = None
) -> Generator:
    """The ensemble that suits a consensus function, for a table of this shape.

    - "eac" and "ceac" merge the pieces of fine members: 100 by k-means.
    - "lwea" and "lwsm" weight clusters by how consistently the other members reproduce them: 20 accurate members of 20
      to 60 clusters, through landmarks. Tables of fewer than 10,000 rows get more, up to 80, because they cost little
      there and make the result more stable. With 8 to 50 features, each member sees three quarters of them, so that
      members make different errors; with fewer it would see too little, and with more, features are often redundant.
      For more than 20 clusters members have k to 3 k clusters, and see all features, which many groups need.
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
    n_rows, n_columns = (whole_number("shape", length, 1) for length in shape or (_LABELS, 1))
    around_k = (2, 20) if k is None else (k, 3 * k)
    named = consensus.lower() if isinstance(consensus, str) else ""
    if named in ("lwea", "lwsm") or (isinstance(consensus, LocallyWeightedConsensus) and consensus.finds_n_clusters):
        few = k is None or k <= _FEW_CLUSTERS
        return Generator(
            "landmarks",
            n_members=int(np.clip(_LABELS / n_rows, _LEAST_MEMBERS, MOST_MEMBERS)),
            n_clusters="coarse" if few else around_k,
            subspace=_SEEN if few and _FEWEST_FEATURES <= n_columns <= _MOST_FEATURES else 1.0,
        )
    if named in ("eac", "ceac") or isinstance(consensus, EvidenceAccumulation | ConstrainedEvidenceAccumulation):
        return Generator(n_members=_MEMBERS)
    return Generator(n_members=_MEMBERS, n_clusters=around_k)

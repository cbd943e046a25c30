"""What suits a table where nothing is said: the consensus function, and the members for it."""

from typing import Any

import numpy as np
from scipy import sparse

from pluribus.consensus import ConstrainedEvidenceAccumulation, EvidenceAccumulation, LocallyWeightedConsensus
from pluribus.generate import Generator

_MOST_ROWS, _MOST_NUMBERS = 100_000, 10**8  # of a table, for members through landmarks, which need it whole
_DENSE_ROWS = 10_000  # of a sparse table count in full: one in ten becomes a landmark, and these are dense
_MOST_CLUSTERS = 20  # of the result, if members have some tens
_FEWEST_FEATURES, _MOST_FEATURES, _SEEN = 8, 50, 0.75  # so many: of these each member sees a share
_LEAST_MEMBERS, _MOST_MEMBERS, _LABELS = 20, 80, 200_000  # through landmarks: so many, or labels in all


def suitable_consensus(X: Any, n_clusters: int | None = None) -> str:
    """The consensus function that does best on tables like X, by name.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.pipeline import suitable_consensus
    >>> suitable_consensus(np.zeros((1000, 4))), suitable_consensus(np.zeros((1000, 4)), 50)
    ('lwsm', 'eac')
    """
    n, d = X.shape
    numbers = max(X.nnz, d * min(n, _DENSE_ROWS)) if sparse.issparse(X) else n * d
    fits = n <= _MOST_ROWS and numbers <= _MOST_NUMBERS and (n_clusters or 0) <= _MOST_CLUSTERS
    return "lwsm" if fits else "eac"


def suitable_generator(
    consensus: Any = None,
    n_clusters: int | None = None,
    n_members: int | None = None,
    *,
    shape: tuple[int, int] | None = None,
) -> Generator:
    """The members that suit a consensus function, for a table of this shape.

    Evidence accumulation merges what fine members split: 100 by k-means. Where clusters count by how far others keep
    them together ("lwea", "lwsm"), 20 good ones of some tens of clusters do, through landmarks; of fewer than 10,000
    rows more, up to 80, which cost little there and steady the result. Of 8 to 50 features each member sees three
    quarters, so that they err differently; of fewer it would see too little, and those of more are much alike. Other
    functions fit members to the result, and do so best if these have about as many clusters: 100 by k-means, from k to
    3 k, or from 2 to 20 if k is not known.

    Examples
    --------
    >>> from pluribus.pipeline import suitable_generator
    >>> suitable_generator("ppc", 4)
    Generator(n_clusters=(4, 12))
    >>> suitable_generator("lwsm", shape=(5_000, 2))
    Generator(clusterer='landmarks', n_clusters='tens', n_members=40)
    """
    k = n_clusters if n_clusters is not None else getattr(consensus, "n_clusters", None)
    coarse = (2, 20) if k is None else (k, 3 * k)
    named = consensus.lower() if isinstance(consensus, str) else ""
    if named in ("lwea", "lwsm") or (isinstance(consensus, LocallyWeightedConsensus) and consensus.finds_n_clusters):
        few = k is None or k <= _MOST_CLUSTERS
        n, d = shape or (_MOST_ROWS, 1)
        steady = int(np.clip(_LABELS / n, _LEAST_MEMBERS, _MOST_MEMBERS))
        return Generator(
            "landmarks",
            n_members=n_members or steady,
            n_clusters="tens" if few else coarse,
            subspace=_SEEN if _FEWEST_FEATURES <= d <= _MOST_FEATURES else 1.0,
        )
    fine = isinstance(consensus, EvidenceAccumulation | ConstrainedEvidenceAccumulation)
    if accumulates(consensus) or fine or named == "ceac":
        return Generator(n_members=n_members or 100)
    return Generator(n_members=n_members or 100, n_clusters=coarse)


def accumulates(consensus: Any) -> bool:
    """Whether it stands for evidence accumulation with average link, which is meant where nothing is said.

    Examples
    --------
    >>> from pluribus.pipeline._defaults import accumulates
    >>> accumulates(None), accumulates("EAC"), accumulates("lwea")
    (True, True, False)
    """
    return consensus is None or (isinstance(consensus, str) and consensus.lower() == "eac")

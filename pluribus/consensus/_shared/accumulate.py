"""Evidence accumulation with a range of numbers of clusters that suits the ensemble."""

import warnings
from typing import Any

from pluribus.consensus.linkage.evidence_accumulation import EvidenceAccumulation
from pluribus.partitions import Ensemble

_FINE = 10


class LargestTriedWarning(UserWarning):
    """The number of clusters found is the largest that was tried."""


def accumulate(
    ensemble: Ensemble,
    n_clusters: int | None = None,
    *,
    missing: str = "warn",
    X: Any = None,
    engine: Any = None,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> EvidenceAccumulation:
    """Average link on the evidence, cut into a given number of clusters or the one with the highest lifetime.

    If every member has 10 clusters or more, members are taken to be finer than the result. The result then has at most
    as many clusters as the coarsest member, and lifetimes are ratios, because pieces of one cluster are seldom
    together. Otherwise members are taken to look for the clusters of the result: it has at most as many as the finest
    member, and lifetimes are differences. If all pairs would take more than about a minute, only the strongest are
    used, with a warning.

    Parameters
    ----------
    ensemble : Ensemble
    n_clusters : int, optional
    missing, engine, n_jobs, verbose : see ``EvidenceAccumulation``
    X : see ``EvidenceAccumulation.fit``

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> from pluribus.consensus._internal import accumulate
    >>> accumulate(Ensemble([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]])).labels_.tolist()
    [0, 0, 1, 1, 2, 2]
    """
    k_range, fine = None, False
    if n_clusters is None:
        coarsest, finest = int(ensemble.n_clusters.min()), int(ensemble.n_clusters.max())
        fine = coarsest >= _FINE
        k_range = (2, max(2, coarsest if fine else finest))
    consensus = EvidenceAccumulation(
        n_clusters,
        linkage="average",
        k_range=k_range,
        lifetime_scale="log" if fine else "share",
        missing=missing,
        engine=engine,
        n_jobs=n_jobs,
        verbose=verbose,
    ).fit(ensemble, X=X)
    if k_range is not None and consensus.n_clusters_ == k_range[1] > 2:
        warnings.warn(
            f"The number of clusters found, {consensus.n_clusters_}, is the largest that was tried, because the "
            "members are too coarse for more. There may be more clusters: give their number, or members with more "
            "clusters.",
            LargestTriedWarning,
            stacklevel=4,
        )
    return consensus

"""The best of three linkages of the evidence, for clusterings without data."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from pluribus.compare import adjusted_rand_index
from pluribus.consensus import EvidenceAccumulation
from pluribus.consensus._internal import EXACT_SECONDS, predict_seconds
from pluribus.partitions import Ensemble

_OTHERS = ("genie", "single")  # like average link, they need no matrix of all pairs
# Clusterings that are right are alike; wrong ones differ from each other. So a partition counts by the members that it
# nearly reproduces, not by its mean agreement: 2 is too little for that, 4 to 16 choose about equally well.
_POWER = 8
_TIE = 1e-9


class BestLinkage(NamedTuple):
    """The chosen consensus, and the choice in words; no words if there was nothing to choose."""

    consensus: EvidenceAccumulation
    sentence: str


def best_linkage(ensemble: Ensemble, average: EvidenceAccumulation, *, verbose: bool) -> BestLinkage:
    """Choose among average, Genie and single link on the evidence, for the same number of clusters.

    The one with the highest agreement with the members is taken: the adjusted Rand index, averaged as a power mean of
    order 8, in which the members that a partition nearly reproduces count most. Of equal ones, average link is taken.

    Only average link is used for soft members, and if exact linkage would take longer than about a minute.

    Parameters
    ----------
    ensemble : Ensemble
    average : EvidenceAccumulation
        Fitted on it with average link.
    verbose : bool

    Examples
    --------
    Three members find the ring around a core, and two cut it, each in its own way.

    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.consensus import EvidenceAccumulation
    >>> from pluribus.pipeline.candidates.best_linkage import best_linkage
    >>> right = np.repeat([0, 1], [8, 4])
    >>> ensemble = Ensemble([right, right, right, np.repeat([0, 1], 6), np.repeat([0, 1, 0], [2, 6, 4])])
    >>> average = EvidenceAccumulation(2, linkage="average", verbose=False).fit(ensemble)
    >>> best_linkage(ensemble, average, verbose=False).consensus.labels_.tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    """
    k = average.n_clusters_
    if not 1 < k < ensemble.n_objects or not _exact(ensemble):
        return BestLinkage(average, "")
    others = [_fitted(ensemble, k, linkage, average.n_jobs, verbose) for linkage in _OTHERS]
    fitted = [average, *(consensus for consensus, _ in others)]
    values = np.array([_agreement(ensemble, consensus.labels_) for consensus in fitted])
    chosen = int(np.flatnonzero(values >= values.max() - _TIE)[0])
    for warned in others[chosen - 1][1] if chosen else []:
        warnings.warn(warned.message, warned.category, stacklevel=2)
    return BestLinkage(fitted[chosen], _sentence(fitted, values, chosen))


def _fitted(ensemble: Ensemble, k: int, linkage: str, n_jobs: int | None, verbose: bool) -> tuple[Any, list[Any]]:
    """Evidence accumulation by a linkage, and its warnings, which matter only if it is taken."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        consensus = EvidenceAccumulation(k, linkage=linkage, missing="zero", n_jobs=n_jobs, verbose=verbose)
        return consensus.fit(ensemble), caught


def _exact(ensemble: Ensemble) -> bool:
    """Whether members are hard, and few enough objects differ in their labels."""
    if ensemble.memberships is not None:
        return False
    if predict_seconds(ensemble, "average") <= EXACT_SECONDS:
        return True
    return predict_seconds(ensemble.unique_rows().ensemble, "average") <= EXACT_SECONDS


def _agreement(ensemble: Ensemble, labels: np.ndarray) -> float:
    """The power mean of the adjusted Rand indices with the members, on the objects that each one covers.

    Less agreement than by chance counts as none: an even power would count it as agreement.
    """
    indices = np.array([max(adjusted_rand_index(labels, member), 0.0) for member in ensemble.labels.T])
    return float(np.average(indices**_POWER, weights=ensemble.weights) ** (1 / _POWER))


def _sentence(fitted: list[EvidenceAccumulation], values: np.ndarray, chosen: int) -> str:
    """The choice in words."""
    average, best = fitted[0], fitted[chosen]
    if chosen == 0:
        between = min(adjusted_rand_index(average.labels_, other.labels_) for other in fitted[1:])
        return "" if between == 1 else f"Merged by average link, which agrees best with the members ({values[0]:.2f})."
    name = "Genie" if best.linkage == "genie" else "single"
    between = max(adjusted_rand_index(best.labels_, average.labels_), 0.0)
    return (
        f"Merged by {name} link, which agrees best with the members ({values[chosen]:.2f}; average link "
        f"{values[0]:.2f}). The partitions of both agree at {between:.2f} (adjusted Rand index)."
    )

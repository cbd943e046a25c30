"""The partition that agrees best with given ones, among linkages of the evidence and the given ones themselves."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from pluribus.compare import adjusted_rand_index
from pluribus.consensus import EvidenceAccumulation, MedoidPartition
from pluribus.consensus._internal import EXACT_SECONDS, predict_seconds
from pluribus.partitions import Ensemble

_OTHERS = ("genie", "single")  # like average link, they need no matrix of all pairs
# Clusterings that are right are alike; wrong ones differ from each other. So a partition counts by the members that it
# nearly reproduces, not by its mean agreement: 2 is too little for that, 4 to 16 choose about equally well.
_POWER = 8
# If members differ in their numbers of clusters, those with k of them are mostly worse than the linkages.
_SHARE_WITH_K = 0.75
_TIE = 1e-9


class Closest(NamedTuple):
    """The chosen consensus, and the choice in words; no words if there was nothing to choose."""

    consensus: EvidenceAccumulation | MedoidPartition
    sentence: str


class _Candidate(NamedTuple):
    name: str
    consensus: Any
    agreement: float
    warned: list[Any]  # its warnings, which matter only if it is taken


def closest_partition(ensemble: Ensemble, average: EvidenceAccumulation, *, verbose: bool) -> Closest:
    """Choose among average, Genie and single link on the evidence, and one member, for the same number of clusters.

    The one with the highest agreement with the members is taken: the adjusted Rand index, averaged as a power mean of
    order 8, in which the members that a partition nearly reproduces count most. Of equal ones, average link is taken.
    The member that competes is the medoid by this agreement, which is compared with the other members only. It has k
    clusters, and competes only if three quarters of the members have. Objects that it leaves out join the cluster of
    highest mean evidence.

    Genie and single link are left out if exact linkage would take longer than about a minute. Only average link is used
    for soft members.

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
    >>> from pluribus.pipeline.candidates.closest_partition import closest_partition
    >>> right = np.repeat([0, 1], [8, 4])
    >>> ensemble = Ensemble([right, right, right, np.repeat([0, 1], 6), np.repeat([0, 1, 0], [2, 6, 4])])
    >>> average = EvidenceAccumulation(2, linkage="average", verbose=False).fit(ensemble)
    >>> closest_partition(ensemble, average, verbose=False).consensus.labels_.tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    """
    k = average.n_clusters_
    if not 1 < k < ensemble.n_objects or ensemble.memberships is not None:
        return Closest(average, "")
    candidates = [_Candidate("average link", average, _agreement(ensemble, average.labels_), [])]
    if _exact(ensemble):
        candidates += [_linked(ensemble, k, linkage, average.n_jobs, verbose) for linkage in _OTHERS]
    if _most_have(ensemble, k):
        candidates.append(_best_member(ensemble, k, verbose))
    best = max(candidate.agreement for candidate in candidates)
    chosen = next(candidate for candidate in candidates if candidate.agreement >= best - _TIE)
    for warned in chosen.warned:
        warnings.warn(warned.message, warned.category, stacklevel=2)
    return Closest(chosen.consensus, _sentence(candidates, chosen))


def _linked(ensemble: Ensemble, k: int, linkage: str, n_jobs: int | None, verbose: bool) -> _Candidate:
    consensus = EvidenceAccumulation(k, linkage=linkage, missing="zero", n_jobs=n_jobs, verbose=verbose)
    warned = _fit(consensus, ensemble)
    name = "Genie link" if linkage == "genie" else f"{linkage} link"
    return _Candidate(name, consensus, _agreement(ensemble, consensus.labels_), warned)


def _best_member(ensemble: Ensemble, k: int, verbose: bool) -> _Candidate:
    """The member that agrees best with the others."""
    consensus = MedoidPartition(k, distance=_disagreement, verbose=verbose)
    warned = _fit(consensus, ensemble)
    agreement = _agreement(ensemble, consensus.labels_, without=consensus.medoid_)
    return _Candidate(str(ensemble.names[consensus.medoid_]), consensus, agreement, warned)


def _fit(consensus: Any, ensemble: Ensemble) -> list[Any]:
    """Fit it, and return its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        consensus.fit(ensemble)
    return caught


def _exact(ensemble: Ensemble) -> bool:
    """Whether few enough objects differ in their labels."""
    if predict_seconds(ensemble, "average") <= EXACT_SECONDS:
        return True
    return predict_seconds(ensemble.unique_rows().ensemble, "average") <= EXACT_SECONDS


def _most_have(ensemble: Ensemble, k: int) -> bool:
    """Whether most members have k clusters, by their weights."""
    have = [len(np.unique(member[member >= 0])) == k for member in ensemble.labels.T]
    return bool(np.average(have, weights=ensemble.weights) >= _SHARE_WITH_K)


def _agreement(ensemble: Ensemble, labels: np.ndarray, without: int | None = None) -> float:
    """The power mean of the adjusted Rand indices with the members, on the objects that each one covers.

    Less agreement than by chance counts as none: an even power would count it as agreement.
    """
    weights = ensemble.weights.copy()
    if without is not None:
        weights[without] = 0
    if not weights.any():
        return 0.0
    indices = np.array([max(adjusted_rand_index(labels, member), 0.0) for member in ensemble.labels.T])
    return float(np.average(indices**_POWER, weights=weights) ** (1 / _POWER))


def _disagreement(one: np.ndarray, other: np.ndarray) -> float:
    """A distance of two members whose medoid has the highest agreement; the largest one if they share no object."""
    if not ((one >= 0) & (other >= 0)).any():
        return 1.0
    return 1 - max(adjusted_rand_index(one, other), 0.0) ** _POWER


def _sentence(candidates: list[_Candidate], chosen: _Candidate) -> str:
    """The choice in words: what was taken, and the best of those that differ from it."""
    others = [
        (max(adjusted_rand_index(chosen.consensus.labels_, other.consensus.labels_), 0.0), other)
        for other in candidates
        if other is not chosen
    ]
    different = [(between, other) for between, other in others if between < 1]
    if not different:
        return ""
    between, following = max(different, key=lambda pair: pair[1].agreement)
    if isinstance(chosen.consensus, MedoidPartition):
        taken = f"Took the clustering {chosen.name} as it is: it agrees best with the others"
    else:
        taken = f"Merged by {chosen.name}, which agrees best with the clusterings"
    name = f"the clustering {following.name}" if isinstance(following.consensus, MedoidPartition) else following.name
    return (
        f"{taken} ({chosen.agreement:.2f}). The next best is {name} ({following.agreement:.2f}); the partitions of "
        f"both agree at {between:.2f} (adjusted Rand index)."
    )

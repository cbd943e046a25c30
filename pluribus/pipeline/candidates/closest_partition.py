"""The partition that agrees best with given ones, among linkages of the evidence and the given ones themselves."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from pluribus.compare import adjusted_rand_index
from pluribus.consensus import EvidenceAccumulation, MedoidPartition
from pluribus.consensus._internal import EXACT_SECONDS, one_member, predict_seconds
from pluribus.partitions import Ensemble

_OTHERS = ("genie", "single")  # like average link, they need no matrix of all pairs
# Clusterings that are right are alike; wrong ones differ from each other. So a partition counts by the members that it
# nearly reproduces, not by its mean agreement: 2 is too little for that, 4 to 16 choose about equally well.
_POWER = 8
# If members differ in their numbers of clusters, those with k of them are mostly worse than the linkages.
_SHARE_WITH_K = 0.75
_MOST_COMPARED = 500_000_000  # objects times pairs of members that are compared: about a minute
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
    order 8, in which the members that a partition nearly reproduces count most, and members by the share of objects
    that they cover. Of equal ones, average link is taken. The member that competes has k clusters and the highest
    agreement with the other members, once the objects that it leaves out have joined the cluster of highest mean
    evidence. It competes only if three quarters of the members have k clusters.

    Genie and single link are left out if exact linkage would take longer than about a minute, and members if comparing
    all of them would. Only average link is used for soft members.

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
    if _most_have(ensemble, k) and ensemble.n_objects * ensemble.n_partitions**2 / 2 <= _MOST_COMPARED:
        candidates.append(_best_member(ensemble, k))
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


def _best_member(ensemble: Ensemble, k: int) -> _Candidate:
    """The member with k clusters that agrees best with the others, the first of equal ones."""
    agreement = {
        member: _agreement(ensemble, _completed(ensemble, member).labels_, without=member)
        for member in np.flatnonzero(ensemble.weights).tolist()
        if _n_clusters(ensemble.labels[:, member]) == k
    }
    best = max(agreement, key=lambda member: agreement[member])
    return _Candidate(str(ensemble.names[best]), _completed(ensemble, best), agreement[best], [])


def _completed(ensemble: Ensemble, member: int) -> MedoidPartition:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of objects without any evidence: the members that are not taken say nothing
        return one_member(ensemble, member)


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
    have = [_n_clusters(member) == k for member in ensemble.labels.T]
    return bool(np.average(have, weights=ensemble.weights) >= _SHARE_WITH_K)


def _n_clusters(member: np.ndarray) -> int:
    return len(np.unique(member[member >= 0]))


def _agreement(ensemble: Ensemble, labels: np.ndarray, without: int | None = None) -> float:
    """The power mean of the adjusted Rand indices with the members, on the objects that each one covers.

    A member counts by its weight and the share of objects that it covers: two objects agree with anything. Less
    agreement than by chance counts as none: an even power would count it as agreement.
    """
    weights = ensemble.weights * (ensemble.labels >= 0).mean(axis=0)
    if without is not None:
        weights[without] = 0
    if not weights.any():
        return 0.0
    indices = np.array([max(adjusted_rand_index(labels, member), 0.0) for member in ensemble.labels.T])
    return float(np.average(indices**_POWER, weights=weights) ** (1 / _POWER))


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
    taken = f"Took the clustering {chosen.name}" if _is_member(chosen) else f"Merged by {chosen.name}"
    other = f"the clustering {following.name}" if _is_member(following) else following.name
    both = f"the partitions of both agree at {between:.2f} (adjusted Rand index)"
    if chosen.agreement <= _TIE:
        return f"{taken}: no partition agrees with the clusterings better than by chance."
    whom = "the others" if _is_member(chosen) else "the clusterings"
    if following.agreement >= chosen.agreement - _TIE:
        return f"{taken}, but {other} agrees as well with {whom} ({chosen.agreement:.2f}); {both}."
    return (
        f"{taken}, which agrees best with {whom} ({chosen.agreement:.2f}). The next best is {other} "
        f"({following.agreement:.2f}); {both}."
    )


def _is_member(candidate: _Candidate) -> bool:
    return isinstance(candidate.consensus, MedoidPartition)

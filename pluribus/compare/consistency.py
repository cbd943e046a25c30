"""How well one partition agrees with the members of an ensemble, and the index of average cluster consistency."""

from typing import Any, Literal

import numpy as np

from pluribus._engine import is_one_of
from pluribus.compare._overlap import Overlap, hard_overlap
from pluribus.compare.ensembles import INDICES, Measure
from pluribus.partitions import as_ensemble
from pluribus.partitions._internal import encode_labels


def consistency_index(consensus: Any, member: Any, *, weighting: Literal["inside", "majority"] = "inside") -> float:
    """Whether each cluster of ``member`` lies inside one cluster of ``consensus``, preferably not a huge one.

    Each cluster of the member counts with the objects that it shares with one cluster of the consensus, times
    1 - that cluster's share of all objects: with the best such product ("inside", as in the source), or with that of
    the cluster it shares most with ("majority"). A member that only splits the clusters of the consensus is as
    consistent as can be: the index is then 1 - Σ p², which depends on the sizes in the consensus alone, and grows with
    the number of its clusters. So compare only partitions with the same number. Not symmetric.

    References
    ----------
    Duarte, Duarte, Fred and Rodrigues, "Average cluster consistency for cluster ensemble selection", IC3K 2009.

    Examples
    --------
    >>> from pluribus.compare import consistency_index
    >>> consistency_index([0, 0, 1, 1], [0, 0, 1, 2]), consistency_index([0, 0, 1, 2], [0, 0, 1, 1])
    (0.5, 0.4375)
    """
    overlap = hard_overlap(consensus, member, "consistency_index")
    if not is_one_of(weighting, ("inside", "majority")):
        raise ValueError(f"weighting must be 'inside' or 'majority'; got {weighting!r}.")
    outside = overlap.n - overlap.a[overlap.row]
    scale = overlap.n + 1  # for "majority": of two clusters that share equally much, the smaller
    value = overlap.shared * outside if weighting == "inside" else overlap.shared * scale + outside
    best = np.zeros(len(overlap.b), dtype=np.int64)
    np.maximum.at(best, overlap.column, value)
    if weighting == "majority":
        best = (best // scale) * (best % scale)
    return float(best.sum()) / overlap.n**2


_MEASURES: dict[str, Measure] = INDICES | {"consistency": consistency_index}


def agreement_with_members(partition: Any, ensemble: Any, index: str | Measure = "consistency") -> np.ndarray:
    """How well a partition agrees with each member of an ensemble.

    Parameters
    ----------
    partition : sequence of n labels
    ensemble : Ensemble, or labels that can be one
    index : name in ``INDICES``, "consistency", or a function of two label sequences (the partition, the member)
        Each member is compared on the objects that it and the partition cover, soft ones by their labels of highest
        membership.

    Returns
    -------
    ndarray of shape (r,)

    Examples
    --------
    >>> from pluribus.compare import agreement_with_members
    >>> agreement_with_members([0, 0, 1, 1], [[0, 0, 1, 1], [0, 0, 1, 2]], "rand").round(3).tolist()
    [1.0, 0.833]
    """
    ensemble = as_ensemble(ensemble)
    codes, _ = encode_labels(partition, "partition")
    if len(codes) != ensemble.n_objects:
        raise ValueError(f"The partition labels {len(codes)} objects, but the ensemble {ensemble.n_objects}.")
    members = np.asfortranarray(ensemble.labels).T
    covered = codes >= 0
    for name, member in zip(ensemble.names, members, strict=True):
        if not (covered & (member >= 0)).any():
            raise ValueError(f"No object is in both the partition and {name!r}, so they cannot be compared.")
    if callable(index):
        return np.array([index(codes, member) for member in members], dtype=float)
    if not is_one_of(index, _MEASURES):
        raise ValueError(f"No index is called {index!r}; there are {', '.join(sorted(_MEASURES))}.")
    measure = _MEASURES[index]
    return np.array([measure(Overlap.of_codes(codes, member), None) for member in members], dtype=float)


def average_agreement(partition: Any, ensemble: Any, index: str | Measure = "consistency") -> float:
    """How well a partition agrees with an ensemble: the mean over its members, by their weights.

    With "consistency" this is the average cluster consistency (ACC), with "normalized_mutual_information" the ANMI of
    Strehl and Ghosh.

    Parameters
    ----------
    partition, ensemble, index : see ``agreement_with_members``

    Examples
    --------
    >>> from pluribus.compare import average_agreement
    >>> members = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]
    >>> round(average_agreement([0, 0, 0, 1, 1, 1], members), 6)  # ACC
    0.472222
    >>> round(average_agreement([0, 0, 0, 1, 1, 1], members, "normalized_mutual_information"), 6)  # ANMI
    0.785796
    """
    ensemble = as_ensemble(ensemble)
    return float(np.average(agreement_with_members(partition, ensemble, index), weights=ensemble.weights))

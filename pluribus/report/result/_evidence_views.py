"""Views of the pairwise evidence: its distribution, the heat map, and how decided each cut of the dendrogram is.

Evidence between two objects is c_ij = (weight of the members in which they are together) / (weight of the members
that cover both). Nothing here is n × n: pairs are looked at among a sample, and evidence for a whole cluster comes
from the cluster's summed one-hot rows.
"""

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import leaves_list, linkage

from pluribus._kernels.linkage.dendrogram import groups_after
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import contingency_of_codes, stratified_sample
from pluribus.pipeline._internal import is_ambiguous
from pluribus.report.result.case import Case
from pluribus.report.result.summary import Cuts, HeatMap, PairEvidence

_PAIR_OBJECTS = 1000
_CUT_OBJECTS = 2000
_HEAT_OBJECTS = 300
_LARGEST_CUT = 10
_UNDECIDED = (0.1, 0.9)


def evidence_among(ensemble: Ensemble, objects: np.ndarray) -> np.ndarray:
    """Evidence between the given objects; NaN where no member covers both.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.report.result._evidence_views import evidence_among
    >>> evidence_among(Ensemble([[0, 0, 1], [0, 1, 1]]), np.arange(3))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    part = ensemble.take_objects(objects)
    evidence = CoAssociation(part, form="dense").to_dense()
    if part.has_missing:
        seen = (part.labels >= 0).astype(np.float64) * (ensemble.weights > 0)
        evidence[seen @ seen.T == 0] = np.nan
    return evidence


def pair_evidence(case: Case) -> PairEvidence | None:
    """Histogram of the evidence of pairs, apart for pairs in the same cluster and not; None without pairs."""
    objects = stratified_sample(case.labels, _PAIR_OBJECTS)
    first, second = np.triu_indices(len(objects), 1)
    evidence = evidence_among(case.ensemble, objects)[first, second]
    labels = case.labels[objects]
    known = ~np.isnan(evidence)
    if not known.any():
        return None
    same = ((labels[first] == labels[second]) & (labels[first] >= 0))[known]
    evidence = np.clip(evidence[known], 0, 1)
    edges = np.linspace(0, 1, 21)
    low, high = _UNDECIDED
    return PairEvidence(
        edges=edges,
        same=np.histogram(evidence[same], edges)[0] / max(1, same.sum()),
        different=np.histogram(evidence[~same], edges)[0] / max(1, (~same).sum()),
        undecided=float(np.mean((evidence > low) & (evidence < high))),
        n_sampled=len(objects),
    )


def heat_map(case: Case) -> HeatMap:
    """Evidence between all objects, or a sample, in the order of the dendrogram."""
    objects = stratified_sample(case.labels, _HEAT_OBJECTS)
    evidence = evidence_among(case.ensemble, objects)
    if case.linkage is not None and len(case.labels) > 1:
        position = np.empty(len(case.labels), dtype=np.int64)
        position[leaves_list(case.linkage)] = np.arange(len(case.labels))
        order = np.argsort(position[objects])
        order_by = "in the order of the dendrogram"
    else:
        order = _order_within_clusters(evidence, case.labels[objects])
        order_by = "cluster by cluster, the most alike side by side"
    evidence = evidence[np.ix_(order, order)]
    return HeatMap(
        percent=np.where(np.isnan(evidence), -1, np.rint(evidence * 100)).astype(np.int8),
        labels=case.labels[objects][order],
        ids=case.ids[objects][order],
        sampled=len(objects) < len(case.labels),
        order=order_by,
    )


def _order_within_clusters(evidence: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Clusters in turn (objects in none come last), each in the leaf order of average link on the evidence."""
    if len(labels) < 2:
        return np.arange(len(labels))
    distance = 1 - np.nan_to_num(evidence[np.triu_indices(len(labels), 1)])
    leaves = leaves_list(linkage(np.clip(distance, 0, 1), "average"))
    in_turn = np.where(labels < 0, labels.max() + 1, labels)
    return leaves[np.argsort(in_turn[leaves], kind="stable")]


def cuts(case: Case) -> Cuts | None:
    """Margins of the objects (a sample) for each cut of the dendrogram.

    None without a dendrogram, if the ladder compares numbers of clusters instead, and below 3 objects.
    """
    n = len(case.labels)
    if case.linkage is None or case.ladder is not None or n < 3:
        return None
    linkage_matrix = np.asarray(case.linkage, dtype=np.float64)
    ks = {*range(2, min(_LARGEST_CUT, n - 1) + 1), *_around(case.n_clusters, n)}
    finest = max(ks)
    fine = groups_after(linkage_matrix, n, n - finest)
    objects = stratified_sample(case.labels, _CUT_OBJECTS)
    together, both = _support(case.ensemble, fine, finest, objects)
    _, representative = np.unique(fine, return_index=True)
    quantiles, ambiguous = [], []
    for k in sorted(ks):
        coarse = groups_after(linkage_matrix, n, n - k)
        # Cuts are nested, so the support of a coarse cluster is the sum over the fine ones in it.
        into = sparse.csr_array((np.ones(finest), (np.arange(finest), coarse[representative])), shape=(finest, k))
        own, other = _own_and_next_best(together @ into, both @ into, coarse[objects])
        quantiles.append(np.quantile(own - other, [0.05, 0.25, 0.5, 0.75, 0.95]))
        ambiguous.append(np.mean(is_ambiguous(own, other, np.zeros(len(own)))))
    return Cuts(
        k=np.array(sorted(ks)),
        quantiles=np.array(quantiles),
        ambiguous=np.array(ambiguous),
        chosen=case.n_clusters,
        n_sampled=len(objects),
    )


def _around(k: int, n: int) -> range:
    """The chosen number of clusters and its neighbors, unless it is out of reach of a readable figure."""
    return range(max(2, k - 1), min(k + 1, n - 1) + 1) if k <= 200 else range(0)


def _support(ensemble: Ensemble, labels: np.ndarray, k: int, objects: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each object and cluster, summed over the cluster's other objects: weight together, weight of both covered."""
    together = np.zeros((len(objects), k))
    both = np.zeros((len(objects), k))
    rows = np.arange(len(objects))
    for member, k_member, weight in zip(ensemble.labels.T, ensemble.n_clusters, ensemble.weights, strict=True):
        table = np.asarray(contingency_of_codes(member, labels, int(k_member), k))
        mine = member[objects]
        seen = mine >= 0
        together[seen] += weight * table[mine[seen]]
        both[seen] += weight * table.sum(axis=0)
        together[rows[seen], labels[objects][seen]] -= weight  # not with itself
        both[rows[seen], labels[objects][seen]] -= weight
    return together, both


def _own_and_next_best(together: np.ndarray, both: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean evidence for the own cluster (1 for an object alone in its cluster) and the highest for another."""
    rows = np.arange(len(labels))
    evidence = np.divide(together, both, out=np.zeros_like(both), where=both > 1e-9)
    alone = both[rows, labels] <= 1e-9
    own = np.where(alone, 1.0, evidence[rows, labels])
    evidence[rows, labels] = -np.inf
    return own, evidence.max(axis=1)

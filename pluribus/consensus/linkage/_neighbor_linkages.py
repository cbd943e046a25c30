"""Dendrograms from the strongest pairs of each object, in time linear in n."""

import numpy as np
from scipy import sparse

from pluribus._engine import DaskCluster
from pluribus._kernels.labels.pair_counts import member_lists
from pluribus._kernels.linkage.graph_single_link import (
    components,
    most_leaving,
    pairs_by_level,
    spanning_forest,
    strongest_leaving,
)
from pluribus.consensus._shared.evidence_linkages import expand, sorted_linkage
from pluribus.consensus.linkage._dask_forest import forest_by_dask
from pluribus.consensus.linkage._graph_groups import GraphGroups
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import UniqueRows

_LOOKED_AT = 1e9  # pairs visited in the search for bridges between the components of a graph
_SORTED_BY = 6  # partitions


def _sorted_rows(ensemble: Ensemble) -> UniqueRows:
    """The distinct rows of labels in sorted order: three times as fast, because neighbors are close in memory."""
    rows = ensemble.unique_rows()
    order = np.lexsort(rows.ensemble.labels[:, :_SORTED_BY][:, ::-1].T)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return UniqueRows(rows.ensemble.take_objects(order), rows.counts[order], place[rows.inverse])


# -- single link ---------------------------------------------------------------------------------------------------


def spanning_tree_link(evidence: CoAssociation) -> np.ndarray:
    """Single link on the pairs of a sparse or neighbor-limited evidence.

    All other pairs count as evidence 0, except those that bridge the components of a neighbor-limited evidence.
    """
    merges = _spanning_tree(evidence)
    return sorted_linkage(*merges, np.ones(evidence.shape[0]))


def neighbor_single_link(
    ensemble: Ensemble, *, n_jobs: int | None = None, engine: DaskCluster | None = None, verbose: bool
) -> np.ndarray:
    """Single link on the strongest pairs of the distinct rows of labels."""
    rows = _sorted_rows(ensemble)
    n = rows.ensemble.n_objects
    if engine is None or n == 1:
        return expand(rows, *_spanning_tree(CoAssociation(rows.ensemble, form="neighbors", n_jobs=n_jobs)))
    forest = forest_by_dask(rows.ensemble, engine, verbose=verbose)
    return expand(rows, *_joined(n, forest.left, forest.right, forest.value, rows.ensemble))


def _spanning_tree(evidence: CoAssociation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    bridged = evidence.ensemble if evidence.form == "neighbors" else None
    return _joined(evidence.shape[0], *_strongest_first(evidence), bridged)


def _joined(
    n: int, left: np.ndarray, right: np.ndarray, value: np.ndarray, bridged: Ensemble | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both ends and the dissimilarity of each edge of a spanning tree of the given pairs, which are strongest first.

    Components are joined by the strongest pairs of the ensemble ``bridged``, and finally at evidence 0.
    """
    parent = np.arange(n)
    taken = spanning_forest(left, right, parent)
    edges = [(left[taken], right[taken], value[taken])]
    if len(taken) < n - 1 and bridged is not None:
        edges += _bridges(bridged, parent)
    first = np.unique(components(parent), return_index=True)[1]  # of each component without a bridge
    edges.append((np.full(len(first) - 1, first[0]), first[1:], np.zeros(len(first) - 1)))
    left, right, value = (np.concatenate(part) for part in zip(*edges, strict=True))
    return left, right, 1 - value


def _strongest_first(evidence: CoAssociation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    c = evidence.to_sparse()
    ensemble = evidence.ensemble
    if ensemble is not None and not ensemble.has_missing and np.ptp(ensemble.weights) == 0:
        return pairs_by_level(c.indptr, c.indices, c.data, len(ensemble))
    upper = sparse.triu(c, 1, format="coo")
    order = np.argsort(-upper.data, kind="stable")
    return upper.row[order], upper.col[order], upper.data[order]


def _bridges(ensemble: Ensemble, parent: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The strongest pairs between components, by Borůvka's rounds; ``parent`` is changed.

    In each component the objects that share the most clusters with other components are tried first. If clusters are
    mostly within components, this is exact; otherwise as many objects are tried as _LOOKED_AT allows.
    """
    labels, offsets, weights = ensemble.labels, ensemble.offsets, ensemble.weights
    starts, members = member_lists(labels, offsets)
    pairs_of_object = float((np.diff(starts).astype(np.float64) ** 2).sum()) / len(labels)
    edges: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    while True:
        component = components(parent)
        k = int(component.max()) + 1
        most = most_leaving(labels, offsets, weights, component)
        tried = np.flatnonzero(most > 0)
        tried = tried[np.lexsort((-most[tried], component[tried]))]
        bounds = np.searchsorted(component[tried], np.arange(k + 1))
        most_tried = max(1, int(_LOOKED_AT / max(pairs_of_object, 1) / k))
        tried = tried[np.arange(len(tried)) - bounds[component[tried]] < most_tried]
        bounds = np.searchsorted(component[tried], np.arange(k + 1))
        source, target, value = np.zeros(k, np.int64), np.zeros(k, np.int64), np.zeros(k)
        strongest_leaving(
            tried,
            bounds,
            most,
            component,
            labels,
            offsets,
            weights,
            starts,
            members,
            ensemble.has_missing,
            source,
            target,
            value,
        )
        order = np.argsort(-value, kind="stable")[: np.count_nonzero(value)]
        joins = order[spanning_forest(source[order], target[order], parent)]
        if len(joins) == 0:
            return edges
        edges.append((source[joins], target[joins], value[joins]))


# -- average link --------------------------------------------------------------------------------------------------


def neighbor_average_link(
    ensemble: Ensemble, *, n_jobs: int | None = None, engine: DaskCluster | None = None, verbose: bool
) -> np.ndarray:
    """Average link that merges only groups with a strong pair, until few enough are left for exact average link."""
    rows = _sorted_rows(ensemble)
    groups = GraphGroups(CoAssociation(rows.ensemble, form="neighbors", engine=engine, n_jobs=n_jobs), rows.counts)
    return expand(rows, *groups.merge_all(verbose=verbose))


def graph_average_link(evidence: CoAssociation, *, verbose: bool) -> np.ndarray:
    """The same on the pairs of a neighbor-limited evidence."""
    n = evidence.shape[0]
    return sorted_linkage(*GraphGroups(evidence, np.ones(n, np.int64)).merge_all(verbose=verbose), np.ones(n))

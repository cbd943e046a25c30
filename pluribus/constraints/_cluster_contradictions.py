"""Hard links that join objects without a common label, or without a path in the graph: named with their chain."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from pluribus.constraints._cluster_statements import named
from pluribus.constraints._stated_arrays import Statements, symmetric
from pluribus.constraints._statements import Indices
from pluribus.constraints.closure import explained, shortest_path, together_graph


def check_chunklets(said: Statements, chunk_of: Indices) -> None:
    """Raise ContradictionError if a chunklet has no allowed label, or lies in several parts of the graph."""
    if len(said.about.allowed):
        is_bound, pairs = chunklet_labels(said, chunk_of)
        empty = np.setdiff1d(np.flatnonzero(is_bound), pairs[:, 0])
        if len(empty):
            raise _no_label(said, np.flatnonzero(chunk_of == empty[0]))
    if said.about.graph is not None:
        part = graph_parts(said)
        order = np.argsort(chunk_of, kind="stable")
        torn = np.flatnonzero((np.diff(chunk_of[order]) == 0) & (np.diff(part[order]) != 0))
        if len(torn):
            i, j = order[torn[0]], order[torn[0] + 1]
            raise explained(
                said, shortest_path(together_graph(said), int(i), int(j)), "no path of the graph joins them"
            )


def chunklet_labels(said: Statements, chunk_of: Indices) -> tuple[npt.NDArray[np.bool_], Indices]:
    """Which chunklets may have some labels only, and these: pairs of a chunklet and a label that all its objects may
    have.
    """
    known = np.flatnonzero(said.labels >= 0)
    pairs = np.concatenate([said.about.allowed, np.column_stack([known, said.labels[known]])])
    n_chunks, n_classes = int(chunk_of.max()) + 1, max(len(said.classes), 1)
    n_bound = np.bincount(chunk_of[np.unique(pairs[:, 0])], minlength=n_chunks)
    codes, counts = np.unique(chunk_of[pairs[:, 0]] * n_classes + pairs[:, 1], return_counts=True)
    chunk, label = np.divmod(codes, n_classes)
    common = counts == n_bound[chunk]
    return n_bound > 0, np.column_stack([chunk[common], label[common]])


def graph_parts(said: Statements) -> Indices:
    """The part of the graph in which each object is."""
    assert said.about.graph is not None
    links = symmetric(said.about.graph, np.ones(len(said.about.graph)), said.n_objects)
    return connected_components(links, directed=False)[1]


def _no_label(said: Statements, members: Indices) -> Exception:
    """The chain through objects of a chunklet whose labels have none in common, as few of them as need be."""
    sets: dict[int, set[int]] = {}
    known = set(members.tolist())
    for i, label in said.about.allowed.tolist():
        if i in known:
            sets.setdefault(i, set()).add(label)
    sets |= {i: {int(said.labels[i])} for i in known if said.labels[i] >= 0}
    first_with = {tuple(sorted(labels)): i for i, labels in sorted(sets.items(), reverse=True)}
    culprits = sorted(first_with.values())
    for i in culprits.copy():  # leave out objects that the contradiction does not need
        others = [sets[j] for j in culprits if j != i]
        if others and not set.intersection(*others):
            culprits.remove(i)
    graph = together_graph(said)
    path = np.array(culprits[:1])
    for one, other in pairwise(culprits):
        path = np.concatenate([path, shortest_path(graph, one, other)[1:]])
    shown = "; ".join(named(said.classes, np.array(sorted(sets[i]))) for i in culprits)
    return explained(said, path, f"allowed labels {shown}")

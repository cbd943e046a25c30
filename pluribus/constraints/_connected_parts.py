"""Can clusters be connected in a graph, and keep the pairs?"""

from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree

from pluribus.constraints._cluster_contradictions import graph_parts
from pluribus.constraints._stated_arrays import Statements, symmetric
from pluribus.constraints._statements import Indices
from pluribus.constraints.closure import Closure
from pluribus.constraints.feasibility import Feasibility
from pluribus.constraints.violations import find_violations

_MOST_JOINED = 500  # chunklets that are joined along the graph, one search each


def check_connected(said: Statements, closure: Closure, found: Feasibility, *, allow_empty: bool) -> Feasibility:
    """Count the clusters that the parts of the graph need, then try to find connected clusters."""
    k, part = found.k, graph_parts(said)
    n_parts = int(part.max()) + 1
    if n_parts > k:
        reason = f"the graph has {n_parts} parts that are not linked, more than k = {k} connected clusters"
        return Feasibility("infeasible", k, reason, np.unique(part, return_index=True)[1])
    needed = _needed(closure, part, n_parts)
    if needed.sum() > k:
        reason = (
            f"what is apart within the parts of the graph needs {needed.sum()} connected clusters, more than k = {k}"
        )
        return Feasibility("infeasible", k, reason, np.unique(part, return_index=True)[1][needed > 1])
    if (torn := _separated(said, closure)) is not None:
        reason = "every path of the graph between objects that must be together leads through one that must be apart"
        return Feasibility("infeasible", k, reason, torn)
    labels = _connected_clusters(said, closure, k)
    fills = labels is not None and (allow_empty or labels.max() + 1 == k)
    if labels is not None and fills and not find_violations(said, labels, np.arange(labels.max() + 1)).n_hard:
        return replace(found, status="feasible", reason="connected clusters were found", witness=labels)
    return Feasibility(
        "unknown",
        k,
        "whether connected clusters can keep all other statements is a hard problem, and none were found by "
        "joining objects along the graph",
    )


def _needed(closure: Closure, part: Indices, n_parts: int) -> Indices:
    """At least how many clusters lie in each part of the graph: one, two if a pair is apart, one for each class."""
    of_chunk = part[closure.representatives]
    needed = np.maximum(np.bincount(of_chunk[closure.class_chunks], minlength=n_parts), 1)
    one, other = of_chunk[closure.told_apart].T
    needed[one[one == other]] = np.maximum(needed[one[one == other]], 2)
    return needed


def _separated(said: Statements, closure: Closure) -> Indices | None:
    """Two objects that must be together, if those that they must avoid lie on all paths between them."""
    graph = _graph(said)
    avoids = closure.cannot_graph
    candidates = np.flatnonzero((closure.chunk_sizes > 1) & (np.diff(avoids.indptr) > 0))[:_MOST_JOINED]
    for chunk in candidates.tolist():
        avoided = avoids.indices[avoids.indptr[chunk] : avoids.indptr[chunk + 1]]
        open_to = np.flatnonzero(~np.isin(closure.chunk_of, avoided))
        _, part = connected_components(graph[open_to][:, open_to], directed=False)
        mine = np.flatnonzero(closure.chunk_of[open_to] == chunk)
        away = mine[part[mine] != part[mine[0]]]
        if len(away):
            return open_to[[mine[0], away[0]]]
    return None


def _connected_clusters(said: Statements, closure: Closure, k: int) -> Indices | None:
    """Up to k connected clusters that keep the chunklets whole: join these along shortest paths, then neighbors."""
    graph, n = _graph(said), said.n_objects
    chunks = np.flatnonzero(closure.chunk_sizes > 1)
    if len(chunks) > _MOST_JOINED:
        return None
    joined = []
    for chunk in chunks.tolist():
        members = closure.chunk_indicator.indices[slice(*closure.chunk_indicator.indptr[chunk : chunk + 2])]
        _, before = breadth_first_order(graph, members[0], directed=False, return_predecessors=True)
        for at in members[1:].tolist():
            while at != members[0]:
                joined.append((at, int(before[at])))
                at = int(before[at])
    links = np.array(joined, dtype=np.int64).reshape(-1, 2)
    _, label = connected_components(symmetric(links, np.ones(len(links)), n), directed=False)
    m = int(label.max()) + 1
    between = np.unique(np.sort(label[said.about.graph], axis=1), axis=0)
    between = between[between[:, 0] != between[:, 1]]
    tree = minimum_spanning_tree(symmetric(between, np.ones(len(between)), m)).tocoo()
    n_merges = max(m - k, 0)
    if n_merges > len(tree.row):
        return None
    kept = np.column_stack([tree.row[:n_merges], tree.col[:n_merges]])
    return connected_components(symmetric(kept, np.ones(n_merges), m), directed=False)[1][label].astype(np.int64)


def _graph(said: Statements) -> sparse.csr_array:
    assert said.about.graph is not None
    return symmetric(said.about.graph, np.ones(len(said.about.graph)), said.n_objects)

"""The order in which the chunklets of a network are eliminated, so that tables over their neighbors stay small."""

import heapq
from typing import Any, NamedTuple

import numpy as np

_LARGEST_TABLE = 2**20  # entries
_MOST_ENTRIES = 2**22  # of all tables of a component


class Plan(NamedTuple):
    """The order of elimination, component by component; positions in it name the chunklets of scopes."""

    components: np.ndarray  # those that can be eliminated
    too_wide: np.ndarray  # those whose tables would be too large
    component_start: np.ndarray
    order: np.ndarray
    scope_start: np.ndarray
    scope: np.ndarray
    edge: np.ndarray  # the edge to each chunklet of a scope, -1 if elimination added it
    table_start: np.ndarray


def plan_elimination(components: np.ndarray, network: Any) -> Plan:
    """Eliminate the chunklet with the fewest neighbors first; a component in which all have too many is too wide."""
    k = network.n_clusters
    widest = int(np.floor(np.log(_LARGEST_TABLE) / np.log(max(k, 2)) + 1e-9)) - 1
    vertices = network.vertices_of(components)
    neighbors = {
        int(v): dict(zip(network.indices[a:b].tolist(), network.edge[a:b].tolist(), strict=True))
        for v, a, b in zip(vertices, network.indptr[vertices], network.indptr[vertices + 1], strict=True)
    }
    members: dict[int, list[int]] = {int(c): [] for c in components}
    for v, c in zip(vertices.tolist(), network.component[vertices].tolist(), strict=True):
        members[c].append(v)
    done, too_wide = [], []
    order: list[int] = []
    scopes: list[dict[int, int]] = []
    starts = [0]
    for c, part in members.items():
        eliminated = _eliminate(part, neighbors, widest)
        if eliminated is None or sum(float(k) ** (len(scope) + 1) for _, scope in eliminated) > _MOST_ENTRIES:
            too_wide.append(c)
            continue
        done.append(c)
        order += [v for v, _ in eliminated]
        scopes += [scope for _, scope in eliminated]
        starts.append(len(order))
    return _as_arrays(np.array(done, np.int64), np.array(too_wide, np.int64), starts, order, scopes, k)


def _eliminate(part: list[int], neighbors: dict[int, dict[int, int]], widest: int) -> list[tuple[int, dict]] | None:
    """Chunklets and their neighbors at the time they are eliminated, or None if a table would be too large."""
    queue = [(len(neighbors[v]), v) for v in part]
    heapq.heapify(queue)
    eliminated: list[tuple[int, dict]] = []
    gone = set()
    while queue:
        degree, v = heapq.heappop(queue)
        if v in gone or degree != len(neighbors[v]):
            continue  # an older entry
        if degree > widest:
            return None
        gone.add(v)
        scope = neighbors[v]
        eliminated.append((v, scope))
        for u in scope:
            mine = neighbors[u]
            del mine[v]
            for w in scope:
                if w != u and w not in mine:
                    mine[w] = -1
            heapq.heappush(queue, (len(mine), u))
    return eliminated


def _as_arrays(
    done: np.ndarray, too_wide: np.ndarray, starts: list[int], order: list[int], scopes: list[dict[int, int]], k: int
) -> Plan:
    position = {v: at for at, v in enumerate(order)}
    widths = np.array([len(scope) for scope in scopes], np.int64)
    sorted_scopes = [sorted((position[u], which) for u, which in scope.items()) for scope in scopes]
    flat = np.array([pair for scope in sorted_scopes for pair in scope], np.int64).reshape(-1, 2)
    scope_start = np.concatenate([[0], np.cumsum(widths)])
    table_start = np.concatenate([[0], np.cumsum(k ** (widths + 1))])
    scope, edge = np.ascontiguousarray(flat.T)
    return Plan(
        done, too_wide, np.array(starts, np.int64), np.array(order, np.int64), scope_start, scope, edge, table_start
    )

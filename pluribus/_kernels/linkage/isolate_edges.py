"""Single link that tests clusters along the edges of a minimum spanning tree, shortest first.

Clusters are parts of the tree, and the edge between two of them joins their closest objects. Edges wait in a heap,
ordered by length and then by the nodes of their clusters. A rejected edge is kept with both of its clusters. It returns
to the heap when one of them has grown by a share of its size, and at the end if one has grown at all: so each edge that
is left over was rejected by the clusters that it joins in the result.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pluribus._kernels.linkage.isolation import (
    ISOLATE_BOTH,
    ISOLATE_FIRST,
    ISOLATE_SECOND,
    MERGE,
    SMALL_MERGE,
    decide,
    record,
)

_WAITING, _REJECTED, _GONE = range(3)


class Edges(NamedTuple):
    """The state between two tests."""

    first: np.ndarray  # of each edge: its ends, its length, and the nodes of its clusters when it came to the heap
    second: np.ndarray
    length: np.ndarray
    low: np.ndarray
    high: np.ndarray
    state: np.ndarray
    tested_size: np.ndarray  # the size of both clusters when they were tested
    heap: np.ndarray
    chain_first: np.ndarray  # of each slot: edges that were rejected once, as a chain; entries 2 e and 2 e + 1
    chain_last: np.ndarray
    chain_next: np.ndarray
    returned_size: np.ndarray  # of each slot: its size when its edges returned to the heap
    isolated: np.ndarray
    counts: np.ndarray  # edges in the heap, and the next node


def waiting_edges(first, second, length, n):
    """The state before the first test; edges of infinite length are left out."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    order = np.lexsort((high, low, length))
    order = order[length[order] < np.inf]
    m = len(order)
    return Edges(
        first=first[order],
        second=second[order],
        length=length[order],
        low=low[order],
        high=high[order],
        state=np.full(m, _WAITING),
        tested_size=np.zeros(m, np.int64),
        heap=np.arange(m),  # in order
        chain_first=np.full(n, -1),
        chain_last=np.full(n, -1),
        chain_next=np.full(2 * m, -2),
        returned_size=np.ones(n, np.int64),
        isolated=np.zeros(n, np.bool_),
        counts=np.array([m, n]),
    )


@njit(cache=True, nogil=True)
def isolate_edges(e, c, s, rules, growth, records):
    """Test edges until all that are left were rejected, or the records are full: how many were written."""
    at = 0
    while at < len(records.first):
        if e.counts[0] == 0 and not _return_changed(e, c, s):
            return at
        edge = _pop(e)
        x, y = e.first[edge], e.second[edge]
        a, b = c.cluster[x], c.cluster[y]
        if a == b or e.isolated[a] or e.isolated[b]:
            e.state[edge] = _GONE
            continue
        if s.node[a] > s.node[b]:
            a, b, x, y = b, a, y, x
        node_a, node_b = s.node[a], s.node[b]
        if node_a != e.low[edge] or node_b != e.high[edge]:  # among edges of the same length it comes later now
            _push(e, s, edge, a, b)
            continue
        distance = e.length[edge]
        outcome, statistic = decide(c, s, rules, a, b, x, y, distance)
        record(records, at, node_a, node_b, x, y, distance, outcome, statistic)
        at += 1
        if outcome in (MERGE, SMALL_MERGE):
            e.state[edge] = _GONE
            kept = c.cluster[x]
            s.node[kept] = e.counts[1]
            e.counts[1] += 1
            _merge_chains(e, c, s, kept, b if kept == a else a, growth)
        elif outcome in (ISOLATE_FIRST, ISOLATE_SECOND, ISOLATE_BOTH):
            e.state[edge] = _GONE
            e.isolated[a] |= outcome != ISOLATE_SECOND
            e.isolated[b] |= outcome != ISOLATE_FIRST
        else:
            e.state[edge] = _REJECTED
            e.tested_size[edge] = c.size[a] + c.size[b]
            if e.chain_next[2 * edge] == -2:
                _append(e, a, 2 * edge)
                _append(e, b, 2 * edge + 1)
    return at


@njit(cache=True, nogil=True)
def _merge_chains(e, c, s, kept, gone, growth):
    _return_edges(e, c, s, gone)
    if c.size[kept] >= (1 + growth) * e.returned_size[kept]:
        _return_edges(e, c, s, kept)
        e.returned_size[kept] = c.size[kept]
    if e.chain_first[gone] >= 0:
        if e.chain_first[kept] < 0:
            e.chain_first[kept] = e.chain_first[gone]
        else:
            e.chain_next[e.chain_last[kept]] = e.chain_first[gone]
        e.chain_last[kept] = e.chain_last[gone]


@njit(cache=True, nogil=True)
def _return_edges(e, c, s, slot):
    """Put the rejected edges of a slot back into the heap, and forget those that join nothing any more."""
    entry, e.chain_first[slot], e.chain_last[slot] = e.chain_first[slot], -1, -1
    while entry >= 0:
        after = e.chain_next[entry]
        if _return(e, c, s, entry // 2):
            _append(e, slot, entry)
        entry = after


@njit(cache=True, nogil=True)
def _return(e, c, s, edge):
    """Whether an edge still joins two clusters; if it was rejected, it goes back into the heap."""
    a, b = c.cluster[e.first[edge]], c.cluster[e.second[edge]]
    if a == b or e.isolated[a] or e.isolated[b]:
        e.state[edge] = _GONE
    elif e.state[edge] == _REJECTED:
        _push(e, s, edge, a, b)
    return e.state[edge] != _GONE


@njit(cache=True, nogil=True)
def _return_changed(e, c, s):
    """Put back the rejected edges of which a cluster has grown since: whether there are any."""
    for edge in range(len(e.first)):
        if e.state[edge] == _REJECTED:
            size = c.size[c.cluster[e.first[edge]]] + c.size[c.cluster[e.second[edge]]]
            if size != e.tested_size[edge]:
                _return(e, c, s, edge)
    return e.counts[0] > 0


@njit(cache=True, nogil=True)
def _append(e, slot, entry):
    e.chain_next[entry] = -1
    if e.chain_first[slot] < 0:
        e.chain_first[slot] = entry
    else:
        e.chain_next[e.chain_last[slot]] = entry
    e.chain_last[slot] = entry


@njit(cache=True, nogil=True)
def _before(e, a, b):
    if e.length[a] != e.length[b]:
        return e.length[a] < e.length[b]
    return e.low[a] < e.low[b] or (e.low[a] == e.low[b] and e.high[a] < e.high[b])


@njit(cache=True, nogil=True)
def _push(e, s, edge, a, b):
    """Put an edge between two slots into the heap."""
    e.low[edge], e.high[edge] = min(s.node[a], s.node[b]), max(s.node[a], s.node[b])
    e.state[edge] = _WAITING
    at = e.counts[0]
    e.counts[0] += 1
    while at > 0 and _before(e, edge, e.heap[(at - 1) // 2]):
        e.heap[at] = e.heap[(at - 1) // 2]
        at = (at - 1) // 2
    e.heap[at] = edge


@njit(cache=True, nogil=True)
def _pop(e):
    top = e.heap[0]
    e.counts[0] -= 1
    size = e.counts[0]
    edge = e.heap[size]
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _before(e, e.heap[child + 1], e.heap[child]):
            child += 1
        if not _before(e, e.heap[child], edge):
            break
        e.heap[at] = e.heap[child]
        at = child
    e.heap[at] = edge
    return top

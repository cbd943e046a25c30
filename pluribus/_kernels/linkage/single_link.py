"""Single link on co-association evidence: Prim's spanning tree, each object's evidence computed once, memory O(n r)."""

from typing import NamedTuple

import numpy as np
from numba import njit

from pluribus._kernels.labels.pair_counts import both_seen, together_with


class Frontier(NamedTuple):
    """Prim's state: a binary heap of the objects outside the tree that have some evidence for an object inside."""

    heap: np.ndarray  # objects, the one with the strongest evidence first
    place: np.ndarray  # where each object stands in the heap; -1 = not there, -2 = in the tree
    best: np.ndarray  # each object's strongest evidence for the tree
    source: np.ndarray  # and the object in the tree that it is for
    size: np.ndarray  # of the heap (one entry)


def empty_frontier(n):
    """The state before the first step."""
    return Frontier(
        heap=np.empty(n, np.int64),
        place=np.full(n, -1, np.int64),
        best=np.zeros(n),
        source=np.zeros(n, np.int64),
        size=np.zeros(1, np.int64),
    )


@njit(cache=True, nogil=True)
def _before(f, a, b):
    """Whether object a leaves the heap before b: stronger evidence, then the lower number."""
    return f.best[a] > f.best[b] or (f.best[a] == f.best[b] and a < b)


@njit(cache=True, nogil=True)
def _rise(f, at):
    item = f.heap[at]
    while at > 0 and _before(f, item, f.heap[(at - 1) // 2]):
        f.heap[at] = f.heap[(at - 1) // 2]
        f.place[f.heap[at]] = at
        at = (at - 1) // 2
    f.heap[at] = item
    f.place[item] = at


@njit(cache=True, nogil=True)
def _pop(f):
    """Take the strongest object out."""
    top = f.heap[0]
    f.size[0] -= 1
    size = f.size[0]
    item = f.heap[size]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and _before(f, f.heap[child + 1], f.heap[child]):
            child += 1
        if not _before(f, f.heap[child], item):
            break
        f.heap[at] = f.heap[child]
        f.place[f.heap[at]] = at
        at = child
    if size > 0:
        f.heap[at] = item
        f.place[item] = at
    return top


@njit(cache=True, nogil=True)
def grow_tree(f, labels, offsets, weights, starts, members, missing, tree_from, tree_to, evidence, start, stop):
    """Prim's steps start … stop - 1: step t puts one object into the tree and fills entry t - 1 of the edges.

    Where the heap runs empty a new component begins: its edge has evidence 0.
    """
    n = labels.shape[0]
    everything = weights.sum()
    total = np.zeros(n)
    touched = np.empty(n, np.int64)
    fresh = 0
    for t in range(start, stop):
        if f.size[0] > 0:
            i = _pop(f)
            tree_from[t - 1], tree_to[t - 1], evidence[t - 1] = f.source[i], i, f.best[i]
        else:
            while f.place[fresh] == -2:
                fresh += 1
            i = fresh
            if t > 0:
                tree_from[t - 1], tree_to[t - 1], evidence[t - 1] = 0, i, 0.0
        f.place[i] = -2
        m = together_with(i, labels, offsets, weights, starts, members, total, touched)
        for s in range(m):
            j = touched[s]
            together = total[j]
            total[j] = 0
            if f.place[j] == -2:
                continue
            c = together / (both_seen(i, j, labels, weights) if missing else everything)
            if f.place[j] == -1:
                f.best[j], f.source[j] = c, i
                f.heap[f.size[0]] = j
                f.size[0] += 1
                _rise(f, f.size[0] - 1)
            elif c > f.best[j]:
                f.best[j], f.source[j] = c, i
                _rise(f, f.place[j])

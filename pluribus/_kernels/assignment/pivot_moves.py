"""Pivot movement: rows that count for a condition go to a nearer center as long as their cluster can spare them.

The unstable rows, nearer to another center than to their own, are the edges of a graph between clusters: an edge from a
to b holds those of a that are nearest to b, in descending order of what a move gains. ``order`` holds the rows edge by
edge, edge ``a * c + b`` from ``head`` to ``stop``; a move takes the first row of its edge away.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _take(edge, c, order, head, labels, counts):
    """Move the row of an edge which gains most."""
    labels[order[head[edge]]] = edge % c
    head[edge] += 1
    counts[edge // c] -= 1
    counts[edge % c] += 1


@njit(cache=True, nogil=True)
def _set_live(edge, is_live, live, place, n_live):
    """Put an edge among those that may be drawn, or take it out; returns how many there are."""
    if is_live and place[edge] < 0:
        live[n_live] = edge
        place[edge] = n_live
        return n_live + 1
    if not is_live and place[edge] >= 0:
        last = live[n_live - 1]
        live[place[edge]] = last
        place[last] = place[edge]
        place[edge] = -1
        return n_live - 1
    return n_live


@njit(cache=True, nogil=True)
def move_at_random(order, head, stop, fewest, seed, labels, counts):
    """While a cluster has more than enough and an edge leaves it, move along such an edge, drawn at random."""
    c = len(counts)
    live, place = np.empty(c * c, np.int64), np.full(c * c, -1)
    n_live = 0
    for edge in range(c * c):
        n_live = _set_live(edge, head[edge] < stop[edge] and counts[edge // c] > fewest, live, place, n_live)
    state = np.uint64(seed)
    while n_live > 0:
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)  # Knuth's MMIX generator
        edge = live[np.int64(state >> np.uint64(33)) * n_live >> 31]
        a, b = edge // c, edge % c
        _take(edge, c, order, head, labels, counts)
        n_live = _set_live(edge, head[edge] < stop[edge], live, place, n_live)
        for other, enough in ((a, counts[a] <= fewest), (b, counts[b] == fewest + 1)):
            if enough:  # what it can spare has just changed
                for e in range(other * c, other * c + c):
                    n_live = _set_live(e, head[e] < stop[e] and counts[other] > fewest, live, place, n_live)


@njit(cache=True, nogil=True)
def move_by_looking_ahead(order, gains, head, stop, fewest, length, labels, counts):
    """As above, along the path of at most so many edges which gains most: a move makes the next one possible."""
    c = len(counts)
    path, best = np.empty(length, np.int64), np.empty(length, np.int64)
    total = np.empty(length + 1)
    used = np.zeros(c * c, np.int64)
    while True:
        n_best, highest = 0, 0.0
        for start in range(c):
            if counts[start] <= fewest:
                continue
            # depth first: path[level] is the edge that was tried last from where the path has come to
            level = 0
            path[0] = start * c - 1
            total[0] = 0.0
            while level >= 0:
                path[level] += 1
                origin = start if level == 0 else path[level - 1] % c
                edge = path[level]
                if edge >= (origin + 1) * c:
                    level -= 1
                    if level >= 0:
                        used[path[level]] -= 1
                    continue
                if head[edge] + used[edge] >= stop[edge]:
                    continue
                total[level + 1] = total[level] + gains[order[head[edge] + used[edge]]]
                if total[level + 1] > highest:
                    highest, n_best = total[level + 1], level + 1
                    best[: level + 1] = path[: level + 1]
                if level + 1 < length:
                    used[edge] += 1
                    level += 1
                    path[level] = (edge % c) * c - 1
        if n_best == 0:
            return
        for step in range(n_best):
            _take(best[step], c, order, head, labels, counts)


@njit(cache=True, nogil=True)
def _find_cycle(head, stop, c, cycle):
    """The edges of a directed cycle, the lowest numbers first; returns how many, 0 if there is none."""
    state = np.zeros(c, np.int64)  # 1: on the way, 2: leads to no cycle
    way, tried = np.empty(c, np.int64), np.empty(c, np.int64)
    for start in range(c):
        if state[start] != 0:
            continue
        depth = 0
        way[0], tried[0], state[start] = start, -1, 1
        while depth >= 0:
            a = way[depth]
            tried[depth] += 1
            b = tried[depth]
            if b == c:
                state[a] = 2
                depth -= 1
            elif head[a * c + b] < stop[a * c + b]:
                if state[b] == 1:
                    first = 0
                    while way[first] != b:
                        first += 1
                    for at in range(first, depth + 1):
                        cycle[at - first] = way[at] * c + tried[at]
                    return depth + 1 - first
                if state[b] == 0:
                    depth += 1
                    way[depth], tried[depth], state[b] = b, -1, 1
    return 0


@njit(cache=True, nogil=True)
def move_in_cycles(order, head, stop, labels, counts):
    """While the graph has a cycle, move as many rows along each of its edges as all of them have: counts stay."""
    c = len(counts)
    cycle = np.empty(c, np.int64)
    length = _find_cycle(head, stop, c, cycle)
    while length > 0:
        n_moved = stop[cycle[0]] - head[cycle[0]]
        for edge in cycle[:length]:
            n_moved = min(n_moved, stop[edge] - head[edge])
        for edge in cycle[:length]:
            for _ in range(n_moved):
                _take(edge, c, order, head, labels, counts)
        length = _find_cycle(head, stop, c, cycle)

"""Mutual reachability: how far apart two objects are, and at least as far as either is from its own cluster.

Distances are squared. The core distance of an object is a mean of those to all others of its cluster in which near ones
count most: (Σ s^-d / (n - 1))^(-1/d) in d dimensions. Powers neither over- nor underflow, because they are taken of
ratios to the least distance. Objects are rows of features, if ``unit`` is 0, or places in given distances, which are
divided by the unit. Nothing here is n × n: distances are computed where they are needed.
"""

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def core_distances(values, unit, members, dim, core):
    """The core distance of each member of a cluster of at least two, in ``core``; 0 for duplicates."""
    n = len(members)
    for a in range(n):
        least, total = math.inf, 0.0  # total is Σ (least / s)^dim over the distances so far
        for b in range(n):
            if b == a:
                continue
            s = _squared(values, unit, members[a], members[b])
            if s == 0:
                least = 0.0
                break
            if s < least:
                total = 1.0 + (total * (s / least) ** dim if total > 0 else 0.0)
                least = s
            else:
                total += (least / s) ** dim
        core[members[a]] = 0.0 if least == 0 else least * (total / (n - 1)) ** (-1 / dim)


@njit(cache=True, nogil=True)
def reachability_tree(values, unit, members, core):
    """The minimum spanning tree of a cluster by mutual reachability (Prim): both ends, as objects, and the lengths.

    A sparse object is equally reachable from many. It is joined to the densest of these: that with the least core
    distance. Then the distance decides, and then the lower numbers.
    """
    n = len(members)
    first, second, length = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    best, denser, apart = np.full(n, np.inf), np.full(n, np.inf), np.full(n, np.inf)
    source = np.zeros(n, np.int64)
    outside = np.arange(1, n)
    here = 0
    for step in range(n - 1):
        nearest = 0
        for place in range(n - 1 - step):
            other = outside[place]
            s = _squared(values, unit, members[here], members[other])
            one, two = core[members[here]], core[members[other]]
            edge = (max(s, one, two), min(one, two), s, min(here, other), max(here, other))
            if edge < _edge(best, denser, apart, source, other):
                best[other], denser[other], apart[other], source[other] = edge[0], edge[1], s, here
            if _edge(best, denser, apart, source, other) < _edge(best, denser, apart, source, outside[nearest]):
                nearest = place
        here = outside[nearest]
        outside[nearest] = outside[n - 2 - step]
        first[step], second[step], length[step] = members[source[here]], members[here], best[here]
    return first, second, length


@njit(cache=True, nogil=True)
def nearest_cluster(values, unit, members, codes, core, n_clusters):
    """Of each cluster, the least mutual reachability from its members to those of any other."""
    least = np.full(n_clusters, np.inf)
    for a in range(len(members)):
        i = members[a]
        for b in range(a):
            j = members[b]
            bound = max(least[codes[i]], least[codes[j]])
            if codes[i] == codes[j] or core[i] >= bound or core[j] >= bound:
                continue
            reach = max(_squared(values, unit, i, j), core[i], core[j])
            least[codes[i]], least[codes[j]] = min(least[codes[i]], reach), min(least[codes[j]], reach)
    return least


@njit(cache=True, nogil=True)
def _squared(values, unit, i, j):
    if unit > 0:
        return (values[i, j] / unit) ** 2
    squared = 0.0
    for f in range(values.shape[1]):
        squared += (values[i, f] - values[j, f]) ** 2
    return squared


@njit(cache=True, nogil=True)
def _edge(best, denser, apart, source, other):
    """By what the best edge to an object outside of the tree is compared with others."""
    return best[other], denser[other], apart[other], min(source[other], other), max(source[other], other)

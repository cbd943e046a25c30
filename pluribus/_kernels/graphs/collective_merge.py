"""Greedy merging of clusters whose similarity mixes their attributes with the overlap of their neighbors.

Three kinds of links: ``alike`` (candidates, with the attribute similarity), ``near`` (clusters with references in a
common hyper-edge, with a count), ``apart`` (cannot-links). A merge adds the links of the smaller cluster to the larger
one. Two clusters that only the larger part is near to see it renamed and nothing else, so only candidates of the
merged cluster, and of the neighbors of the smaller part, change their similarity.

The heap is lazy, in two ways. A similarity that changes gets a new entry, and the old one is skipped when its turn
comes. A similarity that can only fall, or whose clusters only get other names, keeps its entry, which then comes too
early: it is computed again when its turn comes. Those are the candidates of the larger part that have nothing to do
with the smaller one, so that a giant cluster does not compute all its candidates again at each merge.

Similarities are compared after rounding to 1e-12, as integers; ties go to the smaller id, then to the smaller other id.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pluribus._kernels.graphs.cluster_links import Links, drop_link, find_link, move_half, start_links

MAX, MEAN, MIN = 0, 1, 2  # attribute similarity of two clusters, from their candidates
JACCARD, MULTISET, ADAR, COMMON = 0, 1, 2, 3  # overlap of their neighbors
UNIT = 1e12  # of similarities that are compared as integers
ENOUGH = 10  # common neighbors for the overlap COMMON to be 1


class Merging(NamedTuple):
    """All clusters between two merges. A cluster is named by one of its references."""

    alike: Links
    near: Links
    apart: Links
    value: np.ndarray  # by candidate: largest, sum or smallest of the similarities of its pairs
    best: np.ndarray  # by candidate: the pair of references with the largest similarity
    best_value: np.ndarray
    current: np.ndarray  # by candidate: the similarity, as an integer
    shared: np.ndarray  # by candidate: the number of common neighbors
    times: np.ndarray  # by neighbor link: pairs of references in a common hyper-edge
    total: np.ndarray  # (n,) by cluster: sum of ``times`` over its neighbors
    size: np.ndarray  # (n,) number of references
    name: np.ndarray  # (n,) the id of the cluster that this reference stands for
    stamp: np.ndarray  # (n,) scratch
    done: np.ndarray  # (merges, stamps, entries of the heap)


@njit(cache=True, nogil=True)
def start_merging(n, size, candidates, value, best, best_value, neighbors, times, apart):
    """The state before the first merge. Pairs are of clusters, each pair once; ``size`` is 0 where no cluster is."""
    total = np.zeros(n, np.int64)
    for link in range(len(neighbors)):
        for side in range(2):
            total[neighbors[link, side]] += times[link]
    return Merging(
        start_links(candidates, n),
        start_links(neighbors, n),
        start_links(apart, n),
        value,
        best,
        best_value,
        np.full(len(candidates), -1, np.int64),
        np.zeros(len(candidates), np.int64),
        times,
        total,
        size,
        np.arange(n),
        np.zeros(n, np.int64),
        np.zeros(3, np.int64),
    )


@njit(cache=True, nogil=True)
def first_entries(s, alpha, linkage, overlap, distinct):
    """The heap of all candidates that may merge; the others are removed."""
    m = len(s.value)
    heap = np.empty((m + 16, 4), np.int64)
    for link in range(m):
        if not _allowed(s, s.alike.end[2 * link], s.alike.end[2 * link + 1], distinct):
            drop_link(s.alike, link)
        else:
            if alpha > 0:
                _recount(s, link)
            heap = _update(s, heap, link, alpha, linkage, overlap)
    return heap


@njit(cache=True, nogil=True)
def merge_more(s, heap, most, alpha, linkage, overlap, distinct, similarities, ids, pairs):
    """Merge until nothing is left, at most ``most`` times; the heap, and whether there may be more.

    Writes for each merge its similarity, attribute and relational part, the ids of both clusters and of the new one,
    and the candidate pair with the largest similarity between both.
    """
    stop = s.done[0] + most
    while s.done[0] < stop and s.done[2] > 0:
        heap, link = _pop(s, heap, alpha, linkage, overlap, distinct)
        if link < 0:
            continue
        t = s.done[0]
        a, b = s.alike.end[2 * link], s.alike.end[2 * link + 1]
        similarities[t, 0] = s.current[link] / UNIT
        similarities[t, 1] = _attributes(s, link, linkage)
        similarities[t, 2] = neighbor_overlap(s, link, overlap) if alpha > 0 else 0.0
        ids[t, 0], ids[t, 1] = min(s.name[a], s.name[b]), max(s.name[a], s.name[b])
        ids[t, 2] = len(s.name) + t
        pairs[t] = s.best[link]
        heap = _merge(s, heap, link, alpha, linkage, overlap, distinct)
        s.done[0] += 1
        if s.done[2] > 2 * len(s.value) + 1024:
            _sweep(s, heap)
    return heap, s.done[2] > 0


@njit(cache=True, nogil=True)
def _merge(s, heap, link, alpha, linkage, overlap, distinct):
    """Merge the two clusters of a candidate and update the similarities that may rise."""
    big, small = s.alike.end[2 * link], s.alike.end[2 * link + 1]
    if s.alike.degree[big] + s.near.degree[big] < s.alike.degree[small] + s.near.degree[small]:
        big, small = small, big
    drop_link(s.alike, link)
    changed, risen = [big], [big]
    changed.pop()
    risen.pop()
    if alpha > 0:
        every = overlap == ADAR or find_link(s.near, big, small) >= 0
        changed = _changed_clusters(s, big, small, overlap)
        _count_between(s, big, small)
        _count_merged(s, big, small, overlap == MULTISET, risen)
        if every:
            _all_candidates(s, big, risen)
    _join_neighbors(s, big, small)
    _join_candidates(s, big, small, linkage, alpha, risen)
    _join_apart(s, big, small)
    s.size[big] += s.size[small]
    s.name[big] = len(s.name) + s.done[0]
    for other in risen:
        if s.alike.end[2 * other] >= 0:
            heap = _renew(s, heap, other, alpha, linkage, overlap, distinct)
    for x in changed:
        half = s.alike.head[x]
        while half >= 0:
            following = s.alike.after[half]
            heap = _renew(s, heap, half // 2, alpha, linkage, overlap, distinct)
            half = following
    return heap


@njit(cache=True, nogil=True)
def _count_between(s, big, small):
    """Common neighbors of other clusters: of two that are near both parts one is lost, of one near each one is won."""
    s.done[1] += 1
    token = s.done[1]
    near = s.near.head[small]
    while near >= 0:
        s.stamp[s.near.end[near ^ 1]] = token
        near = s.near.after[near]
    near = s.near.head[small]
    while near >= 0:
        x = s.near.end[near ^ 1]
        near = s.near.after[near]
        if x == big:
            continue
        x_big = find_link(s.near, x, big) >= 0
        half = s.alike.head[x]
        while half >= 0:
            y = s.alike.end[half ^ 1]
            y_small = s.stamp[y] == token
            if y != big and y != small and not (y_small and y < x):  # once, if both are near the smaller part
                y_big = find_link(s.near, y, big) >= 0
                s.shared[half // 2] += int(y_small or y_big) - int(y_small) - int(x_big and y_big)
            half = s.alike.after[half]


@njit(cache=True, nogil=True)
def _count_merged(s, big, small, repeated, risen):
    """Common neighbors of the larger part with its candidates, if the neighbors of the smaller part are its own too.

    Adds the candidates that win some to ``risen``; if ``repeated``, also those that have one more often.
    """
    linked = find_link(s.near, big, small) >= 0
    near = s.near.head[small]
    while near >= 0:
        x = s.near.end[near ^ 1]
        near = s.near.after[near]
        if x == big:
            continue
        if linked:  # the smaller part itself was a common neighbor
            link = find_link(s.alike, big, x)
            if link >= 0:
                s.shared[link] -= 1
        new = int(find_link(s.near, x, big) < 0)
        if not (new or repeated):
            continue
        if s.near.degree[x] < s.alike.degree[big]:
            half = s.near.head[x]
            while half >= 0:
                link = find_link(s.alike, big, s.near.end[half ^ 1])
                if link >= 0:
                    s.shared[link] += new
                    risen.append(link)
                half = s.near.after[half]
        else:
            half = s.alike.head[big]
            while half >= 0:
                if find_link(s.near, x, s.alike.end[half ^ 1]) >= 0:
                    s.shared[half // 2] += new
                    risen.append(half // 2)
                half = s.alike.after[half]


@njit(cache=True, nogil=True)
def _all_candidates(s, cluster, found):
    half = s.alike.head[cluster]
    while half >= 0:
        found.append(half // 2)
        half = s.alike.after[half]


@njit(cache=True, nogil=True)
def _recount(s, link):
    """Count the common neighbors of a candidate from scratch."""
    a, b = s.alike.end[2 * link], s.alike.end[2 * link + 1]
    if s.near.degree[b] < s.near.degree[a]:
        a, b = b, a
    s.shared[link] = 0
    half = s.near.head[a]
    while half >= 0:
        z = s.near.end[half ^ 1]
        s.shared[link] += int(z != b and find_link(s.near, b, z) >= 0)
        half = s.near.after[half]


@njit(cache=True, nogil=True)
def _renew(s, heap, link, alpha, linkage, overlap, distinct):
    """Update a candidate of a merged cluster, or remove it if the two must be apart now."""
    if not _allowed(s, s.alike.end[2 * link], s.alike.end[2 * link + 1], distinct):
        drop_link(s.alike, link)
        return heap
    return _update(s, heap, link, alpha, linkage, overlap)


@njit(cache=True, nogil=True)
def _changed_clusters(s, big, small, overlap):
    """The clusters whose overlap with others a merge changes, apart from the merged one itself."""
    s.done[1] += 1
    token = s.done[1]
    s.stamp[big] = s.stamp[small] = token
    found = [big]
    found.pop()
    _add_neighbors(s, small, token, found)
    if overlap == ADAR:  # weights follow degrees: of the merged cluster, and of those near both parts
        both = [big]
        both.pop()
        for x in found:
            if find_link(s.near, big, x) >= 0:
                both.append(x)
        _add_neighbors(s, big, token, found)
        for x in both:
            _add_neighbors(s, x, token, found)
    return found


@njit(cache=True, nogil=True)
def _add_neighbors(s, cluster, token, found):
    half = s.near.head[cluster]
    while half >= 0:
        x = s.near.end[half ^ 1]
        if s.stamp[x] != token:
            s.stamp[x] = token
            found.append(x)
        half = s.near.after[half]


@njit(cache=True, nogil=True)
def _join_neighbors(s, big, small):
    between = find_link(s.near, big, small)
    s.total[big] += s.total[small]
    if between >= 0:  # hyper-edges inside of the cluster count no more
        s.total[big] -= 2 * s.times[between]
        drop_link(s.near, between)
    half = s.near.head[small]
    while half >= 0:
        following, link = s.near.after[half], half // 2
        known = find_link(s.near, big, s.near.end[half ^ 1])
        if known >= 0:
            s.times[known] += s.times[link]
            drop_link(s.near, link)
        else:
            move_half(s.near, half, big)
        half = following


@njit(cache=True, nogil=True)
def _join_candidates(s, big, small, linkage, alpha, risen):
    """Give the candidates of the smaller cluster to the larger one, and add them to ``risen``."""
    half = s.alike.head[small]
    while half >= 0:
        following, link = s.alike.after[half], half // 2
        known = find_link(s.alike, big, s.alike.end[half ^ 1])
        if known >= 0:
            if linkage == MEAN:
                s.value[known] += s.value[link]
            elif linkage == MAX:
                s.value[known] = max(s.value[known], s.value[link])
            else:
                s.value[known] = min(s.value[known], s.value[link])
            more = s.best_value[link] - s.best_value[known]
            if more > 0 or (more == 0 and s.best[link] < s.best[known]):
                s.best_value[known], s.best[known] = s.best_value[link], s.best[link]
            drop_link(s.alike, link)
            risen.append(known)
        else:
            move_half(s.alike, half, big)
            risen.append(link)
            if alpha > 0:
                _recount(s, link)
        half = following


@njit(cache=True, nogil=True)
def _join_apart(s, big, small):
    half = s.apart.head[small]
    while half >= 0:
        following = s.apart.after[half]
        if find_link(s.apart, big, s.apart.end[half ^ 1]) >= 0:
            drop_link(s.apart, half // 2)
        else:
            move_half(s.apart, half, big)
        half = following


@njit(cache=True, nogil=True)
def _allowed(s, a, b, distinct):
    """Whether two clusters may merge; if ``distinct``, not with references in one hyper-edge."""
    if find_link(s.apart, a, b) >= 0:
        return False
    return not (distinct and find_link(s.near, a, b) >= 0)


@njit(cache=True, nogil=True)
def _attributes(s, link, linkage):
    if linkage == MEAN:  # pairs that are no candidates count 0
        return s.value[link] / (s.size[s.alike.end[2 * link]] * s.size[s.alike.end[2 * link + 1]])
    return s.value[link]


@njit(cache=True, nogil=True)
def neighbor_overlap(s, link, overlap):
    """How far two clusters have the same neighbors, from 0 to 1; they do not count as each other's neighbors."""
    if s.shared[link] == 0:
        return 0.0
    if overlap == COMMON:
        return min(s.shared[link] / ENOUGH, 1.0)
    a, b = s.alike.end[2 * link], s.alike.end[2 * link + 1]
    between = find_link(s.near, a, b)
    if overlap == JACCARD:
        every = s.near.degree[a] + s.near.degree[b] - (2 if between >= 0 else 0)
        return s.shared[link] / (every - s.shared[link])
    if s.near.degree[b] < s.near.degree[a]:
        a, b = b, a
    common = 0.0
    half = s.near.head[a]
    while half >= 0:
        z = s.near.end[half ^ 1]
        other = find_link(s.near, b, z) if z != b else -1
        if other >= 0:
            common += min(s.times[other], s.times[half // 2]) if overlap == MULTISET else _weight(s, z)
        half = s.near.after[half]
    if overlap == MULTISET:
        total = s.total[a] + s.total[b] - (2.0 * s.times[between] if between >= 0 else 0.0)
    else:
        total = _rarity(s, a, b) + _rarity(s, b, a)
    return common / (total - common)


@njit(cache=True, nogil=True)
def _weight(s, cluster):
    """Adamic and Adar's weight: neighbors of few count more."""
    return 1 / np.log(1 + s.near.degree[cluster])


@njit(cache=True, nogil=True)
def _rarity(s, cluster, other):
    """The weights of the neighbors of a cluster, without one of them."""
    weight = 0.0
    half = s.near.head[cluster]
    while half >= 0:
        z = s.near.end[half ^ 1]
        if z != other:
            weight += _weight(s, z)
        half = s.near.after[half]
    return weight


@njit(cache=True, nogil=True)
def _similarity(s, link, alpha, linkage, overlap):
    """The similarity of a candidate now, as an integer: eq. (10.2)."""
    similarity = (1 - alpha) * _attributes(s, link, linkage)
    if alpha > 0:
        similarity += alpha * neighbor_overlap(s, link, overlap)
    return np.int64(np.rint(similarity * UNIT))


@njit(cache=True, nogil=True)
def _update(s, heap, link, alpha, linkage, overlap):
    """Compute the similarity of a candidate, and enter it into the heap if it is another one."""
    now = _similarity(s, link, alpha, linkage, overlap)
    if now == s.current[link]:
        return heap
    s.current[link] = now
    return _push(s, heap, link)


@njit(cache=True, nogil=True)
def _push(s, heap, link):
    at = s.done[2]
    if at == len(heap):
        more = np.empty((2 * at, 4), np.int64)
        more[:at] = heap
        heap = more
    s.done[2] += 1
    a, b = s.name[s.alike.end[2 * link]], s.name[s.alike.end[2 * link + 1]]
    heap[at, 0], heap[at, 1], heap[at, 2], heap[at, 3] = -s.current[link], min(a, b), max(a, b), link
    while at > 0 and _before(heap, at, (at - 1) // 2):
        _swap(heap, at, (at - 1) // 2)
        at = (at - 1) // 2
    return heap


@njit(cache=True, nogil=True)
def _pop(s, heap, alpha, linkage, overlap, distinct):
    """Remove the first entry; its candidate is the next to merge, -1 if it is not, or not yet."""
    counts, link, low, high = _counts(s, heap, 0), heap[0, 3], heap[0, 1], heap[0, 2]
    s.done[2] -= 1
    _swap(heap, 0, s.done[2])
    _sink(heap, 0, s.done[2])
    if not counts:
        return heap, -1
    a, b = s.alike.end[2 * link], s.alike.end[2 * link + 1]
    if not _allowed(s, a, b, distinct):
        drop_link(s.alike, link)
        return heap, -1
    now = _similarity(s, link, alpha, linkage, overlap)
    if now == s.current[link] and min(s.name[a], s.name[b]) == low and max(s.name[a], s.name[b]) == high:
        return heap, link
    s.current[link] = now
    return _push(s, heap, link), -1


@njit(cache=True, nogil=True)
def _counts(s, heap, at):
    """Whether an entry is the last one of its candidate."""
    link = heap[at, 3]
    return s.alike.end[2 * link] >= 0 and s.current[link] == -heap[at, 0]


@njit(cache=True, nogil=True)
def _sweep(s, heap):
    """Remove the entries that no longer count."""
    kept = 0
    for at in range(s.done[2]):
        if _counts(s, heap, at):
            heap[kept] = heap[at]
            kept += 1
    s.done[2] = kept
    for at in range(kept // 2 - 1, -1, -1):
        _sink(heap, at, kept)


@njit(cache=True, nogil=True)
def _sink(heap, at, size):
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _before(heap, child + 1, child):
            child += 1
        if not _before(heap, child, at):
            return
        _swap(heap, at, child)
        at = child


@njit(cache=True, nogil=True)
def _before(heap, a, b):
    for column in range(3):
        if heap[a, column] != heap[b, column]:
            return heap[a, column] < heap[b, column]
    return False


@njit(cache=True, nogil=True)
def _swap(heap, a, b):
    for column in range(4):
        heap[a, column], heap[b, column] = heap[b, column], heap[a, column]

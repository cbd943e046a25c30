"""The cheapest clusters for objects with costs of their own and costs between pairs.

``unary`` (m, k) is what each object costs in each cluster; infinite where it must not be. A graph of E pairs is given
as the CSR arrays ``indptr`` and ``indices`` with ``edge``, the number of the pair behind each entry. Pair e costs
``together[e, h]`` if both are in cluster h, and ``apart[e, g] + apart[e, h]`` if they are in clusters g and h; these
are never negative, and infinite for what must not be.
"""

import numpy as np
from numba import njit

LONGEST_DRAGGED = 16


@njit(cache=True, nogil=True)
def forest_order(indptr, indices, edge, nodes):
    """The given nodes, which form trees, each after its parent; the parents (-1 for roots) and the pairs to them."""
    n = indptr.shape[0] - 1
    order = np.empty(nodes.shape[0], np.int64)
    parent = np.full(n, -1, np.int64)
    link = np.full(n, -1, np.int64)
    seen = np.zeros(n, np.bool_)
    filled = 0
    for root in nodes:
        if seen[root]:
            continue
        seen[root] = True
        order[filled] = root
        at = filled
        filled += 1
        while at < filled:
            v = order[at]
            at += 1
            for entry in range(indptr[v], indptr[v + 1]):
                u = indices[entry]
                if not seen[u]:
                    seen[u] = True
                    parent[u] = v
                    link[u] = edge[entry]
                    order[filled] = u
                    filled += 1
    return order, parent, link


@njit(cache=True, nogil=True)
def settle_trees(order, parent, link, unary, together, apart, labels):
    """The cheapest labels of all nodes in trees, exactly: costs from the leaves up, choices from the roots down."""
    k = unary.shape[1]
    cost = np.zeros((parent.shape[0], k))
    for v in order:
        cost[v] = unary[v]
    for v in order[::-1]:
        if parent[v] < 0:
            continue
        e = link[v]
        # The two cheapest ways for v to be in a cluster other than its parent's.
        best, first, second = -1, np.inf, np.inf
        for h in range(k):
            value = cost[v, h] + apart[e, h]
            if value < first:
                best, first, second = h, value, first
            elif value < second:
                second = value
        for h in range(k):
            other = (second if h == best else first) + apart[e, h]
            cost[parent[v], h] += min(cost[v, h] + together[e, h], other)
    for v in order:
        best, least = 0, np.inf
        for h in range(k):
            value = cost[v, h]
            if parent[v] >= 0:
                value += pair_cost(together, apart, link[v], h, labels[parent[v]])
            if value < least:
                best, least = h, value
        labels[v] = best


@njit(cache=True, nogil=True)
def pair_cost(together, apart, e, g, h):
    """What pair e costs in clusters g and h."""
    return together[e, g] if g == h else apart[e, g] + apart[e, h]


@njit(cache=True, nogil=True)
def _cluster_costs(indptr, indices, edge, unary, together, apart, labels, v, costs):
    """What each cluster costs node v, given the labels of its neighbors; those without one (-1) do not count."""
    k = unary.shape[1]
    for h in range(k):
        costs[h] = unary[v, h]
    for entry in range(indptr[v], indptr[v + 1]):
        g = labels[indices[entry]]
        if g >= 0:
            e = edge[entry]
            for h in range(k):
                costs[h] += pair_cost(together, apart, e, g, h)


@njit(cache=True, nogil=True)
def settle_greedily(indptr, indices, edge, unary, together, apart, order, labels):
    """Give each node, in this order, the cheapest cluster so far; False, with labels cleared, at a dead end."""
    costs = np.empty(unary.shape[1])
    labels[order] = -1
    for v in order:
        _cluster_costs(indptr, indices, edge, unary, together, apart, labels, v, costs)
        h = np.argmin(costs)
        if costs[h] == np.inf:
            labels[order] = -1
            return False
        labels[v] = h
    return True


@njit(cache=True, nogil=True)
def _chain(indptr, indices, edge, together, apart, labels, v, target, drag, mark, chain):
    """The nodes that change places with v when it moves to the cluster `target`, in `chain`; returns how many.

    Those in the target that v must avoid move to its old cluster, and so on (a Kempe chain). With `drag`, preferences
    are followed like duties: objects that v is better together with come along. 0 if the chain grows too long.
    """
    source = labels[v]
    chain[0] = v
    mark[v] = True
    filled, at = 1, 0
    while at < filled:
        w = chain[at]
        at += 1
        for entry in range(indptr[w], indptr[w + 1]):
            u, e = indices[entry], edge[entry]
            if mark[u] or (labels[u] != source and labels[u] != target):
                continue
            same = labels[u] == labels[w]
            if same:
                follows = drag and apart[e, source] + apart[e, target] > 0
            else:
                goes = target if labels[w] == source else source
                follows = together[e, goes] == np.inf or (drag and together[e, goes] > 0)
            if follows:
                if filled == chain.shape[0]:
                    for member in chain[:filled]:
                        mark[member] = False
                    return 0
                mark[u] = True
                chain[filled] = u
                filled += 1
    return filled


@njit(cache=True, nogil=True)
def _gain(indptr, indices, edge, unary, together, apart, labels, source, target, mark, chain):
    """By how much the cost changes when the nodes of the chain change places between two clusters."""
    change = 0.0
    for w in chain:
        old = labels[w]
        new = target if old == source else source
        change += unary[w, new] - unary[w, old]
        for entry in range(indptr[w], indptr[w + 1]):
            u, e = indices[entry], edge[entry]
            g = labels[u]
            if not mark[u]:
                change += pair_cost(together, apart, e, new, g) - pair_cost(together, apart, e, old, g)
            elif w < u:
                other = target if g == source else source
                change += pair_cost(together, apart, e, new, other) - pair_cost(together, apart, e, old, g)
    return change


@njit(cache=True, nogil=True)
def improve(indptr, indices, edge, unary, together, apart, nodes, labels, max_sweeps, longest):
    """Exchange clusters along chains of nodes while that lowers the cost; in place, and never to a forbidden state.

    Chains of duties may be `longest` nodes long, chains that follow preferences a few only: in a dense network these
    soon reach everywhere, and what they gain they gain early.
    """
    k = unary.shape[1]
    mark = np.zeros(labels.shape[0], np.bool_)
    chain = np.empty(min(longest, nodes.shape[0]), np.int64)
    few = chain[:LONGEST_DRAGGED]
    for _ in range(max_sweeps):
        moved = False
        for v in nodes:
            for target in range(k):
                for drag in (False, True):
                    source = labels[v]
                    if target == source or unary[v, target] == np.inf:
                        continue
                    room = few if drag else chain
                    n = _chain(indptr, indices, edge, together, apart, labels, v, target, drag, mark, room)
                    change = np.inf
                    if n > 0:
                        change = _gain(
                            indptr, indices, edge, unary, together, apart, labels, source, target, mark, chain[:n]
                        )
                    for member in chain[:n]:
                        mark[member] = False
                    if change < -1e-12 * (1 + abs(unary[v, source])):
                        for member in chain[:n]:
                            labels[member] = target if labels[member] == source else source
                        moved = True
        if not moved:
            break


@njit(cache=True, nogil=True)
def _rank(costs, ranks):
    """The clusters from the cheapest on, those that come first among equals; few enough to insert one by one."""
    for h in range(costs.shape[0]):
        at = h
        while at > 0 and costs[ranks[at - 1]] > costs[h]:
            ranks[at] = ranks[at - 1]
            at -= 1
        ranks[at] = h


@njit(cache=True, nogil=True)
def settle_exactly(indptr, indices, edge, unary, together, apart, order, labels, budget, place):
    """Search for cheaper labels of one component by branch and bound, from the given ones; what is left of the budget.

    The bound is what is paid so far, and for each open node its cheapest cluster, given those that have one. Every node
    of the search costs one unit; below zero the search has stopped early, and the labels are the best found. ``place``
    has room for one number of each node.
    """
    m, k = order.shape[0], unary.shape[1]
    costs = np.empty((m, k))  # of each node in each cluster, given the nodes before it
    most = 0
    for depth in range(m):
        costs[depth] = unary[order[depth]]
        place[order[depth]] = depth
        most = max(most, indptr[order[depth] + 1] - indptr[order[depth]])
    saved = np.empty((m, most, k))  # costs of its neighbors before a node got its cluster
    least = _total(indptr, indices, edge, unary, together, apart, order, labels)
    least -= 1e-12 * abs(least)
    best = labels[order].copy()
    paid = np.zeros(m + 1)
    ranks = np.empty((m, k), np.int64)
    tried = np.zeros(m, np.int64)
    _rank(costs[0], ranks[0])
    chosen = np.full(m, -1, np.int64)
    depth = 0
    while depth >= 0:
        v = order[depth]
        if chosen[depth] >= 0:  # back from below: as it was before the choice
            for j in range(indptr[v + 1] - indptr[v]):
                other = place[indices[indptr[v] + j]]
                if other > depth:
                    costs[other] = saved[depth, j]
            chosen[depth] = -1
        budget -= 1
        if budget < 0 or tried[depth] == k:
            if budget < 0:
                break
            depth -= 1
            continue
        h = ranks[depth, tried[depth]]
        tried[depth] += 1
        paid[depth + 1] = paid[depth] + costs[depth, h]
        if paid[depth + 1] >= least:
            tried[depth] = k  # the others cost no less
            continue
        chosen[depth] = h
        if depth + 1 == m:
            least = paid[m]
            best = chosen.copy()
            continue
        for j in range(indptr[v + 1] - indptr[v]):
            entry = indptr[v] + j
            other = place[indices[entry]]
            if other > depth:
                saved[depth, j] = costs[other]
                for g in range(k):
                    costs[other, g] += pair_cost(together, apart, edge[entry], g, h)
        bound = paid[depth + 1]
        for other in range(depth + 1, m):
            bound += costs[other].min()
        if bound < least:
            depth += 1
            tried[depth] = 0
            _rank(costs[depth], ranks[depth])
    labels[order] = best
    return budget


@njit(cache=True, nogil=True)
def _total(indptr, indices, edge, unary, together, apart, nodes, labels):
    """The cost of these nodes, which are whole components."""
    total = 0.0
    for v in nodes:
        total += unary[v, labels[v]]
        for entry in range(indptr[v], indptr[v + 1]):
            u = indices[entry]
            if v < u:
                total += pair_cost(together, apart, edge[entry], labels[v], labels[u])
    return total


@njit(cache=True, nogil=True)
def settle_components(
    indptr, indices, edge, unary, together, apart, order, starts, previous, labels, max_sweeps, longest, largest, budget
):
    """Labels for components with cycles: of the greedy ones and the previous ones, both improved, the cheaper.

    ``order[starts[c] : starts[c + 1]]`` are the nodes of component c. Small ones (up to `largest`) are then searched
    exactly, as far as the budget goes. Labels are left at -1 where greed met a dead end and there are no previous ones.
    """
    place = np.empty(labels.shape[0], np.int64)
    for c in range(starts.shape[0] - 1):
        nodes = order[starts[c] : starts[c + 1]]
        found = settle_greedily(indptr, indices, edge, unary, together, apart, nodes, labels)
        if found:
            improve(indptr, indices, edge, unary, together, apart, nodes, labels, max_sweeps, longest)
        if previous[nodes[0]] >= 0:
            fresh = labels[nodes].copy()
            cost = np.inf
            if found:
                cost = _total(indptr, indices, edge, unary, together, apart, nodes, labels)
            labels[nodes] = previous[nodes]
            improve(indptr, indices, edge, unary, together, apart, nodes, labels, max_sweeps, longest)
            if cost < _total(indptr, indices, edge, unary, together, apart, nodes, labels):
                labels[nodes] = fresh
            found = True
        if found and nodes.shape[0] <= largest and budget > 0:
            budget = settle_exactly(indptr, indices, edge, unary, together, apart, nodes, labels, budget, place)

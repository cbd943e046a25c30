"""The cheapest clusters for objects with costs of their own and costs between pairs.

``unary`` (m, k) is what each object costs in each cluster; infinite where it must not be. A graph of E pairs is given
as the CSR arrays ``indptr`` and ``indices`` with ``edge``, the number of the pair behind each entry. Pair e costs
``together[e, h]`` if both are in cluster h, and ``apart[e, g] + apart[e, h]`` if they are in clusters g and h; these
are never negative, and infinite for what must not be.
"""

import numpy as np
from numba import njit

LONGEST_DRAGGED = 16  # chain that follows preferences


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
def assign_trees(order, parent, link, unary, together, apart, labels):
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
def assign_greedily(indptr, indices, edge, unary, together, apart, order, labels):
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
def _chain(indptr, indices, edge, together, apart, labels, v, target, drag, mark, looked, sweep, chain):
    """The nodes that change places with v when it moves to the cluster `target`, in `chain`: how many, and if all.

    Those in the target that v must avoid move to its old cluster, and so on (a Kempe chain). With `drag`, preferences
    are followed like duties: objects that v is better together with come along. All that are found are noted as looked
    at in this sweep. The chain is not complete if there is no room for it, or if it leads to what was looked at before.
    """
    source = labels[v]
    chain[0] = v
    mark[v] = True
    looked[v, target] = sweep
    filled, at, complete = 1, 0, True
    while at < filled and complete:
        w = chain[at]
        at += 1
        for entry in range(indptr[w], indptr[w + 1]):
            u, e = indices[entry], edge[entry]
            if mark[u] or (labels[u] != source and labels[u] != target):
                continue
            goes = target if labels[u] == source else source
            if labels[u] == labels[w]:
                follows = drag and apart[e, source] + apart[e, target] > 0
            else:
                follows = together[e, labels[u]] == np.inf or (drag and together[e, labels[u]] > 0)
            if follows:
                if filled == chain.shape[0] or looked[u, goes] == sweep:
                    complete = False
                    break
                mark[u] = True
                looked[u, goes] = sweep
                chain[filled] = u
                filled += 1
    return filled, complete


@njit(cache=True, nogil=True)
def _is_cheaper(indptr, indices, edge, unary, together, apart, labels, source, target, mark, chain):
    """Whether the cost falls, by more than rounding, when the nodes of the chain change places between two clusters."""
    change, size = 0.0, 0.0
    for w in chain:
        old = labels[w]
        new = target if old == source else source
        change += unary[w, new] - unary[w, old]
        size += abs(unary[w, old])
        for entry in range(indptr[w], indptr[w + 1]):
            u, e = indices[entry], edge[entry]
            if mark[u] and u < w:
                continue  # counted there
            g = labels[u]
            other = g
            if mark[u]:
                other = target if g == source else source
            before = pair_cost(together, apart, e, old, g)
            change += pair_cost(together, apart, e, new, other) - before
            size += before
    return change < -1e-12 * size


@njit(cache=True, nogil=True)
def _any_preference(indptr, edge, together, apart, nodes):
    """Whether some pair of these nodes may be broken at a price."""
    for v in nodes:
        for entry in range(indptr[v], indptr[v + 1]):
            e = edge[entry]
            for h in range(together.shape[1]):
                if apart[e, h] > 0 or (together[e, h] > 0 and together[e, h] < np.inf):
                    return True
    return False


@njit(cache=True, nogil=True)
def scratch(m, k):
    """Room for `improve` to keep its notes on m nodes."""
    # By node: in the chain at hand; to be looked at, in this sweep and in the next; for duties and for preferences, the
    # last sweep in which it was in a chain to each cluster. Then the chain.
    return np.zeros(m, np.bool_), np.zeros((2, m), np.bool_), np.zeros((2, m, k), np.uint8), np.empty(m, np.int64)


@njit(cache=True, nogil=True)
def improve(indptr, indices, edge, unary, together, apart, nodes, labels, max_sweeps, notes):
    """Exchange clusters along chains of nodes while that lowers the cost; in place, and never to a forbidden state.

    A chain is the same from whichever of its nodes it is grown, so in one sweep each node is in one chain for each
    cluster it could go to: a sweep takes time in proportion to k times nodes and pairs, however long the chains. The
    next sweep looks only at nodes near which something moved. Chains that follow preferences are a few nodes long only:
    in a dense network these soon reach everywhere, and what they gain they gain early.
    """
    mark, due, looked, chain = notes
    for v in nodes:
        due[0, v] = True
        looked[:, v] = 0
    n_kinds = 2 if _any_preference(indptr, edge, together, apart, nodes) else 1
    for sweep in range(1, max_sweeps + 1):
        now, later = due[(sweep - 1) % 2], due[sweep % 2]
        for v in nodes:
            later[v] = False
        moved = False
        for v in nodes:
            if not now[v]:
                continue
            for target in range(unary.shape[1]):
                for kind in range(n_kinds):
                    source = labels[v]
                    if target == source or unary[v, target] == np.inf or looked[kind, v, target] == sweep:
                        continue
                    room = chain[:LONGEST_DRAGGED] if kind == 1 else chain
                    n, complete = _chain(
                        indptr, indices, edge, together, apart, labels, v, target, kind == 1,
                        mark, looked[kind], sweep, room,
                    )  # fmt: skip
                    found = chain[:n]
                    better = complete and _is_cheaper(
                        indptr, indices, edge, unary, together, apart, labels, source, target, mark, found
                    )
                    for member in found:
                        mark[member] = False
                        if better:
                            labels[member] = target if labels[member] == source else source
                            later[member] = True
                            for entry in range(indptr[member], indptr[member + 1]):
                                later[indices[entry]] = True
                        elif not complete and kind == 0:
                            later[member] = True
                    moved = moved or better
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
def assign_exactly(indptr, indices, edge, unary, together, apart, order, labels, budget, place):
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
def assign_components(
    indptr, indices, edge, unary, together, apart, order, starts, previous, labels, max_sweeps, largest, budget
):
    """Labels for components with cycles: of the greedy ones and the previous ones, both improved, the cheaper.

    ``order[starts[c] : starts[c + 1]]`` are the nodes of component c. Small ones (up to `largest`) are then searched
    exactly, as far as the budget goes. Labels are left at -1 where greed met a dead end and there are no previous ones.
    """
    place = np.empty(labels.shape[0], np.int64)
    notes = scratch(*unary.shape)
    for c in range(starts.shape[0] - 1):
        nodes = order[starts[c] : starts[c + 1]]
        found = assign_greedily(indptr, indices, edge, unary, together, apart, nodes, labels)
        if found:
            improve(indptr, indices, edge, unary, together, apart, nodes, labels, max_sweeps, notes)
        if previous[nodes[0]] >= 0:
            fresh = labels[nodes].copy()
            cost = np.inf
            if found:
                cost = _total(indptr, indices, edge, unary, together, apart, nodes, labels)
            labels[nodes] = previous[nodes]
            improve(indptr, indices, edge, unary, together, apart, nodes, labels, max_sweeps, notes)
            if cost < _total(indptr, indices, edge, unary, together, apart, nodes, labels):
                labels[nodes] = fresh
            found = True
        if found and nodes.shape[0] <= largest and budget > 0:
            budget = assign_exactly(indptr, indices, edge, unary, together, apart, nodes, labels, budget, place)

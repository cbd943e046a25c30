"""Labels that depend on each other in pairs: exact sums and maxima by eliminating one vertex after the other.

A vertex v has log-potentials U[v, l] for its k labels, and two neighbors with the same label add the strength of
their edge; -inf forbids it. When v is eliminated, what is left of it is a table over its neighbors at that time, its
*scope*. Vertices are named by their position in the order of elimination; tables have one digit of base k for each
vertex of the scope, after the one of v, which runs fastest.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _fill(position, order, scope, strength, U, table):
    """The potential of a vertex and of its edges to the scope."""
    k = U.shape[1]
    for config in range(table.shape[0] // k):
        for label in range(k):
            table[config * k + label] = U[order[position], label]
        rest = config
        for d in range(scope.shape[0]):
            if strength[d] != 0.0:
                table[config * k + rest % k] += strength[d]
            rest //= k


@njit(cache=True, nogil=True)
def _steps(scope, of_parent, k):
    """How far a digit of the parent's scope moves in the table over the child's scope; its first is the parent."""
    steps = np.zeros(of_parent.shape[0], np.int64)
    for e in range(of_parent.shape[0]):
        step = k
        for d in range(1, scope.shape[0]):
            if scope[d] == of_parent[e]:
                steps[e] = step
            step *= k
    return steps


@njit(cache=True, nogil=True)
def _place(config, steps, k):
    place = 0
    for e in range(steps.shape[0]):
        place += (config % k) * steps[e]
        config //= k
    return place


@njit(cache=True, nogil=True)
def _send_up(first, last, order, scope_start, scope, strength, table_start, U, tables, sent, largest):
    """Eliminate the vertices of one component: fills `tables`, and `sent` with the logarithm of what each leaves.

    Returns the logarithm of the sum over all labelings, or with `largest` the logarithm of the largest term.
    """
    k = U.shape[1]
    origin = table_start[first]
    for v in range(first, last):
        table = tables[table_start[v] - origin : table_start[v + 1] - origin]
        _fill(
            v,
            order,
            scope[scope_start[v] : scope_start[v + 1]],
            strength[scope_start[v] : scope_start[v + 1]],
            U,
            table,
        )
    total = 0.0
    for v in range(first, last):
        start = table_start[v] - origin
        n_configs = (table_start[v + 1] - table_start[v]) // k
        mine = scope[scope_start[v] : scope_start[v + 1]]
        for config in range(n_configs):
            top = -np.inf
            for label in range(k):
                top = max(top, tables[start + config * k + label])
            left = top
            if not largest and top > -np.inf:
                sum_ = 0.0
                for label in range(k):
                    sum_ += np.exp(tables[start + config * k + label] - top)
                left = top + np.log(sum_)
            sent[start // k + config] = left
        if mine.shape[0] == 0:
            total += sent[start // k]
            continue
        parent = mine[0]
        theirs = scope[scope_start[parent] : scope_start[parent + 1]]
        steps = _steps(mine, theirs, k)
        at = table_start[parent] - origin
        for config in range((table_start[parent + 1] - table_start[parent]) // k):
            place = start // k + _place(config, steps, k)
            for label in range(k):
                tables[at + config * k + label] += sent[place + label]
    return total


@njit(cache=True, nogil=True)
def sum_labelings(component_start, order, scope_start, scope, table_start, strength, edge, U, marginals, log_sum, same):
    """Marginals of each vertex, the log-sum of each component, and how probable it is that an edge's ends agree.

    Writes into `marginals` (all vertices, k), `log_sum` (components) and `same` (all edges), at those that occur here.
    """
    k = U.shape[1]
    for c in range(component_start.shape[0] - 1):
        first, last = component_start[c], component_start[c + 1]
        origin = table_start[first]
        tables = np.empty(table_start[last] - origin)
        sent = np.empty((table_start[last] - origin) // k)
        log_sum[c] = _send_up(first, last, order, scope_start, scope, strength, table_start, U, tables, sent, False)
        for v in range(last - 1, first - 1, -1):
            start = table_start[v] - origin
            n_configs = (table_start[v + 1] - table_start[v]) // k
            mine = scope[scope_start[v] : scope_start[v + 1]]
            context = np.zeros(n_configs)  # the probability of each labeling of the scope
            if mine.shape[0] == 0:
                context[0] = 1.0
            else:
                parent = mine[0]
                steps = _steps(mine, scope[scope_start[parent] : scope_start[parent + 1]], k)
                at = table_start[parent] - origin
                for config in range((table_start[parent + 1] - table_start[parent]) // k):
                    place = _place(config, steps, k)
                    for label in range(k):
                        context[place + label] += tables[at + config * k + label]
            row = order[v]
            marginals[row] = 0.0
            for config in range(n_configs):
                left = sent[start // k + config]
                for label in range(k):
                    at = start + config * k + label
                    tables[at] = context[config] * np.exp(tables[at] - left) if context[config] > 0.0 else 0.0
                    marginals[row, label] += tables[at]
            step = 1
            for d in range(mine.shape[0]):
                which = edge[scope_start[v] + d]
                if which >= 0:
                    same[which] = 0.0
                    for config in range(n_configs):
                        same[which] += tables[start + config * k + (config // step) % k]
                step *= k


@njit(cache=True, nogil=True)
def best_labelings(component_start, order, scope_start, scope, table_start, strength, U, wanted, labels):
    """The most probable joint labels of the wanted components, written into `labels`."""
    k = U.shape[1]
    for c in range(component_start.shape[0] - 1):
        if not wanted[c]:
            continue
        first, last = component_start[c], component_start[c + 1]
        origin = table_start[first]
        tables = np.empty(table_start[last] - origin)
        sent = np.empty((table_start[last] - origin) // k)
        _send_up(first, last, order, scope_start, scope, strength, table_start, U, tables, sent, True)
        for v in range(last - 1, first - 1, -1):
            config, step = 0, 1
            for d in range(scope_start[v], scope_start[v + 1]):
                config += labels[order[scope[d]]] * step
                step *= k
            at = table_start[v] - origin + config * k
            labels[order[v]] = np.argmax(tables[at : at + k])

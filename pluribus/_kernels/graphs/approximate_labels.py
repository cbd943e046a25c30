"""Labels that depend on each other in pairs, where exact sums are too long: messages, mean field and Gibbs sampling.

A vertex v has log-potentials U[v, l] for its k labels; an edge adds its strength if both ends have the same label,
-inf forbids it. Graphs are symmetric CSR; `vertices` are those to look at, whole components of the graph.
"""

import numpy as np
from numba import njit

from pluribus._kernels.graphs.allowed_labels import exchange, exchange_gain, follow_chain


@njit(cache=True, nogil=True)
def _through_edge(logs, strength, out):
    """Logarithm of what each label of the other end receives: the sum over all labels, its own one times e^strength.

    Without differences of nearly equal numbers: what is taken from the sum is never its largest term.
    """
    k = logs.shape[0]
    top = np.argmax(logs)
    second = -np.inf
    for label in range(k):
        if label != top:
            second = max(second, logs[label])
    total, without_top = 0.0, 0.0
    for label in range(k):
        total += np.exp(logs[label] - logs[top])
        if label != top:
            without_top += np.exp(logs[label] - second)
    for label in range(k):
        if label == top:
            others = second + np.log(without_top) if k > 1 else -np.inf
        else:
            others = logs[top] + np.log(total - np.exp(logs[label] - logs[top]))
        own = strength + logs[label]
        high, low = max(others, own), min(others, own)
        out[label] = high if low == -np.inf else high + np.log1p(np.exp(low - high))


@njit(cache=True, nogil=True)
def _log_sum(logs):
    top = logs.max()
    return top + np.log(np.exp(logs - top).sum())


@njit(cache=True, nogil=True)
def _belief(indptr, v, U, messages):
    belief = U[v].copy()
    for at in range(indptr[v], indptr[v + 1]):
        belief += messages[at]
    return belief


@njit(cache=True, nogil=True)
def pass_messages(vertices, indptr, indices, strength, reverse, U, messages, damping, tol, max_sweeps):
    """Loopy belief propagation, in place; `messages` (one for each direction of an edge) is where it starts from.

    Returns the largest change of a message in the last sweep.
    """
    k = U.shape[1]
    out = np.empty(k)
    change = 0.0
    for _ in range(max_sweeps):
        change = 0.0
        for v in vertices:
            belief = _belief(indptr, v, U, messages)
            for at in range(indptr[v], indptr[v + 1]):
                _through_edge(belief - messages[at], strength[at], out)
                out -= out.max()
                old = messages[reverse[at]]
                for label in range(k):
                    new = (1.0 - damping) * out[label] + damping * old[label]
                    change = max(change, abs(np.exp(new) - np.exp(old[label])))
                    old[label] = new
        if change < tol:
            break
    return change


@njit(cache=True, nogil=True)
def read_messages(vertices, component, indptr, indices, strength, reverse, edge, U, messages, marginals, log_sum, same):
    """Marginals, Bethe's log-sum of each component, and the probability that the ends of each edge agree."""
    k = U.shape[1]
    out = np.empty(k)
    beliefs = np.empty_like(U)
    for v in vertices:
        beliefs[v] = _belief(indptr, v, U, messages)
    for v in vertices:
        belief = beliefs[v]
        total = _log_sum(belief)
        log_sum[component[v]] += total
        marginals[v] = np.exp(belief - total)
        for at in range(indptr[v], indptr[v + 1]):
            u = indices[at]
            log_sum[component[v]] -= total  # of this end of the edge; the sum over label and message is the same
            if u < v:
                continue
            mine = belief - messages[at]
            other = beliefs[u] - messages[reverse[at]]
            _through_edge(other, strength[at], out)
            both = _log_sum(mine + out)
            log_sum[component[v]] += both
            same[edge[at]] = np.exp(_log_sum(mine + other + strength[at]) - both) if strength[at] > -np.inf else 0.0


@njit(cache=True, nogil=True)
def mean_field(vertices, component, indptr, indices, strength, edge, U, marginals, log_sum, same, tol, max_sweeps):
    """Independent labels that come nearest to the dependent ones; `marginals` is where it starts from, in place.

    Vertices are updated one after the other: all at once would swing between two states. The log-sum is the lower
    bound, which never falls from sweep to sweep.
    """
    for _ in range(max_sweeps):
        change = 0.0
        for v in vertices:
            field = U[v].copy()
            for at in range(indptr[v], indptr[v + 1]):
                field += strength[at] * marginals[indices[at]]
            field = np.exp(field - _log_sum(field))
            change = max(change, np.abs(field - marginals[v]).max())
            marginals[v] = field
        if change < tol:
            break
    for v in vertices:
        for label in range(U.shape[1]):
            if marginals[v, label] > 0.0:
                log_sum[component[v]] += marginals[v, label] * (U[v, label] - np.log(marginals[v, label]))
        for at in range(indptr[v], indptr[v + 1]):
            if v < indices[at]:
                same[edge[at]] = (marginals[v] * marginals[indices[at]]).sum()
                log_sum[component[v]] += strength[at] * same[edge[at]]


@njit(cache=True, nogil=True)
def gibbs(vertices, indptr, indices, strength, edge, U, labels, marginals, same, longest, burn_in, n_sweeps, rng):
    """Draw each label in turn given those of its neighbors; `labels` is where it starts from, in place.

    Where k vertices must all differ, none of them can move alone. So each also tries to exchange its label with
    another one along a chain of those that must differ, up to `longest` of them (Metropolis).

    What is averaged are the probabilities from which labels are drawn, not the labels: less noise for nothing.
    """
    k = U.shape[1]
    n = indptr.shape[0] - 1
    mark, chain, stamp = np.zeros(n, np.int64), np.empty(n, np.int64), 0
    for v in vertices:
        marginals[v] = 0.0
        for at in range(indptr[v], indptr[v + 1]):
            same[edge[at]] = 0.0
    for sweep in range(burn_in + n_sweeps):
        for v in vertices:
            field = U[v].copy()
            for at in range(indptr[v], indptr[v + 1]):
                field[labels[indices[at]]] += strength[at]
            field = np.exp(field - _log_sum(field))
            left = rng.random()
            drawn = 0
            while drawn < k - 1 and left >= field[drawn]:
                left -= field[drawn]
                drawn += 1
            if field[drawn] > 0.0:  # rounding at the very end of the unit interval
                labels[v] = drawn
            if sweep >= burn_in:
                marginals[v] += field / n_sweeps
                for at in range(indptr[v], indptr[v + 1]):
                    same[edge[at]] += 0.5 * field[labels[indices[at]]] / n_sweeps
        for v in vertices:
            one = labels[v]
            other = (one + 1 + int(rng.random() * (k - 1))) % k
            stamp += 1
            n_chain = follow_chain(v, other, longest, indptr, indices, strength, labels, chain, mark, stamp)
            if 1 < n_chain <= longest:
                gain = exchange_gain(chain, n_chain, one, other, indptr, indices, strength, U, labels, mark, stamp)
                if np.log(rng.random()) < gain:
                    exchange(chain[:n_chain], one, other, labels)

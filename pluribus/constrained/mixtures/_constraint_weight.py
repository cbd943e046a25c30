"""How much constrained objects should count: the least that makes the clusters themselves keep the constraints."""

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from pluribus.constraints import Closure, Constraints

_N_FOLDS = 5
_LEAST_OBJECTS = 20  # constrained ones; with fewer, none are held out
_MOST = 10  # times as much as all others together

Label = Callable[[np.ndarray, float], np.ndarray]


def constrained_objects(closure: Closure) -> np.ndarray:
    """Which objects some constraint speaks of."""
    n_pairs = np.diff(closure.cannot_graph.indptr) + np.diff(closure.coupling.indptr)
    linked = (closure.chunk_sizes > 1) | (n_pairs > 0)
    return linked[closure.chunk_of]


def choose_eta(
    constraints: Constraints, grid: tuple[float, ...], label: Label, n_features: int
) -> tuple[float, np.ndarray]:
    """The smallest value of the grid with the fewest violations.

    Parameters
    ----------
    constraints : Constraints
    grid : tuple of float
        Rising. It is not followed beyond the first value without violations.
    label : callable
        ``label(rows, eta)`` fits these rows with what is known about them, and labels all rows by the clusters alone.
    n_features : int
        That many objects, and one more, can be separated by a plane however they are labeled. With so few constrained
        ones, clusters that count them often learn them by heart, and the smallest value of the grid is taken.

    Returns
    -------
    eta : float
    path : ndarray of shape (tried, 2)
        The values that were tried, and how many pairs they broke of which an object was held out; if there are too few
        objects to hold some out, how many of all.
    """
    closure = constraints.closure()
    chosen = constrained_objects(closure)
    everyone = np.arange(len(chosen))
    if chosen.sum() <= n_features + 1:
        return grid[0], np.empty((0, 2))
    folds, fitted = [chosen], [everyone]
    if chosen.sum() >= _LEAST_OBJECTS:
        folds = _folds(closure, chosen)
        fitted = [everyone[~held_out] for held_out in folds]
    path = []
    for eta in _within_reason(grid, chosen):
        broken = 0
        for held_out, rows in zip(folds, fitted, strict=True):
            labels = label(rows, eta)
            seen = chosen & ~held_out
            broken += n_broken(constraints, labels, chosen) - n_broken(constraints, labels, seen)
        path.append((eta, broken))
        if broken == 0:
            break
    best = min(path, key=lambda tried: tried[1])
    return best[0], np.array(path)


def n_broken(constraints: Constraints, labels: np.ndarray, chosen: np.ndarray) -> int:
    """How many pairs of chosen objects the labels break, of all that hard constraints entail, and of the soft ones."""
    closure, objects = constraints.closure(), np.flatnonzero(chosen)
    chunk, cluster = closure.chunk_of[objects], labels[objects]
    shape = closure.n_chunks, int(labels.max(initial=0)) + 1
    counts = sparse.coo_array((np.ones(len(objects), dtype=np.int64), (chunk, cluster)), shape=shape).tocsr()
    sizes = np.bincount(chunk)
    split = (np.sum(sizes**2) - np.sum(counts.data**2)) // 2
    one, other = closure.cannot_link.T
    mixed = counts[one].multiply(counts[other]).sum()
    soft = sparse.triu(constraints.coupling, k=1).tocoo()
    judged = chosen[soft.row] & chosen[soft.col]
    together = labels[soft.row] == labels[soft.col]
    return int(split + mixed + np.sum(judged & np.where(soft.data > 0, ~together, together)))


def _within_reason(grid: tuple[float, ...], chosen: np.ndarray) -> list[float]:
    """Values that let the constrained objects count no more than ten times as much as the others; at least one."""
    if chosen.all() or not chosen.any():
        return [grid[0]]  # all count alike, whatever it is
    most = _MOST * (~chosen).sum() / chosen.sum()
    return [eta for eta in grid if eta <= most] or [grid[0]]


def _folds(closure: Closure, chosen: np.ndarray) -> list[np.ndarray]:
    """Masks of objects to hold out: where there are enough, whole components, so that no constraint joins two folds.

    Else, as when all pairs among some objects are known, single objects. The pairs that lead from them to others are
    not seen by the fit, and count as held out.
    """
    graph = closure.cannot_graph + sparse.csr_array(abs(closure.coupling))
    _, component = connected_components(graph, directed=False)
    parts, part = np.unique(component[closure.chunk_of[chosen]], return_inverse=True)
    if len(parts) < 2 * _N_FOLDS:
        parts = part = np.arange(chosen.sum())
    fold = np.full(len(chosen), -1)
    fold[chosen] = np.random.default_rng(0).permutation(len(parts))[part] % _N_FOLDS
    return [fold == b for b in range(_N_FOLDS)]

"""The weight of constrained objects: the least with which the clusters alone satisfy the constraints."""

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
    """Which objects are in a constraint."""
    n_pairs = np.diff(closure.cannot_graph.indptr) + np.diff(closure.coupling.indptr)
    linked = (closure.chunk_sizes > 1) | (n_pairs > 0)
    return linked[closure.chunk_of]


def choose_weight(
    constraints: Constraints, grid: tuple[float, ...], label: Label, n_features: int
) -> tuple[float, np.ndarray]:
    """The smallest weight η of the grid with the fewest violations, by cross-validation.

    Parameters
    ----------
    constraints : Constraints
    grid : tuple of float
        In increasing order. The search ends at the first value without violations.
    label : callable
        ``label(rows, weight)`` fits these rows with their constraints, and labels all rows by the clusters alone.
    n_features : int
        With at most ``n_features + 1`` constrained objects the smallest value of the grid is taken: a plane can
        separate them whatever their labels, so heavy weights would overfit them.

    Returns
    -------
    weight : float
    path : ndarray of shape (tried, 2)
        The values that were tried, and the number of broken pairs with a held-out object; of all broken pairs if there
        are too few objects to hold some out.
    """
    closure = constraints.closure()
    chosen = constrained_objects(closure)
    all_rows = np.arange(len(chosen))
    if chosen.sum() <= n_features + 1:
        return grid[0], np.empty((0, 2))
    folds, fitted = [chosen], [all_rows]
    if chosen.sum() >= _LEAST_OBJECTS:
        folds = _folds(closure, chosen)
        fitted = [all_rows[~held_out] for held_out in folds]
    path = []
    for weight in _within_reason(grid, chosen):
        broken = 0
        for held_out, rows in zip(folds, fitted, strict=True):
            labels = label(rows, weight)
            seen = chosen & ~held_out
            broken += n_broken(constraints, labels, chosen) - n_broken(constraints, labels, seen)
        path.append((weight, broken))
        if broken == 0:
            break
    best = min(path, key=lambda tried: tried[1])
    return best[0], np.array(path)


def n_broken(constraints: Constraints, labels: np.ndarray, chosen: np.ndarray) -> int:
    """The number of broken pairs among chosen objects: pairs that hard constraints imply, and soft pairs."""
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
    """Values with which the constrained objects count at most ten times as much as all others; at least one value."""
    if chosen.all() or not chosen.any():
        return [grid[0]]  # all objects have the same weight
    most = _MOST * (~chosen).sum() / chosen.sum()
    return [weight for weight in grid if weight <= most] or [grid[0]]


def _folds(closure: Closure, chosen: np.ndarray) -> list[np.ndarray]:
    """Masks of objects to hold out: whole components if there are enough, so that no constraint joins two folds.

    Otherwise single objects, for example if all pairs among some objects are known. The fit does not use their pairs
    with other objects, which count as held out.
    """
    graph = closure.cannot_graph + sparse.csr_array(abs(closure.coupling))
    _, component = connected_components(graph, directed=False)
    parts, part = np.unique(component[closure.chunk_of[chosen]], return_inverse=True)
    if len(parts) < 2 * _N_FOLDS:
        parts = part = np.arange(chosen.sum())
    fold = np.full(len(chosen), -1)
    fold[chosen] = np.random.default_rng(0).permutation(len(parts))[part] % _N_FOLDS
    return [fold == b for b in range(_N_FOLDS)]

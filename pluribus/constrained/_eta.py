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


def choose_eta(constraints: Constraints, grid: tuple[float, ...], label: Label) -> tuple[float, np.ndarray]:
    """The smallest value of the grid with the fewest violations.

    Parameters
    ----------
    constraints : Constraints
    grid : tuple of float
        Rising. It is not followed beyond the first value without violations.
    label : callable
        ``label(rows, eta)`` fits these rows with what is known about them, and labels all rows by the clusters alone.

    Returns
    -------
    eta : float
    path : ndarray of shape (tried, 2)
        The values that were tried, and the violations of held-out constraints; if there are too few to hold some out,
        those of all of them.
    """
    closure = constraints.closure()
    chosen = constrained_objects(closure)
    folds = _folds(closure, chosen)
    path = []
    for eta in _within_reason(grid, chosen):
        broken = 0
        for held_out in folds:
            everyone = np.arange(len(chosen))
            labels = label(everyone[~held_out] if len(folds) > 1 else everyone, eta)
            broken += constraints.violations(np.where(held_out, labels, -1)).count
        path.append((eta, broken))
        if broken == 0:
            break
    best = min(path, key=lambda tried: tried[1])
    return best[0], np.array(path)


def _within_reason(grid: tuple[float, ...], chosen: np.ndarray) -> list[float]:
    """Values that let the constrained objects count no more than ten times as much as the others; at least one."""
    if chosen.all() or not chosen.any():
        return [grid[0]]  # all count alike, whatever it is
    most = _MOST * (~chosen).sum() / chosen.sum()
    return [eta for eta in grid if eta <= most] or [grid[0]]


def _folds(closure: Closure, chosen: np.ndarray) -> list[np.ndarray]:
    """Masks of objects to hold out, such that no constraint leads from one fold to another; or all in one."""
    graph = closure.cannot_graph + sparse.csr_array(abs(closure.coupling))
    _, component = connected_components(graph, directed=False)
    parts, part = np.unique(component[closure.chunk_of[chosen]], return_inverse=True)
    if len(parts) < 2 * _N_FOLDS or chosen.sum() < _LEAST_OBJECTS:
        return [chosen]
    fold = np.full(len(chosen), -1)
    fold[chosen] = np.random.default_rng(0).permutation(len(parts))[part] % _N_FOLDS
    return [fold == b for b in range(_N_FOLDS)]

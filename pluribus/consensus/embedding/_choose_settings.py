"""Neighbors and dimensions of an embedding by the criterion of its method.

The source leaves both to a criterion of each method: the cost that it minimizes, or its residual variance. Costs of
different numbers of neighbors are compared as they are. Costs of different dimensions are not, because they only grow
(sums of eigenvalues) or only fall (stress, residual variance): the largest gap of eigenvalues decides, or the elbow.
"""

from collections.abc import Callable

import numpy as np

from pluribus.consensus.embedding._embeddings import WITH_NEIGHBORS, Embedding, Settings

NEIGHBORS = (5, 10, 15, 20, 30, 50)
_DIMENSIONS = 10
_ELBOW = 0.1  # of what all dimensions save in cost: the rest is not worth another one
_TIE = 1e-9
_BY_COST = frozenset({"isomap", "sammon", "cca", "cda"})  # their cost falls with each dimension

Tried = dict[tuple[int | None, int], float | None]


def choose(
    method: str,
    embed: Callable[[Settings], Embedding],
    settings: Settings,
    n: int,
    *,
    neighbors: bool,
    components: bool,
) -> tuple[Embedding, Settings, Tried]:
    """The embedding with the chosen settings, these, and the cost of all that were tried, by neighbors and dimensions.

    Neighbors are chosen first, at the dimension in ``settings``.
    """
    tried: Tried = {}

    def at(to: Settings) -> Embedding:
        found = embed(to)
        tried[to.n_neighbors if method in WITH_NEIGHBORS else None, to.n_components] = found.criterion
        return found

    if neighbors and method in WITH_NEIGHBORS:
        options = [settings._replace(n_neighbors=p) for p in sorted({min(p, n - 1) for p in NEIGHBORS})]
        costs = np.array([at(option).criterion for option in options])
        # On ties the denser graph, which depends less on single links.
        settings = options[int(np.flatnonzero(costs <= costs.min() + _TIE)[-1])]
    most = min(_DIMENSIONS, n - 1)
    if components and most > 1:
        settings = settings._replace(n_components=_dimension(method, at, settings, most))
    return at(settings), settings, tried


def _dimension(method: str, at: Callable[[Settings], Embedding], settings: Settings, most: int) -> int:
    if method in _BY_COST:
        costs = np.array([at(settings._replace(n_components=d)).criterion for d in range(1, most + 1)])
        return int(np.argmax(costs <= costs.min() + _ELBOW * (costs[0] - costs.min()) + _TIE)) + 1
    eigenvalues = at(settings._replace(n_components=most)).eigenvalues
    assert eigenvalues is not None
    if len(eigenvalues) < 2:
        return 1
    return int(np.argmax(np.abs(np.diff(eigenvalues)))) + 1

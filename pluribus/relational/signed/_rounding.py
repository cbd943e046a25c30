"""From the linear relaxation to a partition.

``x`` is symmetric, 0 = together and 1 = apart. ``walls`` says which pairs must not be together. Clusters are numbered
as they are found.
"""

from collections.abc import Callable

import numpy as np

# Chawla, Makarychev, Schramm and Yaroslavtsev 2015: where the rounding of pairs that belong together starts and ends.
_LOW, _HIGH = 0.19, 0.5095


def round_by_balls(x: np.ndarray, walls: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Charikar, Guruswami and Wirth: a node and all within 1/2, if their mean distance is below 1/4, else it alone.

    At most 4 times the relaxation on complete input without constraints.
    """

    def near(u: int, left: np.ndarray) -> np.ndarray:
        close = left[x[u, left] <= 0.5]
        return close if len(close) and x[u, close].mean() < 0.25 else close[:0]

    return _by_pivots(x, walls, order, near)


def round_by_pivots(x: np.ndarray, walls: np.ndarray, order: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Ailon, Charikar and Newman: each remaining node joins a random pivot with probability 1 - x.

    In expectation at most 2.5 times the relaxation on complete input without constraints.
    """
    return _by_pivots(x, walls, order, lambda u, left: left[rng.random(len(left)) < 1 - x[u, left]])


def round_by_curve(
    x: np.ndarray, scores: np.ndarray, walls: np.ndarray, order: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Chawla et al.: the same with probability 1 - f(x), where f is steeper for pairs that belong together.

    In expectation at most 2.06 times the relaxation on complete input without constraints.
    """
    steep = np.clip((x - _LOW) / (_HIGH - _LOW), 0.0, 1.0) ** 2
    return round_by_pivots(np.where(scores > 0, steep, x), walls, order, rng)


def grow_regions(
    x: np.ndarray, scores: np.ndarray, order: np.ndarray, c: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Balls in the metric x, each grown until its cut is small for its volume; and the radius of each ball.

    With L = c ln(n + 1) and c > 2, a ball around u with radius r grows until cut ≤ L · vol. Between two distances from
    u the cut is constant and the volume grows with r, so the test is made at the end of each such interval, or at 1/c
    if that is nearer: there it succeeds at the latest. (The printed rule tests only at the distances, may jump past
    1/c, and then has no guarantee.) Cut and volume are those of the remaining graph. The cost is at most
    max(2 c ln(n + 1), c / (c - 2)) times the relaxation; the default c makes this 4 ln(n + 1) + 1.
    """
    n = len(x)
    log = np.log(n + 1)
    c = 2 + 1 / (2 * log) if c is None else c
    plus = np.maximum(scores, 0.0)  # minus infinity, a wall, is not in it
    start = float((plus * x).sum()) / 2 / n  # the volume of a ball of radius 0
    labels = np.full(n, -1)
    radii: list[float] = []
    for u in order:
        if labels[u] >= 0:
            continue
        left = np.flatnonzero(labels < 0)
        ball, radius = _grow(u, left[np.argsort(x[u, left], kind="stable")], x, plus, start, c, c * log)
        labels[ball] = len(radii)
        radii.append(radius)
    return labels, np.array(radii)


def _grow(
    u: int, left: np.ndarray, x: np.ndarray, plus: np.ndarray, start: float, c: float, ratio: float
) -> tuple[np.ndarray, float]:
    """One ball around u, of the nodes that are left, sorted by their distance from u."""
    distances = x[u, left]
    cut = inner = reach = 0.0  # vol(r) = start + inner + r · cut - reach
    size = 0
    while True:
        radius = distances[size]
        while size < len(left) and distances[size] <= radius:
            v, inside, outside = left[size], left[:size], left[size + 1 :]
            inner += float((plus[v, inside] * x[v, inside]).sum())
            cut += float(plus[v, outside].sum() - plus[v, inside].sum())
            reach += float(plus[v, outside].sum() * x[u, v] - (plus[v, inside] * x[u, inside]).sum())
            size += 1
        end = min(distances[size] if size < len(left) else np.inf, 1 / c)
        if cut <= ratio * (start + inner + end * cut - reach) + 1e-12 or end >= 1 / c:
            return left[:size], float(distances[size - 1])


def _by_pivots(
    x: np.ndarray, walls: np.ndarray, order: np.ndarray, joiners: Callable[[int, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Clusters around the nodes of an order; those that must not be together are added nearest first."""
    labels = np.full(len(x), -1)
    n_clusters = 0
    for u in order:
        if labels[u] >= 0:
            continue
        labels[u] = n_clusters
        left = np.flatnonzero(labels < 0)
        joining = joiners(u, left)
        if not walls[np.ix_(joining, joining)].any() and not walls[u, joining].any():
            labels[joining] = n_clusters
        else:
            members = [u]
            for v in joining[np.argsort(x[u, joining], kind="stable")]:
                if not walls[v, members].any():
                    members.append(v)
            labels[members] = n_clusters
        n_clusters += 1
    return labels

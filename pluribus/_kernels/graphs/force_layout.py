"""Springs and repulsion between points of a plane (a spring embedder).

Two points repel each other with the force G / D² at distance D. A spring of stiffness c between two points pulls or
pushes with the force c |D - l| towards its length l. A center holds springs to its members; it does not move, and it
repels nothing.

Points follow their force without inertia. A cap on how far they move falls from step to step, so the layout settles.
Points at one place have no direction to repel each other in: theirs follows from their numbers.
"""

import numpy as np
from numba import njit

_NEAREST = 1.0  # squared distance below which repulsion grows no more
_TURN = 2.399963229728653  # the golden angle: numbers that follow each other point in different directions
_FIRST_MOVE, _LAST_MOVE = 20.0, 0.5  # how far a point moves at most, in the first and in the last step


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nnan", "nsz"})
def _repulsion(x, y, i):
    """The sum of (V_i - V_j) / D³ over all j, and how many points are at the place of i, itself included."""
    along, across, here = 0.0, 0.0, 0.0
    for j in range(len(x)):
        dx, dy = x[i] - x[j], y[i] - y[j]
        squared = dx * dx + dy * dy
        here += 1.0 if squared == 0.0 else 0.0
        squared = squared if squared > _NEAREST else _NEAREST
        share = 1.0 / (squared * np.sqrt(squared))
        along += dx * share
        across += dy * share
    return along, across, here


@njit(cache=True, nogil=True)
def _apart(x, y, i):
    """The repulsion of points that are at the place of i, as if they were at distance 1."""
    along, across = 0.0, 0.0
    for j in range(len(x)):
        if j != i and x[j] == x[i] and y[j] == y[i]:
            angle = _TURN * (min(i, j) + 1) * (max(i, j) + 2)
            sign = 1.0 if i < j else -1.0
            along += sign * np.cos(angle)
            across += sign * np.sin(angle)
    return along, across


@njit(cache=True, nogil=True)
def forces(x, y, first, second, stiffness, center_of, center_x, center_y, center_stiffness, length, repulsion):
    """The force on each point, along x and y. ``center_of`` is -1 for points that belong to no center."""
    n = len(x)
    along, across = np.zeros(n), np.zeros(n)
    for i in range(n):
        dx, dy, here = _repulsion(x, y, i)
        if here > 1.5:
            more_x, more_y = _apart(x, y, i)
            dx, dy = dx + more_x, dy + more_y
        along[i], across[i] = repulsion * dx, repulsion * dy
    for e in range(len(first)):
        i, j = first[e], second[e]
        dx, dy = _spring(x[j] - x[i], y[j] - y[i], stiffness, length)
        along[i] += dx
        across[i] += dy
        along[j] -= dx
        across[j] -= dy
    for i in range(n):
        if center_of[i] >= 0:
            c = center_of[i]
            dx, dy = _spring(center_x[c] - x[i], center_y[c] - y[i], center_stiffness, length)
            along[i] += dx
            across[i] += dy
    return along, across


@njit(cache=True, nogil=True)
def _spring(dx, dy, stiffness, length):
    """The force of a spring on the point that (dx, dy) leads away from; none if both ends are at one place."""
    distance = np.sqrt(dx * dx + dy * dy)
    if distance == 0.0:
        return 0.0, 0.0
    share = stiffness * (distance - length) / distance
    return dx * share, dy * share


@njit(cache=True, nogil=True)
def settle(
    x, y, fixed, first, second, stiffness, center_of, center_x, center_y, center_stiffness, length, repulsion,
    gravity, width, height, step, max_iter, tolerance,
):  # fmt: skip
    """Move the points that are not fixed until none moves further than the tolerance; returns the number of steps.

    Changes x and y, which stay within the width and the height. Gravity pulls towards the middle.
    """
    for it in range(max_iter):
        most = _FIRST_MOVE * (1 - it / max_iter) + _LAST_MOVE
        along, across = forces(
            x, y, first, second, stiffness, center_of, center_x, center_y, center_stiffness, length, repulsion
        )
        furthest = 0.0
        for i in range(len(x)):
            if fixed[i]:
                continue
            dx = step * (along[i] + gravity * (width / 2 - x[i]))
            dy = step * (across[i] + gravity * (height / 2 - y[i]))
            distance = np.sqrt(dx * dx + dy * dy)
            if distance > most:
                dx, dy = dx * most / distance, dy * most / distance
            to_x, to_y = min(max(x[i] + dx, 0.0), width), min(max(y[i] + dy, 0.0), height)
            furthest = max(furthest, np.sqrt((to_x - x[i]) ** 2 + (to_y - y[i]) ** 2))
            x[i], y[i] = to_x, to_y
        if furthest < tolerance:
            return it + 1
    return max_iter

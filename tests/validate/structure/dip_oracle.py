"""The dip by its definition: the best fit of a distribution with one mode, a linear program for each mode."""

import numpy as np
from scipy.optimize import linprog


def slow_dip(x):
    """The least greatest distance to a distribution function that is convex before its mode and concave after."""
    values, counts = np.unique(x, return_counts=True)
    above = np.cumsum(counts) / len(x)
    below = above - counts / len(x)
    return min(_with_mode(values, below, above, mode) for mode in range(len(values)))


def _with_mode(values, below, above, mode):
    """Unknowns: the function at values up to the mode (there from the left), from the mode on, and the distance."""
    m = len(values)
    n_unknown = m + 2
    rows, bounds = [], []

    def at_most(terms, bound):
        row = np.zeros(n_unknown)
        for place, factor in terms:
            row[place] += factor
        rows.append(row)
        bounds.append(bound)

    left, right, distance = (lambda i: i), (lambda i: i + 1), m + 1
    for i in range(m):
        near = [(left(i), below[i])] if i == mode else []
        near += [(right(i), above[i])] if i == mode else []
        near += [((left if i < mode else right)(i), level) for level in (below[i], above[i])] if i != mode else []
        for place, level in near:
            at_most([(place, 1), (distance, -1)], level)
            at_most([(place, -1), (distance, -1)], -level)
    at_most([(left(mode), 1), (right(mode), -1)], 0)
    for i in range(m - 1):
        side = left if i < mode else right
        at_most([(side(i), 1), (side(i + 1), -1)], 0)
    for i in range(1, m - 1):
        if i != mode:
            side, sign = (left, 1) if i < mode else (right, -1)
            a, b = values[i] - values[i - 1], values[i + 1] - values[i]
            at_most([(side(i), sign * (1 / a + 1 / b)), (side(i - 1), -sign / a), (side(i + 1), -sign / b)], 0)
    cost = np.zeros(n_unknown)
    cost[distance] = 1
    return linprog(cost, A_ub=np.array(rows), b_ub=np.array(bounds), bounds=[(0, 1)] * (m + 1) + [(0, None)]).fun

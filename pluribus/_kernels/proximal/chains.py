"""Labels of chains and of pairs: the best ones, and expectations over all.

``unary`` (L, C) is the score of each label at each position, ``steps`` (C, C) that of each label after another.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def best_path(unary, steps, path):
    """The labels of the highest total score, into `path` (Viterbi); the score. Ties go to the lower label."""
    length, n_labels = unary.shape
    behind = np.empty((length, n_labels), np.int64)
    score = unary[0].copy()
    following = np.empty(n_labels)
    for p in range(1, length):
        for c in range(n_labels):
            best, most = 0, -np.inf
            for b in range(n_labels):
                value = score[b] + steps[b, c]
                if value > most:
                    best, most = b, value
            behind[p, c] = best
            following[c] = most + unary[p, c]
        score[:] = following
    path[length - 1] = np.argmax(score)
    for p in range(length - 1, 0, -1):
        path[p - 1] = behind[p, path[p]]
    return score[path[length - 1]]


@njit(cache=True, nogil=True)
def path_score(unary, steps, path):
    """The total score of given labels."""
    total = unary[0, path[0]]
    for p in range(1, path.shape[0]):
        total += unary[p, path[p]] + steps[path[p - 1], path[p]]
    return total


@njit(cache=True, nogil=True)
def log_sum(values):
    """log Σ exp(values)."""
    most = values.max()
    if most == -np.inf:
        return most
    total = 0.0
    for value in values:
        total += np.exp(value - most)
    return most + np.log(total)


@njit(cache=True, nogil=True)
def path_marginals(unary, steps, marginals, step_counts):
    """The probability of each label at each position, and the expected count of each step; returns log Σ exp(score)."""
    length, n_labels = unary.shape
    forward, backward = np.empty_like(unary), np.zeros_like(unary)
    forward[0] = unary[0]
    for p in range(1, length):
        for c in range(n_labels):
            forward[p, c] = unary[p, c] + log_sum(forward[p - 1] + steps[:, c])
    for p in range(length - 2, -1, -1):
        for c in range(n_labels):
            backward[p, c] = log_sum(steps[c] + unary[p + 1] + backward[p + 1])
    total = log_sum(forward[length - 1])
    marginals[:] = np.exp(forward + backward - total)
    step_counts[:] = 0
    for p in range(1, length):
        for b in range(n_labels):
            for c in range(n_labels):
                step_counts[b, c] += np.exp(forward[p - 1, b] + steps[b, c] + unary[p, c] + backward[p, c] - total)
    return total


@njit(cache=True, nogil=True)
def pair_hinge(unary, together, difference):
    """The hinge loss of a pair that belongs together (or apart), its subgradient in `difference` (2, C).

    max over labels of both, with 1 more if they are wrong together, minus the max over labels that are right.
    """
    n_labels = unary.shape[1]
    right, wrong = -np.inf, -np.inf
    right_one, right_other, wrong_one, wrong_other = 0, 0, 0, 0
    for a in range(n_labels):
        for b in range(n_labels):
            score = unary[0, a] + unary[1, b]
            if (a == b) == together:
                if score > right:
                    right, right_one, right_other = score, a, b
            elif score > wrong:
                wrong, wrong_one, wrong_other = score, a, b
    difference[:] = 0
    loss = wrong + 1 - right
    if loss <= 0:
        return 0.0
    difference[0, wrong_one] += 1
    difference[1, wrong_other] += 1
    difference[0, right_one] -= 1
    difference[1, right_other] -= 1
    return loss


@njit(cache=True, nogil=True)
def pair_log(unary, together, difference):
    """The log loss of a pair that belongs together (or apart), -log P(right), its gradient in `difference` (2, C).

    Labels of the two are independent given their scores.
    """
    n_labels = unary.shape[1]
    one, other = np.exp(unary[0] - log_sum(unary[0])), np.exp(unary[1] - log_sum(unary[1]))
    both = one * other
    right = both.sum() if together else 1 - both.sum()
    right = max(right, 1e-300)
    for c in range(n_labels):
        given_one = both[c] if together else one[c] - both[c]
        given_other = both[c] if together else other[c] - both[c]
        difference[0, c] = one[c] - given_one / right
        difference[1, c] = other[c] - given_other / right
    return -np.log(right)

"""One pass of block-coordinate Frank-Wolfe over the dual of the hinge loss, for a sum of kernels with given weights.

With weights β the model is θ_m = β_m ψ_m, and all ψ_m = Σ_i Σ_c A[i, c] φ_m(x_i, c) share one set of dual coefficients.
So new weights of kernels need no new scores: the scores of object i are Σ_m β_m (S_m x_i). A step takes one example,
finds the labels that violate its margin most, and moves the example's share of θ towards them as far as is best: there
is no step size. Since adding rows to S is what costs, an example moves several times, on the kernel values among its
own objects, before its sum of moves is added. See `online_steps` for the blocks and S.
"""

import numpy as np
from numba import njit

from pluribus._kernels.proximal.chains import best_path
from pluribus._kernels.proximal.online_steps import add_row, add_scores, similarity

_MOVES = 30  # of an example, at most; with 10, twice as many passes are needed on digits
_ENOUGH = 0.001  # of its first gap: it moves no further


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _inner(one, other):
    """Σ one · other of two matrices."""
    total = 0.0
    for i in range(one.shape[0]):
        for j in range(one.shape[1]):
            total += one[i, j] * other[i, j]
    return total


@njit(cache=True, nogil=True, fastmath={"contract"})
def _add(target, factor, other):
    """target ← target + factor · other, without a copy: the turns below are many and their matrices small."""
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            target[i, j] += factor * other[i, j]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _multiply(one, other, product):
    """product ← one @ other."""
    product[:] = 0
    for i in range(one.shape[0]):
        for k in range(one.shape[1]):
            for j in range(other.shape[1]):
                product[i, j] += one[i, k] * other[k, j]


@njit(cache=True, nogil=True)
def dual_pass(order, rows, pointers, truth, blocks, A, transitions, own, gains, beta, lam, n_examples, chained):
    """Steps for the examples of `order`, in place; the sum of the duality gaps of the examples before their steps.

    A : (n, C)
        Dual coefficients.
    transitions : (C, C), own : (examples, C, C)
        ψ_0 of the label steps, and the share of each example in it.
    gains : (examples,)
        The mean cost of the labels in each example's share.
    beta : (M + 1,)
        Weights of the kernels, last of the label steps.
    """
    S = blocks[7]
    n_blocks, n_labels = beta.shape[0] - 1, S.shape[0]
    share = 1 / (lam * n_examples)
    none, step_move = np.zeros((n_labels, n_labels)), np.empty((n_labels, n_labels))
    scores = np.empty(n_labels)
    total_gap = 0.0
    for e in order:
        objects = rows[pointers[e] : pointers[e + 1]]
        labels, length = truth[objects], objects.shape[0]
        with_steps = chained and length > 1
        unary, gram = np.zeros((length, n_labels)), np.zeros((length, length))
        for m in range(n_blocks):
            if beta[m] == 0:
                continue
            for p in range(length):
                scores[:] = 0
                add_scores(blocks, m, objects[p], scores)
                unary[p] += beta[m] * scores
                for r in range(p + 1):
                    gram[p, r] += beta[m] * similarity(blocks, m, objects[p], objects[r])
                    gram[r, p] = gram[p, r]
        steps = beta[n_blocks] * transitions if with_steps else none
        before, now = A[objects], A[objects]
        steps_now = own[e].copy() if with_steps else none
        costly, move, change = np.empty_like(unary), np.empty_like(unary), np.empty_like(unary)
        found = np.empty(length, np.int64)
        first_gap = 0.0
        for turn in range(_MOVES):
            # From the example's share towards the corner of the labels with the highest score and cost.
            costly[:] = unary + 1.0
            for p in range(length):
                costly[p, labels[p]] -= 1.0
            best_path(costly, steps, found)
            move[:] = -now
            if with_steps:
                step_move[:] = -steps_now
            cost = 0.0
            for p in range(length):
                move[p, labels[p]] += share
                move[p, found[p]] -= share
                cost += found[p] != labels[p]
                if with_steps and p:
                    step_move[labels[p - 1], labels[p]] += share
                    step_move[found[p - 1], found[p]] -= share
            slope = _inner(move, unary) + (_inner(step_move, steps) if with_steps else 0.0)
            gap = cost / n_examples - gains[e] - lam * slope
            if turn == 0:
                first_gap = gap
                total_gap += gap
            if gap <= _ENOUGH * first_gap or gap <= 0:
                break
            _multiply(gram, move, change)
            square = _inner(change, move)
            if with_steps:
                square += beta[n_blocks] * _inner(step_move, step_move)
            portion = min(gap / (lam * square), 1.0) if square > 0 else 1.0
            gains[e] += portion * (cost / n_examples - gains[e])
            _add(now, portion, move)
            _add(unary, portion, change)
            if with_steps:
                _add(steps_now, portion, step_move)
                _add(steps, beta[n_blocks] * portion, step_move)
        for p in range(length):
            for c in range(n_labels):
                amount = now[p, c] - before[p, c]
                if amount != 0:
                    A[objects[p], c] = now[p, c]
                    for m in range(n_blocks):
                        if beta[m] > 0:
                            add_row(blocks, m, objects[p], c, amount, S)
        if with_steps:
            transitions += steps_now - own[e]
            own[e] = steps_now
    return total_gap

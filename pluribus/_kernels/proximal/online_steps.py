"""One pass of online proximal learning over examples: multiclass, label chains, and pairs of objects.

A block is a matrix with a row for each object: kernel values with all objects, or features. Its weights θ_m are kept as
c_m · S̃_m: shrinking a block changes one number (lazy scaling). For features S is (classes × features), and the score
of object i is S x_i. For kernels S holds the scores of all objects themselves, column i those of object i, and the dual
coefficients are kept next to it. So both kinds are updated alike, by adding rows of the block, and a step that
makes no mistake costs nothing but reading scores.

The mean of the iterates needs no copy of them: Σ_t c_t S̃_t = s S̃ - B, where s sums the scales and B collects, for
each change of S̃, the sum of the scales before it.
"""

import numpy as np
from numba import njit

from pluribus._kernels.proximal.chains import best_path, pair_hinge, pair_log, path_marginals, path_score
from pluribus._kernels.proximal.shrinkage import SPARSE_GROUP, shrink

LABELED, TOGETHER, APART = range(3)  # kinds of examples
_LEAST_SCALE = 1e-4  # below, sums of iterates would lose digits
_NEGATIVE = -1e-6  # a squared norm below this, relative to its parts, is no rounding error


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _dot(one, other):
    total = 0.0
    for j in range(one.shape[0]):
        total += one[j] * other[j]
    return total


@njit(cache=True, nogil=True)
def add_scores(blocks, m, i, scores):
    """Add the unscaled scores S x_i of object i in block m to `scores` (C,)."""
    dense, data, indices, pointer, starts, n_dense, is_kernel, S = blocks
    start, stop = starts[m], starts[m + 1]
    if is_kernel[m]:
        for c in range(scores.shape[0]):
            scores[c] += S[c, start + i]
    elif m < n_dense:
        for c in range(scores.shape[0]):
            scores[c] += _dot(S[c, start:stop], dense[i, start:stop])
    else:
        for c in range(scores.shape[0]):
            for entry in range(pointer[i, m - n_dense], pointer[i, m - n_dense + 1]):
                scores[c] += S[c, start + indices[entry]] * data[entry]


@njit(cache=True, nogil=True)
def add_row(blocks, m, i, c, amount, target):
    """Add `amount` times row i of block m to its part of row c of `target` (C, W)."""
    dense, data, indices, pointer, starts, n_dense, _, _ = blocks
    start = starts[m]
    if m < n_dense:
        stop = starts[m + 1]
        row, into = dense[i, start:stop], target[c, start:stop]
        for j in range(row.shape[0]):
            into[j] += amount * row[j]
    else:
        for entry in range(pointer[i, m - n_dense], pointer[i, m - n_dense + 1]):
            target[c, start + indices[entry]] += amount * data[entry]


@njit(cache=True, nogil=True)
def similarity(blocks, m, i, j):
    """The kernel of block m between objects i and j."""
    dense, data, indices, pointer, starts, n_dense, is_kernel, _ = blocks
    start, stop = starts[m], starts[m + 1]
    if m < n_dense:
        return np.float64(dense[i, start + j]) if is_kernel[m] else _dot(dense[i, start:stop], dense[j, start:stop])
    place = m - n_dense
    low, high = pointer[i, place], pointer[i, place + 1]
    if is_kernel[m]:
        at = low + np.searchsorted(indices[low:high], j)
        return np.float64(data[at]) if at < high and indices[at] == j else 0.0
    total = 0.0
    at, end = pointer[j, place], pointer[j, place + 1]
    for entry in range(low, high):
        while at < end and indices[at] < indices[entry]:
            at += 1
        if at < end and indices[at] == indices[entry]:
            total += data[entry] * data[at]
    return total


@njit(cache=True, nogil=True)
def _gradient(kind, hinge, unary, steps, truth, excess, step_excess):
    """The loss of one example; expected minus true features of each position and step into the last two."""
    length = unary.shape[0]
    if kind != LABELED:
        step_excess[:] = 0
        if hinge:
            return pair_hinge(unary, kind == TOGETHER, excess)
        return pair_log(unary, kind == TOGETHER, excess)
    before = path_score(unary, steps, truth)
    if hinge:
        costly = unary + 1.0
        for p in range(length):
            costly[p, truth[p]] -= 1.0
        found = np.empty(length, np.int64)
        loss = best_path(costly, steps, found) - before
        excess[:] = 0
        step_excess[:] = 0
        if loss <= 0:
            return 0.0
        for p in range(length):
            excess[p, found[p]] += 1
            if p:
                step_excess[found[p - 1], found[p]] += 1
    else:
        loss = path_marginals(unary, steps, excess, step_excess) - before
    for p in range(length):
        excess[p, truth[p]] -= 1
        if p:
            step_excess[truth[p - 1], truth[p]] -= 1
    return loss


@njit(cache=True, nogil=True)
def _squares_after(blocks, objects, delta, scores, eta, squares, after):
    """‖v_m‖² = ‖θ_m‖² - 2η⟨θ_m, g_m⟩ + η²‖g_m‖² into `after`; the first block where it is clearly negative, or -1."""
    for m in range(scores.shape[0]):
        inner, square = 0.0, 0.0
        for p in range(objects.shape[0]):
            if not delta[p].any():
                continue
            inner += _dot(delta[p], scores[m, p])
            square += similarity(blocks, m, objects[p], objects[p]) * _dot(delta[p], delta[p])
            for r in range(p):
                both = _dot(delta[p], delta[r])
                if both != 0:
                    square += 2 * both * similarity(blocks, m, objects[p], objects[r])
        after[m] = squares[m] - 2 * eta * inner + eta * eta * square
        if after[m] < _NEGATIVE * (squares[m] + abs(2 * eta * inner) + eta * eta * abs(square)):
            return m
    return -1


@njit(cache=True, nogil=True)
def _move(blocks, A, sums, scale, m, objects, delta, eta):
    """θ_m ← θ_m - η g_m, without shrinkage."""
    total_scale, past, past_dual, _ = sums
    is_kernel, S = blocks[6], blocks[7]
    for p in range(objects.shape[0]):
        for c in range(delta.shape[1]):
            if delta[p, c] == 0:
                continue
            amount = -eta * delta[p, c] / scale[m]
            add_row(blocks, m, objects[p], c, amount, S)
            if is_kernel[m]:
                A[m, objects[p], c] += amount
            if past.shape[0]:
                add_row(blocks, m, objects[p], c, total_scale[m] * amount, past)
                if is_kernel[m]:
                    past_dual[m, objects[p], c] += total_scale[m] * amount


@njit(cache=True, nogil=True)
def _rescale(blocks, A, sums, scale, m, factor):
    """Write block m out, multiplied by `factor` (its scale, or 0), so that its scale is 1; its sum stays."""
    total_scale, past, past_dual, _ = sums
    starts, is_kernel, S = blocks[4], blocks[6], blocks[7]
    part = S[:, starts[m] : starts[m + 1]]
    if past.shape[0]:
        past[:, starts[m] : starts[m + 1]] -= total_scale[m] * part
        if is_kernel[m]:
            past_dual[m] -= total_scale[m] * A[m]
    part *= factor
    if is_kernel[m]:
        A[m] *= factor
    total_scale[m], scale[m] = 0, 1


@njit(cache=True, nogil=True)
def _shrink_entries(part, threshold):
    """Shrink every number towards 0; the norm of what is left."""
    total = 0.0
    for c in range(part.shape[0]):
        for j in range(part.shape[1]):
            part[c, j] = np.sign(part[c, j]) * max(abs(part[c, j]) - threshold, 0.0)
            total += part[c, j] * part[c, j]
    return np.sqrt(total)


@njit(cache=True, nogil=True)
def one_pass(
    order, rows, pointers, kinds, weights, truth, blocks, A, scale, squares, transitions, sums,
    t, eta0, lam, hinge, regularizer, q, mix, radius, chained, learned,
):  # fmt: skip
    """One proximal step (algorithm 1) for each example of `order`; the first block found indefinite, or -1.

    rows, pointers, kinds, weights
        Example e has the objects rows[pointers[e] : pointers[e + 1]]: a chain, a single object, or a pair.
    truth : (n,)
        The label of each object; -1 where none is known.
    blocks : (dense, data, indices, pointer, starts, n_dense, is_kernel, S)
        Row i of block m is dense[i, starts[m] : starts[m + 1]]. Sparse blocks follow the dense ones: entries
        pointer[i, m - n_dense] to the next, with columns that count within the block. S is (C, width of all blocks).
    A : (M, n, C)
        The dual coefficients of kernels, unscaled.
    scale, squares : (M + 1,)
        c_m and ‖θ_m‖² of each block, last of the transitions.
    transitions : (C, C)
        Weights of steps between labels, unscaled.
    sums : (total_scale, past, past_dual, past_transitions)
        For the mean of the iterates; all but the first of length 0 if nobody asks for it.
    t : int
        Steps before this pass. The step size is eta0 / √t.
    """
    is_kernel, starts, S = blocks[6], blocks[4], blocks[7]
    total_scale, past, _, past_transitions = sums
    last, n_labels = is_kernel.shape[0], S.shape[0]  # the transitions are the last block
    longest = 0
    for e in order:
        longest = max(longest, pointers[e + 1] - pointers[e])
    scores = np.empty((last, longest, n_labels))
    excess = np.empty((longest, n_labels))
    step_excess, none = np.zeros((n_labels, n_labels)), np.zeros((n_labels, n_labels))
    after = np.empty(last + 1)
    for e in order:
        t += 1
        eta = eta0 / np.sqrt(t)
        objects = rows[pointers[e] : pointers[e + 1]]
        length = objects.shape[0]
        unary, delta = np.zeros((length, n_labels)), excess[:length]
        for m in range(last):
            for p in range(length):
                scores[m, p] = 0
                if squares[m] > 0:
                    add_scores(blocks, m, objects[p], scores[m, p])
                    scores[m, p] *= scale[m]
                unary[p] += scores[m, p]
        with_steps = chained and kinds[e] == LABELED and length > 1
        steps = scale[last] * transitions if with_steps else none
        loss = _gradient(kinds[e], hinge, unary, steps, truth[objects], delta, step_excess)
        moves = loss > 0
        if moves:
            delta *= weights[e]
            indefinite = _squares_after(blocks, objects, delta, scores, eta, squares, after)
            if indefinite >= 0:
                return indefinite
        else:
            after[:last] = squares[:last]
        after[last] = squares[last]
        if moves and with_steps:
            step_excess *= weights[e]
            inner = (step_excess * steps).sum()
            after[last] += -2 * eta * inner + eta * eta * (step_excess * step_excess).sum()
        norms = np.sqrt(np.maximum(after, 0.0))
        if regularizer == SPARSE_GROUP:  # single numbers first, then blocks: this is the operator of the sum
            for m in range(last):
                if moves:
                    _move(blocks, A, sums, scale, m, objects, delta, eta)
                _rescale(blocks, A, sums, scale, m, scale[m])
                norms[m] = _shrink_entries(S[:, starts[m] : starts[m + 1]], eta * lam * (1 - mix))

        shrunk = norms.copy()
        if learned:
            shrunk[:] = shrink(regularizer, norms, eta * lam, q, mix)
        else:
            shrunk[:last] = shrink(regularizer, norms[:last], eta * lam, q, mix)
            shrunk[last] = norms[last] / (1 + eta * lam)  # ½‖θ_0‖²: a kernel of fixed weight 1
        length_of_all = np.sqrt((shrunk * shrunk).sum())
        if length_of_all > radius:
            shrunk *= radius / length_of_all

        for m in range(last):
            if shrunk[m] == 0:
                if squares[m] > 0 or norms[m] > 0:
                    _rescale(blocks, A, sums, scale, m, 0.0)
            else:
                if moves and regularizer != SPARSE_GROUP:
                    _move(blocks, A, sums, scale, m, objects, delta, eta)
                scale[m] *= shrunk[m] / norms[m]
                if scale[m] < _LEAST_SCALE:
                    _rescale(blocks, A, sums, scale, m, scale[m])
        if shrunk[last] > 0:
            if moves and with_steps:
                change = -eta / scale[last] * step_excess
                transitions += change
                if past.shape[0]:
                    past_transitions += total_scale[last] * change
            scale[last] *= shrunk[last] / norms[last]
        if norms[last] > 0 and (shrunk[last] == 0 or scale[last] < _LEAST_SCALE):
            if past.shape[0]:
                past_transitions -= total_scale[last] * transitions
            transitions *= scale[last] if shrunk[last] > 0 else 0.0
            total_scale[last], scale[last] = 0, 1
        squares[:] = shrunk * shrunk
        total_scale += scale
    return -1


@njit(cache=True, nogil=True)
def losses(examples, rows, pointers, kinds, truth, unary, steps, hinge, chained, out):
    """The loss of each example, given the scores (n, C) of all objects."""
    n_labels = unary.shape[1]
    step_excess, none = np.empty((n_labels, n_labels)), np.zeros((n_labels, n_labels))
    for e in examples:
        objects = rows[pointers[e] : pointers[e + 1]]
        excess = np.empty((objects.shape[0], n_labels))
        used = steps if chained and kinds[e] == LABELED else none
        out[e] = _gradient(kinds[e], hinge, unary[objects], used, truth[objects], excess, step_excess)


@njit(cache=True, nogil=True)
def best_paths(rows, pointers, unary, steps, out):
    """The best labels of each chain of objects, given the scores (n, C) of all objects."""
    for e in range(pointers.shape[0] - 1):
        objects = rows[pointers[e] : pointers[e + 1]]
        path = np.empty(objects.shape[0], np.int64)
        best_path(unary[objects], steps, path)
        out[objects] = path

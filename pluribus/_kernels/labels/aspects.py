"""Expectation steps of the dyadic aspect model: pairs of objects explained by aspects that both come from.

A pair (i, j) that occurred c times has probability s = Σ_a p_a B_ia B_ja, and aspect a is responsible for the share
p_a B_ia B_ja / s of it. Summed over j, aspect a is responsible for B_ia ``pulled``[i, a] occurrences of object i, where
pulled[i, a] = p_a Σ_j (c / s) B_ja. Pairs are ordered: (i, j) and (j, i) count both, and are visited once, from row i.
A pair that no aspect can explain (s = 0) makes the log-likelihood infinite or NaN, not an error.
"""

import numpy as np
from numba import njit

from pluribus._kernels.labels.co_association import partners_in_order


@njit(cache=True, nogil=True, inline="always")
def probability_of(prior, j, B):
    """s of a pair, from p_a B_ia of the row and its partner j."""
    total = 0.0
    for a in range(len(prior)):
        total += prior[a] * B[j, a]
    return total


@njit(cache=True, nogil=True, inline="always")
def explain_pair(prior, gain, j, count, B, pulled):
    """Add a pair to what its row gains and its partner j is pulled; returns the log-likelihood of both orders."""
    s = probability_of(prior, j, B)
    ratio = count / s
    for a in range(len(prior)):
        gain[a] += ratio * B[j, a]
        pulled[j, a] += ratio * prior[a]
    return 2 * count * np.log(s)


@njit(cache=True, nogil=True)
def explain_itself(prior, gain, i, count, B):
    """The same for the pair (i, i), which has one order."""
    s = probability_of(prior, i, B)
    for a in range(len(prior)):
        gain[a] += count / s * B[i, a]
    return count * np.log(s)


@njit(cache=True, nogil=True, error_model="numpy")
def explain_stored(indptr, indices, counts, p, B, start, stop):
    """Rows start … stop of an upper triangle in CSR form: ``pulled`` (n, k) and Σ c log s."""
    pulled, gain = np.zeros_like(B), np.empty_like(p)
    log_likelihood = 0.0
    for i in range(start, stop):
        prior = p * B[i]
        gain[:] = 0
        for t in range(indptr[i], indptr[i + 1]):
            if indices[t] != i:
                log_likelihood += explain_pair(prior, gain, indices[t], counts[t], B, pulled)
            else:
                log_likelihood += explain_itself(prior, gain, i, counts[t], B)
        pulled[i] += p * gain
    return pulled, log_likelihood


@njit(cache=True, nogil=True, error_model="numpy")
def explain_streamed(
    row_start, clusters, in_row, column_start, objects, in_column, cluster_weights, sizes, within, p, B, start, stop
):
    """Rows start … stop of the pairs that share a cluster, found again in each step and never stored.

    The incidence of objects and clusters is given by rows (``row_start``, ``clusters``, ``in_row``) and by columns
    (``column_start``, ``objects`` in ascending order, ``in_column``). A row stands for ``sizes`` equal objects, of
    which ``within`` ordered pairs count.
    """
    n = B.shape[0]
    following = np.empty(len(column_start) - 1, np.int64)  # of each cluster, where its objects from here on begin
    for c in range(len(following)):
        inside = objects[column_start[c] : column_start[c + 1]]
        following[c] = column_start[c] + np.searchsorted(inside, start)
    count, partners = np.zeros(n), np.empty(n, np.int32)
    pulled, gain = np.zeros_like(B), np.empty_like(p)
    log_likelihood = 0.0
    for i in range(start, stop):
        m, own = 0, 0.0
        for s in range(row_start[i], row_start[i + 1]):
            c = clusters[s]
            following[c] += 1
            weight = cluster_weights[c] * in_row[s]
            own += weight * in_row[s]
            if weight > 0:
                for t in range(following[c], column_start[c + 1]):
                    j = objects[t]
                    if count[j] == 0:
                        partners[m] = j
                        m += 1
                    count[j] += weight * in_column[t]
        partners_in_order(m, count, partners)  # so that memory is read from front to back
        prior = p * B[i]
        gain[:] = 0
        if own * within[i] > 0:
            log_likelihood += explain_itself(prior, gain, i, own * within[i], B)
        for s in range(m):
            j = partners[s]
            log_likelihood += explain_pair(prior, gain, j, count[j] * sizes[i] * sizes[j], B, pulled)
            count[j] = 0
        pulled[i] += p * gain
    return pulled, log_likelihood

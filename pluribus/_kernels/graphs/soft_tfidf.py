"""Soft TF-IDF: the cosine of two texts in which words may match approximately (Cohen, Ravikumar and Fienberg, 2003)."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def word_pairs(indptr, indices, pairs):
    """The codes of all pairs of different words in these pairs of texts: smaller * words + larger, with repeats."""
    n_words = np.int64(indices.max() + 1) if len(indices) else np.int64(1)
    count = 0
    for t in range(len(pairs)):
        a, b = pairs[t]
        count += (indptr[a + 1] - indptr[a]) * (indptr[b + 1] - indptr[b])
    codes = np.empty(count, np.int64)
    at = 0
    for t in range(len(pairs)):
        a, b = pairs[t]
        for p in range(indptr[a], indptr[a + 1]):
            for q in range(indptr[b], indptr[b + 1]):
                v, w = indices[p], indices[q]
                if v != w:
                    codes[at] = min(v, w) * n_words + max(v, w)
                    at += 1
    return codes[:at], n_words


@njit(cache=True, nogil=True)
def soft_tfidf(indptr, indices, data, pairs, codes, likeness, n_words, least):
    """The similarity of each pair: ``likeness`` of the pairs of words in ``codes``, which are sorted."""
    out = np.empty(len(pairs))
    for t in range(len(pairs)):
        a, b = pairs[t]
        there = _one_way(indptr, indices, data, a, b, codes, likeness, n_words, least)
        back = _one_way(indptr, indices, data, b, a, codes, likeness, n_words, least)
        out[t] = min(max(there, back), 1.0)
    return out


@njit(cache=True, nogil=True)
def _one_way(indptr, indices, data, a, b, codes, likeness, n_words, least):
    total = 0.0
    for p in range(indptr[a], indptr[a + 1]):
        best, weight = 0.0, 0.0
        for q in range(indptr[b], indptr[b + 1]):
            v, w = indices[p], indices[q]
            alike = 1.0 if v == w else likeness[np.searchsorted(codes, min(v, w) * n_words + max(v, w))]
            if alike > best or (alike == best and data[q] > weight):
                best, weight = alike, data[q]
        if best > least:
            total += data[p] * weight * best
    return total

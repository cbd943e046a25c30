"""Greedy merging of first clusters, from arrays of pairs of references."""

import numpy as np

from pluribus._engine import track
from pluribus._kernels.graphs import collective_merge as kernel
from pluribus.relational.entities._inputs import Candidates, Hypergraph, Known

LINKAGES = {"max": kernel.MAX, "mean": kernel.MEAN, "min": kernel.MIN}
OVERLAPS = {
    "jaccard": kernel.JACCARD,
    "jaccard_multiset": kernel.MULTISET,
    "adar": kernel.ADAR,
    "common": kernel.COMMON,
}
_STEP = 1000  # merges between two steps of the progress bar


def merge_all(
    first: np.ndarray,
    candidates: Candidates,
    links: Hypergraph,
    known: Known,
    *,
    alpha: float,
    linkage: str,
    overlap: str,
    distinct: bool,
    verbose: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge while candidates are left: of each merge its similarities (3), the ids (3), and its best candidate."""
    n = len(first)
    pairs, value, best, best_value = _between(first, candidates, linkage)
    neighbors, times = _summed(first[links.pairs], links.times, n)
    apart, _ = _summed(first[known.apart], None, n)
    size = np.bincount(first, minlength=n)
    state = kernel.start_merging(n, size, pairs, value, best, best_value, neighbors, times, apart)
    options = alpha, LINKAGES[linkage], OVERLAPS[overlap], distinct
    heap = kernel.first_entries(state, *options)
    most = np.count_nonzero(size)
    similarities, ids, found = np.empty((most, 3)), np.empty((most, 3), np.int64), np.empty(most, np.int64)
    for _ in track(range(0, most, _STEP), "merging", verbose=verbose):
        heap, more = kernel.merge_more(state, heap, _STEP, *options, similarities, ids, found)
        if not more:
            break
    done = state.done[0]
    return similarities[:done], ids[:done], found[:done]


def _between(first: np.ndarray, candidates: Candidates, linkage: str) -> tuple[np.ndarray, ...]:
    """Candidate pairs of clusters: the largest, total or smallest similarity, and the best pair with its own."""
    pairs = first[candidates.pairs]
    other = np.flatnonzero(pairs[:, 0] != pairs[:, 1])
    codes = _codes(pairs[other], len(first))
    order = other[np.lexsort((other, -candidates.similarity[other], codes))]
    codes = _codes(pairs[order], len(first))
    start = np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: len(codes)])
    similarity = candidates.similarity[order]
    if len(order) == 0:
        value = np.empty(0)
    elif linkage == "mean":
        value = np.add.reduceat(similarity, start)
    else:
        value = (np.maximum if linkage == "max" else np.minimum).reduceat(similarity, start)
    best = order[start]
    return _pairs(codes[start], len(first)), value, best, candidates.similarity[best]


def _summed(pairs: np.ndarray, times: np.ndarray | None, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of different clusters, each once, and the sum of their times."""
    other = pairs[:, 0] != pairs[:, 1]
    codes, where = np.unique(_codes(pairs[other], n), return_inverse=True)
    weights = None if times is None else times[other]
    return _pairs(codes, n), np.bincount(where, weights, minlength=len(codes)).astype(np.int64)


def _codes(pairs: np.ndarray, n: int) -> np.ndarray:
    return pairs.min(axis=1, initial=n) * n + pairs.max(axis=1, initial=0)


def _pairs(codes: np.ndarray, n: int) -> np.ndarray:
    return np.column_stack([codes // n, codes % n])

"""Matrices of evidence: filled from an ensemble in row blocks, or given and checked."""

from typing import Any, NamedTuple

import numpy as np
import sklearn
from scipy import sparse
from sklearn.utils import check_array

from pluribus._engine import over_blocks
from pluribus._kernels._co_association import (
    count_partners,
    dense_rows,
    evidence_rows,
    nearest_rows,
    pair_sums,
)
from pluribus._kernels._pair_counts import member_lists
from pluribus.partitions import Ensemble

BYTES_PER_ENTRY = 12  # of a sparse matrix: an int32 index and a float64 value
_N_PILOT = 256
_PAIRS_IN_BLOCK = 262_144


class Lists(NamedTuple):
    """What the kernels walk over: the labels, the members of each cluster, and what gives the denominators."""

    labels: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    everywhere: float
    covered: np.ndarray
    byte_weights: np.ndarray


def lists_of(ensemble: Ensemble) -> Lists:
    """Prepare an ensemble for the kernels, O(n r)."""
    weights = ensemble.weights
    if np.isin(weights, (0, weights.max())).all():
        weights = (weights > 0).astype(np.int32)  # equal weights: count in integers, which is twice as fast
    labels, offsets = ensemble.labels, ensemble.offsets
    # Summed in the kernels' order, so that c = 1 exactly for objects that are always together.
    everywhere = 0.0 if ensemble.has_missing else float(np.cumsum(weights)[-1])
    starts, members = member_lists(labels, offsets)
    covered, byte_weights = np.empty((0, 0), np.uint8), np.empty((0, 256))
    if ensemble.has_missing:
        covered = np.packbits(labels >= 0, axis=1)
        bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
        byte_weights = np.append(weights, np.zeros(-len(weights) % 8)).reshape(-1, 8) @ bits.T.astype(float)
    return Lists(labels, offsets, weights, starts, members, everywhere, covered, byte_weights)


def rows_per_block(n: int) -> int:
    """Each block needs O(n) scratch memory to start with, so there should not be too many."""
    return min(max(n // 64, 256), 16_384)


def predict_nnz(lists: Lists) -> int:
    """Positive entries of the whole matrix, from a sample of its rows; the same sample every time."""
    n = len(lists.labels)
    index = np.arange(n) if n <= _N_PILOT else np.random.default_rng(0).choice(n, _N_PILOT, replace=False)
    return round(float(np.maximum(count_partners(*lists[:5], index), 1).mean()) * n)


def dense_matrix(lists: Lists, index: np.ndarray, n_jobs: int | None, dtype: Any = np.float64) -> np.ndarray:
    """The rows ``index`` of the co-association."""
    n = len(lists.labels)
    out = np.empty((len(index), n), dtype)
    over_blocks(
        lambda start, stop: dense_rows(*lists, index[start:stop], out[start:stop]),
        len(index),
        n_jobs=n_jobs,
        block=rows_per_block(len(index)),
    )
    return out


def sparse_matrix(lists: Lists, min_count: float, n_jobs: int | None) -> sparse.csr_array:
    """All positive entries; those together by less than ``min_count`` are left out."""
    n = len(lists.labels)
    block = rows_per_block(n)
    capacity = int(1.1 * predict_nnz(lists) / n * min(block, n)) + n
    blocks = over_blocks(
        lambda start, stop: evidence_rows(*lists, min_count, capacity, start, stop), n, n_jobs=n_jobs, block=block
    )
    lengths = np.concatenate([np.diff(indptr) for indptr, _, _ in blocks])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    filled = 0
    for b in range(len(blocks)):
        _, some_indices, some_values = blocks[b]
        blocks[b] = None  # freed as soon as it is copied: the peak is one matrix, not two
        indices[filled : filled + len(some_indices)] = some_indices
        values[filled : filled + len(some_indices)] = some_values
        filled += len(some_indices)
    index = np.int32 if filled < 2**31 else np.int64  # scipy wants one type for both
    arrays = (values, indices.astype(index, copy=False), indptr.astype(index))
    return sparse.csr_array(arrays, shape=(n, n))


def neighbor_matrix(lists: Lists, nearest: np.ndarray, n_jobs: int | None) -> sparse.csr_array:
    """The evidence of each object and its nearest ones (n, p; -1 = none), made symmetric by union."""
    n, p = nearest.shape
    there = nearest.ravel() >= 0
    a, b = np.repeat(np.arange(n), p)[there], nearest.ravel()[there].astype(np.int64)
    pair = np.unique(np.minimum(a, b) * n + np.maximum(a, b))
    low, high = pair // n, pair % n
    together, both = sums_of_pairs(lists, low, high, n_jobs)
    value = np.divide(together, both, out=np.zeros(len(pair)), where=both > 0)
    positive = value > 0
    low, high, value = low[positive], high[positive], value[positive]
    itself = np.arange(n)
    rows, columns = np.concatenate([low, high, itself]), np.concatenate([high, low, itself])
    values = np.concatenate([value, value, np.ones(n)])
    out = sparse.coo_array((values, (rows, columns)), shape=(n, n)).tocsr()
    out.sort_indices()
    return out


def nearest_by_labels(lists: Lists, n_neighbors: int, n_jobs: int | None) -> np.ndarray:
    """The objects with the highest evidence for each object."""
    n = len(lists.labels)
    p = min(n_neighbors, n - 1)
    parts = over_blocks(
        lambda start, stop: nearest_rows(*lists, p, start, stop), n, n_jobs=n_jobs, block=rows_per_block(n)
    )
    return np.concatenate(parts)


def nearest_by_features(X: Any, n: int, n_neighbors: int, n_jobs: int | None) -> np.ndarray:
    """The nearest objects in the space of the features, by Euclidean distance."""
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="X")
    if X.shape[0] != n:
        raise ValueError(f"X has {X.shape[0]} rows, but the ensemble has {n} objects; they must be the same objects.")
    if n == 1:
        return np.empty((1, 0), np.int64)
    search = sklearn.neighbors.NearestNeighbors(n_neighbors=min(n_neighbors, n - 1), n_jobs=n_jobs).fit(X)
    return search.kneighbors(return_distance=False)


def sums_of_pairs(lists: Lists, i: np.ndarray, j: np.ndarray, n_jobs: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Weight together and weight both clustered, of the pairs (i, j)."""
    together, both = np.empty(len(i)), np.empty(len(i))
    over_blocks(
        lambda start, stop: pair_sums(lists.labels, lists.weights, i, j, start, stop, together, both),
        len(i),
        n_jobs=n_jobs,
        block=_PAIRS_IN_BLOCK,
    )
    return together, both


def drop_below(lists: Lists, held: sparse.csr_array, min_count: float, n_jobs: int | None) -> sparse.csr_array:
    """Only the entries together by ``min_count`` or more, and the diagonal."""
    entries = held.tocoo()
    row, column = entries.coords
    together, _ = sums_of_pairs(lists, row, column, n_jobs)
    keep = (together >= min_count) | (row == column)
    kept = sparse.coo_array((entries.data[keep], (row[keep], column[keep])), shape=held.shape).tocsr()
    kept.sort_indices()
    return kept


def check_matrix(C: Any) -> np.ndarray | sparse.csr_array:
    """A given matrix of evidence: square, symmetric, between 0 and 1."""
    C = check_array(C, accept_sparse="csr", dtype=np.float64, input_name="C")
    if sparse.issparse(C):
        C = sparse.csr_array(C)
        C.sum_duplicates()
    if C.shape[0] != C.shape[1]:
        raise ValueError(f"C must be a square matrix of evidence, one row for each object; got shape {C.shape}.")
    low, high = C.min(), C.max()
    if low < 0 or high > 1 + 1e-12:
        raise ValueError(
            f"C must lie between 0 (always apart) and 1 (always together); it goes from {low:g} to {high:g}. Divide "
            "counts by the number of partitions."
        )
    asymmetry = abs(C - C.T).max()
    if asymmetry > 1e-8:
        raise ValueError(
            f"C must be symmetric; C and its transpose differ by up to {asymmetry:g}. Average the two if that is meant."
        )
    return C

"""Matrices of evidence: computed from an ensemble in blocks of rows, or given and checked."""

from typing import Any

import numpy as np
import sklearn
from scipy import sparse
from sklearn.utils import check_array

from pluribus._engine import check_n_jobs, over_blocks
from pluribus._kernels.labels.co_association import count_partners, dense_rows, evidence_rows, pair_sums
from pluribus._kernels.labels.label_neighbors import fill_evidence, fill_union, union_degrees
from pluribus.evidence._label_lists import Lists, rows_per_block
from pluribus.partitions import Ensemble
from pluribus.tables._internal import check_scale

BYTES_PER_ENTRY = 12  # of a sparse matrix: an int32 index and a float64 value
_N_PILOT = 256
_PAIRS_IN_BLOCK = 262_144


def predict_nnz(lists: Lists) -> int:
    """The number of positive entries of the matrix, predicted from a fixed sample of its rows."""
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
    """All positive entries of pairs that are together at least ``min_count`` times."""
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
        blocks[b] = None  # freed after it is copied, so that the peak is one matrix, not two
        indices[filled : filled + len(some_indices)] = some_indices
        values[filled : filled + len(some_indices)] = some_values
        filled += len(some_indices)
    return _csr(values, indices, indptr, n)


def neighbor_matrix(lists: Lists, nearest: np.ndarray, n_jobs: int | None) -> sparse.csr_array:
    """The evidence of each object and its nearest objects (n, p; -1 = none), made symmetric by union."""
    n = len(nearest)
    nearest = nearest.astype(np.int32, copy=False)
    indptr = np.concatenate([[0], np.cumsum(union_degrees(nearest))])
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    fill_union(nearest, indptr, indices)
    over_blocks(
        lambda start, stop: fill_evidence(
            lists.labels, lists.weights, lists.everywhere, lists.is_count, indptr, indices, start, stop, values
        ),
        n,
        n_jobs=n_jobs,
    )
    out = _csr(values, indices, indptr, n)
    if not values.all():
        out.eliminate_zeros()
    return out


def _csr(values: np.ndarray, indices: np.ndarray, indptr: np.ndarray, n: int) -> sparse.csr_array:
    index = np.int32 if len(values) < 2**31 else np.int64  # scipy needs one type for both
    return sparse.csr_array((values, indices.astype(index, copy=False), indptr.astype(index)), shape=(n, n))


def nearest_by_features(X: Any, n: int, n_neighbors: int, n_jobs: int | None) -> np.ndarray:
    """The nearest objects in the space of the features, by Euclidean distance."""
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="X")
    if X.shape[0] != n:
        raise ValueError(f"X has {X.shape[0]} rows, but the ensemble has {n} objects: give one row for each.")
    if n == 1:
        return np.empty((1, 0), np.int64)
    check_scale(X)
    check_n_jobs(n_jobs)
    search = sklearn.neighbors.NearestNeighbors(n_neighbors=min(n_neighbors, n - 1), n_jobs=n_jobs).fit(X)
    return search.kneighbors(return_distance=False)


def sums_of_pairs(lists: Lists, i: np.ndarray, j: np.ndarray, n_jobs: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The weight together and the weight covered, of the pairs (i, j)."""
    together, both = np.empty(len(i)), np.empty(len(i))
    over_blocks(
        lambda start, stop: pair_sums(lists.labels, lists.weights, i, j, start, stop, together, both),
        len(i),
        n_jobs=n_jobs,
        block=_PAIRS_IN_BLOCK,
    )
    return together, both


def drop_below(lists: Lists, held: sparse.csr_array, min_count: float, n_jobs: int | None) -> sparse.csr_array:
    """The entries of pairs that are together at least ``min_count`` times, and the diagonal."""
    entries = held.tocoo()
    row, column = entries.coords
    together, _ = sums_of_pairs(lists, row, column, n_jobs)
    keep = (together >= min_count) | (row == column)
    kept = sparse.coo_array((entries.data[keep], (row[keep], column[keep])), shape=held.shape).tocsr()
    kept.sort_indices()
    return kept


def mark_unobserved(dense: np.ndarray, ensemble: Ensemble | None) -> np.ndarray:
    """The matrix with NaN for the pairs that no partition covers."""
    if dense.dtype.kind != "f":
        raise ValueError(f"missing='nan' needs floating-point numbers; got dtype {dense.dtype}.")
    if ensemble is None or not ensemble.has_missing:
        return dense
    covered = ((ensemble.labels >= 0) & (ensemble.weights > 0)).astype(np.float32)
    block = rows_per_block(len(dense))
    for start in range(0, len(dense), block):
        rows = dense[start : start + block]
        rows[covered[start : start + block] @ covered.T == 0] = np.nan
    np.fill_diagonal(dense, 1)
    return dense


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
            f"C must be between 0 (always apart) and 1 (always together), but is between {low:g} and {high:g}. Divide "
            "counts by the number of partitions."
        )
    asymmetry = abs(C - C.T).max()
    if asymmetry > 1e-8:
        raise ValueError(
            f"C must be symmetric, but C and its transpose differ by up to {asymmetry:g}. Average the two if that is "
            "what you want."
        )
    return C

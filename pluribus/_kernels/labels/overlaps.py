"""What the columns of a sparse matrix share."""

from numba import njit


@njit(cache=True, nogil=True)
def add_overlaps(indptr, indices, data, row_weights, start, stop, out):
    """Add Σ_i w_i a_ib a_ic over rows start … stop to ``out[b, c]`` for b <= c; column indices must be sorted."""
    for i in range(start, stop):
        for s in range(indptr[i], indptr[i + 1]):
            value = row_weights[i] * data[s]
            line = out[indices[s]]
            for t in range(s, indptr[i + 1]):
                line[indices[t]] += value * data[t]

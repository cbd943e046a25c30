"""Coding labels by first occurrence."""

from numba import njit


@njit(cache=True, nogil=True)
def code_columns(labels, first, codes, n_clusters):
    """Code some columns of `labels`, from the `first`, 0, 1, … by first occurrence, in place.

    Labels are integers from -1, which stays. `codes` (columns, largest label + 1), -1 at first, gets the code of each
    label, and `n_clusters` (columns,), 0 at first, their number.
    """
    for i in range(len(labels)):
        for p in range(len(codes)):
            label = labels[i, first + p]
            if label < 0:
                labels[i, first + p] = -1
                continue
            code = codes[p, label]
            if code < 0:
                code = n_clusters[p]
                codes[p, label] = code
                n_clusters[p] += 1
            labels[i, first + p] = code


@njit(cache=True, nogil=True)
def count_coded(labels, n_clusters):
    """Whether each column is coded 0, 1, … by first occurrence already; `n_clusters` (r,), 0 at first, counts."""
    n, r = labels.shape
    for i in range(n):
        for p in range(r):
            label = labels[i, p]
            if label > n_clusters[p]:
                return False
            if label == n_clusters[p]:
                n_clusters[p] += 1
    return True


@njit(cache=True, nogil=True)
def uncovered_rows(labels, most):
    """The first `most` rows that have only -1, and how many there are."""
    n, r = labels.shape
    n_uncovered = 0
    first: list[int] = []
    for i in range(n):
        covered = False
        for p in range(r):
            if labels[i, p] >= 0:
                covered = True
                break
        if not covered:
            n_uncovered += 1
            if len(first) < most:
                first.append(i)
    return n_uncovered, first

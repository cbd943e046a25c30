"""Links between rows and landmarks: the nearest landmarks of each row, and what landmarks share."""

from numba import njit

_RUN = 32  # columns whose least value is looked at first, several at a time


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def nearest_columns(values, nearest, least):
    """The columns with the least values of each row, the least first, in `nearest`; their values in `least`.

    Among equal values the first column counts. None is NaN.
    """
    n_rows, n_columns = values.shape
    last = nearest.shape[1] - 1
    for i in range(n_rows):
        for j in range(last + 1):
            _insert(nearest[i], least[i], values[i, j], j, j)
        for start in range(last + 1, n_columns, _RUN):
            row = values[i, start : start + _RUN]
            smallest = row[0]
            for j in range(1, len(row)):
                smallest = min(smallest, row[j])
            if smallest >= least[i, last]:
                continue
            for j in range(len(row)):
                if row[j] < least[i, last]:
                    _insert(nearest[i], least[i], row[j], start + j, last)


@njit(cache=True, nogil=True)
def _insert(nearest, least, value, column, place):
    """Put a value in its place among those before, the last of which goes."""
    while place > 0 and least[place - 1] > value:
        least[place] = least[place - 1]
        nearest[place] = nearest[place - 1]
        place -= 1
    least[place] = value
    nearest[place] = column


@njit(cache=True, nogil=True)
def distances_to(rows, points, nearest, squared):
    """The squared distances of each row to its nearest points, in `squared`: differences, so that none cancels."""
    for i in range(rows.shape[0]):
        for a in range(nearest.shape[1]):
            j = nearest[i, a]
            total = 0.0
            for t in range(rows.shape[1]):
                difference = rows[i, t] - points[j, t]
                total += difference * difference
            squared[i, a] = total


@njit(cache=True, nogil=True)
def add_shared_links(nearest, weights, shared):
    """Add to each pair of landmarks in `shared` the sum over rows of w_a w_b / (sum of w)."""
    for i in range(nearest.shape[0]):
        degree = 0.0
        for a in range(nearest.shape[1]):
            degree += weights[i, a]
        for a in range(nearest.shape[1]):
            share = weights[i, a] / degree
            for b in range(nearest.shape[1]):
                shared[nearest[i, a], nearest[i, b]] += share * weights[i, b]

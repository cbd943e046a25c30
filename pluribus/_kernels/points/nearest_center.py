"""The nearest of many centers, for each row: those in boxes that lie too far off are never looked at."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def nearest_in_boxes(rows, centers, low, high, numbers, whole, labels):
    """The number of the nearest center for each row, in `labels`; of equally near ones the lowest.

    `centers` (boxes, d, width) are grouped into boxes with the bounds `low` and `high` (d, boxes); `numbers` (boxes,
    width) says which center is where, and places that are left over hold infinity. The distance to a box is summed in
    the order of the distance to a center, term by term no larger, so it is a bound also as rounded: the result is that
    of comparing all centers, and depends on the row alone.

    `whole` is an empty array of the integer type as wide as the floats. Floats from 0 are in the order of their bits,
    and the least of many integers is found by vector instructions.
    """
    n, d = rows.shape
    n_boxes, _, width = centers.shape
    to_box = np.empty(n_boxes, centers.dtype)
    box_bits = to_box.view(whole.dtype)
    distance = np.empty(width, centers.dtype)
    bits = distance.view(whole.dtype)
    zero = centers.dtype.type(0)
    for i in range(n):
        to_box[:] = zero
        for j in range(d):
            x = rows[i, j]
            for b in range(n_boxes):
                gap = max(max(low[j, b] - x, x - high[j, b]), zero)
                to_box[b] += gap * gap
        nearest_box = np.argmin(to_box)
        best = -1
        least = box_bits[0]
        for step in range(-1, n_boxes):
            box = nearest_box if step < 0 else step
            if step >= 0 and (box == nearest_box or box_bits[box] > least):
                continue
            distance[:] = zero
            for j in range(d):
                x = rows[i, j]
                for h in range(width):
                    difference = x - centers[box, j, h]
                    distance[h] += difference * difference
            shortest = bits[0]
            for h in range(width):
                shortest = min(shortest, bits[h])
            if best < 0 or shortest <= least:
                h = 0
                while bits[h] != shortest:
                    h += 1
                if best < 0 or shortest < least or numbers[box, h] < best:
                    best = numbers[box, h]
                least = shortest
        labels[i] = best

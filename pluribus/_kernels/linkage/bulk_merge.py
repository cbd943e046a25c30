"""Many groups that join one, one after the other."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def means_in_turn(crowd, sums, columns, inside, size, seen, weights, column_weights, own, means):
    """The mean evidence of each group of a crowd and what the groups before it have become.

    Time is that of reading each group's summed one-hot row once or twice. ``own`` (q,) is scratch: zeros.
    """
    everything = weights.sum()
    whole_size, whole_seen = 0.0, np.zeros(seen.shape[1])
    for t in range(len(crowd)):
        b = crowd[t]
        row = range(sums.start[b], sums.start[b] + sums.length[b])
        if t > 0:
            together = 0.0
            for s in row:
                together += column_weights[columns[s]] * (own[columns[s]] * inside[s])
            pairs = everything * (whole_size * size[b])
            if len(seen) > 0:
                pairs = 0.0
                for p in range(len(weights)):
                    pairs += weights[p] * (whole_seen[p] * seen[b, p])
            means[t - 1] = together / pairs if together > 0 else 0.0
        for s in row:
            own[columns[s]] += inside[s]
        whole_size += size[b]
        if len(seen) > 0:
            whole_seen += seen[b]
    for b in crowd:
        for s in range(sums.start[b], sums.start[b] + sums.length[b]):
            own[columns[s]] = 0

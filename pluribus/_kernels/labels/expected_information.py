"""The mutual information of two partitions that is due to chance."""

from math import log

from numba import njit

_NEGLIGIBLE = 1e-20


@njit(cache=True, nogil=True)
def expected_information(sizes_a, times_a, sizes_b, times_b, n):
    """Expected mutual information of random partitions with these cluster sizes, each given once with its count.

    The overlap of two clusters is hypergeometric. Its probabilities are built from the likeliest overlap outward, each
    from the one before, until they no longer count, and divided by their sum: no factorial, no lost digit, and a cost
    of some standard deviations instead of the whole range.
    """
    total = 0.0
    for i in range(len(sizes_a)):
        a = sizes_a[i]
        for j in range(len(sizes_b)):
            b = sizes_b[j]
            low, high = max(0, a + b - n), min(a, b)
            mode = min(max(int((a + 1.0) * (b + 1.0) / (n + 2.0)), low), high)
            expected = n / (a * 1.0 * b)
            mass, information = 1.0, 0.0
            if mode > 0:
                information = mode / n * log(mode * expected)
            p, x = 1.0, mode
            while x < high and p > _NEGLIGIBLE:
                p *= (a - x) * 1.0 * (b - x) / ((x + 1.0) * (n - a - b + x + 1.0))
                x += 1
                mass += p
                information += p * x / n * log(x * expected)
            p, x = 1.0, mode
            while x > low and p > _NEGLIGIBLE:
                p *= x * 1.0 * (n - a - b + x) / ((a - x + 1.0) * (b - x + 1.0))
                x -= 1
                mass += p
                if x > 0:
                    information += p * x / n * log(x * expected)
            total += times_a[i] * times_b[j] * information / mass
    return total

from itertools import permutations

import numpy as np
import pytest

from pluribus._kernels.labels.label_neighbors import keep_strongest


def kept(offers, p):
    neighbors, evidence = np.full(p, -1, np.int32), np.zeros(p, np.float32)
    for j, value in offers:
        keep_strongest(neighbors, evidence, j, value)
    return neighbors.tolist()


@pytest.mark.parametrize("value", [0.96, 0.98, 1 / 3, 0.5, 1.0])
def test_of_equal_ones_those_with_the_lowest_numbers_are_kept(value):
    # 0.96 is rounded down to float32, 0.98 up.
    for numbers in permutations([5, 9, 7, 8, 1]):
        assert kept([(j, value) for j in numbers], 3) == [1, 5, 7]


def test_the_list_does_not_depend_on_the_order_of_the_offers():
    rng = np.random.default_rng(0)
    shares = rng.integers(1, 6, 40) / 50
    expected = np.lexsort((np.arange(40), -shares))[:10].tolist()
    for _ in range(30):
        assert kept([(j, shares[j]) for j in rng.permutation(40)], 10) == expected


def test_twice_the_same_and_nothing_in_common():
    assert kept([(3, 0.7), (3, 0.7), (4, 0.0), (2, 0.98), (3, 0.7)], 4) == [2, 3, -1, -1]

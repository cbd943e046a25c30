import numpy as np
import pytest

from pluribus.increments.hierarchy import _near_lists
from pluribus.increments.hierarchy._near_lists import near_lists


def examples():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 60))
        yield (
            rng.normal(size=(n, 2)),
            rng.integers(0, 4, (n, 2)).astype(float),
            np.zeros((n, 2)),
            rng.integers(0, 2, (n, 1)).astype(float),
        )[seed % 4]


@pytest.mark.parametrize("all_pairs", [0, 10**6])
@pytest.mark.parametrize("length", [2, 5, 16])
def test_lists_are_in_order_and_complete_up_to_their_reach(length, all_pairs, monkeypatch):
    monkeypatch.setattr(_near_lists, "_LENGTH", length)
    monkeypatch.setattr(_near_lists, "_ALL_PAIRS", all_pairs)
    for X in examples():
        n = len(X)
        lists = near_lists(X, given=False)
        for i in range(n):
            distance = np.sqrt(sum((X[i, f] - X[:, f]) ** 2 for f in range(X.shape[1])))
            order = sorted((distance[j], j) for j in range(n) if j != i)
            listed = int((lists.places[i] >= 0).sum())
            assert list(zip(lists.distances[i, :listed], lists.places[i, :listed], strict=True)) == order[:listed]
            for j in lists.places[i, :listed]:
                assert i in lists.listing[lists.listed_starts[j] : lists.listed_starts[j + 1]]
            if listed < len(order):
                d, j = order[listed]
                assert d > lists.reach[i] or (d == lists.reach[i] and j > lists.last[i])
            else:
                assert lists.reach[i] == np.inf or lists.reach[i] == order[-1][0]
        assert len(lists.listing) == (lists.places >= 0).sum()


def test_infinite_distances_are_not_listed():
    D = np.array([[0, 1, np.inf], [1, 0, 2], [np.inf, 2, 0]])
    lists = near_lists(D, given=True)
    assert lists.places.tolist() == [[1, -1], [0, 2], [1, -1]]
    assert np.isinf(lists.reach).all()

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.temporal._fitness import best_boundary, fitness_of

SEGMENT = np.repeat([0, 1], 5)


def slow_fitness(partitions, segment, alpha):
    h, n = partitions.shape
    pairs = [(i, j) for i in range(h) for j in range(i + 1, h)]

    def same(a, b):
        return (np.equal.outer(a, a) == np.equal.outer(b, b)).all()

    f1 = np.mean([same(partitions[i], partitions[j]) for i, j in pairs]) if pairs else 1.0
    terms = []
    for labels in partitions:
        counts = [{c: int((labels[segment == s] == c).sum()) for c in set(labels)} for s in range(segment.max() + 1)]
        top = [{c for c, size in count.items() if size == max(count.values())} for count in counts]
        chains = [[]]
        for choices in top:
            chains = [[*chain, c] for chain in chains for c in choices if not chain or chain[-1] != c]
        terms.append(sum(max(count.values()) for count in counts) / n if chains else 0.0)
    return alpha * f1 + (1 - alpha) * np.mean(terms), f1, np.mean(terms)


def test_the_hand_example():
    partitions = np.array([[0] * 5 + [1] * 5, [1] * 5 + [0] * 5, [0] * 4 + [1] * 6])
    found = fitness_of(partitions, SEGMENT, 0.1)
    assert found.agreement == pytest.approx(1 / 3)
    assert found.purity == pytest.approx(0.9666667)
    assert found.total == pytest.approx(0.9033333)


def test_nine_outliers():
    labels = np.array([1] * 20 + [0] * 9 + [2] * 21)
    assert fitness_of(labels[None], np.repeat([0, 1], [29, 21]), 0.1).purity == pytest.approx((50 - 9) / 50)


def test_one_cluster_counts_nothing():
    assert fitness_of(np.zeros((1, 10), dtype=int), SEGMENT, 0.1).purity == 0


@given(st.integers(1, 4), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_it_is_the_slow_one_and_relabeling_changes_nothing(h, n_segments, seed):
    rng = np.random.default_rng(seed)
    segment = np.sort(np.concatenate([np.arange(n_segments), rng.integers(0, n_segments, 12)]))
    partitions = rng.integers(0, 3, (h, len(segment)))
    found = fitness_of(partitions, segment, 0.3)
    np.testing.assert_allclose(found, slow_fitness(partitions, segment, 0.3))
    assert all(-1e-12 <= value <= 1 + 1e-12 for value in found)
    renamed = np.array([rng.permutation(3)[labels] for labels in partitions])
    np.testing.assert_allclose(fitness_of(renamed, segment, 0.3), found)


@given(st.integers(6, 20), st.integers(0, 2**32 - 1))
def test_the_best_boundary_is_the_best_of_all(n, seed):
    rng = np.random.default_rng(seed)
    partitions = rng.integers(0, 3, (3, n))
    boundary, found = best_boundary(partitions, 0.1, 3)
    every = [fitness_of(partitions, (np.arange(n) >= b).astype(int), 0.1).total for b in range(3, n - 2)]
    assert found.total == pytest.approx(max(every))
    assert every[boundary - 3] == pytest.approx(max(every))

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pluribus.constrained.coclusters._co_clusters import block_counts, mutual_information, symmetric_tau


def directed_tau(counts):
    """How much better columns are told with rows than without, in errors of guesses in proportion."""
    p = np.asarray(counts, float) / np.sum(counts)
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    return (p**2 / rows[:, None]).sum() - (columns**2).sum(), 1 - (columns**2).sum()


def test_the_blocks_of_the_source():
    counts = [[8, 0], [1, 7]]
    assert symmetric_tau(counts) == pytest.approx(7 / 9)
    assert mutual_information(counts) == pytest.approx(0.496929, abs=1e-6)
    assert mutual_information(counts) / np.log(2) == pytest.approx(0.716917, abs=1e-6)


def test_known_values():
    assert symmetric_tau(np.diag([3, 1, 2])) == pytest.approx(1)
    assert symmetric_tau(np.outer([1, 2, 3], [4, 5])) == pytest.approx(0)
    assert symmetric_tau([[0.4, 0.1], [0.1, 0.4]]) == pytest.approx(0.36)
    assert mutual_information([[0.4, 0.1], [0.1, 0.4]]) / np.log(2) == pytest.approx(0.278072, abs=1e-6)


def test_nothing_to_tell():
    assert symmetric_tau([[5]]) == 0
    assert symmetric_tau(np.zeros((2, 2))) == 0
    assert symmetric_tau([[5, 0], [0, 0]]) == 0
    assert mutual_information(np.zeros((2, 2))) == 0


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_as_the_two_directed_measures(seed):
    counts = np.random.default_rng(seed).integers(0, 9, (3, 4)) + np.eye(3, 4)
    (one, left), (other, right) = directed_tau(counts), directed_tau(counts.T)
    assert symmetric_tau(counts) == pytest.approx((one + other) / (left + right))
    assert symmetric_tau(np.pad(counts, 1)) == pytest.approx(symmetric_tau(counts))
    p = counts / counts.sum()
    expected = np.outer(p.sum(axis=1), p.sum(axis=0))
    known = (p[p > 0] * np.log(p[p > 0] / expected[p > 0])).sum()
    assert mutual_information(sparse.csr_array(counts)) == pytest.approx(known)


def test_blocks_leave_out_what_is_in_no_cluster():
    X, rows, columns = np.arange(12).reshape(3, 4), np.array([0, -1, 1]), np.array([1, 0, -1, 1])
    assert block_counts(X, rows, columns).tolist() == [[1, 3], [9, 19]]

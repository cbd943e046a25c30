"""Lifted distances between partitions of different data, and the plan behind LiftEMD."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from pluribus.compare import lift_emd_distance, lift_hausdorff_distance, lift_kernel_distance

DISTANCES = [lift_emd_distance, lift_kernel_distance, lift_hausdorff_distance]


def two_sets(seed=0):
    random = np.random.default_rng(seed)
    X, X2 = random.normal(size=(12, 2)), random.normal(size=(9, 2))
    return random.integers(0, 3, 12), random.integers(0, 2, 9), X, X2


@pytest.mark.parametrize("distance", DISTANCES)
def test_two_sets_are_stacked_rows(distance):
    a, b, X, X2 = two_sets()
    expected = distance(np.r_[a, [-1] * 9], np.r_[[-1] * 12, b], np.vstack([X, X2]))
    assert distance(a, b, X, X2=X2) == pytest.approx(expected)
    assert distance(a, b, sparse.csr_array(X), X2=X2) == pytest.approx(expected)
    assert distance(a, np.eye(2)[b], X, X2=X2) == pytest.approx(expected)
    assert distance(a, a, X, X2=X) == pytest.approx(0, abs=1e-7)


def test_a_kernel_of_ones_own():
    words, others = np.array(["ant", "ante", "bee"]), np.array(["bees", "at"])

    def letters(xs, ys):
        return [[len(set(x) & set(y)) / len(set(x) | set(y)) for y in ys] for x in xs]

    apart = lift_emd_distance([0, 0, 1], [0, 1], words, X2=others, kernel=letters)
    stacked = lift_emd_distance([0, 0, 1, -1, -1], [-1, -1, -1, 0, 1], np.r_[words, others], kernel=letters)
    assert apart == pytest.approx(stacked)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_the_plan_is_optimal(seed):
    a, b, X, X2 = two_sets(seed)
    distance, error, plan = lift_emd_distance(a, b, X, X2=X2, return_error=True, return_plan=True)
    assert error == 0
    assert (plan.flow * plan.ground).sum() == pytest.approx(distance)
    assert plan.flow.sum(axis=1) == pytest.approx([np.mean(a == label) for label in plan.clusters_a])
    assert plan.flow.sum(axis=0) == pytest.approx([np.mean(b == label) for label in plan.clusters_b])
    k, q = plan.ground.shape
    sums = np.vstack([np.kron(np.eye(k), np.ones(q)), np.kron(np.ones(k), np.eye(q))])
    shares = np.concatenate([plan.flow.sum(axis=1), plan.flow.sum(axis=0)])
    assert linprog(plan.ground.ravel(), A_eq=sums, b_eq=shares).fun == pytest.approx(distance, abs=1e-9)


def test_clusters_of_the_plan():
    X = [[0.0], [1], [8], [9]]
    _, plan = lift_emd_distance(["u", "u", "v", None], np.eye(3)[[2, 2, 0, 0]], X, return_plan=True)
    assert plan.clusters_a.tolist() == ["u", "v"]
    assert plan.clusters_b.tolist() == [2, 0]  # nobody is in column 1
    soft = np.array([[0.1, 0, 0.9], [0, 0, 1], [1, 0, 0], [0.8, 0, 0.2]])
    graded = lift_emd_distance(["u", "u", "v", "v"], soft, X, return_plan=True)[1]
    assert graded.clusters_b.tolist() == [0, 2]
    assert graded.flow.sum(axis=0) == pytest.approx(soft.mean(axis=0)[[0, 2]])
    assert plan.flow.shape == plan.ground.shape == (2, 2)
    one = lift_emd_distance([0] * 4, [0, 0, 1, 1], X, return_plan=True)[1]
    assert one.flow.tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (dict(kernel="precomputed"), "no features to compare two sets by"),
        (dict(kernel="discrete"), "no features to compare two sets by"),
        (dict(X=None), "give those of a as X"),
        (dict(X2=np.zeros((8, 2))), "X2 has 8 rows, but b labels 9"),
        (dict(X=np.zeros((11, 2))), "X has 11 rows, but a labels 12"),
        (dict(X2=np.zeros((9, 3))), "give the same features"),
        (dict(X2=np.zeros(9)), "give the same features"),
        (dict(X2=np.full((9, 2), np.nan)), "NaN"),
    ],
)
def test_sets_that_do_not_fit(changed, message):
    a, b, X, X2 = two_sets()
    with pytest.raises(ValueError, match=message):
        lift_emd_distance(a, b, **{"X": X, "X2": X2, **changed})

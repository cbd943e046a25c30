"""Pairwise mean field: the cost identity, the increments of the cost, hard and soft pairs, bad dissimilarities."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from pluribus import Constraints
from pluribus._kernels.assignment.pairwise_mean_field import sweep_memberships
from pluribus.constrained import PairwiseMeanField
from pluribus.constrained.mixtures.pairwise_mean_field import _cost, _couplings

IRIS, SPECIES = load_iris(return_X_y=True)


def model(k, **how):
    return PairwiseMeanField(k, **{"random_state": 0, "verbose": False, "n_init": 2, **how})


@parametrize_with_checks([PairwiseMeanField(2, n_init=1, max_iter=10, verbose=False)])
def test_scikit_learn(estimator, check):
    check(estimator)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_the_cost_is_the_inertia(seed):
    random = np.random.default_rng(seed)
    X, labels = random.normal(size=(12, 3)), random.integers(0, 3, 12)
    D = cdist(X, X, "sqeuclidean")
    inertia = sum(((X[labels == h] - X[labels == h].mean(axis=0)) ** 2).sum() for h in np.unique(labels))
    assert _cost(D, labels) == pytest.approx(inertia)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000))
def test_a_step_is_the_rise_of_the_cost(seed):
    """For hard neighbors, the membership of an object is the softmax of what each cluster would cost with it."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(9, 2))
    D, labels = cdist(X, X, "sqeuclidean"), random.integers(0, 3, 9)
    labels[:3] = [0, 1, 2]
    links = sparse.csr_array(([0.7, 0.7], ([8, 4], [4, 8])), shape=(9, 9))
    q = np.eye(3)[labels]
    Dq = D @ q
    state = q, Dq, q.sum(axis=0), np.einsum("ij,ij->j", q, Dq)
    before = q.copy()
    sweep_memberships(D, links.indptr, links.indices, links.data, 1.3, np.array([8]), *state)
    rises = []
    for h in range(3):
        rest, joined = labels[:8], np.append(labels[:8], h)
        rises.append(_cost(D, joined) - _cost(D[:8, :8], rest))
    expected = np.exp(-1.3 * np.array(rises) + 0.7 * before[4])
    np.testing.assert_allclose(q[8], expected / expected.sum(), atol=1e-9)
    np.testing.assert_allclose(state[1], D @ q, atol=1e-9)
    np.testing.assert_allclose(state[2], q.sum(axis=0))
    np.testing.assert_allclose(state[3], np.einsum("ij,ij->j", q, D @ q), atol=1e-9)


def test_without_constraints_it_is_as_good_as_kmeans():
    found = model(3).fit(IRIS)
    assert found.cost_ <= KMeans(3, n_init=10, random_state=0).fit(IRIS).inertia_ * 1.001
    again = model(3, metric="precomputed").fit(cdist(IRIS, IRIS, "sqeuclidean"))
    assert (again.labels_ == found.labels_).all()
    assert found.membership_.sum(axis=1) == pytest.approx(1)


def test_the_best_partition_of_few_objects():
    random = np.random.default_rng(3)
    points = random.normal(size=(8, 2))
    D = cdist(points, points) ** 1.5  # of no vectors
    best = min(_cost(D, np.array(labels)) for labels in itertools.product(range(2), repeat=8) if len(set(labels)) == 2)
    assert model(2, metric="precomputed", n_init=10).fit(D).cost_ == pytest.approx(best)


def test_hard_pairs_hold_and_help():
    known = Constraints(150, must_link=[(50, 100), (0, 1)], cannot_link=[(51, 52), (52, 101), (51, 101)])
    found = model(3).fit(IRIS, constraints=known)
    assert found.violations_.count == 0
    labeled = np.full(150, -1)
    labeled[::4] = SPECIES[::4]
    plain, told = model(3).fit(IRIS), model(3).fit(IRIS, constraints=Constraints(150, labels=labeled))
    assert told.violations_.count == 0
    scores = [adjusted_rand_score(SPECIES, each.labels_) for each in (plain, told)]
    assert scores[1] > scores[0]


def test_couplings_by_hand():
    known = Constraints(4, must_link=[(0, 1), (2, 3)], cannot_link=[(1, 2)], must_weight=[None, 2.5])
    expected = np.zeros((4, 4))
    expected[0, 1], expected[2, 3], expected[0, 2] = 1000, 2.5, -1000  # 0 is the first of its chunklet
    np.testing.assert_allclose(_couplings(known).toarray(), expected + expected.T)


def test_soft_pairs_yield_to_the_data():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    weak = Constraints(6, must_link=[(0, 5)], must_weight=1e-3)
    strong = Constraints(6, must_link=[(0, 5)], must_weight=1e4)
    assert model(2).fit(X, constraints=weak).violations_.count == 1
    assert model(2).fit(X, constraints=strong).violations_.count == 0


@pytest.mark.parametrize(
    ("D", "message"),
    [
        (np.zeros((3, 2)), "n × n dissimilarities"),
        ([[0, 1], [2, 0]], "symmetric"),
        ([[0, -1], [-1, 0]], "0 or more"),
        ([[1, 2], [2, 1]], "diagonal"),
        ([[0, np.nan], [np.nan, 0]], "NaN"),
    ],
)
def test_bad_dissimilarities(D, message):
    with pytest.raises(ValueError, match=message):
        model(2, metric="precomputed").fit(np.asarray(D, float))


def test_equal_objects_and_one_cluster():
    assert model(1).fit([[1.0], [2.0]]).labels_.tolist() == [0, 0]
    with pytest.warns(UserWarning, match="clusters have objects"):
        model(2).fit(np.ones((4, 2)))

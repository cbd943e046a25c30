"""COP-KMeans: the exact examples of its specification, and trying all partitions."""

from itertools import product
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from constrained.shared import IRIS, column
from pluribus.constrained import CopKMeans
from pluribus.constraints import Constraints, ContradictionError, InfeasibleError, random_pairs


def inertia_of(X, labels, weights=None):
    weights = np.ones(len(X)) if weights is None else weights
    total = 0.0
    for h in np.unique(labels):
        inside = labels == h
        center = np.average(X[inside], axis=0, weights=weights[inside])
        total += weights[inside] @ ((X[inside] - center) ** 2).sum(axis=1)
    return total


def by_trying_all(X, constraints, k):
    labels = np.array(list(product(range(k), repeat=len(X))))
    one, other = constraints.must_link.T
    keep = (labels[:, one] == labels[:, other]).all(axis=1)
    one, other = constraints.cannot_link.T
    labels = labels[keep & (labels[:, one] != labels[:, other]).all(axis=1)]
    inside = (labels[:, :, None] == np.arange(k)).astype(float)  # (labelings, n, k)
    sums, sizes = np.einsum("lnk,nd->lkd", inside, X), inside.sum(axis=1)
    return ((X**2).sum() - ((sums**2).sum(axis=2) / np.maximum(sizes, 1)).sum(axis=1)).min()


@pytest.mark.parametrize("tol", [0, 1e-4])
def test_without_constraints_it_is_kmeans(tol):
    start = IRIS[[0, 50, 100]]
    ours = CopKMeans(3, init=start, tol=tol).fit(IRIS)
    theirs = KMeans(3, init=start, n_init=1, tol=tol, algorithm="lloyd").fit(IRIS)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-12)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    order = np.argsort(-np.bincount(theirs.labels_), kind="stable")
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_[order])
    assert ours.n_iter_ == theirs.n_iter_


def test_inertia_of_iris():
    assert CopKMeans(3, init=IRIS[[0, 50, 100]], tol=0).fit(IRIS).inertia_ == pytest.approx(78.851441426146, rel=1e-12)


def test_must_links_alone_are_weighted_kmeans_on_chunklets():
    known = Constraints(150, must_link=[(0, 60), (60, 3), (100, 120), (10, 20)])
    model = CopKMeans(3, init=IRIS[[0, 50, 100]], tol=0).fit(IRIS, constraints=known)
    assert model.inertia_ == pytest.approx(83.08170447816745, rel=1e-12)
    assert inertia_of(IRIS, model.labels_) == pytest.approx(model.inertia_)


def test_dead_end_of_the_order_of_rows():
    known = Constraints(3, cannot_link=[(0, 2), (1, 2)])
    model = CopKMeans(2, init=column(0, 10)).fit(column(0, 10, 4), constraints=known)
    assert model.labels_.tolist() == [0, 0, 1]
    assert model.inertia_ == 50


def test_the_objective_does_not_rise():
    known = Constraints(4, cannot_link=[(0, 2)])
    assert CopKMeans(2, init=column(4, 2)).fit(column(4, 10, 2, 13), constraints=known).inertia_ == 42


def test_no_endless_cycle():
    known = Constraints(4, cannot_link=[(0, 3), (1, 2)])
    model = CopKMeans(2, init=column(7, 1)).fit(column(0, 7, 12, 1), constraints=known)
    assert model.inertia_ == 85
    assert model.labels_.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("must", "cannot", "inertia"),
    [([], [], 1.0), ([(0, 2)], [], 20 / 3), ([(0, 2), (1, 3)], [], 9.0), ([], [(0, 1)], 20 / 3)],
)
def test_square(must, cannot, inertia):
    X = np.array([(0, 0), (1, 0), (0, 3), (1, 3)], dtype=float)
    known = Constraints(4, must_link=must, cannot_link=cannot)
    assert CopKMeans(2, random_state=0).fit(X, constraints=known).inertia_ == pytest.approx(inertia)


@st.composite
def cases(draw):
    n, k = draw(st.integers(3, 7)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.integers(0, 12, (n, 2)).astype(float)
    truth = rng.integers(0, k, n)
    return X, random_pairs(truth, draw(st.integers(0, 6)), random_state=int(rng.integers(1000))), k


@given(cases())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_never_below_the_optimum_and_nothing_broken(case):
    X, known, k = case
    if known.check(k, allow_empty=False).status != "feasible":
        with pytest.raises(InfeasibleError):
            CopKMeans(k).fit(X, constraints=known)
        return
    model = CopKMeans(k, random_state=0).fit(X, constraints=known)
    assert model.violations_.count == 0
    assert (np.diff(model.objective_) <= 1e-9).all()
    assert model.inertia_ == pytest.approx(inertia_of(X, model.labels_), abs=1e-9)
    assert model.inertia_ >= by_trying_all(X, known, k) - 1e-9


def test_many_starts_mostly_find_the_optimum():
    found = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, truth = rng.normal(size=(7, 2)), rng.integers(0, 3, 7)
        known = random_pairs(truth, 5, random_state=seed)
        if known.check(3, allow_empty=False).status == "feasible":
            best = by_trying_all(X, known, 3)
            found += CopKMeans(3, n_init=50, random_state=0).fit(X, constraints=known).inertia_ <= best + 1e-9
        else:
            found += 1
    assert found >= 9


def test_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    X, y = make_blobs(200, centers=4, cluster_std=3, random_state=0)
    known = random_pairs(y, 60, random_state=0)
    start = X[:4]
    inertia = CopKMeans(4, init=start).fit(X, constraints=known).inertia_
    for _ in range(4):
        order = rng.permutation(200)
        again = CopKMeans(4, init=start).fit(X[order], constraints=known.restrict(order))
        assert again.inertia_ == pytest.approx(inertia)


def test_whole_weights_are_copies_in_one_chunklet():
    X, y = make_blobs(60, centers=3, cluster_std=2, random_state=1)
    weights = np.random.default_rng(0).integers(1, 4, 60)
    known = random_pairs(y, 20, random_state=0)
    copies = np.repeat(np.arange(60), weights)
    first = np.flatnonzero(np.diff(copies, prepend=-1))
    spread = Constraints(
        len(copies), must_link=first[known.must_link], cannot_link=first[known.cannot_link], groups=copies
    )
    one = CopKMeans(3, init=X[:3]).fit(X, constraints=known, sample_weight=weights)
    other = CopKMeans(3, init=X[:3]).fit(X[copies], constraints=spread)
    assert one.inertia_ == pytest.approx(other.inertia_)
    assert adjusted_rand_score(one.labels_[copies], other.labels_) == 1


def test_where_greed_gives_up_and_a_solution_exists():
    """Crown graphs defeat greedy coloring; 3 clusters are enough for each of them."""
    rng = np.random.default_rng(0)
    pairs = [(i, 10 + j) for i in range(10) for j in range(10) if i != j] + [(i, i + 1) for i in range(20, 29)]
    X = rng.normal(size=(30, 2))
    for seed in range(5):
        model = CopKMeans(3, random_state=seed, n_init=2).fit(X, constraints=Constraints(30, cannot_link=pairs))
        assert model.violations_.count == 0


def test_proven_impossible_is_an_error_before_work():
    known = Constraints(5, cannot_link=[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])
    with pytest.raises(InfeasibleError, match="odd cycle") as error:
        CopKMeans(2).fit(np.arange(10.0).reshape(5, 2), constraints=known)
    assert sorted(error.value.witness.tolist()) == [0, 1, 2, 3, 4]
    with pytest.raises(InfeasibleError, match="too few to fill 3"):
        CopKMeans(3).fit(column(1, 2, 3, 4), constraints=Constraints(4, groups=[1, 1, 2, 2]))


def test_contradictions_name_their_chain():
    with pytest.raises(ContradictionError, match="0 –must-link– 1 –must-link– 2"):
        Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])


def test_every_pair_known_gives_the_labels():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 40)
    X = rng.normal(size=(40, 3))
    assert adjusted_rand_score(y, CopKMeans(4).fit_predict(X, constraints=Constraints.from_labels(y))) == 1


def test_many_pairs_with_cycles_all_hold():
    X, y = make_blobs(3000, centers=5, cluster_std=6, random_state=0)
    known = random_pairs(y, 20_000, random_state=0)
    model = CopKMeans(5, n_init=2, random_state=0).fit(X, constraints=known)
    assert model.violations_.count == 0
    assert adjusted_rand_score(y, model.labels_) > adjusted_rand_score(y, CopKMeans(5, random_state=0).fit_predict(X))


def test_many_cannot_links_in_one_component_take_seconds():
    n = 4000
    rng = np.random.RandomState(0)
    pairs = rng.randint(0, n, (5 * n, 2))
    pairs = pairs[pairs[:, 0] % 5 != pairs[:, 1] % 5]
    begin = process_time()
    model = CopKMeans(8, random_state=0, n_init=1, max_iter=1).fit(
        rng.randn(n, 2), constraints=Constraints(n, cannot_link=pairs)
    )
    assert model.violations_.count == 0
    assert model.inertia_ < 3300  # where chains were grown from every node: 3257, in half a minute
    assert process_time() - begin < 10


def test_outliers_do_not_stop_the_rest():
    rng = np.random.RandomState(0)
    X = np.r_[rng.randn(200, 2) * 3, [[1e8, 0], [2e8, 0]]]
    start = np.r_[X[:3], [[1.2e8, 0]]]
    ours = CopKMeans(4, init=start, tol=0).fit(X)
    theirs = KMeans(4, init=start, n_init=1, tol=0, algorithm="lloyd").fit(X)
    assert ours.n_iter_ == theirs.n_iter_
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)
    bound = CopKMeans(4, init=start, tol=0).fit(X, constraints=Constraints(202, cannot_link=[(200, 201)]))
    np.testing.assert_array_equal(bound.predict(X[:200]), bound.labels_[:200])


def test_rows_without_weight_get_the_nearest_center():
    X = column(-4.2, -0.6, -21.4, -17.9, -8.4, 5)
    model = CopKMeans(2, init=X[:2]).fit(X, sample_weight=[0.3, 0.3, 0.6, 0.1, 0, 0.2])
    assert model.labels_.tolist() == model.predict(X).tolist() == [0, 0, 1, 1, 0, 0]

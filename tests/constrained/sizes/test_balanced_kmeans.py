"""Balanced k-means: the source's steps against their definitions, the bound, and bad input."""

import itertools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, Birch, KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from constrained.shared import documents
from helpers import uneven_blobs
from pluribus._kernels.assignment.stable_matching import match_stably
from pluribus.constrained import BalancedKMeans
from pluribus.constrained.sizes._balanced_steps import populate as populated
from pluribus.constrained.sizes._balanced_steps import sample_size
from pluribus.constrained.sizes._cycle_moves import CycleMoves
from pluribus.partitions import assign_sizes


@pytest.fixture(scope="module")
def blobs():
    return uneven_blobs()[0]


@pytest.fixture(scope="module")
def words():
    return documents([0.7, 0.2, 0.1], n=200, n_terms=60)


def squares(points, centers):
    return (np.asarray(points, float)[:, None] - np.asarray(centers, float)) ** 2


def matched(distances, quotas):
    labels = np.empty(len(distances), np.int64)
    match_stably(distances, np.asarray(quotas, np.int64), labels)
    return labels


@pytest.mark.parametrize(
    ("least", "expected", "cost", "best"), [(2, [0, 1, 1, 0, 1, 1], 83, 79), (3, [0, 1, 1, 1, 0, 0], 102, 82)]
)
def test_six_points_to_two_centers(least, expected, cost, best):
    distances = squares([0, 1, 2, 3, 4, 9], [0, 1])
    labels = matched(distances, [least, least])
    labels = np.where(labels < 0, distances.argmin(axis=1), labels)
    assert labels.tolist() == expected
    assert distances[np.arange(6), labels].sum() == cost
    assert assign_sizes(distances, least).cost == best
    if least == 2:  # 3 would go to the second, but the first may not lose it; 1 gains nothing
        assert CycleMoves(np.full(2, 2)).assign(distances, None, labels).cost == 83


def test_a_cycle_of_two_and_one_of_three():
    pairs = squares([0, 1, 9, 10], [0.5, 9.5])
    found = CycleMoves(np.full(2, 2)).assign(pairs, None, np.array([0, 1, 0, 1]))
    assert (found.labels.tolist(), found.cost) == ([0, 0, 1, 1], 1)
    triple = squares([0, 10, 20], [0, 10, 20])
    found = CycleMoves(np.ones(3, int)).assign(triple, None, np.array([1, 2, 0]))
    assert (found.labels.tolist(), found.cost) == ([0, 1, 2], 0)


@st.composite
def matchings(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, k = draw(st.integers(1, 25)), draw(st.integers(1, 4))
    distances = rng.random((n, k)) if draw(st.booleans()) else rng.integers(0, 5, (n, k)).astype(float)
    total = draw(st.integers(0, n))
    return distances, np.bincount(rng.integers(0, k, total), minlength=k)


@given(matchings())
def test_the_matching_is_the_greedy_one_and_has_no_blocking_pair(problem):
    distances, quotas = problem
    n, k = distances.shape
    expected = np.full(n, -1)
    left = quotas.copy()
    for _, h, i in sorted((distances[i, h], h, i) for i in range(n) for h in range(k)):
        if left[h] > 0 and expected[i] < 0:
            expected[i], left[h] = h, left[h] - 1
    labels = matched(distances, quotas)
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(np.bincount(labels[labels >= 0], minlength=k), quotas)
    for i, h in itertools.product(range(n), np.flatnonzero(quotas)):
        would_go = labels[i] < 0 or distances[i, h] < distances[i, labels[i]]
        assert not (would_go and distances[i, h] < distances[labels == h, h].max())


@given(st.integers(0, 2**32))
def test_moves_lower_the_cost_and_keep_the_sizes(seed):
    rng = np.random.default_rng(seed)
    cost = rng.random((30, 4))
    lower = np.full(4, rng.integers(0, 7))
    start = np.r_[np.repeat(np.arange(4), lower[0]), rng.integers(0, 4, 30 - 4 * lower[0])]
    found = CycleMoves(lower).assign(cost, None, start)
    assert found.cost <= cost[np.arange(30), start].sum() + 1e-12
    assert found.cost >= assign_sizes(cost, lower).cost - 1e-12
    sizes = np.bincount(found.labels, minlength=4)
    assert (sizes >= lower).all()
    better = cost < cost[np.arange(30), found.labels][:, None]
    for a in np.flatnonzero(sizes > lower):
        assert not better[found.labels == a].any()  # no single move is left
    if not lower.any():
        np.testing.assert_array_equal(found.labels, cost.argmin(axis=1))
    for a, b in itertools.combinations(range(4), 2):
        assert not (better[found.labels == a, b].any() and better[found.labels == b, a].any())


def test_sample_size():
    for k, d in ((2, 3), (20, 10), (100, 100)):
        size, least = sample_size(k, d), 10 if d <= 50 else 20
        assert k * stats.binom.cdf(least - 1, size, 1 / (2 * k)) <= 0.01
        assert k * stats.binom.cdf(least - 1, size - 1, 1 / (2 * k)) > 0.01
    assert (sample_size(20, 10), sample_size(100, 100)) == (943, 8196)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("refine", ["flow", "cycles", None])
@pytest.mark.parametrize("balance", [0.3, 1.0])
@pytest.mark.filterwarnings("ignore:the clusters of the sample lack")
def test_the_bound_holds_and_the_objective_never_rises(blobs, metric, refine, balance):
    how = dict(balance=balance, metric=metric, refine=refine, n_init=1, random_state=0, max_iter=15)
    for sample, populate in ((1.0, "stable"), (0.4, "stable"), (0.4, "flow")):
        model = BalancedKMeans(4, sample=sample, populate=populate, **how).fit(blobs)
        assert model.cluster_sizes_.min() >= int(balance * 100)
        assert model.balance_ == model.cluster_sizes_.min() / 100 >= balance
        assert (np.diff(model.objective_) <= 1e-9).all()
        np.testing.assert_array_equal(np.bincount(model.labels_), model.cluster_sizes_)
        assert (np.diff(model.cluster_sizes_) <= 0).all()
        own = model.cluster_centers_[model.labels_]
        if metric == "euclidean":
            value = ((blobs - own) ** 2).sum()
        else:
            np.testing.assert_allclose(np.linalg.norm(own, axis=1), 1)
            value = (1 - (blobs * own).sum(axis=1) / np.linalg.norm(blobs, axis=1)).sum()
        assert model.objective_[-1] == pytest.approx(value)
        assert model.n_iter_ == 0 if refine is None else model.n_iter_ >= 1


def test_flow_is_no_worse_than_cycles_nor_these_than_nothing(blobs):
    ends = [
        BalancedKMeans(4, balance=0.9, refine=refine, sample=0.5, n_init=1, random_state=3).fit(blobs).objective_[-1]
        for refine in ("flow", "cycles", None)
    ]
    assert ends[0] <= ends[1] <= ends[2]


def test_without_balance_it_is_kmeans(blobs):
    plain = KMeans(4, n_init=20, random_state=0).fit(blobs)
    for refine in ("flow", "cycles"):
        model = BalancedKMeans(4, balance=0, refine=refine, random_state=0).fit(blobs)
        assert model.objective_[-1] == pytest.approx(plain.inertia_, rel=1e-3)
    np.testing.assert_array_equal(model.predict(blobs), model.labels_)
    assert model.score(blobs) == pytest.approx(-model.objective_[-1])


def test_documents(words):
    one, other = (
        BalancedKMeans(3, balance=0.7, metric="cosine", n_init=3, random_state=0).fit(X)
        for X in (words, words.toarray())
    )
    assert adjusted_rand_score(one.labels_, other.labels_) == 1
    assert one.balance_ >= 0.69
    assert words.toarray().max() > 1  # X is as it was
    np.testing.assert_array_equal(one.predict(words), one.predict(3 * words.toarray()))
    free = BalancedKMeans(3, balance=0, metric="cosine", n_init=3, random_state=0).fit(words)
    np.testing.assert_array_equal(free.labels_, free.predict(words))  # spherical k-means
    assert free.score(words) == pytest.approx(-free.objective_[-1])
    assert free.score(words, sample_weight=np.full(200, 2)) == pytest.approx(2 * free.score(words))


@pytest.mark.parametrize("base", [AgglomerativeClustering(), GaussianMixture(), KMeans(2, n_init=1), "spectral"])
def test_any_base(blobs, base):
    model = BalancedKMeans(4, balance=0.8, base=base, sample=60, random_state=0).fit(blobs)
    assert model.balance_ >= 0.8
    again = clone(model).fit(blobs)
    np.testing.assert_array_equal(model.labels_, again.labels_)


@pytest.mark.parametrize(
    ("base", "message"),
    [
        (Birch(n_clusters=None, threshold=100), r"base made 1 clusters of 40 sampled rows.*n_clusters=7"),
        (DBSCAN(eps=1), r"base=DBSCAN\(eps=1\) did not assign each of the 40 sampled rows .*noise"),
        (AgglomerativeClustering, r"base=<class .* did not assign each of the 40 sampled rows"),
        ("magic", "base='magic' did not.*'kmeans'"),
    ],
)
@pytest.mark.filterwarnings("ignore:1 of 1 members called every row noise")
def test_a_base_that_does_not_do(blobs, base, message):
    with pytest.raises(ValueError, match=message):
        BalancedKMeans(7, base=base).fit(blobs[:40])


def test_large_data_are_sampled():
    X = np.random.default_rng(0).random((30_000, 3)).astype(np.float32)
    one, two = (BalancedKMeans(5, balance=1, random_state=0, n_jobs=jobs, max_iter=3).fit(X) for jobs in (None, 2))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)
    assert one.cluster_sizes_.tolist() == [6000] * 5
    assert one.cluster_centers_.dtype == np.float32


def test_any_number_of_cores_for_the_starts(blobs):
    one, two = (BalancedKMeans(4, n_init=4, random_state=0, n_jobs=jobs).fit(blobs) for jobs in (None, 2))
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_tables_and_pickles(blobs):
    how = dict(n_clusters=4, n_init=2, random_state=0)
    model = BalancedKMeans(**how).fit(blobs)
    for table in (pd.DataFrame(blobs, columns=list("abcde")), pl.DataFrame(blobs, schema=list("abcde"))):
        np.testing.assert_array_equal(BalancedKMeans(**how).fit(table).labels_, model.labels_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(blobs), model.predict(blobs))
    moved = BalancedKMeans(**how).fit(blobs + 1e6)
    assert adjusted_rand_score(moved.labels_, model.labels_) > 0.95
    how = dict(n_clusters=4, n_init=2)
    generator = [BalancedKMeans(**how, random_state=np.random.default_rng(1)).fit(blobs).labels_ for _ in range(2)]
    np.testing.assert_array_equal(*generator)


def test_weights_count_in_the_centers_and_not_in_the_sizes(blobs):
    weights = np.random.default_rng(0).integers(0, 4, 400)
    for metric in ("euclidean", "cosine"):
        model = BalancedKMeans(4, balance=0.9, metric=metric, n_init=1, random_state=0, tol=0).fit(
            blobs, sample_weight=weights
        )
        assert model.cluster_sizes_.sum() == 400
        assert model.balance_ >= 0.9
        unit = blobs / np.linalg.norm(blobs, axis=1, keepdims=True) if metric == "cosine" else blobs
        for h in range(4):
            inside = model.labels_ == h
            center = np.average(unit[inside], axis=0, weights=weights[inside])
            center = center / np.linalg.norm(center) if metric == "cosine" else center
            np.testing.assert_allclose(model.cluster_centers_[h], center, rtol=1e-9)


def test_edges():
    X = np.array([[0.0], [1.0], [5.0], [9.0], [9.5]])
    assert BalancedKMeans(1, n_init=1).fit(X[:1]).labels_.tolist() == [0]
    assert BalancedKMeans(1, n_init=1).fit(X).labels_.tolist() == [0] * 5
    assert sorted(BalancedKMeans(5, min_size=1, n_init=1).fit(X).labels_.tolist()) == [0, 1, 2, 3, 4]
    assert BalancedKMeans(2, balance=1, random_state=0, n_init=1).fit(X).cluster_sizes_.tolist() == [3, 2]
    assert BalancedKMeans(3, balance=1, n_init=1).fit(np.ones((9, 2))).cluster_sizes_.tolist() == [3, 3, 3]
    assert BalancedKMeans(3, balance=1, metric="cosine", n_init=1).fit(np.ones((9, 2))).cluster_sizes_.tolist() == [
        3,
        3,
        3,
    ]
    assert BalancedKMeans(2, min_size=0.4, random_state=0, n_init=1).fit(X).cluster_sizes_.min() == 2


def test_fewer_distinct_rows_than_clusters():
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 5, axis=0)
    for metric in ("euclidean", "cosine"):
        with pytest.warns(ConvergenceWarning, match="only 2 of 3 clusters have objects"):
            model = BalancedKMeans(3, balance=0, metric=metric, random_state=0, n_init=1).fit(X)
        assert model.cluster_sizes_.tolist() == [5, 5, 0]
        assert np.isfinite(model.cluster_centers_).all()


def test_a_sample_that_leaves_too_few(blobs):
    with pytest.warns(UserWarning, match="only 40 are not in the sample"):
        model = BalancedKMeans(4, balance=1, sample=0.9, n_init=1, random_state=0).fit(blobs)
    assert model.cluster_sizes_.tolist() == [100] * 4
    with pytest.warns(UserWarning, match="sample=500 is more than the 400 rows"):
        BalancedKMeans(4, sample=500, n_init=1).fit(blobs)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (dict(min_size=201), "asks for 402 objects in 2 clusters, but there are 400: at most 200"),
        (dict(min_size=10, balance=0.5), "give only one of them"),
        (dict(balance=1.5), "balance"),
        (dict(balance=-0.1), "balance"),
        (dict(min_size=1.5), "no whole number"),
        (dict(sample=1), "sample=1 means 1 rows, fewer than n_clusters=2"),
        (dict(sample=0.0), "sample"),
        (dict(n_clusters=401), "n_clusters=401 is more than the n_samples=400"),
        (dict(n_clusters=True), "n_clusters=True is not a number"),
        (dict(metric="manhattan"), "metric"),
    ],
)
def test_bad_parameters(blobs, parameters, message):
    with pytest.raises(ValueError, match=message):
        BalancedKMeans(**{"n_clusters": 2, **parameters}).fit(blobs)


def test_bad_rows(blobs):
    with pytest.raises(ValueError, match="NaN"):
        BalancedKMeans(1).fit([[1.0], [np.nan]])
    with pytest.raises(ValueError, match="cannot hold: scale X"):
        BalancedKMeans(2).fit(1e200 * blobs)
    with pytest.raises(ValueError, match="(?i)zero"):
        BalancedKMeans(2).fit(blobs, sample_weight=np.zeros(400))
    holes = blobs.copy()
    holes[[3, 7]] = 0
    for X in (holes, sparse.csr_array(holes)):
        with pytest.raises(ValueError, match=r"2 rows of X have length 0 in float64 \(rows 3, 7\)"):
            BalancedKMeans(2, metric="cosine").fit(X)
    model = BalancedKMeans(2, metric="cosine", n_init=1).fit(blobs)
    with pytest.raises(ValueError, match="length 0"):
        model.predict(holes)


class OnALine:
    """Points of which only the distances are asked for."""

    n_jobs = None

    def __init__(self, places):
        self.rows, self.weights = np.array(places, dtype=float)[:, None], np.ones(len(places))
        self.shift = np.zeros(1)

    def distances(self, rows, centers):
        return (self.rows[rows] - centers.T) ** 2


@pytest.mark.parametrize("how", ["stable", "flow"])
def test_rows_beyond_the_lower_bound_go_to_the_nearest_center(how):
    points = OnALine([0, 10, 1, 2, 9, 3, 8, 4])
    labels = populated(points, np.array([0, 1]), np.array([0, 1]), np.array([[0.0], [10.0]]), 1, how)
    assert labels.tolist() == [0, 1, 0, 0, 1, 0, 1, 0]

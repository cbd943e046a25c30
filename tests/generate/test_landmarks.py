"""Members through landmarks: what they are for, and data that are hard on them."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles
from sklearn.metrics import adjusted_rand_score

from pluribus._kernels.points.landmarks import add_shared_links, distances_to, nearest_columns
from pluribus.generate import Generator, _landmarks
from pluribus.generate._landmarks import cluster_by_landmarks


@pytest.fixture
def few_landmarks(monkeypatch):
    monkeypatch.setattr(_landmarks, "LANDMARKS", 60)


def blobs(n, k=4, d=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return (8 * rng.normal(size=(k, d))[y] + rng.normal(size=(n, d))).astype(np.float32), y


class TestKernels:
    @pytest.mark.parametrize("columns", [5, 12, 100])
    def test_nearest_columns(self, columns):
        values = np.random.default_rng(0).integers(0, 9, size=(40, columns)).astype(np.float32)
        values[0], values[1, 3:] = np.inf, np.inf
        nearest, least = np.empty((40, 5), np.int32), np.empty((40, 5), np.float32)
        nearest_columns(values, nearest, least)
        order = np.argsort(values, axis=1, kind="stable")[:, :5]
        np.testing.assert_array_equal(nearest, order)
        np.testing.assert_array_equal(least, np.take_along_axis(values, order, axis=1))

    def test_shared_links_are_those_of_the_transfer_cut(self):
        rng = np.random.default_rng(1)
        nearest = np.array([rng.choice(7, 3, replace=False) for _ in range(30)], dtype=np.int32)
        weights = rng.random((30, 3))
        B = np.zeros((30, 7))
        np.put_along_axis(B, nearest, weights, axis=1)
        shared = np.ones((7, 7))
        add_shared_links(nearest, weights, shared)
        np.testing.assert_allclose(shared - 1, B.T @ np.diag(1 / B.sum(axis=1)) @ B)

    def test_distances_do_not_cancel(self):
        rows, points = np.array([[1e4 + 1.0]], dtype=np.float32), np.array([[1e4]], dtype=np.float32)
        squared = np.empty((1, 1), np.float32)
        distances_to(rows, points, np.zeros((1, 1), np.int32), squared)
        assert squared[0, 0] == 1


def test_follows_shapes_that_k_means_cannot(few_landmarks):
    X, y = make_circles(3000, factor=0.4, noise=0.05, random_state=0)
    ensemble = Generator("landmarks", n_members=4, n_clusters=2, random_state=0).generate(X)
    assert np.median([adjusted_rand_score(y, labels) for labels in ensemble.labels.T]) > 0.95
    assert ensemble.names[0] == "landmarks-0 k=2"


def test_more_rows_than_blocks_and_sample(few_landmarks, monkeypatch):
    monkeypatch.setattr(_landmarks, "_MIN_SAMPLE", 500)
    X, y = blobs(9000)
    before = X.copy()
    labels = cluster_by_landmarks(X, 4, 0)
    np.testing.assert_array_equal(X, before)
    assert adjusted_rand_score(y, labels) > 0.95


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_sparse_means_are_steps_of_k_means(dtype, monkeypatch):
    rows = sp.random_array((300, 40), density=0.2, rng=np.random.default_rng(0)).tocsr() * 9
    rows = sp.csr_array(rows.astype(dtype))
    start = rows.toarray().astype(np.float64)[np.sort(np.random.default_rng(1).choice(300, 25, replace=False))]
    for _ in range(5):
        nearest = ((rows.toarray()[:, None] - start) ** 2).sum(axis=2).argmin(axis=1)
        start = np.array([rows.toarray()[nearest == c].mean(axis=0) if c in nearest else start[c] for c in range(25)])
    monkeypatch.setattr(_landmarks, "_LINKED_BLOCK", 64)
    np.testing.assert_allclose(_landmarks._sparse_means(rows, 25, np.random.default_rng(1)), start, rtol=1e-4)


def test_sparse_and_dense_are_the_same(few_landmarks):
    X, _ = blobs(800)
    X[X < 0] = 0
    dense, sparse = (cluster_by_landmarks(form(X), 4, 0) for form in (np.asarray, sp.csr_matrix))
    assert adjusted_rand_score(dense, sparse) > 0.95


def test_parts_without_links_are_joined_by_nearness(few_landmarks):
    rng = np.random.default_rng(0)
    part = np.repeat(np.arange(40), 30)
    places = np.repeat(np.arange(8), 5)[part] * 1000.0 + rng.uniform(0, 200, size=40)[part]
    X = np.column_stack([places, rng.normal(size=(1200, 2))])
    labels = cluster_by_landmarks(X, 8, 0)
    assert adjusted_rand_score(part // 5, labels) > 0.5
    assert np.bincount(labels).max() < 600


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_duplicates(few_landmarks):
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 2)), 100, axis=0)
    labels = cluster_by_landmarks(X, 8, 0)  # no more than five clusters can be found
    assert adjusted_rand_score(np.repeat(np.arange(5), 100), labels) == 1


def test_more_clusters_than_landmarks_by_default(few_landmarks):
    X, _ = blobs(2000)
    assert len(np.unique(cluster_by_landmarks(X, 200, 0))) > 150


def test_outliers_have_links(few_landmarks):
    X, y = blobs(1000)
    X[0] = 1e4
    labels = cluster_by_landmarks(X, 5, 0)
    assert adjusted_rand_score(y[1:], labels[1:]) > 0.7


@pytest.mark.parametrize(("dtype", "copies"), [(np.float16, 1), (np.float32, 0)])
def test_no_copy_of_the_table_in_another_type(monkeypatch, dtype, copies):
    monkeypatch.setattr(_landmarks, "LANDMARKS", 50)
    X = np.random.default_rng(0).normal(size=(30_000, 200)).astype(dtype)
    generator = Generator("landmarks", n_members=1, n_clusters=5, subspace=0.75, random_state=0, verbose=False)
    generator.generate(X[:1000])
    tracemalloc.start()
    generator.generate(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (copies + 0.5) * 4 * X.size  # bytes of the table as float32


@pytest.mark.parametrize(("k", "n_seen"), [(4, 500), (40, 800)])
def test_k_means_learns_from_enough_rows(few_landmarks, monkeypatch, k, n_seen):
    fit, n_rows = KMeans.fit, []

    def watched(self, X, *arguments, **how):
        n_rows.append(len(X))
        return fit(self, X, *arguments, **how)

    monkeypatch.setattr(_landmarks, "_MIN_SAMPLE", 500)
    monkeypatch.setattr(KMeans, "fit", watched)
    cluster_by_landmarks(blobs(3000)[0], k, 0)
    assert n_rows[-1] == n_seen

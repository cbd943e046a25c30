"""The candidates: which there are, and where there are none."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from pluribus.compare import adjusted_rand_index
from pluribus.pipeline.candidates import _pool
from pluribus.pipeline.candidates._choice import choose
from pluribus.pipeline.candidates._pool import OWN, THOROUGH, make_one, survey

NAMES = (
    "own", "average", "per object", "relative", "genie 0.1", "genie 0.3", "genie 0.5", "genie 0.7", "k-means",
    "mixture full", "mixture tied", "mixture diag",
)  # fmt: skip


def merges_of(own):
    return dict.fromkeys(NAMES[1:4], own)


def make_candidates(X, own, merges, k, seed):
    ground = survey(X, seed)
    return ground and _pool.make_candidates(ground, {OWN: own, **merges}, k, effort=THOROUGH, seed=seed)


def blobs(n=200, d=2, k=4):
    return make_blobs(n, n_features=d, centers=k, random_state=3)


def test_twelve_candidates_numbered_from_the_largest():
    X, y = blobs()
    pool = make_candidates(X, y, merges_of(y), 4, seed=0)
    assert pool.names == NAMES
    assert pool.labels.shape == (12, 200)
    for labels in pool.labels:
        sizes = np.bincount(labels)
        assert len(sizes) == 4
        assert (np.diff(sizes) <= 0).all()
    assert adjusted_rand_index(pool.labels[0], y) == 1
    assert pool.ground.near.places.shape == (200, 25)


@pytest.mark.parametrize(("n", "k"), [(200, 1), (29, 3), (35, 12)])
def test_too_few(n, k):
    X, _ = blobs(n)
    own = np.arange(n) % k
    assert make_candidates(X, own, merges_of(own), k, seed=0) is None


@pytest.mark.parametrize(("n", "k"), [(30, 2), (36, 12)])
def test_just_enough(n, k):
    X, _ = blobs(n)
    own = np.arange(n) % k
    assert make_candidates(X, own, merges_of(own), k, seed=0) is not None


def test_candidates_with_fewer_clusters_are_left_out():
    X = np.repeat(np.eye(3), 20, axis=0)  # three distinct rows
    own = np.arange(60) % 4
    pool = make_candidates(X, own, {**merges_of(own), "average": own % 3}, 4, seed=0)
    assert pool.names[:3] == ("own", "per object", "relative")
    assert "k-means" not in pool.names
    assert np.isfinite(choose(pool).values).all()


def test_none_if_one_is_left(monkeypatch):
    monkeypatch.setattr(_pool, "THRESHOLDS", ())
    X = np.ones((40, 2))
    own = np.arange(40) % 2
    assert make_candidates(X, own, {}, 2, seed=0) is None


def test_equal_rows():
    X = np.ones((40, 2))
    own = np.arange(40) % 2
    pool = make_candidates(X, own, merges_of(own), 2, seed=0)
    assert np.isfinite(choose(pool).values).all()


def test_k_means_takes_the_place_of_a_mixture_that_fails(monkeypatch):
    class Failing:
        def __init__(self, *args, **how):
            pass

        def fit_predict(self, X):
            raise ValueError("ill-defined")

    monkeypatch.setattr(_pool, "GaussianMixture", Failing)
    X, y = blobs()
    pool = make_candidates(X, y, {}, 4, seed=0)
    k_means = pool.labels[pool.names.index("k-means")]
    for name in NAMES[-3:]:
        assert (pool.labels[pool.names.index(name)] == k_means).all()


@pytest.mark.parametrize("shape", [(120, 40), (60, 200)])
def test_many_features_are_reduced_for_mixtures(monkeypatch, shape):
    seen = []
    mixture = _pool.GaussianMixture

    class Watched(mixture):
        def fit_predict(self, X):
            seen.append(X.shape)
            return super().fit_predict(X)

    monkeypatch.setattr(_pool, "GaussianMixture", Watched)
    X, y = make_blobs(shape[0], n_features=shape[1], centers=3, random_state=0)
    pool = make_candidates(X, y, {}, 3, seed=0)
    assert set(seen) == {(shape[0], 15)}
    assert all(adjusted_rand_index(labels, y) == 1 for labels in pool.labels)


def test_units_do_not_matter():
    X, y = make_blobs(300, centers=4, cluster_std=2.5, random_state=1)
    one, other = (make_candidates(X * factor, y, {}, 4, seed=0) for factor in (1, 2.0**-20))
    assert (one.labels == other.labels).all()


def test_float32_is_kept(monkeypatch):
    seen = []
    k_means = _pool.KMeans

    class Watched(k_means):
        def fit_predict(self, X):
            seen.append(X.dtype)
            return super().fit_predict(X)

    monkeypatch.setattr(_pool, "KMeans", Watched)
    X, y = blobs(d=10)
    pool = make_candidates(X.astype(np.float32), y, {}, 4, seed=0)
    assert seen == [np.float32]
    assert adjusted_rand_index(pool.labels[-1], y) > 0.9


def test_trees_do_not_depend_on_the_seed():
    X, y = make_blobs(300, centers=4, cluster_std=2.5, random_state=1)
    one, other = (make_candidates(X, y, {}, 4, seed=seed) for seed in (0, 1))
    trees = [i for i, name in enumerate(one.names) if name.startswith("genie")]
    assert len(trees) == 4
    assert (one.labels[trees] == other.labels[trees]).all()


def test_one_candidate_by_its_name():
    X, y = blobs()
    for name in NAMES[4:]:
        assert adjusted_rand_index(make_one(X, name, 4, 0), y) > 0.9
    assert make_one(X[:29], NAMES[4], 4, 0) is None  # too few objects


def test_one_mixture_that_fails_is_none(monkeypatch):
    X, _ = blobs()
    monkeypatch.setattr(_pool, "_components", lambda rows, seed: np.full((200, 2), np.nan))
    assert make_one(X, "mixture full", 4, 0) is None

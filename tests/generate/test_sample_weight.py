"""Rows that count for more or less when members are made."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from pluribus import EnsembleClusterer
from pluribus.constrained import PairwiseKMeans
from pluribus.constraints import Constraints
from pluribus.generate import Generator, mix


@pytest.fixture(scope="module")
def X():
    return make_blobs(120, centers=[[0, 0], [10, 0], [0, 10]], random_state=0)[0]


def labels(X, weights=None, clusterer="kmeans", **options):
    generator = Generator(clusterer, n_members=4, n_clusters=3, random_state=0, verbose=False, **options)
    return generator.generate(X, sample_weight=weights).labels


def same(a, b):
    return all(adjusted_rand_score(one, other) == 1 for one, other in zip(a.T, b.T, strict=True))


def test_equal_weights_change_nothing(X):
    assert same(labels(X, np.full(120, 2.0)), labels(X, np.ones(120)))


def test_a_row_of_weight_zero_moves_no_center(X):
    far = np.vstack([X, [[1e4, 1e4]]])
    weighed = labels(far, np.r_[np.ones(120), 0.0])
    assert any((column == column[120]).sum() == 1 for column in labels(far).T)  # where it counts, it is a cluster
    assert all(len(np.unique(column)) == 3 for column in weighed[:120].T)


def test_centers_of_samples_heed_weights():
    X = np.vstack([make_blobs(15_000, centers=[[0, 0], [10, 0]], random_state=0)[0], np.full((15_000, 2), 1e3)])
    weights = np.r_[np.ones(15_000), np.zeros(15_000)]
    found = labels(X, weights)
    assert all(len(np.unique(column[:15_000])) == 3 for column in found.T)  # no center at the rows that do not count


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_samples_of_rows_have_their_own_weights(X, n_jobs):
    weights = np.random.default_rng(0).random(120)
    assert np.array_equal(labels(X, weights, subsample=0.5, n_jobs=n_jobs), labels(X, weights, subsample=0.5))
    few = np.r_[1.0, np.zeros(119)]  # some samples have no row that counts
    assert labels(X, few, subsample=0.5).shape == (120, 4)


def test_constraints_and_weights(X):
    known = Constraints(120, must_link=[(0, 1)])
    generator = Generator(PairwiseKMeans(n_init=1), n_members=3, n_clusters=3, random_state=0, verbose=False)
    ensemble = generator.generate(X, constraints=known, sample_weight=np.ones(120))
    assert np.array_equal(ensemble.labels, generator.generate(X, constraints=known).labels)


def test_a_store_knows_the_weights(X, tmp_path):
    generator = Generator(n_members=3, n_clusters=3, random_state=0, verbose=False)
    generator.generate(X, store=tmp_path, sample_weight=np.ones(120))
    with pytest.raises(ValueError, match="other"):
        generator.generate(X, store=tmp_path, sample_weight=np.full(120, 3.0))


def test_ensemble_clusterer(X):
    far = np.vstack([X, [[1e4, 1e4]]])
    model = EnsembleClusterer(Generator(n_members=10, n_clusters=(3, 5)), n_clusters=3, random_state=0, verbose=False)
    found = model.fit(far, sample_weight=np.r_[np.ones(120), 0.0]).labels_
    assert np.bincount(found[:120]).tolist() == [40, 40, 40]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.ones(3), r"shape \(3,\): give one number for each of the 120 rows"),
        (np.zeros(120), "0 for all"),
        (-np.ones(120), "below 0"),
        (np.full(120, np.nan), "NaN"),
    ],
)
def test_bad_weights(X, weights, words):
    with pytest.raises(ValueError, match=words):
        labels(X, weights)


@pytest.mark.parametrize("clusterer", ["mixture", "spectral", "landmarks", "agglomerative"])
def test_members_that_take_no_weights(X, clusterer):
    with pytest.raises(ValueError, match="does not support sample_weight"):
        labels(X, np.ones(120), clusterer)


def test_mixed_members(X):
    both = mix(Generator(n_members=2), Generator(DBSCAN(eps=1), n_members=1), random_state=0, verbose=False)
    assert both.generate(X, sample_weight=np.ones(120)).n_partitions == 3

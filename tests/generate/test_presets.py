from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_iris

from pluribus.generate import Generator, preset

X = load_iris().data


@pytest.mark.parametrize(
    ("name", "n_members", "k_range"),
    [
        ("sqrt", 150, (6, 12)),
        ("linear", 150, (3, 8)),
        ("sqrt-or-50", 200, (7, 27)),
        ("fixed-range", 50, (10, 30)),
        ("fixed-k", 150, (30, 30)),
    ],
)
def test_one_clusterer(name, n_members, k_range):
    generator = preset(name).set_params(random_state=0)
    assert isinstance(generator, Generator)
    ensemble = generator.generate(X)
    assert ensemble.n_partitions == n_members
    assert not ensemble.has_missing
    assert (ensemble.n_clusters.min(), ensemble.n_clusters.max()) == k_range


def test_multi_algorithm():
    parts = preset("multi-algorithm").generators
    assert Counter((p.clusterer, p.linkage if p.clusterer != "kmeans" else "") for p in parts) == {
        ("kmeans", ""): 11,
        ("agglomerative", "single"): 11,
        ("agglomerative", "complete"): 11,
        ("agglomerative", "average"): 11,
    }
    assert {(p.n_members, p.subsample) for p in parts} == {(100, 0.9)}
    for part in parts:
        part.set_params(n_members=2)
    ensemble = preset("multi-algorithm").set_params(generators=parts, random_state=0).generate(X)
    assert ensemble.n_partitions == 88
    assert ((ensemble.labels >= 0).sum(axis=0) == 135).all()
    assert set(ensemble.n_clusters) == {2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20}


@pytest.mark.parametrize("n", [4, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore:.*fewer clusters than requested")
def test_spectral_grid(n):
    rows = np.random.default_rng(0).permutation(150)[:n]
    ensemble = preset("spectral-grid").set_params(random_state=0, n_jobs=2).generate(X[rows])
    assert ensemble.n_partitions == 280
    assert Counter(ensemble.n_clusters.tolist())[2] == 56


def test_unknown_name():
    with pytest.raises(ValueError, match="'sqrt-or-50'"):
        preset("best")


def test_u_senc():
    generator = preset("u-senc").set_params(random_state=0)
    assert (generator.clusterer, generator.n_members, generator.n_clusters) == ("landmarks", 20, (20, 60))
    ensemble = generator.generate(np.repeat(X, 4, axis=0) + np.random.default_rng(0).normal(scale=0.01, size=(600, 4)))
    assert ensemble.n_partitions == 20
    assert ensemble.n_clusters.min() >= 18
    assert ensemble.n_clusters.max() <= 60

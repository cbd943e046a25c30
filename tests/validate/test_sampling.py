"""Beyond some thousand objects: samples with intervals, the same for every n_jobs, and no n × n array."""

import tracemalloc

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from pluribus import Ensemble
from pluribus.evidence import CoAssociation
from pluribus.partitions._internal import stratified_sample
from pluribus.validate import (
    davies_bouldin_cost,
    description_length_cost,
    dunn_index,
    neighbor_density_index,
    silhouette_index,
)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(3000, centers=5, cluster_std=2, random_state=0)


@pytest.mark.parametrize("index", [silhouette_index, dunn_index, neighbor_density_index, description_length_cost])
def test_a_sample_says_so_and_repeats(blobs, index):
    X, labels = blobs
    value = index(labels, X, sample_size=400)
    assert value.n_sampled == 400
    assert value.low <= value <= value.high
    assert value == index(labels, X, sample_size=400)
    assert value != index(labels, X, sample_size=400, random_state=1)
    assert index(labels, X, sample_size=None).exact


@pytest.mark.parametrize("index", [silhouette_index, dunn_index, neighbor_density_index, davies_bouldin_cost])
def test_threads_do_not_matter(blobs, index):
    X, labels = blobs
    assert index(labels, X, n_jobs=2) == index(labels, X)
    assert index(labels, X, n_jobs=2, sample_size=300) == index(labels, X, sample_size=300)


def test_the_interval_of_a_description_length_is_that_of_samples(blobs):
    X, labels = blobs
    values = [description_length_cost(labels, X, sample_size=300, random_state=seed) for seed in range(12)]
    width = np.mean([value.high - value.low for value in values])
    assert 1 < width / np.std(values) < 12  # 4.5 by rights, with 9 degrees of freedom


@pytest.mark.parametrize("index", [silhouette_index, neighbor_density_index])
def test_intervals_cover(blobs, index):
    X, labels = blobs
    true = index(labels, X, sample_size=None)
    samples = [index(labels, X, sample_size=300, random_state=seed) for seed in range(20)]
    assert sum(value.low <= true <= value.high for value in samples) >= 16
    assert np.mean(samples) == pytest.approx(true, rel=0.05)


def test_intervals_of_evidence_cover():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 1000)
    members = np.where(rng.random((1000, 20)) < 0.7, labels[:, None], rng.integers(0, 4, (1000, 20)))
    members[rng.random(members.shape) < 0.2] = -1
    ensemble = Ensemble(members)
    for index, options in ((silhouette_index, {}), (davies_bouldin_cost, {"between": "mean"})):
        true = index(labels, similarity=ensemble, sample_size=None, **options)
        samples = [
            index(labels, similarity=ensemble, sample_size=200, random_state=seed, **options) for seed in range(10)
        ]
        assert sum(value.low <= true <= value.high for value in samples) >= 7
        assert np.mean(samples) == pytest.approx(true, rel=0.1)


def test_dunn_of_a_sample_is_a_bound(blobs):
    X, labels = blobs
    value = dunn_index(labels, X, sample_size=500)
    assert value.low == 0
    assert value.high == value >= dunn_index(labels, X, sample_size=None)


def test_evidence_without_missing_labels_is_exact_at_any_size():
    labels = np.random.default_rng(0).integers(0, 5, 20_000)
    members = np.stack([labels, labels % 2, labels], axis=1)
    value = silhouette_index(labels, similarity=Ensemble(members))
    assert value.exact
    small = silhouette_index(labels[:1000], similarity=CoAssociation(members[:1000]))
    assert value == pytest.approx(small, abs=0.01)


def test_memory_stays_small():
    rng = np.random.default_rng(0)
    n = 30_000
    X, labels = rng.normal(size=(n, 3)), rng.integers(0, 3, n)
    members = Ensemble(rng.integers(0, 5, (n, 4)))
    silhouette_index(labels[:50], X[:50])
    tracemalloc.start()
    for index in (silhouette_index, dunn_index, davies_bouldin_cost):
        index(labels, X)
        index(labels, similarity=members)
    description_length_cost(labels, X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300e6


def test_every_cluster_shows():
    codes = np.repeat(np.arange(5), [5000, 3000, 50, 4, 1])
    drawn = codes[stratified_sample(codes, 200, floor=20)]
    counts = np.bincount(drawn)
    assert counts.sum() <= 200
    assert counts.tolist()[2:] == [20, 4, 1]
    assert 1.3 < counts[0] / counts[1] < 1.9


def test_more_clusters_than_a_sample_can_show():
    with pytest.raises(ValueError, match="sample_size=4000"):
        silhouette_index(np.arange(8000) // 8, np.arange(8000.0)[:, None], sample_size=500)

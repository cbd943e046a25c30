"""LocallyWeightedConsensus of more objects than are linked."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from helpers import planted
from pluribus import Ensemble
from pluribus.consensus import LocallyWeightedConsensus
from pluribus.consensus.linkage import locally_weighted


def lwea(k=None, seed=0, **options):
    return LocallyWeightedConsensus(k, random_state=seed, verbose=False, **options)


@pytest.fixture
def few_linked(monkeypatch):
    monkeypatch.setattr(locally_weighted, "LINKED", 60)


@pytest.mark.parametrize("k", [3, None])
def test_agrees_with_the_link_of_all(monkeypatch, k):
    truth, labels = planted(400, 10, 3, 0.05, pieces=4)
    whole = lwea(k).fit(labels)
    monkeypatch.setattr(locally_weighted, "LINKED", 60)
    some = lwea(k).fit(labels)
    assert hasattr(whole, "linkage_")
    assert not hasattr(some, "linkage_")
    assert hasattr(some, "k_stability_") == (k is None)
    assert some.n_clusters_ == 3
    assert adjusted_rand_score(whole.labels_, some.labels_) == adjusted_rand_score(truth, some.labels_) == 1
    assert some.membership_.shape == (400, 3)


def test_every_object_has_a_label_and_the_seed_decides(few_linked):
    labels = np.random.default_rng(0).integers(6, size=(8, 300))  # nothing is in it, so that samples differ
    one, again, threads, other = lwea(5).fit(labels.T), lwea(5).fit(labels.T), lwea(5, n_jobs=2), lwea(5, seed=1)
    assert set(one.labels_.tolist()) == set(range(5))
    assert np.array_equal(one.labels_, again.labels_)
    assert np.array_equal(one.labels_, threads.fit(labels.T).labels_)
    assert adjusted_rand_score(one.labels_, other.fit(labels.T).labels_) < 1


def test_missing_labels_and_weights(few_linked):
    truth, labels = planted(400, 10, 3, 0.05, pieces=4, missing=0.3)
    weights = np.ones(10)
    weights[3] = 0
    labels[:, 3] = np.arange(400) % 7
    found = lwea(3).fit(Ensemble(labels, weights=weights))
    assert adjusted_rand_score(truth, found.labels_) > 0.97


def test_what_an_earlier_fit_found_is_forgotten(monkeypatch):
    _, labels = planted(400, 10, 3, 0.05, pieces=4)
    model = lwea().fit(labels)
    assert hasattr(model, "linkage_")
    assert model.k_stability_.n_clusters == 3
    monkeypatch.setattr(locally_weighted, "LINKED", 60)
    model.set_params(n_clusters=2).fit(labels)
    assert not hasattr(model, "linkage_")
    assert not hasattr(model, "k_stability_")


@pytest.mark.parametrize("n", [1, 2])
def test_so_few_objects_are_one_cluster(n):
    assert lwea().fit([list(range(n))] * 5).labels_.tolist() == [0] * n

"""The median partition: small answers, an oracle over all partitions, both forms of the search, and bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from helpers import noisy_members
from pluribus import Ensemble
from pluribus.consensus import CorrelationConsensus, MedoidPartition, by_name
from pluribus.evidence._signed import label_descent, median


def fit(labels, n_clusters=None, **options):
    return CorrelationConsensus(n_clusters, random_state=0, verbose=False, **options).fit(labels)


def mirkin(ensemble, labels):
    """Disagreements, pair by pair."""
    total = 0.0
    for column, weight in zip(ensemble.labels.T, ensemble.weights, strict=True):
        for i in range(len(labels)):
            for j in range(i):
                if column[i] >= 0 and column[j] >= 0:
                    total += weight * ((column[i] == column[j]) != (labels[i] == labels[j]))
    return total


def partitions(n):
    if n == 0:
        yield []
        return
    for labels in partitions(n - 1):
        for c in range(max(labels, default=-1) + 2):
            yield [*labels, c]


@st.composite
def small_ensembles(draw):
    n, r = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = rng.integers(0, 3, (n, r))
    labels = np.where(rng.random((n, r)) < draw(st.sampled_from([0.0, 0.3])), -1, labels)
    labels[:, 0], labels[0] = np.maximum(labels[:, 0], 0), np.maximum(labels[0], 0)
    weights = rng.random(r) if draw(st.booleans()) else np.ones(r)
    weights[0] += 0.1
    if draw(st.booleans()):
        weights[-1] = 0.0 if r > 1 else 1.0
    return Ensemble(labels, weights=weights)


def test_example():
    labels = [[0, 0, 1, 1], [0, 0, 0, 1], [0, 1, 1, 1]]
    found = fit(labels)
    assert (found.labels_.tolist(), found.n_clusters_) == ([0, 0, 1, 1], 2)
    assert (found.cost_, found.lower_bound_) == (6, 6)


@pytest.mark.parametrize("listed", [median._DENSE, 0])
@settings(max_examples=25, deadline=None)
@given(ensemble=small_ensembles(), k=st.integers(1, 6))
def test_against_all_partitions(listed, ensemble, k):
    """Whether all pairs are listed, or labels are counted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(median, "_DENSE", listed)
        found = fit(ensemble)
        n = ensemble.n_objects
        opt = min(mirkin(ensemble, labels) for labels in partitions(n))
        assert found.cost_ == pytest.approx(mirkin(ensemble, found.labels_))
        assert found.lower_bound_ - 1e-9 <= opt <= found.cost_ + 1e-9
        assert found.cost_ <= opt * 1.05 + 1e-9  # the search is a heuristic, but these are small
        for column in ensemble.labels.T[ensemble.weights > 0]:
            if (column >= 0).all():
                assert found.cost_ <= mirkin(ensemble, column) + 1e-9
        if k <= n:
            given_k = fit(ensemble, k)
            assert given_k.n_clusters_ == k
            assert given_k.cost_ == pytest.approx(mirkin(ensemble, given_k.labels_))
            assert given_k.cost_ >= found.lower_bound_ - 1e-9


def test_both_forms_agree_on_a_larger_ensemble(monkeypatch):
    truth = np.random.default_rng(0).permutation(np.arange(200) % 5)
    labels = noisy_members(truth, 15, 0.2, missing=0.1, rng=np.random.default_rng(1))
    listed = fit(labels)
    monkeypatch.setattr(median, "_DENSE", 0)
    counted = fit(labels)
    assert listed.cost_ <= counted.cost_ <= 1.01 * listed.cost_
    assert counted.lower_bound_ <= listed.lower_bound_  # of distances between members, not of triples of objects
    assert adjusted_rand_score(truth, counted.labels_) > 0.95
    best = min(mirkin_of_columns(labels))
    assert counted.cost_ < best


def mirkin_of_columns(labels):
    ensemble = Ensemble(labels)
    full = [p for p in range(labels.shape[1]) if (labels[:, p] >= 0).all()]
    return [mirkin(ensemble, labels[:, p]) for p in full] or [np.inf]


def test_noise_does_not_fill_memory(monkeypatch):
    """Members that agree on nothing: all objects are apart, and none of them gets a column of counts."""
    monkeypatch.setattr(median, "_DENSE", 0)
    rng = np.random.default_rng(0)
    found = median.median_partition(Ensemble(rng.integers(0, 30, (2000, 10))), [0], verbose=False)
    assert len(np.unique(found.labels)) > 1000
    assert found.lower_bound <= found.cost <= found.best_member


def test_members_with_too_many_clusters_are_no_start(monkeypatch):
    monkeypatch.setattr(median, "_DENSE", 0)
    for module in (median, label_descent):
        monkeypatch.setattr(module, "MOST_COUNTS", 60)  # a table of 12 labels and 5 columns
    truth = np.repeat(np.arange(4), 5)
    found = fit([truth, truth, truth])
    assert found.cost_ == 0
    assert adjusted_rand_score(truth, found.labels_) == 1


def test_blocks_are_moved_as_one():
    """Half of the members split a, the others split b: single objects never gain by moving, whole blocks do."""
    one = np.repeat([0, 1, 2, 2], 5)
    other = np.repeat([0, 0, 1, 2], 5)
    whole = np.repeat([0, 0, 1, 1], 5)
    found = fit([one, other, whole])
    assert found.labels_.tolist() == whole.tolist()


def test_not_worse_than_the_medoid():
    truth = np.repeat(np.arange(6), 20)
    labels = noisy_members(truth, 9, 0.4, missing=0.0, rng=np.random.default_rng(5))
    ensemble = Ensemble(labels)
    medoid = MedoidPartition(distance="mirkin", verbose=False).fit(ensemble)
    assert fit(ensemble).cost_ < mirkin(ensemble, medoid.labels_)


def test_finds_its_number_and_its_name():
    assert by_name("correlation") is CorrelationConsensus
    assert CorrelationConsensus().finds_n_clusters


@pytest.mark.parametrize(
    ("options", "labels", "message"),
    [
        ({"n_clusters": 0}, [[0, 1]], "n_clusters"),
        ({"n_clusters": 3}, [[0, 1]], "more than the number of objects, 2"),
        ({"n_init": 0}, [[0, 1]], "n_init"),
        ({"random_state": -1}, [[0, 1]], "random_state"),
        ({}, 5, "label sequences"),
        ({}, [[-1, 0], [-1, 1]], "in no partition"),
    ],
)
def test_bad_input(options, labels, message):
    with pytest.raises(ValueError, match=message):
        CorrelationConsensus(verbose=False, **options).fit(labels)

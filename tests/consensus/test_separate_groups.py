"""Where no partition links groups of objects, no result claims to know how to merge them."""

import time

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from pluribus import EnsembleClusterer
from pluribus.consensus import EvidenceAccumulation, LocallyWeightedConsensus
from pluribus.consensus._shared.separate_groups import merge_separate, separate_groups
from pluribus.partitions import Ensemble
from pluribus.tables import open_rows

THREE = np.repeat([0, 1, 2], [4, 2, 2])


@pytest.mark.parametrize("method", [EvidenceAccumulation(2), LocallyWeightedConsensus(2)])
def test_merges_without_evidence_are_uncertain(method):
    with pytest.warns(UserWarning, match="separates 3 groups that no partition links"):
        found = method.set_params(verbose=False).fit([THREE] * 5)
    merged = found.labels_ == found.labels_[-1]
    assert found.labels_[0] != found.labels_[-1]  # the two smallest are merged
    assert found.uncertainty_[merged].min() > 0.5
    assert found.uncertainty_[~merged].max() == 0
    np.testing.assert_allclose(found.membership_.sum(axis=1), 1)


def test_a_small_group_beside_a_large_one():
    labels = np.repeat([0, 1, 2], [90, 2, 60])
    with pytest.warns(UserWarning, match="arbitrary"):
        found = EvidenceAccumulation(2, verbose=False).fit([labels] * 3)
    assert found.uncertainty_[90] > 0.95
    assert found.uncertainty_[0] < 0.3


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_rows_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(6), [9, 8, 5, 4, 2, 1]))
    order = rng.permutation(len(labels))
    results = []
    for own in (labels, labels[order]):
        with pytest.warns(UserWarning, match="arbitrary"):
            results.append(EvidenceAccumulation(3, verbose=False).fit([own, own]).labels_)
    assert adjusted_rand_score(results[0][order], results[1]) == 1


def test_enough_clusters_are_certain(recwarn):
    found = EvidenceAccumulation(3, verbose=False).fit([THREE] * 5)
    assert found.uncertainty_.max() == 0
    assert found.n_separate_ == 3
    assert EvidenceAccumulation(1, verbose=False).fit([THREE] * 5).n_clusters_ == 1
    assert not recwarn.list


@pytest.mark.parametrize("consensus", [None, "eac"])
@pytest.mark.parametrize("seed", range(3))
def test_the_features_decide(consensus, seed, recwarn):
    """Three blobs ten standard deviations apart, of which six members show pieces that nothing links."""
    X, y = make_blobs([30, 30, 30], centers=[[0, 0], [10, 0], [0, 10]], random_state=seed)
    model = EnsembleClusterer(n_members=6, consensus=consensus, n_clusters=3, random_state=seed, verbose=False).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert not [w for w in recwarn.list if "arbitrary" in str(w.message)]


def test_groups_by_definition():
    rng = np.random.default_rng(0)
    labels = rng.integers(-1, 9, (30, 3))
    labels[0] = 0
    weights = np.array([1.0, 0.0, 2.0])
    groups = separate_groups(Ensemble(labels, weights=weights))
    linked = np.eye(30, dtype=bool)
    for column in (0, 2):
        linked |= (labels[:, column, None] == labels[:, column]) & (labels[:, column, None] >= 0)
    for _ in range(30):
        linked = linked @ linked
    np.testing.assert_array_equal(linked, groups[:, None] == groups)


def test_groups_are_merged_by_distance():
    X, y = make_blobs(60, centers=[[0, 0], [1, 0], [9, 9], [10, 9]], cluster_std=0.1, random_state=0)
    for features in (X, open_rows(X)):
        labels = merge_separate(Ensemble([y]), y, 2, features)
        assert adjusted_rand_score(y // 2, labels) == 1


def test_many_groups_are_merged_in_little_time():
    groups = np.arange(20_000)
    before = time.process_time()
    labels = merge_separate(Ensemble([groups]), groups, 4)
    assert time.process_time() - before < 30  # a list that is sorted after each merge takes minutes
    assert np.bincount(labels).min() >= 2_000


@pytest.mark.parametrize("threshold", [float("nan"), "much", None])
def test_a_threshold_is_a_number(threshold):
    with pytest.raises(ValueError, match="threshold"):
        EvidenceAccumulation(3, verbose=False).fit([THREE] * 2).cut(threshold=threshold)

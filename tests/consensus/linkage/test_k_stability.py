import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from pluribus import Ensemble
from pluribus.consensus import LocallyWeightedConsensus
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.consensus._shared.evidence_linkages import average_link
from pluribus.consensus.linkage import _k_stability
from pluribus.consensus.linkage._k_stability import KStability, k_stability


def fine_members(n=120, k=4, r=12, pieces=3, wrong=0.03, seed=0):
    """True clusters, and members that split each of them in pieces of their own."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    labels = [truth * pieces + rng.integers(pieces, size=n) for _ in range(r)]
    labels = [np.where(rng.random(n) < wrong, rng.integers(k * pieces, size=n), column) for column in labels]
    return truth, Ensemble(labels)


def grow(ensemble):
    return average_link(ensemble, np.repeat(ensemble.weights, ensemble.n_clusters), verbose=False)


def look(ensemble, seed=0):
    return k_stability(ensemble, grow(ensemble), grow, np.random.default_rng(seed), verbose=False)


def between(ensemble, labels):
    """The largest mean evidence between two of the clusters, pair by pair."""
    c = np.mean([column[:, None] == column for column in ensemble.labels.T], axis=0)
    groups = [labels == g for g in np.unique(labels)]
    return max(c[np.ix_(a, b)].mean() for i, a in enumerate(groups) for b in groups[:i])


def test_lifetimes_and_stability_by_their_definitions():
    _, ensemble = fine_members(n=60, r=9)
    found, tree, rng = look(ensemble, seed=5), grow(ensemble), np.random.default_rng(5)
    assert len(found.lifetimes) == len(found.stability) == ensemble.n_clusters.min() - 1
    splits = [rng.permutation(9) for _ in range(3)]
    for k in (2, 3, 4, 5, 8):
        fall = between(ensemble, cut_into(tree, k + 1)) / between(ensemble, cut_into(tree, k))
        assert found.lifetimes[k - 2] == pytest.approx(np.log(fall), abs=1e-6)
        agreements = []
        for order in splits:
            halves = [grow(ensemble.take_partitions(np.sort(part))) for part in (order[:4], order[4:])]
            one, other, whole = (cut_into(t, k) for t in (*halves, tree))
            agreements += [adjusted_rand_score(*pair) for pair in ((one, other), (one, whole), (other, whole))]
        assert found.stability[k - 2] == pytest.approx(np.mean(agreements))


@pytest.mark.parametrize("k", [2, 3, 4, 6])
def test_finds_the_number_of_clear_clusters(k):
    truth, ensemble = fine_members(k=k, pieces=12 // k, n=240)
    found = look(ensemble)
    assert found.n_clusters == k
    assert found.sentence.startswith(f"{k} clusters: the evidence between clusters falls ")
    assert "reproduce them with an adjusted Rand index of 1.00." in found.sentence
    model = LocallyWeightedConsensus(random_state=0, verbose=False).fit(ensemble)
    assert model.n_clusters_ == model.k_stability_.n_clusters == k
    assert adjusted_rand_score(truth, model.labels_) == 1


def test_looks_up_to_the_finest_member_or_the_coarsest_of_small_tables():
    fine = [np.arange(100) % k for k in (12, 15, 20)]
    assert len(look(Ensemble(fine)).lifetimes) == 12 - 1
    assert len(look(Ensemble([np.arange(200) % k for k in (19, 40)])).lifetimes) == 19 - 1
    assert len(look(Ensemble([np.arange(200) % k for k in (20, 40)])).lifetimes) == 40 - 1
    assert len(look(Ensemble([*fine, np.arange(100) % 3])).lifetimes) == 20 - 1
    assert len(look(Ensemble([np.arange(300) % k for k in (70, 80)])).lifetimes) == 50 - 1
    assert len(look(Ensemble([np.zeros(5, int)] * 5)).lifetimes) == 1
    assert len(look(Ensemble([np.arange(5)] * 5)).lifetimes) == 3


def test_few_members_have_no_halves():
    _, ensemble = fine_members(r=3, wrong=0)
    found = look(ensemble)
    assert np.isnan(found.stability).all()
    assert found.n_clusters == 4
    assert found.sentence == "4 clusters: the evidence between clusters falls to nothing there."


def test_halves_outvote_a_longer_life():
    found = KStability(np.array([0.5, 1.0, 0.2]), np.array([0.95, 0.6, -0.1]))
    assert found.n_clusters == 2
    assert "falls 1.6-fold there" in found.sentence
    assert KStability(np.array([0.5, 1.0]), np.array([-0.2, -0.1])).n_clusters == 1


@pytest.mark.parametrize("r", [2, 6])
def test_where_nothing_is_set_apart_there_is_one_cluster(r):
    found = look(Ensemble([[0] * 20] * r))
    assert found.n_clusters == 1
    assert found.sentence.startswith("1 cluster: ")
    model = LocallyWeightedConsensus(verbose=False).fit([[0] * 20] * r)
    assert model.labels_.tolist() == [0] * 20


def test_same_seed_same_result():
    _, ensemble = fine_members(wrong=0.3)
    one, again, other = look(ensemble, 1), look(ensemble, 1), look(ensemble, 2)
    assert np.array_equal(one.stability, again.stability)
    assert not np.array_equal(one.stability, other.stability)
    assert np.array_equal(one.lifetimes, other.lifetimes)


def test_halves_of_many_objects_are_made_of_some(monkeypatch):
    monkeypatch.setattr(_k_stability, "_OBJECTS", 50)
    _, ensemble = fine_members(n=200)
    sizes = []

    def counted(part):
        sizes.append((part.n_objects, part.n_partitions))
        return grow(part)

    found = k_stability(ensemble, grow(ensemble), counted, np.random.default_rng(0), verbose=False)
    assert sizes == [(50, 6)] * 6
    assert found.n_clusters == 4
    assert found.stability[2] == 1


@pytest.mark.parametrize("extraction", ["linkage", "stable"])
def test_halves_are_compared_on_what_both_know(extraction):
    truth, ensemble = fine_members(n=200, k=4, r=6)
    hidden = np.random.default_rng(1).random(ensemble.labels.shape) < 0.3
    hidden[hidden.all(axis=1)] = False
    labels = np.where(hidden, -1, ensemble.labels)
    assert any((labels[:, half] < 0).all(axis=1).any() for half in ([0, 1, 2], [1, 3, 5], [2, 4, 5]))
    model = LocallyWeightedConsensus(extraction=extraction, random_state=0, verbose=False).fit(Ensemble(labels))
    assert model.n_clusters_ == 4
    assert adjusted_rand_score(truth, model.labels_) > 0.8
    assert np.isfinite(model.k_stability_.stability).all()


def test_stability_is_unknown_if_halves_have_hardly_an_object_in_common():
    parts = np.full((4, 40), -1)
    for m in range(4):
        parts[m, 10 * m : 10 * m + 10] = np.arange(10) % 3
    found = look(Ensemble(parts.T))
    assert np.isnan(found.stability).all()
    assert found.n_clusters >= 1


def test_a_member_that_knows_no_object_of_the_sample_is_left_out(monkeypatch):
    monkeypatch.setattr(_k_stability, "_OBJECTS", 50)
    _, ensemble = fine_members(n=200, k=4, r=6)
    labels = ensemble.labels.copy()
    labels[3:, 0] = -1
    sampled = [np.random.default_rng(seed).choice(200, 50, replace=False) for seed in range(5)]
    without = [seed for seed, rows in enumerate(sampled) if rows.min() > 2]
    assert without
    for seed in without:
        assert np.isfinite(look(Ensemble(labels), seed=seed).stability).all()


def test_a_member_of_objects_that_the_other_half_does_not_know_is_left_out():
    _, ensemble = fine_members(n=200, k=4, r=4)
    labels = ensemble.labels.copy()
    labels[:100, :2] = -1
    labels[100:, 2] = -1
    rng = np.random.default_rng(3)
    splits = _k_stability.halves(4, 3, rng)
    assert any(2 in half and not {0, 1} & set(half) for both in splits for half in both)
    found = look(Ensemble(labels), seed=3)
    assert np.isfinite(found.stability).all()

"""The best of three linkages of the evidence: an oracle, ties, weights, missing labels, and what is left alone."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_circles
from sklearn.metrics import adjusted_rand_score

import pluribus
from pluribus import Ensemble
from pluribus.consensus import EvidenceAccumulation
from pluribus.pipeline.candidates import best_linkage as module
from pluribus.pipeline.candidates.best_linkage import best_linkage


def accumulated(ensemble, k, linkage="average"):
    return EvidenceAccumulation(k, linkage=linkage, missing="zero", verbose=False).fit(ensemble)


def power_mean(ensemble, labels):
    """The obvious way: one member at a time, on the objects it covers."""
    total = 0.0
    for member, weight in zip(ensemble.labels.T, ensemble.weights, strict=True):
        covered = member >= 0
        total += weight * max(adjusted_rand_score(member[covered], labels[covered]), 0) ** 8
    return (total / ensemble.weights.sum()) ** (1 / 8)


@pytest.fixture(scope="module")
def rings():
    """Three members find the rings, four cut them into halves at similar angles."""
    X, y = make_circles(200, factor=0.4, noise=0.03, random_state=0)
    wrong = [X @ [np.cos(angle), np.sin(angle)] > 0 for angle in (0, 0.2, 0.4, 0.6)]
    return Ensemble([y, y, y, *(member.astype(int) for member in wrong)]), y


def test_the_partition_that_some_members_nearly_reproduce_is_taken(rings):
    ensemble, y = rings
    assert adjusted_rand_score(y, accumulated(ensemble, 2).labels_) < 0.5
    best = best_linkage(ensemble, accumulated(ensemble, 2), verbose=False)
    assert adjusted_rand_score(y, best.consensus.labels_) == 1
    values = [power_mean(ensemble, labels) for labels in (best.consensus.labels_, accumulated(ensemble, 2).labels_)]
    assert best.sentence == (
        f"Merged by Genie link, which agrees best with the members ({values[0]:.2f}; average link {values[1]:.2f}). "
        "The partitions of both agree at 0.00 (adjusted Rand index)."
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_choice_is_that_of_the_oracle(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, (40, 5))
    labels[:, 1] = labels[:, 0]  # two members agree
    labels[rng.random(labels.shape) < 0.1] = -1
    ensemble = Ensemble(labels, weights=rng.random(5) + 0.1)
    fitted = {linkage: accumulated(ensemble, 4, linkage).labels_ for linkage in ("average", "genie", "single")}
    values = {linkage: power_mean(ensemble, found) for linkage, found in fitted.items()}
    best = best_linkage(ensemble, accumulated(ensemble, 4), verbose=False)
    assert values[best.consensus.linkage] == pytest.approx(max(values.values()), abs=1e-9)
    assert np.array_equal(best.consensus.labels_, fitted[best.consensus.linkage])
    assert f"({values[best.consensus.linkage]:.2f}" in best.sentence


def test_less_agreement_than_by_chance_is_none():
    opposite = Ensemble([[0, 0, 1, 1]])
    assert adjusted_rand_score([0, 0, 1, 1], [0, 1, 0, 1]) == -0.5
    assert module._agreement(opposite, np.array([0, 1, 0, 1])) == 0


def test_equal_partitions_are_those_of_average_link():
    ensemble = Ensemble([[0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 2]])
    best = best_linkage(ensemble, accumulated(ensemble, 3), verbose=False)
    assert best.consensus.linkage == "average"
    assert best.sentence == ""


def test_a_member_without_weight_has_no_say(rings):
    ensemble, y = rings
    weighted = Ensemble(ensemble.labels, weights=[0, 0, 0, 1, 1, 1, 1])
    best = best_linkage(weighted, accumulated(weighted, 2), verbose=False)
    assert power_mean(weighted, best.consensus.labels_) >= power_mean(weighted, y) + 0.1


@pytest.mark.parametrize("k", [1, 6])
def test_nothing_to_choose_from(k):
    ensemble = Ensemble([[0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2]])
    average = accumulated(ensemble, k)
    assert best_linkage(ensemble, average, verbose=False) == (average, "")


def test_soft_members_and_slow_linkage_are_left_to_average_link(rings, monkeypatch):
    ensemble, _ = rings
    average = accumulated(ensemble, 2)
    monkeypatch.setattr(module, "predict_seconds", lambda ensemble, method: 61.0)
    assert best_linkage(ensemble, average, verbose=False) == (average, "")
    monkeypatch.undo()
    soft = Ensemble.from_memberships([np.eye(2)[column] for column in ensemble.labels.T])
    assert best_linkage(soft, average, verbose=False) == (average, "")


def test_many_equal_rows_are_no_reason_to_leave_it(rings, monkeypatch):
    ensemble, _ = rings
    slow = {ensemble.n_objects: 61.0}
    monkeypatch.setattr(module, "predict_seconds", lambda some, method: slow.get(some.n_objects, 1.0))
    assert best_linkage(ensemble, accumulated(ensemble, 2), verbose=False).sentence


def linked(seed):
    """An ensemble whose average link is not tied, its best linkage, and whether a tie was warned of."""
    ensemble = Ensemble(np.random.default_rng(seed).integers(0, 3, (12, 3)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        average = accumulated(ensemble, 3)
        assert not caught
        best = best_linkage(ensemble, average, verbose=False).consensus.linkage
    return ensemble, best, any("tied" in str(warned.message) for warned in caught)


def test_ties_are_warned_of_only_if_the_linkage_is_taken():
    ensemble, best, warned = linked(seed=0)
    with pytest.warns(UserWarning, match="tied"):
        accumulated(ensemble, 3, "single")
    assert (best, warned) == ("average", False)
    ensemble, best, warned = linked(seed=3)
    assert (best, warned) == ("single", True)
    with pytest.warns(UserWarning, match="tied"):
        assert best_linkage(ensemble, accumulated(ensemble, 3), verbose=False).sentence.startswith("Merged by single")


def test_combine_takes_it_by_default_and_eac_is_average_link(rings):
    ensemble, y = rings
    best = pluribus.combine(ensemble, 2, verbose=False)
    assert adjusted_rand_score(y, best.labels) == 1
    assert any(note.startswith("Merged by") for note in best.notes)
    plain = pluribus.combine(ensemble, 2, method="eac", verbose=False)
    assert np.array_equal(plain.labels, accumulated(ensemble, 2).labels_)
    assert not any(note.startswith("Merged by") for note in plain.notes)


def test_the_order_of_members_and_objects_does_not_matter(rings):
    ensemble, _ = rings
    rng = np.random.default_rng(0)
    first = pluribus.combine(ensemble, 2, verbose=False).labels
    order = rng.permutation(len(first))
    again = pluribus.combine(ensemble.labels[order][:, rng.permutation(7)], 2, verbose=False).labels
    assert adjusted_rand_score(first[order], again) == 1


def test_constraints_and_sizes_are_kept(rings):
    ensemble, _ = rings
    apart = pluribus.combine(ensemble, 2, cannot_link=[(0, 1)], verbose=False)
    assert apart.labels[0] != apart.labels[1]
    assert apart.parameters["method"] == "ceac"
    even = pluribus.combine(ensemble, 2, min_size=90, verbose=False)
    assert np.bincount(even.labels).min() >= 90

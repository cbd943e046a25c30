"""The closest partition to the members: an oracle, ties, weights, missing labels, members, and what is left alone."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_circles
from sklearn.metrics import adjusted_rand_score

import pluribus
from pluribus import Ensemble
from pluribus.consensus import EvidenceAccumulation, MedoidPartition
from pluribus.evidence import mean_evidence
from pluribus.pipeline.candidates import closest_partition as module
from pluribus.pipeline.candidates.closest_partition import closest_partition


def accumulated(ensemble, k, linkage="average"):
    return EvidenceAccumulation(k, linkage=linkage, missing="zero", verbose=False).fit(ensemble)


def power_mean(ensemble, labels, without=None):
    """The obvious way: one member at a time, on the objects it covers."""
    total = weights = 0.0
    for position, (member, weight) in enumerate(zip(ensemble.labels.T, ensemble.weights, strict=True)):
        if position == without:
            continue
        covered = member >= 0
        weight = weight * covered.mean()
        total += weight * max(adjusted_rand_score(member[covered], labels[covered]), 0) ** 8
        weights += weight
    return (total / weights) ** (1 / 8)


def completed(ensemble, member):
    """Objects without a label join the cluster of highest mean evidence, the largest of equal ones."""
    labels = ensemble.labels[:, member].copy()
    evidence = mean_evidence(ensemble, labels, labels.max() + 1)
    by_size = np.argsort(-np.bincount(labels[labels >= 0]), kind="stable")
    return np.where(labels < 0, by_size[evidence[:, by_size].argmax(axis=1)], labels)


@pytest.fixture(scope="module")
def rings():
    """Three members find the rings, four cut them into halves at similar angles."""
    X, y = make_circles(200, factor=0.4, noise=0.03, random_state=0)
    wrong = [X @ [np.cos(angle), np.sin(angle)] > 0 for angle in (0, 0.2, 0.4, 0.6)]
    return Ensemble([y, y, y, *(member.astype(int) for member in wrong)]), y


def test_the_partition_that_some_members_nearly_reproduce_is_taken(rings):
    ensemble, y = rings
    assert adjusted_rand_score(y, accumulated(ensemble, 2).labels_) < 0.5
    best = closest_partition(ensemble, accumulated(ensemble, 2), verbose=False)
    assert adjusted_rand_score(y, best.consensus.labels_) == 1
    values = [power_mean(ensemble, labels) for labels in (best.consensus.labels_, accumulated(ensemble, 2).labels_)]
    assert best.sentence == (
        f"Merged by Genie link, which agrees best with the clusterings ({values[0]:.2f}). The next best is average "
        f"link ({values[1]:.2f}); the partitions of both agree at 0.00 (adjusted Rand index)."
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_choice_is_that_of_the_oracle(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, (40, 5))
    labels[:, 1] = labels[:, 0]  # two members agree
    if seed % 3 == 2:
        labels[rng.random(labels.shape) < 0.1] = -1
    ensemble = Ensemble(labels, weights=1 + (seed % 3) * rng.random(5))
    fitted = {linkage: accumulated(ensemble, 4, linkage).labels_ for linkage in ("average", "genie", "single")}
    values = {linkage: power_mean(ensemble, found) for linkage, found in fitted.items()}
    values["member"] = max(power_mean(ensemble, completed(ensemble, i), without=i) for i in range(5))
    best = closest_partition(ensemble, accumulated(ensemble, 4), verbose=False)
    name = "member" if isinstance(best.consensus, MedoidPartition) else best.consensus.linkage
    assert values[name] == pytest.approx(max(values.values()), abs=1e-9)
    assert name == "member" or np.array_equal(best.consensus.labels_, fitted[name])
    others = [found for linkage, found in fitted.items() if adjusted_rand_score(best.consensus.labels_, found) < 1]
    assert best.sentence or not others
    assert f"({values[name]:.2f})" in best.sentence or not best.sentence


def test_the_oracle_takes_linkages_and_members():
    """Otherwise the test above could not tell them apart."""
    kinds = set()
    for seed in range(12):
        labels = np.random.default_rng(seed).integers(0, 4, (40, 5))
        labels[:, 1] = labels[:, 0]
        ensemble = Ensemble(labels)
        kinds.add(type(closest_partition(ensemble, accumulated(ensemble, 4), verbose=False).consensus))
    assert kinds == {EvidenceAccumulation, MedoidPartition}


@pytest.fixture(scope="module")
def sparse_rings(rings):
    """The rings with three labels in ten missing: too few for Genie link, and average link cuts the rings."""
    labels = rings[0].labels.copy()
    labels[np.random.default_rng(0).random(labels.shape) < 0.3] = -1
    return Ensemble(labels, names=["a", "b", "c", "d", "e", "f", "g"]), rings[1]


def test_a_member_is_taken_if_it_agrees_best_with_the_others(sparse_rings):
    ensemble, y = sparse_rings
    assert adjusted_rand_score(y, accumulated(ensemble, 2).labels_) < 0.1
    best = closest_partition(ensemble, accumulated(ensemble, 2), verbose=False)
    member = best.consensus.medoid_
    assert member in (0, 1, 2)
    assert adjusted_rand_score(y, best.consensus.labels_) > 0.9
    covered = ensemble.labels[:, member] >= 0
    assert adjusted_rand_score(ensemble.labels[covered, member], best.consensus.labels_[covered]) == 1
    assert (best.consensus.labels_ >= 0).all()
    assert best.consensus.membership_.shape == (200, 2)
    value = power_mean(ensemble, best.consensus.labels_, without=member)
    average = power_mean(ensemble, accumulated(ensemble, 2).labels_)
    assert best.sentence == (
        f"Took the clustering {ensemble.names[member]}, which agrees best with the others ({value:.2f}). The next best "
        f"is average link ({average:.2f}); the partitions of both agree at 0.00 (adjusted Rand index)."
    )


def test_a_member_is_compared_with_the_others_only(rings):
    one = Ensemble(rings[0].labels[:, :1])
    assert module._agreement(one, one.labels[:, 0]) == 1
    assert module._agreement(one, one.labels[:, 0], without=0) == 0


@pytest.mark.parametrize(("other", "competes"), [(1, True), (2, False)])
def test_members_compete_if_three_quarters_have_as_many_clusters(sparse_rings, other, competes):
    ensemble, _ = sparse_rings
    labels = ensemble.labels[:, :6].copy()  # the last `other` have four clusters
    labels[:, 6 - other :] += 2 * (np.arange(200) % 2)[:, None] * (labels[:, 6 - other :] >= 0)
    mixed = Ensemble(labels)
    best = closest_partition(mixed, accumulated(mixed, 2), verbose=False)
    assert ("clustering p" in best.sentence) == competes
    assert isinstance(best.consensus, MedoidPartition) == competes


def test_the_share_of_members_goes_by_weight(sparse_rings):
    ensemble, _ = sparse_rings
    labels = np.column_stack([ensemble.labels[:, :3], np.arange(200) % 4])
    assert module._most_have(Ensemble(labels), 2)
    assert not module._most_have(Ensemble(labels, weights=[1, 1, 1, 1.1]), 2)


def test_a_member_that_covers_two_objects_is_not_near_to_all(sparse_rings):
    ensemble, y = sparse_rings
    first = closest_partition(ensemble, accumulated(ensemble, 2), verbose=False).consensus
    tiny = np.full((200, 1), -1)
    tiny[[np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]], 0] = [0, 1]
    more = Ensemble(np.hstack([ensemble.labels, tiny]))
    best = closest_partition(more, accumulated(more, 2), verbose=False).consensus
    assert best.medoid_ == first.medoid_
    assert adjusted_rand_score(y, best.labels_) > 0.9
    assert module._agreement(more, y) == pytest.approx(power_mean(more, y))


def test_a_heavy_member_is_not_nearest_by_its_own_weight(sparse_rings):
    ensemble, _ = sparse_rings
    weighted = Ensemble(ensemble.labels, weights=[1, 1, 1, 9, 1, 1, 1])
    member = module._best_member(weighted, 2)
    values = [power_mean(weighted, completed(weighted, i), without=i) for i in range(7)]
    assert member.agreement == pytest.approx(max(values))
    assert member.consensus.medoid_ == np.argmax(values) != 3


def test_a_member_with_another_number_of_clusters_does_not_compete():
    y = np.repeat([0, 1], 50)
    members = [np.where(np.isin(np.arange(100), range(start, 100, 10)), 1 - y, y) for start in (0, 1, 2)]
    finer = np.append(y[:-1], 2)
    ensemble = Ensemble([finer, *members])
    values = [power_mean(ensemble, labels, without=i) for i, labels in enumerate(ensemble.labels.T)]
    assert np.argmax(values) == 0
    assert module._best_member(ensemble, 2).consensus.medoid_ == 1 + np.argmax(values[1:])


def test_members_that_share_no_object():
    left, right = np.repeat([0, 1, -1], 4), np.repeat([-1, 0, 1], 4)
    labels = [left, np.repeat([-1, 0, 1], [8, 2, 2]), right, np.repeat([0, 1, 0], 4)]
    result = pluribus.combine(Ensemble(labels), 2, missing="zero", verbose=False)
    assert sorted(set(result.labels.tolist())) == [0, 1]


def test_too_many_members_are_not_compared(sparse_rings, monkeypatch):
    ensemble, _ = sparse_rings
    monkeypatch.setattr(module, "_MOST_COMPARED", 200 * 7**2 / 2)
    assert "clustering" in closest_partition(ensemble, accumulated(ensemble, 2), verbose=False).sentence.split(",")[0]
    monkeypatch.setattr(module, "_MOST_COMPARED", 200 * 7**2 / 2 - 1)
    assert closest_partition(ensemble, accumulated(ensemble, 2), verbose=False).consensus.linkage == "average"


def test_words_for_equal_agreement_and_for_none():
    class Found:
        def __init__(self, labels):
            self.labels_ = np.array(labels)

    one = module._Candidate("average link", Found([0, 0, 1, 1]), 0.5, [])
    other = module._Candidate("Genie link", Found([0, 1, 1, 1]), 0.5, [])
    assert module._sentence([one, other], one).startswith(
        "Merged by average link, but Genie link agrees as well with the clusterings (0.50); the partitions of both"
    )
    none = [candidate._replace(agreement=0.0) for candidate in (one, other)]
    assert module._sentence(none, none[0]).endswith(": no partition agrees with the clusterings better than by chance.")


def test_one_member_of_two_or_alone_is_not_taken_as_it_is():
    one, two = np.repeat([0, 1], 4), np.array([0, 0, 0, 1, 1, 1, 1, 1])
    for ensemble in (Ensemble([one]), Ensemble([one, two]), Ensemble([one, two], weights=[1, 0])):
        best = closest_partition(ensemble, accumulated(ensemble, 2), verbose=False)
        assert best.consensus.linkage == "average"


def test_less_agreement_than_by_chance_is_none():
    opposite = Ensemble([[0, 0, 1, 1]])
    assert adjusted_rand_score([0, 0, 1, 1], [0, 1, 0, 1]) == -0.5
    assert module._agreement(opposite, np.array([0, 1, 0, 1])) == 0


def test_equal_partitions_are_those_of_average_link():
    ensemble = Ensemble([[0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 2]])
    best = closest_partition(ensemble, accumulated(ensemble, 3), verbose=False)
    assert best.consensus.linkage == "average"
    assert best.sentence == ""


def test_a_member_without_weight_has_no_say(rings):
    ensemble, y = rings
    weighted = Ensemble(ensemble.labels, weights=[0, 0, 0, 1, 1, 1, 1])
    best = closest_partition(weighted, accumulated(weighted, 2), verbose=False)
    assert power_mean(weighted, best.consensus.labels_) >= power_mean(weighted, y) + 0.1


@pytest.mark.parametrize("k", [1, 6])
def test_nothing_to_choose_from(k):
    ensemble = Ensemble([[0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2]])
    average = accumulated(ensemble, k)
    assert closest_partition(ensemble, average, verbose=False) == (average, "")


def test_soft_members_are_left_to_average_link(rings):
    soft = Ensemble.from_memberships([np.eye(2)[column] for column in rings[0].labels.T])
    average = accumulated(soft, 2)
    assert closest_partition(soft, average, verbose=False) == (average, "")


def test_slow_linkage_leaves_average_link_and_a_member(rings, monkeypatch):
    ensemble, y = rings
    average = accumulated(ensemble, 2)
    monkeypatch.setattr(module, "predict_seconds", lambda ensemble, method: 61.0)
    best = closest_partition(ensemble, average, verbose=False)
    assert isinstance(best.consensus, MedoidPartition)
    assert adjusted_rand_score(y, best.consensus.labels_) == 1
    assert "The next best is average link" in best.sentence


def test_many_equal_rows_are_no_reason_to_leave_it(rings, monkeypatch):
    ensemble, _ = rings
    slow = {ensemble.n_objects: 61.0}
    monkeypatch.setattr(module, "predict_seconds", lambda some, method: slow.get(some.n_objects, 1.0))
    assert "Genie" in closest_partition(ensemble, accumulated(ensemble, 2), verbose=False).sentence


def linked(seed):
    """An ensemble whose average link is not tied, its best linkage, and whether a tie was warned of."""
    ensemble = Ensemble(np.random.default_rng(seed).integers(0, 3, (12, 3)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        average = accumulated(ensemble, 3)
        assert not caught
        best = closest_partition(ensemble, average, verbose=False).consensus.linkage
    return ensemble, best, any("tied" in str(warned.message) for warned in caught)


def test_ties_are_warned_of_only_if_the_linkage_is_taken():
    ensemble, best, warned = linked(seed=0)
    with pytest.warns(UserWarning, match="tied"):
        accumulated(ensemble, 3, "single")
    assert (best, warned) == ("average", False)
    ensemble, best, warned = linked(seed=3)
    assert (best, warned) == ("single", True)
    with pytest.warns(UserWarning, match="tied"):
        assert closest_partition(ensemble, accumulated(ensemble, 3), verbose=False).sentence.startswith(
            "Merged by single"
        )


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

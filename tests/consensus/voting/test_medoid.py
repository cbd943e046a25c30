import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from helpers import planted
from pluribus import Ensemble, EnsembleClusterer, compare
from pluribus.consensus._shared import base
from pluribus.consensus.voting.medoid import MedoidPartition
from pluribus.evidence import MemoryLimitError
from pluribus.generate import Generator

LABELS = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]


def medoid(*arguments, **options):
    return MedoidPartition(*arguments, verbose=False, **options)


@pytest.mark.parametrize("distance", [*compare.DISTANCES, compare.rand_distance])
def test_is_the_member_with_the_smallest_sum_of_distances(distance):
    _, labels = planted(60, 5, 4, [0.5, 0.2, 0.4, 0.3, 0.6])
    weights = np.array([1, 0.5, 2, 1, 3])
    model = medoid(distance=distance).fit(Ensemble(labels, weights=weights))
    measure = compare.DISTANCES[distance] if isinstance(distance, str) else distance
    expected = np.array([[measure(a, b) for b in labels.T] for a in labels.T])
    np.testing.assert_allclose(model.distances_, expected, atol=1e-12)
    assert model.medoid_ == np.argmin(expected @ weights)
    assert adjusted_rand_score(labels[:, model.medoid_], model.labels_) == 1
    assert model.n_clusters_ == 4
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1)
    assert model.labels_.tolist() == np.argsort(np.argsort(-np.bincount(model.labels_)))[model.labels_].tolist()


def test_finds_the_member_with_the_least_noise():
    truth, labels = planted(500, 6, 4, [0.4, 0.5, 0.02, 0.4, 0.6, 0.5])
    model = medoid().fit(labels)
    assert model.medoid_ == 2
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    assert model.uncertainty_[labels[:, 2] == labels[:, 0]].mean() < 0.9


def test_number_of_clusters():
    assert medoid().fit(LABELS).n_clusters_ == 2
    chosen = medoid(3).fit(LABELS)
    assert (chosen.medoid_, chosen.n_clusters_) == (2, 3)
    with pytest.raises(ValueError, match=r"No partition has n_clusters=4 clusters.*they have \[2, 3\]"):
        medoid(4).fit(LABELS)
    part = Ensemble(LABELS[1:]).take_objects([0, 1, 3, 4])  # clusters that lost all objects are none
    assert medoid(2).fit(part).medoid_ == 1


def test_weights():
    a, b = [0, 0, 1, 1], [0, 1, 0, 1]
    assert medoid().fit(Ensemble([a, b], weights=[1, 2])).medoid_ == 1
    assert medoid().fit(Ensemble([a, b], weights=[2, 1])).medoid_ == 0
    assert medoid().fit(Ensemble([a, b, b], weights=[0.1, 0, 0])).medoid_ == 0
    with pytest.raises(ValueError, match=r"they have \[2\]"):
        medoid(3).fit(Ensemble([a, [0, 1, 2, 2]], weights=[1, 0]))


def test_objects_that_the_medoid_leaves_out_go_by_their_evidence():
    whole = np.repeat([0, 1, 2], [3, 2, 2])
    seen = whole.copy()
    seen[[2, 4]] = -1
    # The others halve a cluster each, so that the one with missing labels is the nearest to all.
    others = [[0, 0, 0, 1, 1, 2, 3], [0, 0, 0, 1, 2, 3, 3], [0, 1, 0, 2, 2, 3, 3]]
    model = medoid(distance="normalized_variation_of_information").fit([seen, *others])
    assert model.medoid_ == 0
    assert adjusted_rand_score(whole, model.labels_) == 1
    assert (model.membership_.argmax(axis=1) == model.labels_).all()


def test_objects_of_which_nothing_is_known_are_reported():
    labels = [[0, 0, 0, 1, 1, -1], [0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 2]]
    with pytest.warns(UserWarning, match="1 objects are in no cluster of the medoid"):
        model = medoid(2).fit(labels)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 0]
    assert model.uncertainty_[5] == 1


def test_names_and_order_do_not_matter():
    _, labels = planted(120, 8, 5, 0.5)
    labels[np.arange(120), np.arange(120) % 8] = -1
    model = medoid().fit(labels)
    named = [[None if c < 0 else f"x{(3 * c + p) % 7}" for c in column] for p, column in enumerate(labels.T)]
    assert medoid().fit(named).labels_.tolist() == model.labels_.tolist()
    order = np.random.default_rng(1).permutation(120)
    turned = medoid().fit(labels[order])
    assert turned.medoid_ == model.medoid_
    assert adjusted_rand_score(turned.labels_, model.labels_[order]) == 1


def test_soft_partitions():
    _, labels = planted(60, 5, 3, 0.3)
    soft = Ensemble.from_memberships([0.8 * np.eye(3)[column] + 0.2 / 3 for column in labels.T])
    hard, model = medoid().fit(labels), medoid().fit(soft)
    assert model.medoid_ == hard.medoid_
    assert (model.uncertainty_ >= hard.uncertainty_ - 1e-9).all()


@pytest.mark.parametrize("distance", [*compare.DISTANCES, compare.rand_distance])
def test_copies_of_a_soft_partition_are_near_each_other(distance):
    vague, sharp = np.array([[0.6, 0.4], [0.6, 0.4], [0.4, 0.6], [0.4, 0.6]]), np.eye(2)[[0, 1, 1, 1]]
    model = medoid(distance=distance).fit(Ensemble.from_memberships([sharp, vague, vague, vague]))
    assert model.medoid_ == 1
    assert model.distances_[1, 2] == 0


def test_a_distance_that_knows_the_features():
    X = np.array([[0.0], [1], [2], [10], [11], [12]])
    model = medoid(distance=lambda a, b: compare.cc_distance(a, b, X)).fit(LABELS)
    np.testing.assert_allclose(model.distances_, compare.distance_matrix(LABELS, "cc", X))


def test_too_many_clusters_for_the_memory(monkeypatch):
    monkeypatch.setattr(base, "_MOST_MEMORY", 100)
    with pytest.raises(MemoryLimitError, match="6 objects in 3 clusters.*Give n_clusters"):
        medoid(3).fit(LABELS)
    assert medoid(2).fit(LABELS).medoid_ == 0


def test_brings_its_own_number_of_clusters_to_data():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = EnsembleClusterer(Generator(n_members=7, n_clusters=(4, 6)), "medoid", random_state=0, verbose=False).fit(X)
    assert model.n_clusters_ == model.ensemble_.n_clusters[model.consensus_.medoid_]
    assert model.n_clusters_ >= 4


def test_edges():
    assert medoid().fit([["a"]]).labels_.tolist() == [0]
    assert medoid().fit([[0, 1, 2]]).n_clusters_ == 3
    assert medoid().fit([[0, 0], [0, 0]]).labels_.tolist() == [0, 0]
    assert medoid().fit([[0, 0, 1], [0, 0, 1]]).medoid_ == 0  # the first of a tie
    model = medoid(2)
    assert clone(model).get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(model.fit(LABELS))).medoid_ == 0


@pytest.mark.parametrize(
    ("parameters", "ensemble", "message"),
    [
        ({"distance": "nope"}, LABELS, "distance"),
        ({"n_clusters": 0}, LABELS, "n_clusters"),
        ({}, [], "empty"),
        ({}, [[0, 1, -1, -1], [-1, -1, 0, 1]], "No object is in both 'p0' and 'p1'"),
    ],
)
def test_bad_input(parameters, ensemble, message):
    with pytest.raises(ValueError, match=message):
        medoid(**parameters).fit(ensemble)

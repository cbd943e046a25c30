import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from helpers import SEVEN, ensembles, planted, renamed
from pluribus import Ensemble
from pluribus.consensus.voting._voting_merging import match_clusters, merge_clusters
from pluribus.consensus.voting.voting import VotingConsensus

QUIET = {"verbose": False}


def fit_quietly(ensemble, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return VotingConsensus(**QUIET, **parameters).fit(ensemble)


def count_votes(ensemble, correspondences):
    """Votes of each object for each cluster, one at a time."""
    votes = np.zeros((ensemble.n_objects, correspondences[0].shape[1]))
    for i in range(ensemble.n_objects):
        for p, correspondence in enumerate(correspondences):
            if ensemble.labels[i, p] >= 0:
                votes[i] += ensemble.weights[p] * correspondence[ensemble.labels[i, p]]
    return votes


def test_seven_objects_hungarian():
    voting = VotingConsensus(reference=0, **QUIET).fit(SEVEN)
    votes = [[4, 0, 0], [3, 1, 0], [2, 1, 0], [1, 3, 0], [0, 3, 1], [0, 0, 3], [0, 0, 3]]
    assert count_votes(Ensemble(SEVEN), voting.correspondences_).tolist() == votes
    assert voting.labels_.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert voting.membership_[2] == pytest.approx([2 / 3, 1 / 3, 0])
    assert voting.reference_ == "p0"


def test_seven_objects_voting_in_turn():
    voting = VotingConsensus(strategy="merging", reference=0, max_iter=0, **QUIET).fit(SEVEN[:3])
    expected = np.array([[3, 0, 0], [3, 0, 0], [2, 1, 0], [0, 3, 0], [0, 2, 1], [0, 0, 3], [0, 0, 3]]) / 3
    assert voting.membership_ == pytest.approx(expected)
    # Of the 7 × 3 pairs of votes, 7 + 2 × 5 agree.
    assert voting.objective_ == pytest.approx([17 / 21])


def test_seven_objects_merging():
    # Cluster 1 (objects 4, 5) gives 1/6 of its votes to cluster 2, cluster 0 a ninth to cluster 1.
    parameters = {"strategy": "merging", "reference": 0, **QUIET}
    assert VotingConsensus(threshold=1 / 6 + 1e-9, **parameters).fit(SEVEN[:3]).n_clusters_ == 3
    two = VotingConsensus(threshold=1 / 6 - 1e-9, **parameters).fit(SEVEN[:3])
    assert two.labels_.tolist() == [1, 1, 1, 0, 0, 0, 0]
    assert two.membership_[2] == pytest.approx([1 / 3, 2 / 3])
    assert VotingConsensus(2, **parameters).fit(SEVEN[:3]).labels_.tolist() == two.labels_.tolist()
    assert VotingConsensus(1, **parameters).fit(SEVEN[:3]).labels_.tolist() == [0] * 7


@pytest.mark.parametrize("strategy", ["hungarian", "merging"])
@given(ensemble=ensembles())
def test_memberships_are_the_votes(strategy, ensemble):
    voting = fit_quietly(ensemble, strategy=strategy, reference=0)
    assert np.unique(voting.labels_).tolist() == list(range(voting.n_clusters_))
    assert (np.diff(np.bincount(voting.labels_)) <= 0).all()
    votes = count_votes(ensemble, voting.correspondences_)
    heard = votes.sum(axis=1) > 0
    assert voting.membership_[heard] == pytest.approx((votes / np.maximum(votes.sum(axis=1), 1e-9)[:, None])[heard])
    assert voting.membership_.sum(axis=1) == pytest.approx(1)
    most = voting.membership_[np.arange(ensemble.n_objects), voting.labels_]
    assert most == pytest.approx(voting.membership_.max(axis=1))
    for correspondence, k in zip(voting.correspondences_, ensemble.n_clusters, strict=True):
        assert correspondence.shape == (k, voting.n_clusters_)
        assert np.isin(correspondence, (0, 1)).all()
        assert (correspondence.sum(axis=1) <= 1).all()


@given(ensembles())
def test_agreement_grows(ensemble):
    # threshold=1: nothing is merged but names without objects, so the votes can be compared with what they were.
    voting = fit_quietly(ensemble, strategy="merging", threshold=1.0, reference=0)
    assert (np.diff(voting.objective_) >= -1e-12).all()
    assert (voting.objective_ >= -1e-12).all()
    assert (voting.objective_ <= 1 + 1e-12).all()


def test_agreement_is_what_it_says():
    rng = np.random.default_rng(0)
    ensemble = Ensemble(rng.integers(0, 3, (30, 5)), weights=[1, 2, 0.5, 1, 3])
    voting = VotingConsensus(strategy="merging", threshold=1.0, **QUIET).fit(ensemble)
    assert voting.n_clusters_ == 3
    cast = np.column_stack(
        [m.argmax(axis=1)[c] for m, c in zip(voting.correspondences_, ensemble.labels.T, strict=True)]
    )
    both, agree = 0.0, 0.0
    for s in range(5):
        for t in range(5):
            if s != t:
                weight = ensemble.weights[s] * ensemble.weights[t]
                both += 30 * weight
                agree += (cast[:, s] == cast[:, t]).sum() * weight
    assert voting.objective_[-1] == pytest.approx(agree / both)


def test_going_round_mends_a_bad_turn():
    labels = [[1, 0, 0, 1, 1, 1], [1, 1, 0, 1, 1, 0], [1, 1, 1, 1, 0, 0], [1, 0, 1, 0, 1, 1]]
    parameters = {"strategy": "merging", "reference": 0, "threshold": 1.0, **QUIET}
    once = VotingConsensus(max_iter=0, **parameters).fit(labels)
    again = VotingConsensus(**parameters).fit(labels)
    assert once.objective_ == pytest.approx([20 / 36])
    assert again.objective_ == pytest.approx([20 / 36, 22 / 36])
    assert again.labels_.tolist() != once.labels_.tolist()


def test_match_clusters():
    none_free = np.zeros(3, dtype=bool)
    permuted = match_clusters(np.array([[0.0, 5, 1], [1, 0, 5], [5, 1, 0]]), none_free)
    assert permuted.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    # One cluster more than there are names: the one left over takes the name it overlaps with best.
    left_over = match_clusters(np.array([[5.0, 1], [4, 0], [0, 6]]), none_free[:2])
    assert left_over.tolist() == [[1, 0], [1, 0], [0, 1]]
    # One to one would give the second cluster a name it has nothing in common with.
    forced = match_clusters(np.array([[5.0, 5, 0], [0, 0, 3], [0, 0, 4]]), none_free)
    assert forced[1:].tolist() == [[0, 0, 1], [0, 0, 1]]
    # Unless nobody uses a name: then it is the first.
    free = match_clusters(np.array([[5.0, 0, 0], [4, 0, 0]]), np.array([False, False, True]))
    assert free.tolist() == [[1, 0, 0], [0, 0, 1]]
    # No overlap, no free name, no vote.
    assert match_clusters(np.array([[5.0, 1], [0, 0]]), np.zeros(2, dtype=bool))[1].tolist() == [0, 0]


def test_merge_clusters_gives_away_what_wins_nothing():
    shares = np.array([[0.6, 0.0, 0.4], [0.6, 0.0, 0.4], [0.1, 0.9, 0.0]])
    assert merge_clusters(shares, np.ones(3), None, 1.0).tolist() in ([0, 1, 0], [1, 0, 1])


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_reference_is_the_most_central_partition(seed):
    rng = np.random.default_rng(seed)
    ensemble = Ensemble(rng.integers(0, 3, (40, 5)))
    columns = ensemble.labels.T
    nmi = [[normalized_mutual_info_score(a, b, average_method="geometric") for b in columns] for a in columns]
    mean = (np.sum(nmi, axis=1) - 1) / 4
    voting = fit_quietly(ensemble)
    assert mean[int(voting.reference_[1:])] == pytest.approx(mean.max())


def test_reference_compares_only_what_both_cover():
    labels = [
        [0, 0, 0, 1, 1, 1, -1, -1],
        [0, 0, 1, 1, -1, -1, 0, 1],
        [0, 1, 0, 1, 0, 1, 1, 0],
        [-1, 0, 0, 0, 1, 1, 0, 1],
    ]
    columns = [np.array(column) for column in labels]
    nmi = np.zeros((4, 4))
    for i, a in enumerate(columns):
        for j, b in enumerate(columns):
            both = (a >= 0) & (b >= 0)
            nmi[i, j] = normalized_mutual_info_score(a[both], b[both], average_method="geometric")
    best = int((nmi.sum(axis=1) - 1).argmax())
    assert fit_quietly(labels).reference_ == f"p{best}"


@pytest.mark.parametrize("strategy", ["hungarian", "merging"])
def test_unanimous_and_strings(strategy):
    voting = VotingConsensus(strategy=strategy, **QUIET).fit([["a", "a", "b", "b", "b", "c", "c"]] * 4)
    assert voting.labels_.tolist() == [1, 1, 0, 0, 0, 2, 2]
    assert voting.membership_.tolist() == np.eye(3)[voting.labels_].tolist()
    assert voting.uncertainty_.tolist() == [0.0] * 7


@pytest.mark.parametrize("strategy", ["hungarian", "merging"])
@given(ensemble=ensembles(weighted=False), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_names_of_labels_do_not_matter(strategy, ensemble, seed):
    parameters = {"strategy": strategy, "reference": 0}
    assert (
        fit_quietly(ensemble, **parameters).labels_.tolist()
        == fit_quietly(renamed(ensemble.labels, seed), **parameters).labels_.tolist()
    )


@pytest.mark.parametrize("parameters", [{}, {"n_clusters": 5}, {"strategy": "merging"}])
def test_planted_partition_is_recovered(parameters):
    truth, labels = planted(2000, 12, 5, 0.4, missing=0.2)
    voting = VotingConsensus(**parameters, **QUIET).fit(labels)
    assert voting.n_clusters_ == 5
    assert adjusted_rand_score(truth, voting.labels_) > 0.93


@pytest.mark.parametrize("strategy", ["hungarian", "merging"])
def test_order_of_objects_does_not_matter(strategy):
    _, labels = planted(500, 12, 5, 0.3, missing=0.2)
    shuffle = np.random.default_rng(1).permutation(500)
    straight = VotingConsensus(strategy=strategy, **QUIET).fit(labels)
    shuffled = VotingConsensus(strategy=strategy, **QUIET).fit(labels[shuffle])
    assert adjusted_rand_score(straight.labels_[shuffle], shuffled.labels_) == 1


@pytest.mark.parametrize("strategy", ["hungarian", "merging"])
def test_different_numbers_of_clusters(strategy):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 600)
    fine = truth * 2 + rng.integers(0, 2, 600)  # splits each cluster in two
    noisy = [np.where(rng.random(600) < 0.2, rng.integers(0, 3, 600), truth) for _ in range(6)]
    voting = VotingConsensus(3, strategy=strategy, **QUIET).fit([fine, *noisy])
    assert adjusted_rand_score(truth, voting.labels_) > 0.95
    if strategy == "hungarian":
        assert voting.correspondences_[0].sum(axis=0).tolist() == [2, 2, 2]


def test_threshold_finds_the_number_of_clusters():
    # Partitions of six clusters: the three true ones, each cut in two somewhere else every time.
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 900)
    labels = [truth * 2 + rng.integers(0, 2, 900) for _ in range(10)]
    voting = VotingConsensus(strategy="merging", **QUIET).fit(labels)
    assert voting.n_clusters_ == 3
    assert adjusted_rand_score(truth, voting.labels_) == 1


def test_given_reference_names_but_does_not_vote():
    labels = [[0, 0, 1, 1, -1, 0], [0, 0, 1, 1, 1, -1]]
    voting = VotingConsensus(reference=["x", "x", "y", "y", "y", "y"], **QUIET).fit(labels)
    assert voting.labels_.tolist() == [0, 0, 1, 1, 1, 0]
    assert voting.reference_ is None
    merging = VotingConsensus(reference=["x", "x", "y", "y", "y", "y"], strategy="merging", **QUIET).fit(labels)
    assert merging.membership_.tolist() == voting.membership_.tolist()
    # Equal label rows may have different labels in the reference.
    split = VotingConsensus(reference=[0, 0, 1, 1, 0, 1], **QUIET).fit([[0, 0, 0, 0, 1, 1]])
    assert split.labels_.tolist() == [0, 0, 0, 0, 1, 1]
    named = VotingConsensus(reference="p1", **QUIET).fit(labels)
    assert named.reference_ == "p1"


def test_weights_decide():
    labels = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1]]
    assert VotingConsensus(reference=0, **QUIET).fit(labels).labels_.tolist() == [1, 1, 0, 0, 0, 0]
    heavy = VotingConsensus(reference=0, **QUIET).fit(Ensemble(labels, weights=[3, 1, 1]))
    assert heavy.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert heavy.membership_[2] == pytest.approx([0.6, 0.4])
    tiny = VotingConsensus(reference=0, strategy="merging", **QUIET).fit(
        Ensemble(labels, weights=[3e-12, 1e-12, 1e-12])
    )
    assert tiny.membership_[2] == pytest.approx([0.6, 0.4])


@pytest.mark.parametrize("strategy", ["hungarian", "merging"])
def test_soft_partitions(strategy):
    hard = Ensemble(planted(200, 12, 5, 0.4, missing=0.2)[1])
    memberships = [(column[:, None] == np.arange(5)).astype(float) for column in hard.labels.T]
    from_hard = VotingConsensus(strategy=strategy, **QUIET).fit(hard)
    from_soft = VotingConsensus(strategy=strategy, **QUIET).fit(Ensemble.from_memberships(memberships))
    assert from_soft.membership_ == pytest.approx(from_hard.membership_)
    # A sure minority outvotes a majority that wavers.
    sure, wavers = [[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]], [[1, 0], [1, 0], [0, 1], [0, 1], [0.6, 0.4]]
    soft = VotingConsensus(strategy=strategy, **QUIET).fit(Ensemble.from_memberships([sure, wavers, wavers]))
    assert soft.membership_[4] == pytest.approx([1.8 / 3, 1.2 / 3])
    assert soft.labels_.tolist() == [1, 1, 0, 0, 0]


@pytest.mark.parametrize("strategy", ["hungarian", "merging"])
def test_partitions_of_one_cluster_have_no_vote(strategy):
    with pytest.warns(UserWarning, match="1 partitions have a single cluster and do not vote: p1"):
        voting = VotingConsensus(strategy=strategy, **QUIET).fit([[0, 0, 1, 1, 1], [0] * 5, [0, 0, 1, 1, 1]])
    assert voting.uncertainty_.tolist() == [0.0] * 5
    assert not voting.correspondences_[1].any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert VotingConsensus(strategy=strategy, **QUIET).fit([[0] * 3, [0] * 3]).labels_.tolist() == [0] * 3
        assert VotingConsensus(1, strategy=strategy, **QUIET).fit(SEVEN).labels_.tolist() == [0] * 7


def test_objects_without_a_vote():
    # The last object's cluster has nobody in the reference.
    labels = [[0, 0, 0, 1, 1, -1], [0, 0, 0, 1, 1, 2]]
    with pytest.warns(UserWarning, match="1 objects got no vote"):
        voting = VotingConsensus(reference=0, **QUIET).fit(labels)
    assert voting.labels_.tolist() == [0, 0, 0, 1, 1, 0]
    assert voting.uncertainty_.tolist() == [0.0] * 5 + [1.0]
    merging = VotingConsensus(reference=0, strategy="merging", **QUIET).fit(labels)  # has a name to spare
    assert merging.labels_.tolist() == [0, 0, 0, 1, 1, 2]


def test_partition_that_overlaps_only_with_later_ones():
    labels = [[0, 0, 1, 1, -1, -1, -1, -1], [-1, -1, -1, -1, 0, 0, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1]]
    voting = VotingConsensus(reference=0, strategy="merging", **QUIET).fit(labels)
    assert voting.labels_.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]
    with pytest.raises(ValueError, match="'p1' has no object in common with the reference"):
        VotingConsensus(reference=0, **QUIET).fit(labels)
    with pytest.raises(ValueError, match=r"1 partitions have no object in common .*'p1'"):
        VotingConsensus(reference=0, strategy="merging", **QUIET).fit(labels[:2])


def test_threads_do_not_matter():
    _, labels = planted(40_000, 5, 5, 0.4, missing=0.2)
    for strategy in ("hungarian", "merging"):
        one, two = (VotingConsensus(strategy=strategy, n_jobs=j, **QUIET).fit(labels) for j in (1, 2))
        assert np.array_equal(one.membership_, two.membership_)


def test_is_an_estimator():
    voting = VotingConsensus(strategy="merging", **QUIET)
    assert clone(voting).get_params() == voting.get_params()
    fitted = pickle.loads(pickle.dumps(voting.fit(SEVEN)))
    assert fitted.labels_.tolist() == voting.fit_predict(SEVEN).tolist()


@pytest.mark.parametrize(
    ("parameters", "ensemble", "message"),
    [
        ({"n_clusters": 8}, SEVEN, "n_clusters=8 is more than the number of objects, 7"),
        ({"n_clusters": 0}, SEVEN, "n_clusters"),
        ({"n_clusters": 4}, SEVEN, r"No partition has n_clusters=4 clusters.*\[2, 3\]"),
        ({"n_clusters": 4, "strategy": "merging"}, SEVEN, "no partition has more than 3"),
        ({"n_clusters": 2, "reference": 0}, SEVEN, "the reference 'p0' has 3 clusters"),
        ({"n_clusters": 2, "reference": [0, 1, 2, 0, 1, 2, 0]}, SEVEN, "the reference has 3 clusters"),
        ({"reference": 4}, SEVEN, "Partition 4 does not exist"),
        ({"reference": "q"}, SEVEN, "No partition is called 'q'"),
        ({"reference": [0, 1]}, SEVEN, "reference has 2 labels, but there are 7 objects"),
        ({"strategy": "plurality"}, SEVEN, "strategy"),
        ({"threshold": 2}, SEVEN, "threshold"),
        ({}, [], "empty"),
        ({}, [[0, -1, 1], [0, -1, 1]], "1 objects are in no partition"),
        ({}, Ensemble([[0, 0, 1], [0, -1, 1]], weights=[0, 1]), "partitions of weight 0"),
    ],
)
def test_bad_input(parameters, ensemble, message):
    with pytest.raises(ValueError, match=message):
        VotingConsensus(**parameters, **QUIET).fit(ensemble)

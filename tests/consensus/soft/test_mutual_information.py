import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from helpers import SEVEN, ensembles, planted, renamed
from pluribus import Ensemble
from pluribus.consensus.soft.mutual_information import MutualInformationConsensus
from pluribus.evidence import mean_evidence

QUIET = {"verbose": False, "random_state": 0}


def utility(consensus, partition):
    """U(C, π), straight from its definition, over the objects that π covers."""
    seen = partition >= 0
    consensus, partition = consensus[seen], partition[seen]
    inside = sum(
        np.mean(consensus == c) * sum(np.mean(partition[consensus == c] == j) ** 2 for j in np.unique(partition))
        for c in np.unique(consensus)
    )
    return inside - sum(np.mean(partition == j) ** 2 for j in np.unique(partition))


def squared_error(ensemble, consensus):
    """Distance of the one-hot labels to the mean of their cluster, missing ones left out."""
    error = 0.0
    for p in range(len(ensemble)):
        one_hot = ensemble.labels[:, p, None] == np.arange(ensemble.n_clusters[p])
        for c in np.unique(consensus):
            rows = one_hot[(consensus == c) & (ensemble.labels[:, p] >= 0)].astype(float)
            if len(rows):
                error += ensemble.weights[p] * ((rows - rows.mean(axis=0)) ** 2).sum()
    return error


def fit_quietly(ensemble, k, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return MutualInformationConsensus(k, **{**QUIET, **parameters}).fit(ensemble)


def test_seven_objects():
    qmi = MutualInformationConsensus(3, **QUIET).fit(SEVEN[:3])
    assert qmi.labels_.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert qmi.quadratic_mi_.sum() / 2 == pytest.approx(1.6259, abs=5e-5)
    assert qmi.objective_[-1] == pytest.approx(7 / 3)


def test_seven_objects_exhaustively():
    columns = np.array(SEVEN[:3])
    scores = {}
    for labels in itertools.product(range(3), repeat=7):
        if list(dict.fromkeys(labels)) == [0, 1, 2]:  # each partition once
            scores[labels] = sum(utility(np.array(labels), column) for column in columns)
    best, second = sorted(scores, key=lambda labels: -scores[labels])[:2]
    assert len(scores) == 301
    assert best == (0, 0, 0, 1, 1, 2, 2)
    assert scores[second] == pytest.approx(1.3878, abs=5e-5)


@given(ensembles(), st.integers(1, 5))
def test_objective_falls_and_is_what_it_says(ensemble, k):
    k = min(k, ensemble.n_objects)
    qmi = fit_quietly(ensemble, k, n_init=2, tol=0.0)
    assert (np.diff(qmi.objective_) <= 1e-9).all()
    assert qmi.objective_[-1] == pytest.approx(squared_error(ensemble, qmi.labels_), abs=1e-9)
    n_covered = (ensemble.labels >= 0).sum(axis=0)
    spread = np.array([1 - (np.bincount(c[c >= 0]) ** 2).sum() / (c >= 0).sum() ** 2 for c in ensemble.labels.T])
    utilities = np.array([utility(qmi.labels_, column) for column in ensemble.labels.T])
    assert qmi.quadratic_mi_ == pytest.approx(2 * utilities, abs=1e-9)
    left = (ensemble.weights * n_covered * (spread - utilities)).sum()
    assert qmi.objective_[-1] == pytest.approx(left, abs=1e-9)


@given(ensembles(), st.integers(1, 5))
def test_result_has_its_shape(ensemble, k):
    k = min(k, ensemble.n_objects)
    qmi = fit_quietly(ensemble, k, n_init=2)
    assert 1 <= qmi.n_clusters_ <= k
    assert np.unique(qmi.labels_).tolist() == list(range(qmi.n_clusters_))
    assert (np.diff(np.bincount(qmi.labels_)) <= 0).all()
    assert qmi.membership_.shape == (ensemble.n_objects, qmi.n_clusters_)
    evidence = mean_evidence(ensemble, qmi.labels_, qmi.n_clusters_)
    assert qmi.membership_ == pytest.approx(evidence / evidence.sum(axis=1, keepdims=True))
    assert (qmi.uncertainty_ >= 0).all()
    assert (qmi.uncertainty_ <= 1).all()


def test_as_good_as_kmeans_on_the_one_hot_matrix():
    rng = np.random.default_rng(3)
    for _ in range(3):
        ensemble = Ensemble(rng.integers(0, 4, (60, 5)))
        theirs = KMeans(4, n_init=10, random_state=0).fit(ensemble.one_hot()).inertia_
        ours = MutualInformationConsensus(4, n_init=20, **QUIET).fit(ensemble).objective_[-1]
        assert ours <= theirs * 1.01


def test_utility_of_independent_and_equal_partitions():
    ensemble = Ensemble([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]], weights=[1, 1, 0.1])
    qmi = MutualInformationConsensus(2, **QUIET).fit(ensemble)
    assert qmi.quadratic_mi_ == pytest.approx([1, 1, 0])


def test_unanimous_and_strings():
    partition = ["a", "a", "b", "b", "b", "c", "c"]
    qmi = MutualInformationConsensus(3, **QUIET).fit([partition] * 4)
    assert qmi.labels_.tolist() == [1, 1, 0, 0, 0, 2, 2]
    assert qmi.membership_ == pytest.approx(np.eye(3)[qmi.labels_])
    assert qmi.uncertainty_ == pytest.approx(0)


@given(ensembles(weighted=False), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_names_of_labels_do_not_matter(ensemble, seed):
    k = min(3, ensemble.n_objects)
    assert fit_quietly(ensemble, k).labels_.tolist() == fit_quietly(renamed(ensemble.labels, seed), k).labels_.tolist()


def test_planted_partition_is_recovered():
    truth, labels = planted(2000, 12, 5, 0.4, missing=0.2)
    qmi = MutualInformationConsensus(5, n_init=3, **QUIET).fit(labels)
    assert adjusted_rand_score(truth, qmi.labels_) > 0.93
    wrong = qmi.labels_ != np.array([np.bincount(qmi.labels_[truth == t]).argmax() for t in range(5)])[truth]
    assert qmi.uncertainty_[wrong].mean() > qmi.uncertainty_[~wrong].mean()


@pytest.mark.parametrize("noise", [0.4, 0.7])
def test_order_of_objects_does_not_matter(noise):
    _, labels = planted(400, 12, 5, noise, missing=0.2)
    shuffle = np.random.default_rng(1).permutation(400)
    straight = MutualInformationConsensus(5, n_init=1, **QUIET).fit(labels)
    shuffled = MutualInformationConsensus(5, n_init=1, **QUIET).fit(labels[shuffle])
    assert adjusted_rand_score(straight.labels_[shuffle], shuffled.labels_) == 1


def test_threads_do_not_matter():
    _, labels = planted(40_000, 5, 5, 0.4, missing=0.2)
    one, two = (MutualInformationConsensus(5, n_init=1, n_jobs=j, **QUIET).fit(labels) for j in (1, 2))
    assert np.array_equal(one.labels_, two.labels_)
    assert np.array_equal(one.objective_, two.objective_)


def test_weight_is_a_number_of_copies():
    first, second = [0, 0, 0, 1, 1, 1, 2, 2], [0, 1, 2, 0, 1, 2, 0, 1]
    twice = MutualInformationConsensus(3, **QUIET).fit([first, second, second])
    weighted = MutualInformationConsensus(3, **QUIET).fit(Ensemble([first, second], weights=[1, 2]))
    assert twice.objective_[-1] == pytest.approx(weighted.objective_[-1])
    assert twice.membership_ == pytest.approx(weighted.membership_)


def test_soft_partitions():
    hard = Ensemble(planted(200, 12, 5, 0.4, missing=0.2)[1])
    memberships = [(column[:, None] == np.arange(5)).astype(float) for column in hard.labels.T]
    from_hard = MutualInformationConsensus(5, **QUIET).fit(hard)
    from_soft = MutualInformationConsensus(5, **QUIET).fit(Ensemble.from_memberships(memberships))
    assert from_soft.objective_[-1] == pytest.approx(from_hard.objective_[-1])
    assert from_soft.membership_ == pytest.approx(from_hard.membership_)
    # The last object leans to the right in both partitions, though its label is that of the left.
    leaning = [[[1, 0], [1, 0], [0, 1], [0, 1], [0.5, 0.5]], [[1, 0], [1, 0], [0, 1], [0, 1], [0.2, 0.8]]]
    soft = MutualInformationConsensus(2, **QUIET).fit(Ensemble.from_memberships(leaning))
    assert soft.labels_.tolist() == [1, 1, 0, 0, 0]


def test_more_clusters_than_different_rows():
    with pytest.warns(UserWarning, match="only 2 groups of objects"):
        qmi = MutualInformationConsensus(4, **QUIET).fit([[0, 0, 0, 1, 1]])
    assert qmi.labels_.tolist() == [0, 0, 0, 1, 1]
    assert qmi.n_clusters_ == 2


def test_missing_labels_that_fit_everywhere_leave_a_cluster_empty():
    # Rows (0, 0), (0, -1) and (-1, 0) differ, but the first explains all.
    with pytest.warns(UserWarning, match="are empty and left out"):
        qmi = MutualInformationConsensus(2, **QUIET).fit([[0, 0, -1], [0, -1, 0]])
    assert qmi.labels_.tolist() == [0, 0, 0]
    assert qmi.membership_.tolist() == [[1.0]] * 3


def test_one_cluster():
    qmi = MutualInformationConsensus(1, **QUIET).fit(SEVEN)
    assert qmi.labels_.tolist() == [0] * 7
    assert qmi.quadratic_mi_ == pytest.approx(0)


@pytest.mark.parametrize(
    ("parameters", "ensemble", "message"),
    [
        ({"n_clusters": 8}, SEVEN, "n_clusters=8 is more than the number of objects, 7"),
        ({"n_clusters": 0}, SEVEN, "n_clusters"),
        ({"n_clusters": 2, "n_init": 0}, SEVEN, "n_init"),
        ({"n_clusters": 2}, [], "empty"),
        ({"n_clusters": 2}, [[0, -1, 1], [0, -1, 1]], "1 objects are in no partition"),
        ({"n_clusters": 2}, [[0, 1, 1], [0, 1]], "must label the same objects"),
        ({"n_clusters": 2}, [[0.5, 1, 2]], "not whole numbers"),
        (
            {"n_clusters": 2},
            Ensemble([[0, 0, 1], [0, -1, 1]], weights=[0, 1]),
            r"Only partitions of weight 0 cover 1 objects \(the first are rows \[1\]\)",
        ),
    ],
)
def test_bad_input(parameters, ensemble, message):
    with pytest.raises(ValueError, match=message):
        MutualInformationConsensus(**parameters, **QUIET).fit(ensemble)

import pickle
import warnings
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from helpers import SEVEN, ensembles, planted, renamed
from pluribus import Ensemble
from pluribus.consensus.soft.mixture import MixtureConsensus

BEST = 3 * log(3 / 7) + 4 * log(2 / 7) + 2 * log(2 / 3) + log(1 / 3) + 6 * log(1 / 2)
QUIET = {"verbose": False, "random_state": 0}


def fit_quietly(ensemble, k, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return MixtureConsensus(k, **{**QUIET, **parameters}).fit(ensemble)


def relative(weights):
    return weights / weights[weights > 0].mean()


def joint(mmec, ensemble):
    """π_m Π_p θ_pm(label)^w_p of each object, one factor at a time."""
    out = np.tile(mmec.pi_, (ensemble.n_objects, 1))
    for i in range(ensemble.n_objects):
        for p in range(len(ensemble)):
            if ensemble.labels[i, p] >= 0:
                out[i] *= mmec.theta_[p][:, ensemble.labels[i, p]] ** relative(ensemble.weights)[p]
    return out


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_seven_objects(init):
    mmec = MixtureConsensus(3, init=init, **QUIET).fit(SEVEN)
    assert pytest.approx(-13.6214, abs=5e-5) == BEST
    assert mmec.objective_[-1] == pytest.approx(BEST, abs=1e-3)
    assert mmec.labels_.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert mmec.pi_ == pytest.approx([3 / 7, 2 / 7, 2 / 7], abs=1e-4)
    assert mmec.theta_[2] == pytest.approx(np.array([[2 / 3, 1 / 3, 0], [0, 1 / 2, 1 / 2], [0, 0, 1]]), abs=1e-4)
    # Nobody of the third cluster has a label in the last partition: nothing is known, so the rates are equal.
    assert mmec.theta_[3][2] == pytest.approx([0.5, 0.5], abs=1e-2)


@given(ensembles(), st.integers(1, 4), st.sampled_from(["k-means++", "random"]))
def test_likelihood_grows(ensemble, k, init):
    k, epsilon = min(k, ensemble.n_objects), 1e-6
    mmec = fit_quietly(ensemble, k, n_init=1, tol=0.0, max_iter=30, init=init, epsilon=epsilon)
    # EM climbs the likelihood plus epsilon Σ w log θ, so the likelihood may only fall by as much as that can grow.
    smallest = epsilon / (ensemble.n_objects + epsilon * ensemble.n_clusters.max())
    slack = -epsilon * k * (relative(ensemble.weights) * ensemble.n_clusters).sum() * np.log(smallest)
    assert (np.diff(mmec.objective_) >= -slack - 1e-9).all()
    assert np.isfinite(mmec.objective_).all()


@given(ensembles(), st.integers(1, 4))
def test_result_is_the_mixture_it_says(ensemble, k):
    k = min(k, ensemble.n_objects)
    mmec = fit_quietly(ensemble, k, n_init=2)
    assert np.unique(mmec.labels_).tolist() == list(range(mmec.n_clusters_))
    assert (np.diff(np.bincount(mmec.labels_)) <= 0).all()
    assert mmec.pi_.sum() == pytest.approx(1)
    assert all(theta.shape == (mmec.n_clusters_, m) for theta, m in zip(mmec.theta_, ensemble.n_clusters, strict=True))
    assert all(theta.sum(axis=1) == pytest.approx(1) for theta in mmec.theta_)
    likelihood = joint(mmec, ensemble)
    assert mmec.membership_ == pytest.approx(likelihood / likelihood.sum(axis=1, keepdims=True), abs=1e-9)
    if mmec.n_clusters_ == k:
        assert mmec.objective_[-1] == pytest.approx(np.log(likelihood.sum(axis=1)).sum(), abs=1e-8)


def test_no_labels_in_a_cluster_is_no_trouble():
    # The second half of the objects has no label in the last partition.
    labels = [[0] * 10 + [1] * 10, [0] * 10 + [1] * 10, [0, 1] * 5 + [-1] * 10]
    for init in ("k-means++", "random"):
        mmec = MixtureConsensus(2, init=init, **QUIET).fit(labels)
        assert mmec.labels_.tolist() == [0] * 10 + [1] * 10
        assert np.isfinite(mmec.theta_[2]).all()
        assert mmec.uncertainty_ == pytest.approx(0, abs=1e-3)


def test_unanimous_and_strings():
    mmec = MixtureConsensus(3, **QUIET).fit([["a", "a", "b", "b", "b", "c", "c"]] * 4)
    assert mmec.labels_.tolist() == [1, 1, 0, 0, 0, 2, 2]
    assert mmec.membership_ == pytest.approx(np.eye(3)[mmec.labels_], abs=1e-6)


@given(ensembles(weighted=False), st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_names_of_labels_do_not_matter(ensemble, seed):
    k = min(3, ensemble.n_objects)
    assert fit_quietly(ensemble, k).labels_.tolist() == fit_quietly(renamed(ensemble.labels, seed), k).labels_.tolist()


def test_planted_partition_is_recovered():
    truth, labels = planted(2000, 12, 5, 0.4, missing=0.2)
    mmec = MixtureConsensus(5, n_init=3, **QUIET).fit(labels)
    assert adjusted_rand_score(truth, mmec.labels_) > 0.93
    # The model is the one that made the data: its posteriors are right as often as they say.
    top = mmec.membership_.max(axis=1)
    right = mmec.labels_ == np.array([np.bincount(mmec.labels_[truth == t]).argmax() for t in range(5)])[truth]
    assert top.mean() == pytest.approx(right.mean(), abs=0.02)
    assert mmec.uncertainty_[~right].mean() > mmec.uncertainty_[right].mean()


def test_partitions_of_different_size_and_worth():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 1500)
    fine = truth * 4 + rng.integers(0, 4, 1500)  # splits each cluster
    coarse = np.where(truth == 2, 1, 0)  # merges two
    noise = rng.integers(0, 10, (1500, 5))
    mmec = MixtureConsensus(3, **QUIET).fit(np.column_stack([fine, coarse, truth, truth, noise]))
    assert adjusted_rand_score(truth, mmec.labels_) == 1


@pytest.mark.parametrize("noise", [0.4, 0.7])
def test_order_of_objects_does_not_matter(noise):
    _, labels = planted(400, 12, 5, noise, missing=0.2)
    shuffle = np.random.default_rng(1).permutation(400)
    straight = MixtureConsensus(5, n_init=1, **QUIET).fit(labels)
    shuffled = MixtureConsensus(5, n_init=1, **QUIET).fit(labels[shuffle])
    assert adjusted_rand_score(straight.labels_[shuffle], shuffled.labels_) == 1


def test_threads_do_not_matter():
    _, labels = planted(40_000, 5, 5, 0.4, missing=0.2)
    one, two = (MixtureConsensus(5, n_init=1, max_iter=5, n_jobs=j, **QUIET).fit(labels) for j in (1, 2))
    assert np.array_equal(one.membership_, two.membership_)
    assert np.array_equal(one.objective_, two.objective_)


def test_weights_are_relative():
    _, labels = planted(90, 8, 3, 0.2)
    plain = MixtureConsensus(3, **QUIET).fit(labels)
    assert plain.n_clusters_ == 3
    for weights in (np.full(8, 1e-300), np.full(8, 1 / 8), np.full(8, 1e6), np.full(8, 1e300)):
        weighted = MixtureConsensus(3, **QUIET).fit(Ensemble(labels, weights=weights))
        assert weighted.objective_ == pytest.approx(plain.objective_)
        assert weighted.membership_ == pytest.approx(plain.membership_)
    uneven = np.arange(8.0)
    some, more = (MixtureConsensus(3, **QUIET).fit(Ensemble(labels, weights=c * uneven)) for c in (0.01, 1))
    assert some.membership_ == pytest.approx(more.membership_)
    without = MixtureConsensus(3, **QUIET).fit(Ensemble(labels[:, 1:], weights=uneven[1:]))
    assert without.objective_[-1] == pytest.approx(more.objective_[-1])


def test_a_weight_is_an_exponent():
    """A partition of weight 2 next to one of weight 0 counts as one; next to one of weight 1, twice as much as it."""
    first, second = [0, 0, 0, 1, 1, 1, 2, 2], [0, 1, 2, 0, 1, 2, 0, 1]
    alone = MixtureConsensus(3, **QUIET).fit([second])
    weighted = MixtureConsensus(3, **QUIET).fit(Ensemble([first, second], weights=[0, 2]))
    assert weighted.objective_[-1] == pytest.approx(alone.objective_[-1])
    heavier = MixtureConsensus(3, **QUIET).fit(Ensemble([first, second], weights=[1, 5]))
    assert adjusted_rand_score(heavier.labels_, second) > adjusted_rand_score(heavier.labels_, first)


def test_soft_partitions():
    hard = Ensemble(planted(200, 12, 5, 0.4, missing=0.2)[1])
    memberships = [(column[:, None] == np.arange(5)).astype(float) for column in hard.labels.T]
    from_hard = MixtureConsensus(5, **QUIET).fit(hard)
    from_soft = MixtureConsensus(5, **QUIET).fit(Ensemble.from_memberships(memberships))
    assert from_soft.objective_[-1] == pytest.approx(from_hard.objective_[-1], rel=1e-4)
    leaning = [[[1, 0], [1, 0], [0, 1], [0, 1], [0.5, 0.5]], [[1, 0], [1, 0], [0, 1], [0, 1], [0.2, 0.8]]]
    soft = MixtureConsensus(2, **QUIET).fit(Ensemble.from_memberships(leaning))
    assert soft.labels_.tolist() == [1, 1, 0, 0, 0]


def test_more_clusters_than_different_rows():
    with pytest.warns(UserWarning, match="only 2 groups of objects"):
        mmec = MixtureConsensus(4, **QUIET).fit([[0, 0, 0, 1, 1]])
    assert mmec.labels_.tolist() == [0, 0, 0, 1, 1]
    assert mmec.membership_.shape == (5, 2)


def test_one_cluster():
    mmec = MixtureConsensus(1, **QUIET).fit(SEVEN)
    assert mmec.labels_.tolist() == [0] * 7
    assert mmec.theta_[0] == pytest.approx(np.array([[3, 2, 2]]) / 7, abs=1e-5)


def test_is_an_estimator():
    mmec = MixtureConsensus(3, **QUIET)
    assert clone(mmec).get_params() == mmec.get_params()
    fitted = pickle.loads(pickle.dumps(mmec.fit(SEVEN)))
    assert fitted.labels_.tolist() == mmec.fit_predict(SEVEN).tolist()
    assert mmec.n_iter_ == len(mmec.objective_)
    assert MixtureConsensus(3, max_iter=1, **QUIET).fit(SEVEN).n_iter_ == 1


@pytest.mark.parametrize(
    ("parameters", "ensemble", "message"),
    [
        ({"n_clusters": 8}, SEVEN, "n_clusters=8 is more than the number of objects, 7"),
        ({"n_clusters": 0}, SEVEN, "n_clusters"),
        ({"n_clusters": 2, "epsilon": 0}, SEVEN, "epsilon"),
        ({"n_clusters": 2, "init": "qmi"}, SEVEN, "init"),
        ({"n_clusters": 2}, [], "empty"),
        ({"n_clusters": 2}, [[0, -1, 1], [0, -1, 1]], "1 objects are in no partition"),
        ({"n_clusters": 2}, Ensemble([[0, 0, 1], [0, -1, 1]], weights=[0, 1]), "partitions of weight 0"),
    ],
)
def test_bad_input(parameters, ensemble, message):
    with pytest.raises(ValueError, match=message):
        MixtureConsensus(**parameters, **QUIET).fit(ensemble)

"""SEC against the normalized cut of the dense matrix of votes, and against k-means on the points themselves."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from helpers import SEVEN, ensembles, planted
from pluribus import Ensemble
from pluribus.consensus import MutualInformationConsensus, SpectralEnsemble

QUIET = {"verbose": False, "random_state": 0}


def votes(ensemble):
    """How many partitions put each two objects together, by weight; a missing label is no vote."""
    H = ensemble.soft_one_hot().toarray()
    return (H * np.repeat(ensemble.weights, ensemble.n_clusters)) @ H.T


def normalized_cut(S, labels):
    """The share of the votes of each cluster that leave it, summed, straight from the definition."""
    return sum(S[np.ix_(labels == c, labels != c)].sum() / S[labels == c].sum() for c in np.unique(labels))


def fit_quietly(ensemble, k, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return SpectralEnsemble(k, **{**QUIET, **parameters}).fit(ensemble)


@given(ensembles(), st.integers(1, 5))
def test_the_objective_is_the_normalized_cut_and_falls(ensemble, k):
    sec = fit_quietly(ensemble, min(k, ensemble.n_objects), n_init=2, tol=0.0)
    assert sec.objective_[-1] == pytest.approx(normalized_cut(votes(ensemble), sec.labels_), abs=1e-9)
    assert (np.diff(sec.objective_) <= 1e-9).all()
    assert sec.n_iter_ == len(sec.objective_)
    assert sec.objective_[-1] <= sec.n_clusters_ - 1 + 1e-9


def test_soft_partitions_enter_with_their_memberships():
    rng = np.random.default_rng(0)
    memberships = [rng.dirichlet(np.ones(3), 12), rng.dirichlet(np.ones(2), 12)]
    ensemble = Ensemble.from_memberships(memberships)
    sec = fit_quietly(ensemble, 3)
    assert sec.objective_[-1] == pytest.approx(normalized_cut(votes(ensemble), sec.labels_), abs=1e-9)


def test_seven_objects_exhaustively():
    ensemble = Ensemble(SEVEN[:3], weights=[1, 2, 0.5])
    S = votes(ensemble)
    cuts = {
        labels: normalized_cut(S, np.array(labels))
        for labels in itertools.product(range(3), repeat=7)
        if list(dict.fromkeys(labels)) == [0, 1, 2]  # each partition once
    }
    best = min(cuts, key=cuts.get)
    sec = SpectralEnsemble(3, **QUIET).fit(ensemble)
    assert adjusted_rand_score(best, sec.labels_) == 1
    assert sec.objective_[-1] == pytest.approx(cuts[best])


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_it_is_kmeans_of_rows_divided_by_their_degrees(missing):
    _, labels = planted(60, 5, 4, 0.3, missing=missing)
    ensemble = Ensemble(labels)
    degrees = votes(ensemble).sum(axis=1)
    points = ensemble.one_hot().toarray() / degrees[:, None]
    theirs = KMeans(4, n_init=20, random_state=0).fit(points, sample_weight=degrees)
    ours = SpectralEnsemble(4, n_init=20, **QUIET).fit(ensemble)
    constant = 4 - (degrees[:, None] * points**2).sum()
    assert ours.objective_[-1] == pytest.approx(theirs.inertia_ + constant)
    assert adjusted_rand_score(theirs.labels_, ours.labels_) == 1


def test_no_cut_is_below_the_spectral_relaxation():
    """The largest k eigenvalues of the normalized matrix bound the cut, and clear clusters come close."""
    truth, labels = planted(90, 10, 3, 0.1)
    ensemble = Ensemble(labels)
    S = votes(ensemble)
    scale = 1 / np.sqrt(S.sum(axis=1))
    values = eigh(scale[:, None] * S * scale, eigvals_only=True)
    sec = SpectralEnsemble(3, **QUIET).fit(ensemble)
    bound = 3 - values[-3:].sum()
    assert bound <= sec.objective_[-1] <= bound + 0.05
    assert adjusted_rand_score(truth, sec.labels_) == 1


def test_the_best_cut_of_few_objects_is_not_that_of_plain_kmeans():
    rng = np.random.default_rng(2)
    worse = 0
    for _ in range(8):
        ensemble = Ensemble(rng.integers(0, 3, (12, 4)))
        halves = (np.array([0, *rest]) for rest in itertools.product((0, 1), repeat=11) if any(rest))
        S = votes(ensemble)
        best = min(normalized_cut(S, half) for half in halves)
        sec, qmi = (cls(2, n_init=20, **QUIET).fit(ensemble) for cls in (SpectralEnsemble, MutualInformationConsensus))
        assert sec.objective_[-1] == pytest.approx(best)
        worse += normalized_cut(S, qmi.labels_) > best + 1e-6
    assert worse >= 2


@pytest.mark.parametrize("scale", [1e-300, 1e299])
def test_only_ratios_of_weights_count(scale):
    _, labels = planted(60, 6, 3, 0.4)
    weights = np.array([1, 2, 3, 1, 1, 2.0])
    expected = SpectralEnsemble(3, **QUIET).fit(Ensemble(labels, weights=weights))
    found = SpectralEnsemble(3, **QUIET).fit(Ensemble(labels, weights=weights * scale))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_allclose(found.objective_, expected.objective_)


def test_threads_do_not_matter():
    _, labels = planted(40_000, 5, 4, 0.4)
    one, two = (SpectralEnsemble(4, n_init=1, n_jobs=n, **QUIET).fit(labels) for n in (1, 2))
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_fewer_groups_than_clusters():
    with pytest.warns(UserWarning, match="separates only 2 groups"):
        sec = SpectralEnsemble(3, **QUIET).fit([[0, 0, 1, 1], [0, 0, 1, 1]])
    assert sec.labels_.tolist() == [0, 0, 1, 1]
    assert sec.objective_[-1] == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({}, "SpectralEnsemble needs n_clusters"), ({"n_clusters": 9}, "9"), ({"n_clusters": 2, "n_init": 0}, "n_init")],
)
def test_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        SpectralEnsemble(**parameters).fit([[0, 0, 1]])

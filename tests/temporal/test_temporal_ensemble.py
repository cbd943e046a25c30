import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from pluribus.temporal import TemporalEnsemble


@parametrize_with_checks([TemporalEnsemble(["kmeans"], n_members=10)])
def test_conventions(estimator, check):
    check(estimator)


def test_the_members_of_the_source(smooth):
    model = TemporalEnsemble(random_state=0).fit(smooth(60))
    assert model.partitions_.shape == (2 * 28 * 5, 60)
    assert TemporalEnsemble(["njw"], random_state=0).fit(smooth(60)).partitions_.shape == (140, 60)


@pytest.mark.parametrize("clusterers", [("njw", "ncut"), ("kmeans",), ("ncut", "kmeans")])
def test_the_evidence_is_what_it_says(smooth, clusterers):
    X = smooth(50)
    model = TemporalEnsemble(clusterers, sigmas=[0.5, 2.0], n_members=12, random_state=0).fit(X)
    C, labels = model.coassociation_, model.partitions_
    slow = np.mean([np.equal.outer(row, row) for row in labels], axis=0)
    np.testing.assert_allclose(C, slow, atol=1e-12)
    assert (np.diag(C) == 1).all()
    assert (C == C.T).all()
    np.testing.assert_allclose(C * len(labels), np.round(C * len(labels)), atol=1e-9)
    assert C.min() >= 0
    assert C.max() <= 1


@pytest.mark.parametrize("clusterers", [("njw", "ncut"), ("kmeans",)])
def test_reversing_time_changes_nothing(smooth, clusterers):
    X = smooth(70)
    forth = TemporalEnsemble(clusterers, random_state=3).fit(X)
    back = TemporalEnsemble(clusterers, random_state=3).fit(X[::-1])
    np.testing.assert_array_equal(back.coassociation_[::-1, ::-1], forth.coassociation_)


def test_scale_and_constant_features_do_not_matter(smooth):
    X = smooth(60)
    with_constant = np.column_stack([1e6 * X[:, 0], np.ones(60), 1e-6 * X[:, 1]])
    a, b = (TemporalEnsemble(["kmeans"], random_state=0).fit(data).coassociation_ for data in (X, with_constant))
    np.testing.assert_allclose(a, b)


def test_equal_rows_are_never_divided():
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 3)), 6, axis=0)
    labels = TemporalEnsemble(("njw", "ncut", "kmeans"), random_state=0).fit(X).partitions_.reshape(-1, 5, 6)
    assert (labels == labels[:, :, :1]).all()


def test_far_rows_leave_no_gaps():
    X = np.random.default_rng(0).normal(size=(40, 53))
    X[7] += 1e6
    C = TemporalEnsemble(random_state=0, standardize=False).fit(X).coassociation_
    assert np.isfinite(C).all()


def test_too_many_clusters_are_left_out_with_a_warning():
    X = np.random.default_rng(0).normal(size=(4, 2))
    with pytest.warns(UserWarning, match="more than 4 clusters are left out: there are 4 rows"):
        model = TemporalEnsemble(sigmas=[1.0], random_state=0).fit(X)
    assert len(model.partitions_) == 2 * 3
    with pytest.raises(ValueError, match="k_range starts with 5 clusters, more than the 4 rows"):
        TemporalEnsemble(k_range=[5, 6]).fit(X)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"k_range": []}, "k_range=.*at least 2"),
        ({"k_range": [1, 2]}, "k_range"),
        ({"k_range": "ab"}, "k_range"),
        ({"k_range": [2.5]}, "k_range"),
        ({"sigmas": [0.0]}, "sigmas=.*above 0"),
        ({"sigmas": []}, "sigmas"),
        ({"sigmas": [np.nan]}, "sigmas"),
        ({"clusterers": ["dbscan"]}, "clusterers"),
        ({"clusterers": []}, "clusterers"),
        ({"n_members": 0}, "n_members"),
        ({"standardize": "yes"}, "standardize"),
    ],
)
def test_bad_parameters(change, words):
    with pytest.raises(ValueError, match=words):
        TemporalEnsemble(**change).fit(np.random.default_rng(0).normal(size=(20, 2)))


@pytest.mark.parametrize(
    "X", [np.full((20, 2), np.nan), np.full((20, 2), np.inf), np.empty((20, 0)), np.ones((1, 2)), [["a"], ["b"]]]
)
def test_bad_rows(X):
    with pytest.raises(ValueError):
        TemporalEnsemble().fit(X)


def test_more_rows_than_memory_are_refused():
    with pytest.raises(ValueError, match="more than the .* allowed: give means of consecutive rows"):
        TemporalEnsemble(["kmeans"]).fit(np.random.default_rng(0).normal(size=(1_000_000, 1)))


def test_parameters_are_kept():
    model = TemporalEnsemble(["kmeans"], n_members=7)
    assert clone(model).get_params()["n_members"] == 7

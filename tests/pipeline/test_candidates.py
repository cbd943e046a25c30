"""The best of the ensemble's partition and simpler ones, and memberships that mean what they say."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from pluribus import EnsembleClusterer


def fit(X, **options):
    options = {"n_clusters": 3, "n_members": 20, "random_state": 0, "verbose": False} | options
    return EnsembleClusterer(**options).fit(X)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs((200, 60, 20), centers=[[0, 0], [4, 0], [0, 5]], random_state=0)


@pytest.fixture(scope="module")
def chosen(blobs):
    return fit(blobs[0])


def test_the_best_candidate_is_returned(blobs, chosen):
    X, y = blobs
    choice = chosen.choice_
    assert len(choice.names) == 12
    assert choice.names[:4] == ("own", "average", "per object", "relative")
    assert choice.values[choice.chosen] == choice.values.max()
    assert choice.sentence in chosen.reasons_
    assert adjusted_rand_score(y, chosen.labels_) > 0.8
    assert np.bincount(chosen.labels_).tolist() == sorted(np.bincount(chosen.labels_), reverse=True)
    alone = fit(X, candidates=None)
    assert alone.choice_ is None
    np.testing.assert_array_equal(alone.consensus_.labels_, chosen.consensus_.labels_)
    np.testing.assert_array_equal(alone.labels_, alone.consensus_.labels_)


def test_memberships_are_of_the_chosen_partition(blobs, chosen):
    own = chosen.membership_[np.arange(len(chosen.labels_)), chosen.labels_]
    np.testing.assert_allclose(chosen.membership_.sum(axis=1), 1)
    assert chosen.membership_.shape == (280, 3)
    assert own.max() < 0.993
    right = adjusted_rand_score(blobs[1], chosen.labels_)
    assert abs(own.mean() - right) < 0.25
    assert (chosen.uncertainty_ >= 0).all()
    assert (chosen.uncertainty_ <= 1).all()
    np.testing.assert_array_equal(chosen.predict(blobs[0]), chosen.labels_)


def test_what_landmarks_miss_is_found():
    X, y = make_moons(448, noise=0.09, random_state=1)
    assert adjusted_rand_score(y, fit(X, n_clusters=2).labels_) > 0.9


def test_same_seed_same_choice(blobs, chosen):
    again = fit(blobs[0], n_jobs=2)
    np.testing.assert_array_equal(again.labels_, chosen.labels_)
    np.testing.assert_array_equal(again.membership_, chosen.membership_)
    assert len(chosen.reproducibility_) == 3
    assert (chosen.reproducibility_ > 0.5).all()


def test_sizes_and_noise_are_of_the_chosen_partition(blobs):
    model = fit(blobs[0], min_size=40)
    assert np.bincount(model.labels_).min() >= 40
    assert (fit(blobs[0], noise=True).labels_ == -1).any()


@pytest.mark.parametrize("change", ["one cluster", "few rows", "eac"])
def test_where_there_are_no_candidates(blobs, change):
    X = blobs[0]
    options = {"one cluster": {"n_clusters": 1}, "eac": {"consensus": "eac"}}
    X = X[:20] if change == "few rows" else X
    model = fit(X, **options.get(change, {}))
    assert model.choice_ is None
    np.testing.assert_array_equal(model.labels_, model.consensus_.labels_)


def test_sparse_tables_and_many_clusters(blobs):
    dense, thin = fit(blobs[0]), fit(sparse.csr_matrix(blobs[0]))
    assert adjusted_rand_score(dense.labels_, thin.labels_) > 0.9
    many = fit(blobs[0], n_clusters=21)
    assert many.choice_ is not None
    assert many.n_clusters_ == many.labels_.max() + 1 == 21


def test_objects_that_are_not_linked_join(monkeypatch):
    from pluribus.consensus.linkage import locally_weighted

    monkeypatch.setattr(locally_weighted, "LINKED", 200)
    X, y = make_blobs(600, centers=[[0, 0], [6, 0], [0, 6]], random_state=0)
    model = fit(X, n_clusters=None)
    assert len(model.consensus_.linked_) == 200
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(y, model.labels_) > 0.98
    assert model.membership_.shape == (600, 3)
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1)
    assert adjusted_rand_score(model.cut(2), model.labels_) > 0.3


def test_equal_rows():
    X = np.repeat([[0.0, 0], [5, 5], [9, 0]], 20, axis=0)
    assert adjusted_rand_score(np.repeat([0, 1, 2], 20), fit(X).labels_) == 1


def test_other_words_are_refused(blobs):
    with pytest.raises(ValueError, match="candidates"):
        fit(blobs[0], candidates="all")

"""What every consensus function keeps to, whatever its method."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from helpers import noisy_members
from pluribus import Ensemble, consensus
from pluribus.consensus._internal import configured

NAMES = consensus.names()
N, K = 90, 3
RISES, FALLS = {"penca", "voting"}, {"ppc", "qmi", "scec", "sec"}
OF_A_MEMBER = {"medoid", "voting"}  # they need a member with as many clusters; the first of `ensembles` has two
CLEAR = 0.05  # share of wrong labels that all methods cope with


def planted(noise=0.25, missing=0.1, r=20, seed=0):
    """Three groups of objects, where they are, and partitions that each name them their own way and err."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(N) % K)
    labels = noisy_members(truth, r, noise, missing=missing, rng=rng)
    return truth, labels, rng.normal(size=(N, K)) + 6 * np.eye(K)[truth]


def fit(name, ensemble, X, n_clusters=K, **options):
    function = configured(name, n_clusters=n_clusters, random_state=0, verbose=False).set_params(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function.fit(ensemble, X=X) if function.needs_data else function.fit(ensemble)


@st.composite
def ensembles(draw):
    """Of 4 to 20 objects, labels missing here and there, some partitions heavier; and where the objects are."""
    n, r = draw(st.integers(4, 20)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = rng.integers(0, draw(st.integers(2, 5)), (n, r))
    labels = np.where(rng.random((n, r)) < draw(st.sampled_from([0.0, 0.2, 0.5])), -1, labels)
    labels[0] = np.maximum(labels[0], 0)
    labels[:, 0] = np.arange(n) % 2  # every object is somewhere, and there are two clusters
    weights = rng.random(r) + 0.1 if draw(st.booleans()) else None
    return Ensemble(labels, weights=weights), rng.normal(size=(n, 2))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("missing", [0.0, 0.1, 0.3])
def test_planted_partition_is_recovered(name, missing):
    truth, labels, X = planted(missing=missing, noise=CLEAR if name == "hgpa" else 0.25)  # a cluster torn is torn
    found = fit(name, labels, X)
    right = adjusted_rand_score(truth, found.labels_)
    if name == "medoid":  # one of the members cannot be better than they are
        assert right >= np.median([adjusted_rand_score(truth, column) for column in labels.T])
    else:
        assert right > 0.9
        assert found.n_clusters_ == K


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5)
@given(problem=ensembles(), k=st.integers(2, 4))
def test_result_is_whole(name, problem, k):
    ensemble, X = problem
    n = ensemble.n_objects
    found = fit(name, ensemble, X, 2 if name in OF_A_MEMBER else k)
    assert found.labels_.shape == found.uncertainty_.shape == (n,)
    assert found.labels_.dtype.kind == "i"
    sizes = np.bincount(found.labels_[found.labels_ >= 0], minlength=found.n_clusters_)
    assert (np.diff(sizes) <= 0).all()
    assert len(sizes) == found.n_clusters_
    assert found.membership_.shape == (n, found.n_clusters_)
    np.testing.assert_allclose(found.membership_.sum(axis=1), 1, atol=1e-9)
    assert found.membership_.min() >= 0
    assert ((found.uncertainty_ >= 0) & (found.uncertainty_ <= 1)).all()


@pytest.mark.parametrize("name", NAMES)
def test_names_of_labels_do_not_matter(name):
    _, labels, X = planted(noise=0.5)
    rng = np.random.default_rng(1)
    words = np.array(["ash", "birch", "cedar", None], dtype=object)  # the last for -1
    renamed = [words[np.append(rng.permutation(K), K)][column] for column in labels.T]
    expected = fit(name, labels, X)
    for same in (renamed, pd.DataFrame(np.column_stack(renamed))):
        found = fit(name, same, X)
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        np.testing.assert_array_equal(found.membership_, expected.membership_)


@pytest.mark.parametrize("name", NAMES)
def test_order_of_objects_and_partitions_does_not_matter(name):
    _, labels, X = planted(noise=CLEAR)
    rng = np.random.default_rng(1)
    expected = fit(name, labels, X)
    objects, partitions = rng.permutation(N), rng.permutation(labels.shape[1])
    found = fit(name, labels[objects], X[objects])
    assert adjusted_rand_score(expected.labels_[objects], found.labels_) == 1
    found = fit(name, labels[:, partitions], X)
    assert adjusted_rand_score(expected.labels_, found.labels_) == 1


@pytest.mark.parametrize("name", NAMES)
def test_weights_decide_between_two_stories(name):
    first, labels, X = planted(r=8, noise=CLEAR)
    second, others, Z = planted(r=8, noise=CLEAR, seed=1)
    both, places = np.column_stack([labels, others]), np.column_stack([X, Z])
    for truth, weights in ((first, [5] * 8 + [1] * 8), (second, [1] * 8 + [5] * 8)):
        found = fit(name, Ensemble(both, weights=weights), places)
        assert adjusted_rand_score(truth, found.labels_) > 0.5


@pytest.mark.parametrize("name", NAMES)
def test_is_an_estimator(name):
    _, labels, X = planted(noise=CLEAR)
    found = fit(name, labels, X)
    assert clone(found).get_params() == found.get_params()
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.labels_, found.labels_)
    np.testing.assert_array_equal(again.membership_, found.membership_)


@pytest.mark.parametrize("name", sorted(RISES | FALLS))
@settings(max_examples=8)
@given(problem=ensembles(), k=st.integers(2, 4))
def test_objective_only_gets_better(name, problem, k):
    ensemble, X = problem
    options = {"n_clusters": 2, "strategy": "merging"} if name == "voting" else {"n_clusters": k}
    path = fit(name, ensemble, X, **options).objective_
    assert path.ndim == 1
    assert len(path) >= 1
    change = np.diff(path) if name in RISES else -np.diff(path)
    assert (change >= -1e-9 * np.abs(path).max()).all()


@settings(max_examples=8)
@given(problem=ensembles(), view=st.sampled_from(["similarities", "features"]))
def test_stress_of_an_embedding_only_falls(problem, view):
    ensemble, X = problem
    options = {"method": "sammon", "view": view}
    path = [fit("embedding", ensemble, X, 2, max_iter=m, **options).criterion_ for m in (1, 2, 5, 20, 100)]
    assert (np.diff(path) <= 1e-9).all()


@settings(max_examples=8)
@given(problem=ensembles(), k=st.integers(2, 4))
def test_more_starts_lift_no_worse(problem, k):
    ensemble, X = problem
    path = [fit("liftkm", ensemble, X, k, n_init=m).lift_ssd_ for m in (1, 3, 10)]
    assert (np.diff(path) <= 1e-9).all()

"""Silhouette, Dunn, Davies-Bouldin and Calinski-Harabasz on features and distances, against scikit-learn and loops."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, pairwise_distances, silhouette_score

from pluribus.validate import Estimate, calinski_harabasz_index, davies_bouldin_cost, dunn_index, silhouette_index
from pluribus.validate._moments import moments_of

INDICES = [silhouette_index, dunn_index, davies_bouldin_cost, calinski_harabasz_index]


@st.composite
def labeled(draw):
    n = draw(st.integers(3, 30))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    k = draw(st.integers(2, n - 1))
    labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    return rng.normal(size=(n, draw(st.integers(1, 20)))), rng.permutation(labels)


@given(labeled())
def test_as_scikit_learn(case):
    X, labels = case
    D = pairwise_distances(X)
    for source in ({"X": X}, {"distances": D}, {"X": sparse.csr_array(X)}):
        assert silhouette_index(labels, **source) == pytest.approx(silhouette_score(X, labels), abs=1e-10)
        # Differences of squares round: ours without centers, scikit-learn's for an object that is its own center.
        close = 1e-10 if source.get("X") is X and np.bincount(labels).min() > 1 else 1e-6
        assert davies_bouldin_cost(labels, **source) == pytest.approx(davies_bouldin_score(X, labels), abs=close)
        assert calinski_harabasz_index(labels, **source) == pytest.approx(calinski_harabasz_score(X, labels), rel=1e-8)
    assert silhouette_index(labels, X, metric="cityblock") == pytest.approx(
        silhouette_score(X, labels, metric="cityblock"), abs=1e-10
    )


@given(labeled())
def test_dunn_by_loops(case):
    X, labels = case
    D = pairwise_distances(X)
    n = len(labels)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    gap = min(D[i, j] for i, j in pairs if labels[i] != labels[j])
    width = max(D[i, j] for i, j in pairs if labels[i] == labels[j])
    assert dunn_index(labels, X) == pytest.approx(gap / width, rel=1e-9)
    assert dunn_index(labels, distances=D) == pytest.approx(gap / width, rel=1e-12)


@given(labeled(), st.floats(0.01, 100))
def test_order_names_and_scale_do_not_matter(case, scale):
    X, labels = case
    order = np.random.default_rng(0).permutation(len(labels))
    names = np.array([f"cluster {c}" for c in range(labels.max(), -1, -1)])[labels]
    for index in INDICES:
        assert index(names[order], scale * X[order]) == pytest.approx(index(labels, X), rel=1e-6)


def test_one_interface():
    X = np.array([[0.0], [1], [5], [7]])
    labels = ["a", "a", "b", "b"]
    for index in INDICES:
        value = index(labels, X)
        assert isinstance(value, Estimate)
        assert value.exact
        assert value.low == value.high == value
        assert index([*labels, None], [*X, [100]], missing="ignore") == value
        with pytest.raises(ValueError, match="missing='ignore'"):
            index([*labels, None], [*X, [100]])


@pytest.mark.parametrize("index", INDICES)
def test_errors(index):
    X = np.arange(4.0)[:, None]
    with pytest.raises(ValueError, match="one cluster only"):
        index([0, 0, 0, 0], X)
    with pytest.raises(ValueError, match="no cluster"):
        index([-1, -1, -1, -1], X, missing="ignore")
    with pytest.raises(ValueError, match="one cluster only"):
        index([0], X[:1])
    with pytest.raises(ValueError, match="4 objects, but X has 3"):
        index([0, 0, 1, 1], X[:3])
    with pytest.raises(ValueError, match="NaN"):
        index([0, 0, 1, 1], [[0], [1], [np.nan], [2]])
    with pytest.raises(ValueError, match="got none"):
        index([0, 0, 1, 1])
    with pytest.raises(ValueError, match="X and distances"):
        index([0, 0, 1, 1], X, distances=np.zeros((4, 4)))
    with pytest.raises(ValueError, match="missing must be"):
        index([0, 0, 1, 1], X, missing="drop")
    for D, what in [
        (np.ones((4, 3)), "square"),
        (-np.ones((4, 4)), "negative"),
        (np.ones((4, 4)), "diagonal"),
        (np.triu(np.ones((4, 4)), 1), "symmetric"),
    ]:
        with pytest.raises(ValueError, match=what):
            index([0, 0, 1, 1], distances=D)


def test_sample_size_is_checked_first():
    for size in (3, 0, True, "all", 2.5):
        with pytest.raises(ValueError, match="sample_size must be"):
            silhouette_index([0, 1], [[np.nan], [0]], sample_size=size)


def test_singletons_and_duplicates():
    X = np.arange(5.0)[:, None]
    assert silhouette_index(range(5), X) == 0
    with pytest.warns(UserWarning, match="infinite"):
        assert dunn_index(range(5), X) == np.inf
    assert davies_bouldin_cost(range(5), X) == 0
    assert np.isnan(calinski_harabasz_index(range(5), X))
    same = np.zeros((4, 2))
    labels = [0, 0, 1, 1]
    assert silhouette_index(labels, same) == 0
    with pytest.warns(UserWarning, match="not defined"):
        assert np.isnan(dunn_index(labels, same))
    assert davies_bouldin_cost(labels, same) == np.inf
    assert np.isnan(calinski_harabasz_index(labels, same))
    assert calinski_harabasz_index(labels, [[0], [0], [1], [1]]) == np.inf


def test_float32_and_far_from_the_origin():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 50)
    X = rng.normal(size=(100, 3)) + 3 * labels[:, None]
    assert silhouette_index(labels, X.astype("float32")) == pytest.approx(silhouette_index(labels, X), abs=1e-5)
    assert silhouette_index(labels, X + 1e6) == pytest.approx(silhouette_index(labels, X), abs=1e-8)


def test_options_that_do_not_fit():
    X = np.arange(4.0)[:, None]
    with pytest.raises(ValueError, match="for similarities"):
        dunn_index([0, 0, 1, 1], X, within="bottleneck")
    with pytest.raises(ValueError, match="for similarities"):
        davies_bouldin_cost([0, 0, 1, 1], X, between="mean")
    with pytest.raises(ValueError, match="within must be"):
        dunn_index([0, 0, 1, 1], X, within="x")
    with pytest.raises(ValueError, match="between must be"):
        davies_bouldin_cost([0, 0, 1, 1], X, between="x")


def test_an_estimate_is_a_number_and_survives_pickling():
    value = Estimate(0.5, low=0.4, high=0.6, n_sampled=100)
    again = pickle.loads(pickle.dumps(value))
    assert again == value == 0.5
    assert (again.low, again.high, again.n_sampled, again.exact) == (0.4, 0.6, 100, False)


def test_many_features_far_from_the_origin():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(100, 20)), np.arange(100) % 3
    for index in (silhouette_index, dunn_index):
        assert index(labels, X + 1e8) == pytest.approx(index(labels, X), abs=1e-6)


def test_very_many_clusters_are_refused():
    labels, X = np.arange(10_000), np.arange(10_000.0)[:, None]
    with pytest.raises(ValueError, match="10,000 clusters"):
        davies_bouldin_cost(labels, X)
    with pytest.raises(ValueError, match="sample_size=None"):
        silhouette_index(labels, X)


def test_the_scatter_of_equal_rows_is_none():
    assert moments_of([0, 0, 1, 1], np.ones((4, 2)), None, "error").mean_scatter == 0
    apart = moments_of([0, 0, 1, 1], np.array([[0.0], [2], [6], [8]]), None, "error")
    assert apart.mean_scatter == 1 / 10  # variances 1 and 1, and 10 of all

"""The indices by which WEACS weighs partitions, against plain loops over the formulas of their papers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from pluribus import Ensemble
from pluribus.consensus import EvidenceAccumulation
from pluribus.validate import (
    CRITERIA,
    choose_partition,
    hubert_index,
    maulik_bandyopadhyay_index,
    point_symmetry_cost,
    s_dbw_cost,
    sd_cost,
    silhouette_index,
    validity_weights,
    xie_beni_cost,
)
from pluribus.validate.validity_weights import WEACS

INDICES = (hubert_index, maulik_bandyopadhyay_index, xie_beni_cost, s_dbw_cost, sd_cost, point_symmetry_cost)
OF_FEATURES = (s_dbw_cost, sd_cost, point_symmetry_cost)


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, d, k = draw(st.integers(4, 25)), draw(st.integers(1, 4)), draw(st.integers(2, 4))
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k if n > k else 0)])[:n]
    return rng.normal(size=(len(y), d)) + 3 * y[:, None], y


def slow(index, X, y):
    clusters = [X[y == c] for c in np.unique(y)]
    v = np.array([c.mean(axis=0) for c in clusters])
    k, n = len(v), len(X)
    to = [np.linalg.norm(c - m, axis=1) for c, m in zip(clusters, v, strict=True)]
    apart = pdist(v)
    if index is xie_beni_cost:
        return sum((t**2).sum() for t in to) / n / apart.min() ** 2
    if index is maulik_bandyopadhyay_index:
        all_ = np.linalg.norm(X - X.mean(axis=0), axis=1).sum()
        return (all_ / sum(t.sum() for t in to) / k * apart.max()) ** 2
    if index is hubert_index:
        code = np.unique(y, return_inverse=True)[1]
        pairs = np.triu_indices(n, 1)
        return np.corrcoef(cdist(X, X)[pairs], squareform(apart)[code[:, None], code][pairs])[0, 1]
    if index is point_symmetry_cost:
        means = []
        for c, m in zip(clusters, v, strict=True):
            values = [0.0]
            if len(c) > 1:
                values = []
                for i, x in enumerate(c):
                    others = [z for j, z in enumerate(c) if j != i]
                    each = [
                        np.linalg.norm(x + z - 2 * m) / (np.linalg.norm(x - m) + np.linalg.norm(z - m)) for z in others
                    ]
                    values.append(min(each) * np.linalg.norm(x - m))
            means.append(np.mean(values))
        return np.mean(means) / apart.min()
    norms = np.array([np.linalg.norm(c.var(axis=0)) for c in clusters])
    scat = norms.mean() / np.linalg.norm(X.var(axis=0))
    if index is sd_cost:
        return scat + apart.max() / apart.min() * (1 / squareform(apart).sum(axis=1)).sum()
    radius = np.sqrt(norms.sum()) / k
    between = 0.0
    for i in range(k):
        for j in range(k):
            if i != j:
                both = np.concatenate([clusters[i], clusters[j]])
                density = [(np.linalg.norm(both - u, axis=1) <= radius).sum() for u in (v[i], v[j], (v[i] + v[j]) / 2)]
                between += density[2] / max(density[0], density[1], 1)
    return scat + between / (k * (k - 1))


@pytest.mark.parametrize("index", INDICES)
@given(table=tables())
def test_plain_loops(index, table):
    X, y = table
    found = index(y, X)
    assert found == pytest.approx(slow(index, X, y), rel=1e-6, abs=1e-9)
    assert index(np.array(list("abcd"))[y], X) == found
    assert index(y, sparse.csr_array(X)) == pytest.approx(found, rel=1e-5, abs=1e-6)
    if index not in OF_FEATURES:
        assert index(y, distances=cdist(X, X)) == pytest.approx(found, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("index", INDICES)
def test_they_prefer_the_right_partition(index):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, 2)) + np.array([[0, 0], [9, 0], [0, 9]])[y]
    right, wrong = index(y, X), index(rng.permutation(y), X)
    assert (right > wrong) == index.__name__.endswith("_index")


@pytest.mark.parametrize("index", INDICES)
def test_bad_input(index):
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ValueError, match="one cluster only"):
        index([0, 0, 0, 0], X)
    with pytest.raises(ValueError, match="has no cluster for 1 of 4"):
        index([0, 0, 1, -1], X)
    with pytest.raises(ValueError, match="labels has 3 objects"):
        index([0, 0, 1], X)
    with pytest.raises(ValueError, match=r"X|Give one of"):
        index([0, 0, 1, 1])
    with pytest.raises(ValueError, match="NaN"):
        index([0, 0, 1, 1], np.where(X == 3, np.nan, X))
    if index in OF_FEATURES:
        with pytest.raises(ValueError, match="needs X"):
            index([0, 0, 1, 1], distances=np.zeros((4, 4)))


def test_degenerate_partitions():
    same = [[0.0], [2.0], [0.0], [2.0]]  # both clusters have the center 1
    for cost in (xie_beni_cost, sd_cost, point_symmetry_cost):
        assert cost([0, 0, 1, 1], same) == np.inf
    points = [[0.0], [0.0], [5.0], [5.0]]
    assert maulik_bandyopadhyay_index([0, 0, 1, 1], points) == np.inf
    assert xie_beni_cost([0, 0, 1, 1], points) == 0
    assert point_symmetry_cost([0, 0, 1, 1], points) == 0
    assert np.isnan(hubert_index([0, 0, 1, 1], np.zeros((4, 1))))
    assert hubert_index([0, 1, 2, 3], [[0.0], [1.0], [5.0], [7.0]]) == pytest.approx(1)
    with pytest.raises(ValueError, match="scatter_weight"):
        sd_cost([0, 0, 1, 1], points, scatter_weight=-1)
    assert sd_cost([0, 0, 1, 1], [[0.0], [1.0], [5.0], [6.0]], scatter_weight=0) == pytest.approx(0.4)


def test_samples():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 400)
    X = rng.normal(size=(800, 2)) + 6 * y[:, None]
    estimated = hubert_index(y, X, sample_size=300)
    assert estimated.n_sampled == 300
    assert estimated == pytest.approx(hubert_index(y, X), abs=0.02)
    assert point_symmetry_cost(y, X, sample_size=300).n_sampled == 300


# -- noise as singletons ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [silhouette_index, *INDICES])
def test_noise_as_singletons(index):
    X = np.random.default_rng(0).normal(size=(12, 2)) + 4 * np.repeat([0, 1, 2], 4)[:, None]
    labels = np.repeat([0, 1, -1], 4)
    alone = np.concatenate([np.repeat([0, 1], 4), [2, 3, 4, 5]])
    assert index(labels, X, missing="singletons") == index(alone, X)
    assert index(labels, X, missing="ignore") == index(labels[:8], X[:8])


def test_noise_as_singletons_in_a_choice():
    X = np.concatenate([np.random.default_rng(0).normal(size=(40, 2)), np.full((4, 2), 30.0)])
    X[20:40] += 9
    noisy = np.repeat([0, 1, -1], [20, 20, 4])
    odd = np.arange(44) % 2
    choice = choose_partition([noisy, odd], X, criteria=["silhouette"], missing="singletons")
    assert choice.labels.tolist() == noisy.tolist()
    assert choice.frame["n_clusters"].tolist() == [2, 2]
    value = choice.frame["silhouette"].iloc[0]
    assert value == pytest.approx(silhouette_index(noisy, X, missing="singletons"))
    assert value < silhouette_index(noisy, X, missing="ignore")
    by_noise = {
        missing: choose_partition([noisy, odd], X, criteria=["dbcv"], missing=missing).frame["dbcv"].tolist()
        for missing in ("singletons", "ignore")
    }
    assert by_noise["singletons"] == by_noise["ignore"]
    with pytest.raises(ValueError, match="'error', 'ignore' or 'singletons'"):
        choose_partition([noisy, odd], X, missing="noise")


# -- weights ----------------------------------------------------------------------------------------------------------


def test_weights_by_one_index_are_its_values_scaled():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    members = [y, rng.integers(0, 3, 150), np.where(rng.random(150) < 0.2, rng.integers(0, 3, 150), y), np.zeros(150)]
    for name in WEACS:
        criterion = CRITERIA[name]
        weights = validity_weights(members, X, name, verbose=False)
        if name == "sd":
            assert weights[3] == 0.05
            continue
        values = np.array([criterion.function(labels, X) for labels in members[:3]])
        values = values if criterion.greater_is_better else -values
        expected = 0.05 + 0.95 * (values - values.min()) / (values.max() - values.min())
        assert weights[:3] == pytest.approx(expected, abs=1e-12)
        assert weights[3] == 0.05  # one cluster
    each = [validity_weights(members, X, name, verbose=False) for name in WEACS]
    assert validity_weights(members, X, verbose=False) == pytest.approx(np.mean(each, axis=0))
    assert np.argmax(np.mean(each, axis=0)) == 0


def test_the_weight_of_scatter_is_the_spacing_of_the_finest_member():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    members = [rng.integers(0, k, 60) for k in (2, 3, 5)]
    spacing = sd_cost(members[2], X, scatter_weight=0)
    values = -np.array([sd_cost(labels, X, scatter_weight=spacing) for labels in members])
    expected = 0.05 + 0.95 * (values - values.min()) / (values.max() - values.min())
    assert validity_weights(members, X, "sd", verbose=False) == pytest.approx(expected)


def test_members_of_sub_samples_and_infinite_values():
    X = np.array([[0.0], [0.0], [5.0], [5.0], [9.0], [9.5]])
    members = Ensemble([[0, 0, 1, 1, -1, -1], [0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 0, 1]])
    weights = validity_weights(members, X, "maulik_bandyopadhyay", verbose=False)
    assert weights[0] == 1  # infinite: its clusters are points
    assert weights[1] == 1  # the best that is finite
    assert weights[2] == 0.05
    alone = validity_weights([np.arange(6)], X, "silhouette", verbose=False)
    assert alone.tolist() == [0.05]
    equal = validity_weights([[0, 0, 0, 1, 1, 1]] * 2, X, verbose=False)
    assert equal.tolist() == [1.0, 1.0]


def test_weighted_members_decide():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(1)
    good = [np.where(rng.random(150) < 0.02, rng.integers(0, 3, 150), y) for _ in range(3)]
    ensemble = Ensemble([*good, *[rng.integers(0, 2, 150)] * 4])
    weights = validity_weights(ensemble, X, "silhouette", verbose=False)
    assert weights[:3].min() > weights[3:].max()
    weighted = EvidenceAccumulation(3, normalize="count", verbose=False).fit(Ensemble(ensemble, weights=weights))
    plain = EvidenceAccumulation(3, verbose=False).fit(ensemble)
    right, wrong = (adjusted_rand_score(y, found.labels_) for found in (weighted, plain))
    assert right > 0.9 > wrong


def test_refused_weights():
    X, members = np.zeros((4, 1)), [[0, 0, 1, 1]]
    with pytest.raises(ValueError, match="criteria must be some of"):
        validity_weights(members, X, "consistency")
    with pytest.raises(ValueError, match="criteria must be some of"):
        validity_weights(members, X, [])
    with pytest.raises(ValueError, match="X has 3 rows"):
        validity_weights(members, X[:3])

"""Frequency-sensitive k-means: the rule by hand, the kernel against plain loops, streams, balance, bad input."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from constrained.shared import documents
from pluribus._kernels.points.frequency_sensitive import win_in_turn
from pluribus.constrained import BalancedKMeans, FrequencySensitiveKMeans

VARIANTS = ["fscl", "pifs", "fifs", "stream"]
every_variant = pytest.mark.parametrize("variant", VARIANTS)


@pytest.fixture(scope="module")
def words():
    return documents([0.7, 0.15, 0.1, 0.05], n=300, n_terms=80)


def run(X, centers, counts, *, by_direction, moving=True, memory=np.inf, weights=None):
    rows = sparse.csr_array(np.asarray(X, float))
    n, k = rows.shape[0], len(centers)
    sums, scales = np.ascontiguousarray(np.asarray(centers, float).T), np.ones(k)
    counts, labels = np.asarray(counts, float), np.empty(n, np.int64)
    weights = np.ones(n) if weights is None else np.asarray(weights, float)
    total = win_in_turn(
        rows.data, rows.indices, rows.indptr, weights, by_direction, moving, memory, sums, scales, counts, labels
    )
    return labels, (sums * scales).T, counts, total


def test_a_large_cluster_loses_to_a_farther_one():
    labels, centers, counts, total = run([[0.0]], [[1.0], [3.0]], [10, 1], by_direction=False)  # 10 · 1 against 1 · 9
    assert labels.tolist() == [1]
    assert counts.tolist() == [10, 2]
    np.testing.assert_allclose(centers, [[1], [1.5]])
    assert total == 9


def test_a_large_cluster_loses_to_another_direction():
    x = np.array([1.0, 0.0])
    centers = [[0.9, np.sqrt(1 - 0.81)], [0.2, np.sqrt(1 - 0.04)]]
    labels, _, counts, total = run([x], centers, [4, 1], by_direction=True)  # 1.9 / 4 against 1.2
    assert labels.tolist() == [1]
    assert counts.tolist() == [4, 2]
    assert total == pytest.approx(0.8)
    assert run([x], centers, [3, 3], by_direction=True)[0].tolist() == [0]  # equal counts: the nearest


def by_loops(X, centers, counts, weights, *, by_direction, moving, memory):
    centers, counts, labels = np.array(centers), np.array(counts, float), []
    for x, weight in zip(X, weights, strict=True):
        if by_direction:
            value = np.log(counts) / (memory * len(x)) - (centers @ x + 1) / counts
        else:
            value = counts * ((centers - x) ** 2).sum(axis=1)
        h = int(value.argmin())
        labels.append(h)
        if weight == 0:
            continue
        counts[h] = counts[h] * (1 - 1 / memory) ** weight + weight
        if moving:
            centers[h] += weight * (x - centers[h]) / counts[h]
            if by_direction:
                centers[h] /= np.linalg.norm(centers[h])
    return labels, centers, counts


@given(st.integers(0, 2**32), st.booleans(), st.booleans(), st.sampled_from([1.5, 30.0, 1000.0]), st.booleans())
def test_the_kernel_does_what_the_rule_says(seed, by_direction, moving, memory, weighted):
    rng = np.random.default_rng(seed)
    X, centers = rng.random((40, 6)) * (rng.random((40, 6)) < 0.6) + 1e-3, rng.random((3, 6))
    if by_direction:
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    weights = rng.integers(0, 3, 40).astype(float) if weighted else np.ones(40)
    how = dict(by_direction=by_direction, moving=moving, memory=memory)
    labels, found, counts, _ = run(X, centers, np.ones(3), weights=weights, **how)
    expected = by_loops(X, centers, np.ones(3), weights, **how)
    assert labels.tolist() == expected[0]
    np.testing.assert_allclose(found, expected[1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(counts, expected[2])


def test_memory_limits_the_count():
    _, _, counts, _ = run(np.zeros((1000, 1)), [[0.0]], [1], by_direction=False, memory=100)
    assert counts[0] == pytest.approx(99.9957, abs=1e-3)


def test_a_long_run_keeps_its_digits():
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    _, centers, _, _ = run(X, X[:2], np.ones(2), by_direction=True, memory=5)  # the scale is folded many times
    np.testing.assert_allclose(np.linalg.norm(centers, axis=1), 1, atol=1e-9)


@pytest.mark.parametrize("variant", ["fscl", "pifs", "fifs"])
def test_sizes_come_out_alike(words, variant):
    X = words if variant != "fscl" else words.toarray()
    model = FrequencySensitiveKMeans(4, variant=variant, n_init=3, random_state=0).fit(X)
    plain = BalancedKMeans(4, balance=0, metric="euclidean" if variant == "fscl" else "cosine", random_state=0).fit(X)
    assert model.cluster_sizes_.sum() == 300
    assert (np.diff(model.cluster_sizes_) <= 0).all()
    assert model.cluster_sizes_.min() > 1.5 * plain.cluster_sizes_.min()
    assert model.n_iter_ == len(model.objective_) <= 20
    np.testing.assert_array_equal(np.bincount(model.labels_, minlength=4), model.cluster_sizes_)


@every_variant
def test_sparse_is_as_dense_and_any_number_of_cores(words, variant):
    how = dict(variant=variant, n_init=3, max_iter=5, random_state=0)
    one = FrequencySensitiveKMeans(4, **how).fit(words)
    other = FrequencySensitiveKMeans(4, **how, n_jobs=2).fit(words)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(one.cluster_centers_, other.cluster_centers_)
    dense = FrequencySensitiveKMeans(4, **how).fit(words.toarray())
    assert dense.cluster_sizes_.sum() == 300
    if variant != "fscl":  # dense distances are taken from the mean: other digits
        np.testing.assert_array_equal(one.labels_, dense.labels_)
        np.testing.assert_allclose(np.linalg.norm(one.cluster_centers_, axis=1), 1)
    np.testing.assert_array_equal(one.predict(words), one.predict(words.toarray()))
    assert FrequencySensitiveKMeans(4, **how).fit(words.astype(np.float32)).cluster_centers_.dtype == np.float32


def test_predict_is_the_nearest_center(words):
    X = words.toarray()
    model = FrequencySensitiveKMeans(4, random_state=0, n_init=1).fit(X)
    expected = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(X), expected)
    turned = FrequencySensitiveKMeans(4, variant="fifs", random_state=0, n_init=1).fit(X)
    np.testing.assert_array_equal(turned.predict(X), (X @ turned.cluster_centers_.T).argmax(axis=1))


@pytest.mark.parametrize("variant", ["fscl", "fifs", "stream"])
def test_batches_are_as_one_stream(words, variant):
    whole = FrequencySensitiveKMeans(4, variant=variant, random_state=0)
    parts = FrequencySensitiveKMeans(4, variant=variant, random_state=0)
    whole.partial_fit(words[:50]).partial_fit(words[50:])
    parts.partial_fit(words[:50])
    for row in range(50, 300):
        parts.partial_fit(words[[row]])
    np.testing.assert_allclose(whole.cluster_centers_, parts.cluster_centers_)
    np.testing.assert_allclose(whole.counts_, parts.counts_)
    assert whole.cluster_sizes_.sum() == parts.cluster_sizes_.sum() == 300
    assert len(whole.labels_) == 250
    again = pickle.loads(pickle.dumps(whole)).partial_fit(words)
    assert again.cluster_sizes_.sum() == 600


@pytest.mark.parametrize("variant", ["fscl", "fifs"])
def test_batches_of_any_kind(variant):
    X = np.random.default_rng(0).random((60, 3)) + 100  # far from the origin
    kinds = [[np.asarray, np.asarray], [np.asarray, sparse.csr_array], [sparse.csr_array, np.asarray]]
    ends = []
    for first, second in kinds:
        model = FrequencySensitiveKMeans(3, variant=variant, random_state=0)
        ends.append(model.partial_fit(first(X[:30])).partial_fit(second(X[30:])).cluster_centers_)
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-6)
    np.testing.assert_allclose(ends[2], ends[0], rtol=1e-6)


def test_a_stream_goes_on_after_fit(words):
    model = FrequencySensitiveKMeans(4, variant="stream", random_state=0, n_init=2).fit(words)
    counts = model.counts_.copy()
    model.partial_fit(words[:10])
    assert model.counts_.sum() == pytest.approx(counts.sum() + 10, abs=1)
    assert model.cluster_sizes_.sum() == 310


def test_fit_is_partial_fit_of_a_stream(words):
    model = FrequencySensitiveKMeans(4, variant="stream", random_state=0, n_init=1).fit(words)
    assert model.n_iter_ == 1
    assert model.cluster_sizes_.min() > 0.5 * 300 / 4


def test_far_from_the_origin():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) + 4 * rng.normal(size=(3, 3))[rng.integers(0, 3, 200)]
    how = dict(n_clusters=3, n_init=2, random_state=0)
    near, far = (FrequencySensitiveKMeans(**how).fit(X + away) for away in (0, 1e6))
    np.testing.assert_allclose(far.cluster_centers_ - 1e6, near.cluster_centers_, atol=1e-6)


def test_a_frame(words):
    frame = pd.DataFrame(words.toarray()).add_prefix("w")
    model = FrequencySensitiveKMeans(4, variant="pifs", n_init=1, random_state=np.random.default_rng(0)).fit(frame)
    assert model.feature_names_in_[0] == "w0"


@every_variant
@pytest.mark.filterwarnings("ignore:only 1 of 3 clusters")  # equal rows
def test_edges(variant):
    X = np.array([[1.0, 0.1], [0.1, 1.0], [1.0, 1.0], [2.0, 0.3]])
    assert FrequencySensitiveKMeans(1, variant=variant).fit(X[:1]).labels_.tolist() == [0]
    assert FrequencySensitiveKMeans(1, variant=variant).fit(X).labels_.tolist() == [0] * 4
    assert FrequencySensitiveKMeans(4, variant=variant, random_state=0).fit(X).cluster_sizes_.sum() == 4
    assert np.isfinite(FrequencySensitiveKMeans(3, variant=variant).fit(np.ones((9, 2))).cluster_centers_).all()
    weights = [1, 1, 0, 1]
    model = FrequencySensitiveKMeans(2, variant=variant, random_state=0).fit(X, sample_weight=weights)
    assert np.isfinite(model.cluster_centers_).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (dict(memory=1.0), "memory"),
        (dict(memory=-5), "memory"),
        (dict(variant="fs"), "variant"),
        (dict(n_clusters=5), "n_clusters=5 is more than the n_samples=4"),
        (dict(n_clusters=True), "is not a number"),
        (dict(variant="pifs"), r"2 rows of X have length 0 in float64 \(rows 0, 3\)"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        FrequencySensitiveKMeans(**{"n_clusters": 2, **parameters}).fit([[0.0], [1.0], [2.0], [0.0]])


def test_bad_batches():
    with pytest.raises(ValueError, match='"fifs", which learns from batches'):
        FrequencySensitiveKMeans(2, variant="pifs").partial_fit(np.eye(3))
    with pytest.raises(ValueError, match="n_clusters=4 is more than the n_samples=3"):
        FrequencySensitiveKMeans(4).partial_fit(np.eye(3))
    model = FrequencySensitiveKMeans(2).partial_fit(np.eye(3))
    with pytest.raises(ValueError, match="2 features"):
        model.partial_fit(np.eye(2))
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit([[1, 2, np.nan]])
    with pytest.raises(ValueError, match="(?i)zero"):
        model.partial_fit(np.eye(3), sample_weight=np.zeros(3))
    for other in (dict(n_clusters=3), dict(variant="fifs")):
        with pytest.raises(ValueError, match="start again with fit"):
            FrequencySensitiveKMeans(2).partial_fit(np.eye(3)).set_params(**other).partial_fit(np.eye(3))

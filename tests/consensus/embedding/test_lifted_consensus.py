import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.cluster.hierarchy import linkage as scipy_linkage
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score, rand_score
from sklearn.metrics.pairwise import rbf_kernel

from helpers import renamed
from pluribus import Ensemble
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.consensus._shared.weighted_points import k_means, link
from pluribus.consensus.embedding.lifted_consensus import LiftedConsensus

LINE = np.array([0.0, 1, 2, 3, 7, 8, 9, 10])[:, None]
RP, FP = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1]
CLUSTERERS = ["kmeans", "hac"]


def lifted(n_clusters, **options):
    return LiftedConsensus(n_clusters, **{"random_state": 0, "verbose": False} | options)


def planted(n=150, k=3, r=9, noise=0.2, missing=0.0, seed=0, distance=6.0):
    """Objects in k places, and partitions with 2 to 4 clusters each of which some labels are wrong or missing."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    X = rng.standard_normal((n, k)) + distance * np.eye(k)[truth]
    columns = []
    for p in range(r):
        own = truth if p % 3 else np.minimum(truth, k - 2)
        wrong = rng.random(n) < noise
        own = np.where(wrong, rng.integers(0, own.max() + 1, n), own)
        columns.append(np.where(rng.random(n) < missing, -1, own))
    columns[1] = np.where(columns[1] < 0, 0, columns[1])
    return np.column_stack(columns), X, truth


@st.composite
def problems(draw):
    n, r = draw(st.integers(4, 20)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.standard_normal((n, 2))
    weights = rng.random(r) + 0.1 if draw(st.booleans()) else None
    if draw(st.booleans()):
        soft = [rng.dirichlet(np.ones(rng.integers(1, 5)), n) for _ in range(r)]
        return Ensemble.from_memberships(soft, weights=weights), X
    labels = rng.integers(0, rng.integers(1, 5), (n, r))
    if draw(st.booleans()):
        labels = np.where(rng.random((n, r)) < 0.3, -1, labels)
        labels[:, 0] = np.maximum(labels[:, 0], 0)
        labels[0] = np.maximum(labels[0], 0)
    return Ensemble(labels, weights=weights), X


# -- the spec's example and invariants -----------------------------------------------------------------------------


@pytest.mark.parametrize("clusterer", CLUSTERERS)
def test_worked_example(clusterer):
    options = {"clusterer": clusterer, "sigma": 2.0, "weights": None}
    vote = lifted(2, **options).fit([RP, FP, RP], X=LINE)
    assert vote.labels_.tolist() == RP
    assert vote.meta_labels_.tolist() == [0, 1, 0, 1, 0, 1]
    assert vote.lift_ssd_ == pytest.approx(0.182996, abs=1e-6)
    own, other = 0.1895, 0.1120
    assert vote.membership_[:3, 0].tolist() == [1, 1, 1]
    assert vote.membership_[3] == pytest.approx([own / (own + other), other / (own + other)], abs=2e-4)
    assert vote.membership_[4] == pytest.approx(vote.membership_[3][::-1])
    kernel = lifted(2, assign="kernel", **options).fit([RP, FP, RP], X=LINE)
    assert kernel.labels_.tolist() == RP
    scores = np.array([[0.8123, 0.0369], [0.9500, 0.0708], [0.9228, 0.1113], [0.7516, 0.1549]])
    assert kernel.membership_[:4] == pytest.approx(scores / scores.sum(axis=1, keepdims=True), abs=1e-4)
    assert kernel.membership_[4:] == pytest.approx(kernel.membership_[3::-1, ::-1])
    assert [c.tolist() for c in kernel.correspondences_] == [[[1, 0], [0, 1]]] * 3
    assert np.array_equal(kernel.predict(LINE), kernel.labels_)


@pytest.mark.parametrize("weights", ["size", None])
@pytest.mark.parametrize("clusterer", CLUSTERERS)
def test_unanimous_partitions_come_back(clusterer, weights):
    X, truth = load_iris(return_X_y=True)
    found = lifted(3, clusterer=clusterer, weights=weights).fit([truth] * 3, X=X)
    assert adjusted_rand_score(found.labels_, truth) == 1
    assert found.lift_ssd_ == pytest.approx(0, abs=1e-10)
    assert found.uncertainty_ == pytest.approx(np.zeros(150))
    # The rule of the source is a classifier by density, and moves border objects.
    kernel = lifted(3, clusterer=clusterer, weights=weights, assign="kernel").fit([truth] * 3, X=X)
    assert 1 - rand_score(kernel.labels_, truth) == pytest.approx(0.08, abs=0.02)


@given(problems())
def test_both_rules_are_one_for_the_discrete_kernel(problem):
    ensemble, _ = problem
    if ensemble.memberships is not None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vote, kernel = (lifted(2, kernel="discrete", assign=rule) for rule in ("vote", "kernel"))
        if ensemble.n_clusters.sum() < 2:
            return
        vote.fit(ensemble)
        kernel.fit(ensemble)
    assert np.array_equal(vote.labels_, kernel.labels_)
    assert vote.membership_ == pytest.approx(kernel.membership_)


def test_ssd_is_the_inertia_and_doubles():
    labels, X, _ = planted()
    found = lifted(3, weights=None).fit(labels, X=X)
    kmeans = KMeans(3, n_init=20, random_state=0).fit(found.lifted_clusters_)
    assert found.lift_ssd_ == pytest.approx(kmeans.inertia_)
    assert np.linalg.norm(found.lifted_clusters_, axis=1) == pytest.approx(np.ones(len(found.lifted_clusters_)))
    doubled = lifted(3, weights=None).fit(np.hstack([labels, labels]), X=X)
    assert doubled.lift_ssd_ == pytest.approx(2 * found.lift_ssd_)


def test_random_features_are_close_to_the_kernel():
    labels, X, _ = planted()
    exact = lifted(3).fit(labels, X=X)
    approximate = lifted(3, n_features=1000).fit(labels, X=X)
    assert np.array_equal(exact.labels_, approximate.labels_)
    assert approximate.lift_ssd_ == pytest.approx(exact.lift_ssd_, rel=0.1)
    assert approximate.consensus_vectors_.shape == (3, 1000)
    assert np.array_equal(approximate.predict(X), exact.predict(X))


@pytest.mark.parametrize("clusterer", CLUSTERERS)
def test_iris_as_in_the_source(clusterer):
    X, truth = load_iris(return_X_y=True)
    inputs = [KMeans(3, n_init=10, random_state=0).fit_predict(X)]
    for linkage in ("single", "average", "complete", "ward"):
        inputs.append(AgglomerativeClustering(3, linkage=linkage).fit_predict(X))
    published = {"kmeans": 0.114, "hac": 0.125}[clusterer]
    for weights in ("size", None):
        found = lifted(3, clusterer=clusterer, weights=weights).fit(inputs, X=X)
        assert 1 - rand_score(found.labels_, truth) == pytest.approx(published, abs=0.02)


def test_size_weights_keep_strays_from_deciding():
    labels, X, truth = planted(n=120, noise=0.0)
    stray = np.zeros(120, int)
    stray[:5] = [1, 2, 3, 4, 5]
    ensemble = np.column_stack([labels[:, 1], labels[:, 2], *[np.roll(stray, 7 * i) for i in range(6)]])
    for clusterer in CLUSTERERS:
        weighed = lifted(3, clusterer=clusterer).fit(ensemble, X=X)
        equal = lifted(3, clusterer=clusterer, weights=None).fit(ensemble, X=X)
        assert adjusted_rand_score(weighed.labels_, truth) >= adjusted_rand_score(equal.labels_, truth)
    assert adjusted_rand_score(weighed.labels_, truth) > 0.9


# -- what it does for any input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("assign", ["vote", "kernel"])
@pytest.mark.parametrize("linkage", ["kmeans", "ward", "average", "complete", "single"])
def test_planted_partition(linkage, assign):
    labels, X, truth = planted(missing=0.2)
    how = {"clusterer": "kmeans"} if linkage == "kmeans" else {"clusterer": "hac", "linkage": linkage}
    found = lifted(3, assign=assign, **how).fit(labels, X=X)
    assert adjusted_rand_score(found.labels_, truth) > 0.9
    assert found.membership_.sum(axis=1) == pytest.approx(np.ones(150))
    assert found.n_clusters_ == 3
    assert (np.diff(np.bincount(found.labels_)) <= 0).all()
    assert len(found.correspondences_) == labels.shape[1]
    assert np.concatenate(found.correspondences_).argmax(axis=1).tolist() == found.meta_labels_.tolist()
    again = lifted(3, assign=assign, n_jobs=2, **how)
    assert np.array_equal(again.fit_predict(labels, X=X), found.labels_)


@given(problems(), st.sampled_from(CLUSTERERS), st.sampled_from(["vote", "kernel"]), st.integers(1, 4), st.booleans())
def test_any_ensemble(problem, clusterer, assign, k, random):
    ensemble, X = problem
    k = min(k, int(ensemble.n_clusters.sum()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = lifted(k, clusterer=clusterer, assign=assign, n_features=50 if random else "auto").fit(ensemble, X=X)
    assert 1 <= found.n_clusters_ <= k
    assert set(found.labels_) == set(range(found.n_clusters_))
    assert found.membership_.shape == (ensemble.n_objects, found.n_clusters_)
    assert found.membership_.sum(axis=1) == pytest.approx(np.ones(ensemble.n_objects))
    assert ((found.uncertainty_ >= 0) & (found.uncertainty_ <= 1)).all()
    if assign == "vote":
        chosen = np.take_along_axis(found.membership_, found.labels_[:, None], axis=1)
        assert (chosen >= found.membership_.max(axis=1, keepdims=True) - 1e-9).all()
    assert [c.shape for c in found.correspondences_] == [(own, found.n_clusters_) for own in ensemble.n_clusters]
    # The consensus vectors are the weighted means of what joined them.
    weight = np.repeat(ensemble.weights, ensemble.n_clusters) * np.asarray(ensemble.soft_one_hot().sum(axis=0)).ravel()
    for i in range(found.n_clusters_):
        own = found.meta_labels_ == i
        mean = np.average(found.lifted_clusters_[own], axis=0, weights=weight[own])
        assert found.consensus_vectors_[i] == pytest.approx(mean)


@pytest.mark.parametrize("clusterer", CLUSTERERS)
def test_names_and_orders_do_not_matter(clusterer):
    labels, X, _ = planted(missing=0.1)
    found = lifted(3, clusterer=clusterer).fit(labels, X=X)
    rng = np.random.default_rng(0)
    assert np.array_equal(lifted(3, clusterer=clusterer).fit(renamed(labels), X=X).labels_, found.labels_)
    shuffled = lifted(3, clusterer=clusterer).fit(labels[:, rng.permutation(labels.shape[1])], X=X)
    assert np.array_equal(shuffled.labels_, found.labels_)
    order = rng.permutation(len(X))
    moved = lifted(3, clusterer=clusterer).fit(labels[order], X=X[order])
    assert adjusted_rand_score(moved.labels_, found.labels_[order]) == 1
    assert moved.lift_ssd_ == pytest.approx(found.lift_ssd_)


@pytest.mark.parametrize("clusterer", CLUSTERERS)
def test_weights_are_like_copies(clusterer):
    labels, X, _ = planted(r=4, noise=0.4)
    twice = lifted(3, clusterer=clusterer).fit(np.column_stack([labels, labels[:, :2]]), X=X)
    weighted = lifted(3, clusterer=clusterer).fit(Ensemble(labels, weights=[2, 2, 1, 1]), X=X)
    assert np.array_equal(twice.labels_, weighted.labels_)
    assert twice.membership_ == pytest.approx(weighted.membership_)
    assert twice.lift_ssd_ == pytest.approx(weighted.lift_ssd_)


def test_hard_memberships_are_labels():
    labels, X, _ = planted()
    ensemble = Ensemble(labels)
    soft = Ensemble.from_memberships([np.eye(k)[ensemble.labels[:, p]] for p, k in enumerate(ensemble.n_clusters)])
    for assign in ("vote", "kernel"):
        hard, same = lifted(3, assign=assign).fit(ensemble, X=X), lifted(3, assign=assign).fit(soft, X=X)
        assert np.array_equal(hard.labels_, same.labels_)
        assert hard.membership_ == pytest.approx(same.membership_)


def test_soft_partitions():
    _, X, truth = planted(noise=0.0)
    rng = np.random.default_rng(0)
    soft = [0.6 * np.eye(3)[truth] + 0.4 * rng.dirichlet(np.ones(3), 150) for _ in range(5)]
    soft.append(np.column_stack([np.ones(150), np.zeros(150)]))  # an empty cluster
    found = lifted(3).fit(Ensemble.from_memberships(soft), X=X)
    assert adjusted_rand_score(found.labels_, truth) > 0.9
    assert found.meta_labels_[-1] == -1
    assert found.correspondences_[-1][1].tolist() == [0, 0, 0]
    assert len(found.lifted_clusters_) == 16


def test_data_of_other_kinds():
    labels, X, truth = planted()
    expected = lifted(3, sigma=3.0, assign="kernel").fit(labels, X=X)
    K = rbf_kernel(X, gamma=1 / 18)
    for kernel, data in [("precomputed", K), (lambda a, b: rbf_kernel(a, b, gamma=1 / 18), X)]:
        found = lifted(3, kernel=kernel, assign="kernel").fit(labels, X=data)
        assert found.membership_ == pytest.approx(expected.membership_)
        assert found.sigma_ is None
        assert np.array_equal(found.predict(data), found.labels_)
    for data in (sparse.csr_matrix(X), X.astype(np.float32)):
        found = lifted(3, sigma=3.0, assign="kernel").fit(labels, X=data)
        assert found.membership_ == pytest.approx(expected.membership_, abs=1e-4)
    for options in ({"kernel": "laplacian"}, {"kernel": "linear"}, {"kernel": "laplacian", "n_features": 400}):
        assert adjusted_rand_score(lifted(3, **options).fit(labels, X=X).labels_, truth) > 0.9


def test_predict_places_new_objects():
    labels, X, _ = planted()
    found = lifted(3).fit(labels, X=X)
    centers = np.array([X[found.labels_ == i].mean(axis=0) for i in range(3)])
    assert found.predict(centers).tolist() == [0, 1, 2]
    assert np.array_equal(pickle.loads(pickle.dumps(found)).predict(X), found.predict(X))


def test_large_data_takes_random_features_in_blocks():
    labels, X, truth = planted(n=21_000, r=5)
    found = lifted(3).fit(labels, X=X.astype(np.float32))
    assert found.consensus_vectors_.shape == (3, 4000)
    assert adjusted_rand_score(found.labels_, truth) > 0.9


# -- grouping weighted points --------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.sampled_from(["ward", "average"]))
def test_weighted_links_are_those_of_copies(seed, method):
    rng = np.random.default_rng(seed)
    points, counts = rng.standard_normal((12, 3)), rng.integers(1, 5, 12)
    expected = scipy_linkage(np.repeat(points, counts, axis=0), method)[counts.sum() - 12 :]
    found = link(points, counts.astype(float), method)
    assert found[:, 2] == pytest.approx(expected[:, 2])
    assert link(points, np.full(12, 0.3), method)[:, 2] == pytest.approx(scipy_linkage(points, method)[:, 2])
    # The kernel itself on equal weights, which link leaves to scipy.
    nearly = np.full(12, 1.0)
    nearly[0] += 1e-12
    assert link(points, nearly, method)[:, 2] == pytest.approx(scipy_linkage(points, method)[:, 2], rel=1e-6)
    assert adjusted_rand_score(cut_into(found, 3)[np.repeat(np.arange(12), counts)], _cut(points, counts, method)) == 1


def _cut(points, counts, method):
    return cut_into(scipy_linkage(np.repeat(points, counts, axis=0), method), 3)


def test_k_means_takes_the_best_start_and_copes_with_copies():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((30, 2))
    weights = rng.random(30)

    def inertia(labels):
        centers = [np.average(points[labels == c], axis=0, weights=weights[labels == c]) for c in range(4)]
        return weights @ ((points - np.array(centers)[labels]) ** 2).sum(axis=1)

    best = KMeans(4, n_init=50, random_state=0).fit(points, sample_weight=weights).inertia_
    assert inertia(k_means(points, 4, weights, n_init=50, random_state=0)) <= best * (1 + 1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert k_means(np.zeros((5, 1)), 3, np.ones(5), n_init=2, random_state=0).tolist() == [0] * 5


# -- bad input and edges -------------------------------------------------------------------------------------------


def test_one_partition():
    assert lifted(2).fit([RP], X=LINE).labels_.tolist() == RP
    four = [0, 0, 1, 1, 2, 2, 3, 3]
    assert lifted(2).fit([four], X=LINE).labels_.tolist() == RP
    assert lifted(1).fit([RP], X=LINE).labels_.tolist() == [0] * 8


def test_fewer_clusters_than_asked():
    with pytest.warns(UserWarning, match="left out"):
        found = lifted(3).fit([RP, RP], X=LINE)
    assert found.n_clusters_ == 2
    assert found.labels_.tolist() == RP
    assert found.membership_.shape == (8, 2)
    assert found.consensus_vectors_.shape[0] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": None}, "needs n_clusters"),
        ({"n_clusters": 5}, "only 4 clusters, too few to group them into n_clusters=5"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"clusterer": "spectral"}, "clusterer"),
        ({"linkage": "centroid"}, "linkage"),
        ({"assign": "nearest"}, "assign"),
        ({"weights": "rank"}, "weights"),
        ({"kernel": "cubic"}, "kernel"),
        ({"sigma": -1.0}, "sigma"),
        ({"sigma": np.inf}, "sigma"),
        ({"n_features": 0}, "n_features"),
        ({"n_features": 8, "kernel": "linear"}, "random features"),
        ({"n_init": 0}, "n_init"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        lifted(**{"n_clusters": 2} | options).fit([RP, FP], X=LINE)


def test_bad_data():
    with pytest.raises(ValueError, match="X is missing"):
        lifted(2).fit([RP])
    with pytest.raises(ValueError, match="X has 7 rows, but the ensemble has 8 objects"):
        lifted(2).fit([RP], X=LINE[1:])
    with pytest.raises(ValueError, match="NaN"):
        lifted(2).fit([RP], X=np.where(LINE == 0, np.nan, LINE))
    with pytest.raises(ValueError, match="square"):
        lifted(2, kernel="precomputed").fit([RP], X=LINE)
    with pytest.raises(ValueError, match="all points coincide"):
        lifted(2).fit([RP], X=np.ones((8, 1)))
    with pytest.raises(ValueError, match="Cluster 'b' of partition 'p0' has no direction"):
        lifted(1, kernel="linear").fit([["a", "a", "b"]], X=[[1.0], [2.0], [0.0]])
    found = lifted(2).fit([RP], X=LINE)
    with pytest.raises(ValueError, match="X has 2 columns, but in fit it had 1"):
        found.predict(np.ones((3, 2)))
    with pytest.raises(ValueError, match="discrete"):
        lifted(2, kernel="discrete").fit([RP]).predict(LINE)


def test_partitions_of_weight_zero():
    some = [0, 0, 0, 0, 1, 1, 1, -1]
    ensemble = Ensemble([some, FP], weights=[1, 0])
    with pytest.raises(ValueError, match="they have no vote"):
        lifted(2).fit(ensemble, X=LINE)
    found = lifted(2, assign="kernel").fit(ensemble, X=LINE)
    assert found.labels_.tolist() == RP
    assert found.meta_labels_.tolist() == [0, 1, -1, -1]


def test_estimator_conventions():
    model = lifted(2, kernel="laplacian", sigma=1.5)
    assert clone(model).get_params() == model.get_params()
    assert "sigma=1.5" in repr(model)

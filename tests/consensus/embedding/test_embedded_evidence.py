import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import eigh
from scipy.optimize import check_grad
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.cluster import DBSCAN, KMeans
from sklearn.decomposition import PCA, KernelPCA
from sklearn.manifold import Isomap, LocallyLinearEmbedding
from sklearn.metrics import adjusted_rand_score

from helpers import ensembles, noisy_members, renamed
from pluribus import Ensemble
from pluribus.consensus.embedding import _embeddings, _neighbor_graph, _stress
from pluribus.consensus.embedding.embedded_evidence import CLUSTERERS, EmbeddedEvidence
from pluribus.evidence import CoAssociation, MemoryLimitError

METHODS = list(_embeddings.METHODS)
VIEWS = ["similarities", "features"]
HAND = [[0, 0, 1], [0, 1, 1]]  # C = [[1, .5, 0], [.5, 1, .5], [0, .5, 1]]


def embedded(n_clusters, **options):
    return EmbeddedEvidence(n_clusters, random_state=0, verbose=False, **options)


def planted(n=90, k=3, r=15, noise=0.15, missing=0.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    return noisy_members(truth, r, noise, pieces=2, missing=missing, rng=rng), truth


def without_ties(n=60, seed=0):
    """A matrix of evidence of three groups in which no two values are equal."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)) + 2 * np.eye(3)[np.arange(n) % 3]
    return CoAssociation.from_matrix(np.exp(-0.2 * cdist(X, X)))


def distances_of(found):
    return cdist(found.embedding_, found.embedding_)


# -- the spec's small examples -------------------------------------------------------------------------------------


def test_laplacian_of_a_path():
    path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], float)
    found = _embeddings._random_walk(lambda V: path @ V, np.ones(3), np.zeros(3, int), 2, 0)
    assert 1 - found.eigenvalues == pytest.approx([1, 2])
    first = found.coordinates[:, 0]
    assert first / first[0] == pytest.approx([1, 0, -1])


def test_scaling_of_three_objects():
    found = embedded(2, method="mds", n_components=2).fit(HAND)
    assert found.eigenvalues_ == pytest.approx([1, 1 / 3])
    assert distances_of(found) == pytest.approx(np.sqrt([[0, 1, 2], [1, 0, 1], [2, 1, 0]]))
    assert found.clipped_mass_ == 0


@pytest.mark.filterwarnings("ignore:There are only 3 objects")
@pytest.mark.parametrize("method", ["isomap", "sammon"])
def test_distances_of_three_objects_lie_on_a_line(method):
    found = embedded(2, method=method, n_components=1).fit(HAND)
    assert distances_of(found) == pytest.approx(np.array([[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]]), abs=1e-4)
    assert found.criterion_ == pytest.approx(0, abs=1e-7)
    if method == "isomap":
        assert found.eigenvalues_ == pytest.approx([0.5])


@pytest.mark.parametrize("view", VIEWS)
def test_equal_partitions_come_back(view):
    truth = np.repeat([0, 1, 2, 3], [30, 20, 10, 5])
    found = embedded(4, view=view).fit([truth] * 3)
    assert found.labels_.tolist() == truth.tolist()
    assert found.embedding_.shape == (65, 3)
    assert len(np.unique(found.embedding_, axis=0)) == 4
    assert found.eigenvalues_ == pytest.approx(np.ones(3))
    assert found.n_connected_components_ == 4
    agreement = found.compare_extractors()
    assert agreement.clusterers == CLUSTERERS
    assert agreement.mean_nmi == pytest.approx(1)
    assert (agreement.labels == truth[:, None]).all()


# -- oracles -------------------------------------------------------------------------------------------------------


@given(ensembles(n=(4, 16), k=(2, 4)), st.sampled_from(VIEWS))
def test_spectral_is_the_generalized_eigenproblem(ensemble, view):
    C = CoAssociation(ensemble, form="dense").to_dense()
    W = C @ C if view == "features" else C
    values = eigh(W, np.diag(W.sum(axis=1)), eigvals_only=True)[::-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = embedded(2, view=view, n_components=2).fit(ensemble)
    assert found.n_connected_components_ == connected_components(C > 0)[0]
    expected = np.maximum(values[1 : len(found.eigenvalues_) + 1], 0)  # equal rows add zeros before the negative ones
    assert np.maximum(found.eigenvalues_, 0) == pytest.approx(expected, abs=1e-8)
    Y = found.embedding_[:, : len(found.eigenvalues_)][:, found.eigenvalues_ > 1e-8]
    degrees = W.sum(axis=1)
    # Eigenvectors, orthonormal by degree, and to the constant.
    assert pytest.approx(degrees[:, None] * Y * found.eigenvalues_[found.eigenvalues_ > 1e-8], abs=1e-7) == W @ Y
    assert Y.T @ (degrees[:, None] * Y) == pytest.approx(np.eye(Y.shape[1]), abs=1e-7)
    assert degrees @ Y == pytest.approx(np.zeros(Y.shape[1]), abs=1e-7)


def test_many_components_and_few_dimensions():
    truth = np.repeat(np.arange(6), [9, 8, 7, 3, 2, 1])
    found = embedded(3).fit([truth])
    # The largest stand apart; those for which there is no dimension left are together.
    assert adjusted_rand_score(found.labels_, np.array([0, 1, 2, 2, 2, 2])[truth]) == 1
    assert len(np.unique(found.embedding_.round(9), axis=0)) == 3


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_scaling_is_kernel_pca(missing):
    labels, _ = planted(missing=missing)
    labels = np.vstack([labels, labels[:20]])  # equal rows
    C = CoAssociation(labels, form="dense").to_dense()
    found = embedded(3, method="mds").fit(labels)
    oracle = KernelPCA(3, kernel="precomputed", eigen_solver="dense")
    coordinates = oracle.fit_transform(C)
    assert found.eigenvalues_ == pytest.approx(oracle.eigenvalues_)
    assert distances_of(found) == pytest.approx(cdist(coordinates, coordinates), abs=1e-7)
    assert (found.clipped_mass_ > 0) == (missing > 0)
    features = embedded(3, method="mds", view="features").fit(labels)
    coordinates = PCA(3, svd_solver="full").fit_transform(C)
    assert distances_of(features) == pytest.approx(cdist(coordinates, coordinates), abs=1e-6)


@pytest.mark.parametrize("view", VIEWS)
def test_isomap_is_scikit_learns(view):
    evidence = without_ties()
    C = evidence.to_dense()
    delta = 1 - C if view == "similarities" else cdist(C, C)
    np.fill_diagonal(delta, 0)
    found = embedded(3, method="isomap", view=view, n_neighbors=8).fit(evidence)
    oracle = Isomap(n_neighbors=8, n_components=3, metric="precomputed", eigen_solver="dense").fit_transform(delta)
    assert found.n_connected_components_ == 1
    assert distances_of(found) == pytest.approx(cdist(oracle, oracle), rel=1e-5, abs=1e-6)


def test_lle_is_scikit_learns():
    evidence = without_ties()
    found = embedded(3, method="lle", view="features", n_neighbors=8).fit(evidence)
    oracle = LocallyLinearEmbedding(n_neighbors=8, n_components=3, eigen_solver="dense")
    expected = oracle.fit_transform(evidence.to_dense()) * np.sqrt(60)
    assert distances_of(found) == pytest.approx(cdist(expected, expected), rel=1e-3, abs=1e-3)
    assert found.criterion_ == pytest.approx(oracle.reconstruction_error_, rel=1e-4)
    assert found.embedding_.T @ found.embedding_ == pytest.approx(60 * np.eye(3))


def test_le_cost_and_lpp_and_npe_minimize_theirs():
    evidence = without_ties()
    delta = 1 - evidence.to_dense()
    W = _neighbor_graph.unweighted(delta, np.ones(60), 8).toarray()
    L, degrees = np.diag(W.sum(axis=1)) - W, W.sum(axis=1)
    le = embedded(3, method="le", n_neighbors=8).fit(evidence)
    Y = le.embedding_
    assert Y.T @ (degrees[:, None] * Y) == pytest.approx(np.eye(3), abs=1e-8)
    assert np.trace(Y.T @ L @ Y) == pytest.approx(le.criterion_)
    assert le.criterion_ == pytest.approx(eigh(L, np.diag(degrees), eigvals_only=True)[1:4].sum())
    lpp = embedded(3, method="lpp", n_neighbors=8).fit(evidence)
    assert np.trace(lpp.embedding_.T @ L @ lpp.embedding_) == pytest.approx(lpp.criterion_, rel=1e-3)
    assert lpp.criterion_ >= le.criterion_ - 1e-9  # the restriction to linear maps costs something
    npe = embedded(3, method="npe", n_neighbors=8).fit(evidence)
    residual = _neighbor_graph.residual_of_reconstruction(delta, 8)
    assert ((residual @ npe.embedding_) ** 2).sum() == pytest.approx(npe.criterion_, rel=1e-3)


def test_sammon_goes_down_its_gradient():
    rng = np.random.default_rng(0)
    delta = cdist(*[rng.random((8, 3))] * 2)
    captured = {}
    original = _stress.minimize

    def capture(stress, start, **options):
        captured["f"], captured["start"] = stress, start
        return original(stress, start, **options)

    _stress.minimize = capture
    try:
        counts = rng.integers(1, 4, 8).astype(float)
        points, stress, *_ = _stress.sammon(delta, counts, rng.random((8, 2)), 500, 0)
    finally:
        _stress.minimize = original
    f, start = captured["f"], captured["start"]
    assert check_grad(lambda x: f(x)[0], lambda x: f(x)[1], start) < 1e-6
    w = np.outer(counts, counts)[np.triu_indices(8, 1)]
    wanted, got = delta[np.triu_indices(8, 1)], cdist(points, points)[np.triu_indices(8, 1)]
    assert stress == pytest.approx((w * (wanted - got) ** 2 / wanted).sum() / (w * wanted).sum())
    assert stress < f(start)[0]


def test_curvilinear_components_unfold_a_plane():
    rng = np.random.default_rng(0)
    flat = rng.random((40, 2))
    points, cost = _stress.curvilinear(cdist(flat, flat), flat + 0.2 * rng.random((40, 2)), 100, 0, False)
    assert cdist(points, points) == pytest.approx(cdist(flat, flat), abs=0.05)
    assert cost < 0.5


def test_geodesics_join_components_by_their_shortest_edges():
    x = np.array([0.0, 1, 2, 10, 11, 12])
    delta = np.abs(x[:, None] - x)
    geodesic, n_connected = _neighbor_graph.geodesics(delta, 1)
    assert n_connected == 2
    assert geodesic == pytest.approx(delta)


def test_neighbors_are_counted_as_objects():
    x = np.array([0.0, 1, 2, 3])
    delta = np.abs(x[:, None] - x)
    graph = _neighbor_graph.unweighted(delta, np.array([3.0, 1, 1, 1]), 2).toarray()
    off = graph - np.diag(np.diagonal(graph))
    # Object 0 has its two equals, so needs nobody; 1 takes 0 and with it all three of its kind.
    assert off.tolist() == [[0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]]
    assert np.diagonal(graph) == pytest.approx([2 / 3, 0, 0, 0])


def test_large_and_small_solvers_agree(monkeypatch):
    labels, _ = planted(n=150)
    missing, _ = planted(n=150, missing=0.1)
    for options in [{}, {"view": "features"}, {"method": "mds"}, {"method": "le"}, {"method": "lle"}]:
        data = missing if options.get("method") == "mds" else labels
        with monkeypatch.context() as patch:
            small = embedded(3, **options).fit(data)
            patch.setattr("pluribus.consensus._shared.eigen._DENSE_UP_TO", 10)
            large = embedded(3, **options).fit(data)
        assert distances_of(large) == pytest.approx(distances_of(small), abs=1e-4 * distances_of(small).max())
        assert adjusted_rand_score(small.labels_, large.labels_) == 1


# -- what every method does ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("method", METHODS)
def test_planted_partition(method, view):
    labels, truth = planted(missing=0.1)
    found = embedded(3, method=method, view=view).fit(labels)
    assert adjusted_rand_score(truth, found.labels_) > (0.7 if method in ("npe", "lle", "cca") else 0.9)
    assert found.embedding_.shape == (90, 2 if method == "spectral" else 3)
    assert found.membership_.shape == (90, 3)
    assert found.membership_.sum(axis=1) == pytest.approx(np.ones(90))
    assert ((found.uncertainty_ >= 0) & (found.uncertainty_ <= 1)).all()
    assert found.n_clusters_ == 3
    sizes = np.bincount(found.labels_)
    assert (np.diff(sizes) <= 0).all()
    again = embedded(3, method=method, view=view, n_jobs=2).fit(labels)
    assert np.array_equal(again.embedding_, found.embedding_)
    assert np.array_equal(again.labels_, found.labels_)


@pytest.mark.filterwarnings("ignore")
@given(
    ensembles(n=(4, 16), k=(2, 4)),
    st.sampled_from(METHODS),
    st.sampled_from(VIEWS),
    st.sampled_from(CLUSTERERS),
    st.integers(1, 4),
)
def test_any_ensemble(ensemble, method, view, clusterer, k):
    found = embedded(k, method=method, view=view, clusterer=clusterer, max_iter=20).fit(ensemble)
    n = ensemble.n_objects
    assert np.isfinite(found.embedding_).all()
    assert found.labels_.shape == (n,)
    assert 1 <= found.n_clusters_ <= k
    assert set(found.labels_) == set(range(found.n_clusters_))
    assert np.isfinite(found.membership_).all()
    # Equal label rows, equal coordinates.
    same = (ensemble.labels[:, None] == ensemble.labels).all(axis=2)
    assert np.allclose(found.embedding_[same.argmax(axis=1)], found.embedding_)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", METHODS)
def test_names_and_order_do_not_matter(method):
    labels, _ = planted(n=60, r=9, missing=0.1, seed=3)
    found = embedded(3, method=method).fit(labels)
    rng = np.random.default_rng(0)
    assert np.array_equal(embedded(3, method=method).fit(renamed(labels)).labels_, found.labels_)
    order = rng.permutation(60)
    moved = embedded(3, method=method).fit(labels[order])
    assert adjusted_rand_score(moved.labels_, found.labels_[order]) == 1


def test_weights_are_like_copies():
    labels, _ = planted(n=40, r=5, noise=0.3)
    twice = embedded(3, method="mds").fit(np.column_stack([labels, labels[:, :1]]))
    weighted = embedded(3, method="mds").fit(Ensemble(labels, weights=[2, 1, 1, 1, 1]))
    assert distances_of(twice) == pytest.approx(distances_of(weighted))


def test_copies_of_objects_are_like_weights_of_rows():
    """What is found on distinct objects with counts is what the copies, one by one, would give."""
    labels, _ = planted(n=40, r=4, noise=0.3)
    few = Ensemble(np.vstack([labels, labels[:15]]))
    C = CoAssociation.from_matrix(CoAssociation(few, form="dense").to_dense())
    for options in [{}, {"view": "features"}, {"method": "mds"}, {"method": "mds", "view": "features"}]:
        counted, one_by_one = embedded(3, **options).fit(few), embedded(3, **options).fit(C)
        assert distances_of(counted) == pytest.approx(distances_of(one_by_one), abs=1e-7)
        for clusterer in ("average", "ward", "centroid", "weighted", "complete", "single"):
            assert adjusted_rand_score(counted.extract(clusterer), one_by_one.extract(clusterer)) == 1


def test_evidence_in_other_forms():
    labels, truth = planted()
    evidence = CoAssociation(labels)
    expected = embedded(3).fit(labels)
    for given_evidence in [evidence, evidence.to_sparse(), CoAssociation.from_matrix(evidence.to_dense())]:
        assert adjusted_rand_score(embedded(3).fit(given_evidence).labels_, expected.labels_) == 1
    limited = embedded(3).fit(CoAssociation(labels, form="neighbors", n_neighbors=30))
    assert adjusted_rand_score(limited.labels_, truth) > 0.9


def test_soft_ensembles_and_strings():
    labels, truth = planted(noise=0.0)
    named = [[f"c{label}" for label in column] for column in labels.T]
    assert adjusted_rand_score(embedded(3).fit(named).labels_, truth) == 1
    soft = Ensemble.from_memberships([0.9 * np.eye(6)[column] + 0.1 / 6 for column in labels.T])
    assert adjusted_rand_score(embedded(3).fit(soft).labels_, truth) == 1


def test_total_normalization_is_linear_and_good():
    labels, truth = planted(missing=0.3)
    for method in ("spectral", "mds", "isomap"):
        found = embedded(3, normalize="total", method=method).fit(labels)
        assert adjusted_rand_score(found.labels_, truth) > 0.8
    whole, _ = planted()
    same = [embedded(3, normalize=normalize).fit(whole).embedding_ for normalize in ("pairs", "total")]
    assert np.array_equal(*same)
    H = Ensemble(labels).one_hot().toarray()
    total = CoAssociation.from_matrix(H @ H.T / labels.shape[1])
    assert distances_of(embedded(3, normalize="total").fit(labels)) == pytest.approx(
        distances_of(embedded(3).fit(total)), abs=1e-8
    )


# -- extraction ----------------------------------------------------------------------------------------------------


def test_extraction_from_the_same_coordinates():
    labels, _ = planted()
    found = embedded(3).fit(labels)
    for clusterer in CLUSTERERS:
        assert np.array_equal(found.extract(clusterer), embedded(3, clusterer=clusterer).fit(labels).labels_)
        assert len(set(found.extract(clusterer, 5))) == 5
    assert np.array_equal(found.extract(), found.labels_)
    with pytest.raises(ValueError, match="only noise"):
        found.extract(DBSCAN(eps=1e-6, min_samples=100))
    assert -1 in found.extract(DBSCAN(eps=np.ptp(found.embedding_) / 50, min_samples=3))
    agreement = found.compare_extractors(["kmeans", "ward"])
    assert agreement.labels.shape == (90, 2)
    assert agreement.mean_nmi == agreement.nmi[0, 1]


def test_an_estimator_as_clusterer():
    labels, truth = planted()
    found = embedded(None, n_components=2, clusterer=KMeans(3, n_init=3, random_state=0)).fit(labels)
    assert adjusted_rand_score(found.labels_, truth) > 0.9


# -- bad input and edges -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_one_cluster(method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = embedded(1, method=method).fit(HAND)
    assert found.embedding_.tolist() == [[0], [0], [0]]
    assert found.labels_.tolist() == [0, 0, 0]
    assert embedded(1, method="spectral").fit([[0]]).labels_.tolist() == [0]


def test_more_clusters_than_the_ensemble_tells_apart():
    with pytest.warns(UserWarning, match="separate only 2 groups"):
        found = embedded(3).fit([[0, 0, 1, 1]])
    assert found.n_clusters_ == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": None}, "needs n_clusters"),
        ({"n_clusters": 4}, "more than the number of objects, 3"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"view": "rows"}, "view"),
        ({"method": "tsne"}, "method"),
        ({"clusterer": "optics"}, "clusterer"),
        ({"n_components": 0}, "n_components"),
        ({"n_components": 3}, "n_components=3 must be less"),
        ({"n_neighbors": 3, "method": "le"}, "n_neighbors=3 must be less"),
        ({"normalize": "rows"}, "normalize"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        EmbeddedEvidence(**{"n_clusters": 2, "verbose": False} | options).fit(HAND)


def test_bad_evidence():
    with pytest.raises(ValueError, match="symmetric"):
        embedded(2).fit(sparse.csr_array([[1, 0.5], [0, 1]]))
    with pytest.raises(ValueError, match="no evidence at all"):
        embedded(2).fit(sparse.csr_array([[0, 0, 0], [0, 1, 0.5], [0, 0.5, 1]]))
    with pytest.raises(ValueError, match="clusterer must be"):
        embedded(2).fit(HAND).extract("optics")
    for wrong in (4, 0, 1.5, True, {"a": 1}, "2"):
        with pytest.raises(ValueError, match=r"n_clusters=.*: give a whole number, from 1 to 3"):
            embedded(2).fit(HAND).extract(n_clusters=wrong)


def test_too_large_for_all_pairs():
    labels, _ = planted(n=200)
    evidence = CoAssociation(labels, form="operator", memory_limit=100_000)
    for method in METHODS[2:]:
        with pytest.raises(MemoryLimitError, match="Use method='spectral'"):
            embedded(3, method=method).fit(evidence)
    for method in ("spectral", "mds"):
        found = embedded(3, method=method).fit(evidence)
        with pytest.raises(MemoryLimitError, match="Use clusterer='kmeans'"):
            found.extract("ward")
    missing, _ = planted(n=200, missing=0.2)
    with pytest.warns(UserWarning, match="normalize='total'"):
        embedded(3).fit(CoAssociation(missing, form="operator", memory_limit=10_000))


def test_few_objects_have_few_neighbors():
    with pytest.warns(UserWarning, match="n_neighbors is 5"):
        embedded(2, method="le").fit([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]])


def test_sammon_says_when_it_stops_early():
    labels, _ = planted(n=40)
    with pytest.warns(UserWarning, match="raise max_iter"):
        assert not embedded(3, method="sammon", max_iter=2).fit(labels).converged_


def test_estimator_conventions():
    found = embedded(2, method="le", n_neighbors=2)
    copy = clone(found)
    assert copy.get_params() == found.get_params()
    found.fit([[0, 0, 1, 1], [0, 0, 0, 1]])
    revived = pickle.loads(pickle.dumps(found))
    assert np.array_equal(revived.extract("ward"), found.extract("ward"))


@pytest.mark.parametrize("method", [method for method in METHODS if method in _embeddings.WITH_NEIGHBORS])
def test_neighbors_of_the_lowest_cost(method):
    labels, _ = planted()
    found = embedded(3, method=method, n_neighbors="criterion", max_iter=5).fit(labels)
    costs = {p: embedded(3, method=method, n_neighbors=p, max_iter=5).fit(labels).criterion_ for p in (5, 10, 15, 20)}
    for p, cost in costs.items():
        assert found.tried_[p, 3] == pytest.approx(cost, rel=1e-6, abs=1e-9)
    assert found.criterion_ <= min(costs.values()) + 1e-9
    assert found.criterion_ == found.tried_[found.n_neighbors_, found.n_components_]
    longest = max(p for (p, _), cost in found.tried_.items() if cost <= found.criterion_ + 1e-9)
    assert found.n_neighbors_ == longest  # the densest of equally good graphs


@pytest.mark.parametrize("method", METHODS)
def test_dimension_by_the_criterion(method):
    labels, truth = planted(noise=0.05)
    found = embedded(3, method=method, n_components="criterion", n_neighbors=30, max_iter=20).fit(labels)
    assert found.embedding_.shape == (90, found.n_components_)
    assert 1 <= found.n_components_ <= 10
    assert (found.n_neighbors_ == 30) if method in _embeddings.WITH_NEIGHBORS else (found.n_neighbors_ is None)
    if method in ("spectral", "mds"):  # three groups span two dimensions
        assert found.n_components_ == 2
        assert adjusted_rand_score(truth, found.labels_) == 1


def test_dimension_at_the_elbow():
    rng = np.random.default_rng(0)
    grid = np.stack(np.meshgrid(np.arange(8), np.arange(8)), -1).reshape(-1, 2)
    labels = np.concatenate([(grid + rng.integers(0, 4, 2)) // 4 for _ in range(60)], axis=1)  # a plane: two dimensions
    found = embedded(4, method="isomap", n_components="criterion", n_neighbors=10).fit(labels)
    costs = [found.tried_[10, d] for d in range(1, 11)]
    chosen = found.n_components_
    bound = min(costs) + 0.1 * (costs[0] - min(costs))
    assert costs[chosen - 1] <= bound + 1e-9
    assert all(cost > bound for cost in costs[: chosen - 1])
    assert chosen == 2


def test_criterion_of_few_objects():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for labels in (HAND, [[0, 0], [0, 1]], [[0, 0, 0]]):
            for method in METHODS:
                found = embedded(2, method=method, n_components="criterion", n_neighbors="criterion").fit(labels)
                assert found.embedding_.shape[1] == found.n_components_ >= 1
    assert embedded(None, n_components="criterion", clusterer=KMeans(2, n_init=1)).fit(HAND).n_clusters_ == 2


def test_of_equally_good_graphs_the_densest():
    rng = np.random.default_rng(0)
    blocks = np.repeat([0, 4, 8], 30)[:, None]
    labels = blocks + rng.integers(0, 4, (90, 10))  # three parts that no partition links
    found = embedded(3, method="le", n_components=2, n_neighbors="criterion").fit(labels)
    free = [p for (p, _), cost in found.tried_.items() if cost < 1e-9]
    assert len(free) > 1
    assert found.n_neighbors_ == max(free)

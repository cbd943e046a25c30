import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from helpers import SEVEN, planted
from pluribus import Ensemble
from pluribus.consensus._shared import bipartite_cut, eigen
from pluribus.consensus._shared.base import soft_evidence
from pluribus.consensus._shared.bipartite_cut import transfer_cut
from pluribus.consensus._shared.cluster_graph import tabulate
from pluribus.consensus.graph_cuts import _solvers, bipartite_partitioning
from pluribus.consensus.graph_cuts.bipartite_partitioning import BipartitePartitioning
from pluribus.evidence import mean_evidence

SOLVERS = ["metis", "spectral"]


def soft_planted(n, r, k, noise, seed=0):
    truth, labels = planted(n, r, k, noise, seed=seed)
    rng = np.random.default_rng(seed + 1)
    soft = [np.eye(k)[column] + rng.random((n, k)) for column in labels.T]
    return truth, Ensemble.from_memberships([u / u.sum(axis=1, keepdims=True) for u in soft])


def hbgf(k, **options):
    return BipartitePartitioning(k, **({"random_state": 0, "verbose": False} | options))


def singular_rows(e, k):
    """Rows of the k leading singular vectors of D1^(-1/2) E D2^(-1/2), of length 1: the slow way, for all objects."""
    E = e.soft_one_hot().toarray() * np.repeat(e.weights, e.n_clusters)
    A = E / np.sqrt(E.sum(axis=1, keepdims=True)) / np.sqrt(E.sum(axis=0))
    U, _, V = np.linalg.svd(A, full_matrices=False)
    rows = np.concatenate([U[:, :k], V[:k].T])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


ENSEMBLES = {
    "plain": lambda: Ensemble(planted(80, 6, 3, 0.4)[1]),
    "equal rows": lambda: Ensemble(np.repeat(planted(30, 6, 3, 0.4)[1], np.arange(30) % 4 + 1, axis=0)),
    "missing": lambda: Ensemble(planted(80, 6, 3, 0.4, missing=0.3)[1]),
    "weights": lambda: Ensemble(planted(80, 6, 3, 0.4)[1], weights=[1, 2, 0.5, 1, 3, 1]),
    "soft": lambda: soft_planted(80, 6, 3, 0.3)[1],
}


@pytest.mark.parametrize("kind", ENSEMBLES)
@pytest.mark.parametrize("form", ["small", "operator"])
def test_transfer_cut_gives_the_singular_vectors(kind, form, monkeypatch):
    if form == "operator":
        monkeypatch.setattr(bipartite_cut, "_DENSE_UP_TO", 0)
        monkeypatch.setattr(eigen, "_DENSE_UP_TO", 0)
    e = ENSEMBLES[kind]()
    table = tabulate(e, np.arange(len(e)))
    objects, clusters = transfer_cut(table, 3, None)
    own = np.argsort(table.position)
    rows = np.concatenate([objects[table.inverse], clusters[own]]).astype(float)
    expected = singular_rows(e, 3)
    np.testing.assert_allclose(rows @ rows.T, expected @ expected.T, atol=2e-5)  # equal up to a rotation


@pytest.mark.parametrize("seed", range(3))
def test_seven_objects(seed):
    model = hbgf(3, random_state=seed).fit(SEVEN)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert model.solver_ == "spectral"
    assert model.correspondences_[0].tolist() == np.eye(3).tolist()
    assert [c.shape for c in model.correspondences_] == [(3, 3), (3, 3), (3, 3), (2, 3)]
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1)
    assert model.uncertainty_[4] == model.uncertainty_.max()
    assert hbgf(3, solver="metis", random_state=seed).fit(SEVEN).n_clusters_ == 3


@pytest.mark.parametrize("shares", [None, [0.9, 0.05, 0.05]])
def test_returns_what_all_agree_on(shares):
    truth, labels = planted(400, 5, 3, 0, shares=shares)
    for solver in SOLVERS if shares is None else ["spectral"]:  # METIS balances sizes
        model = hbgf(3, solver=solver).fit(labels)
        assert adjusted_rand_score(truth, model.labels_) == 1
        assert model.uncertainty_.max() < 1e-6
        for c in model.correspondences_:
            assert c.sum(axis=0).tolist() == [1, 1, 1]


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_finds_a_planted_partition(missing):
    truth, labels = planted(1000, 15, 5, 0.3, shares=[0.4, 0.2, 0.2, 0.1, 0.1], missing=missing)
    assert adjusted_rand_score(truth, hbgf(5).fit_predict(labels)) > 0.95
    truth, labels = planted(1000, 15, 5, 0.3, missing=missing)
    assert adjusted_rand_score(truth, hbgf(5, solver="metis", imbalance=0.3).fit_predict(labels)) > 0.95


def test_many_clusters_in_all():
    rng = np.random.default_rng(0)
    truth = rng.integers(4, size=1500)
    labels = truth[:, None] * 20 + rng.integers(20, size=(1500, 30))  # 2,400 clusters, each inside a true one
    model = hbgf(4).fit(labels)
    assert adjusted_rand_score(truth, model.labels_) == 1


def test_metis_must_not_match_objects_two_hops_apart(monkeypatch):
    # With two-hop matching, METIS's default, every second cut is worthless here; edge weights have no part in it.
    monkeypatch.setattr(bipartite_partitioning, "_N_CUTS", 1)
    truth, labels = planted(20_000, 20, 10, 0.3, seed=1)
    for weights in (None, [1, 2] * 10):
        found = hbgf(10, solver="metis").fit_predict(Ensemble(labels, weights=weights))
        assert adjusted_rand_score(truth, found) > 0.7


def test_metis_bounds_the_largest_part():
    truth, labels = planted(900, 15, 3, 0.3, shares=[0.4, 0.35, 0.25])
    tight = np.bincount(hbgf(3, solver="metis").fit_predict(labels)).max()
    assert tight <= 1.05 * (900 + 45) / 3 < np.bincount(truth).max()
    assert adjusted_rand_score(truth, hbgf(3, solver="metis", imbalance=0.3).fit_predict(labels)) > 0.97


def test_soft_partitions():
    truth, e = soft_planted(300, 10, 3, 0.3)
    model = hbgf(3).fit(e)
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    hard = hbgf(3).fit(Ensemble(e.labels))
    assert model.uncertainty_.mean() > hard.uncertainty_.mean()  # the memberships are less sure than their labels
    with pytest.raises(ValueError, match="solver='metis' takes hard partitions"):
        hbgf(3, solver="metis").fit(e)


def test_soft_evidence_of_hard_partitions_is_the_mean_evidence():
    _, labels = planted(60, 5, 3, 0.4, missing=0.2)
    found = hbgf(3).fit_predict(labels)
    weights = [1, 2, 0.5, 1, 3]
    hard = Ensemble(labels, weights=weights)
    certain = [np.where(column[:, None] >= 0, np.eye(k)[column], 0) for column, k in zip(hard.labels.T, hard.n_clusters, strict=True)]  # fmt: skip # noqa: E501
    soft = Ensemble.from_memberships(certain, weights=weights)
    np.testing.assert_allclose(soft_evidence(soft, found, 3), mean_evidence(hard, found, 3))


@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_count(solver):
    halves, other = [0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 0, 0]
    for weights, expected in (([5, 1], halves), ([1, 5], other), ([1, 0], halves)):
        model = hbgf(2, solver=solver).fit(Ensemble([halves, other], weights=weights))
        assert adjusted_rand_score(expected, model.labels_) == 1
    assert not model.correspondences_[1].any()  # a partition of weight 0 has no say


@pytest.mark.parametrize("solver", SOLVERS)
def test_names_order_and_threads_do_not_matter(solver):
    _, labels = planted(200, 6, 4, 0.6)
    model = hbgf(4, solver=solver).fit(labels)
    named = [[f"x{(c * 7 + p) % 5}" for c in column] for p, column in enumerate(labels.T)]
    assert np.array_equal(hbgf(4, solver=solver, n_jobs=2).fit_predict(named), model.labels_)
    order = np.random.default_rng(1).permutation(200)
    assert adjusted_rand_score(hbgf(4, solver=solver).fit_predict(labels[order]), model.labels_[order]) == 1


def test_needs_no_other_library_unless_asked(monkeypatch, recwarn):
    monkeypatch.setattr(_solvers, "find_spec", lambda name: None)
    assert hbgf(3).fit(SEVEN).solver_ == "spectral"
    assert not recwarn
    with pytest.raises(ImportError, match=r"pymetis.*pip install 'pluribus\[graph\]'"):
        hbgf(3, solver="metis").fit(SEVEN)


def test_edges():
    one = hbgf(1).fit(SEVEN)
    assert one.labels_.tolist() == [0] * 7
    assert [c.tolist() for c in one.correspondences_][3] == [[1], [1]]
    assert hbgf(6).fit_predict(SEVEN).tolist() == [1, 2, 3, 4, 5, 0, 0]
    with pytest.warns(UserWarning, match="1 of 3 clusters are empty"):
        model = hbgf(3).fit([[0, 0, 1, 1], [0, 0, 1, 1]])
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.correspondences_[0].tolist() == [[1, 0], [0, 1]]
    with pytest.warns(UserWarning, match="partitions have a single cluster"):
        assert hbgf(2).fit([[0, 0, 1, 1], [0, 0, 0, 0]]).labels_.tolist() == [0, 0, 1, 1]
    part = Ensemble(planted(60, 5, 3, 0.1)[1])
    part = part.take_objects(np.flatnonzero(part.labels[:, 0] > 0))  # leaves cluster 0 of the first partition empty
    assert not hbgf(2).fit(part).correspondences_[0][0].any()


@pytest.mark.parametrize(
    ("parameters", "ensemble", "message"),
    [
        ({"n_clusters": 8}, SEVEN, "n_clusters=8 is more than the number of objects, 7"),
        ({"n_clusters": 0}, SEVEN, "n_clusters"),
        ({}, SEVEN, "needs n_clusters"),
        ({"n_clusters": 2, "n_init": 0}, SEVEN, "n_init"),
        ({"n_clusters": 2}, [], "empty"),
        ({"n_clusters": 2}, [[0, -1, 1], [0, -1, 1]], "1 objects are in no partition"),
        ({"n_clusters": 2}, [[0, 0, 0]], "Every partition has a single cluster"),
        ({"n_clusters": 2}, Ensemble([[0, 0, 1], [0, -1, 1]], weights=[0, 1]), "1 objects are"),
    ],
)
def test_bad_input(parameters, ensemble, message):
    with pytest.raises(ValueError, match=message):
        BipartitePartitioning(**parameters, verbose=False).fit(ensemble)

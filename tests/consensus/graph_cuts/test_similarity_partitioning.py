import warnings

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from helpers import SEVEN, planted
from pluribus import Ensemble
from pluribus.consensus.graph_cuts import _solvers, similarity_partitioning
from pluribus.consensus.graph_cuts._solvers import choose_solver, cut_by_metis, whole_numbers
from pluribus.consensus.graph_cuts.similarity_partitioning import SimilarityPartitioning, similarity_graph
from pluribus.evidence import CoAssociation

GROUPS = [0, 0, 0, 1, 1, 2, 2]
SOLVERS = ["metis", "spectral"]


def cspa(k, **options):
    return SimilarityPartitioning(k, **({"random_state": 0, "verbose": False} | options))


def counts_of(labels, missing, **options):
    e = Ensemble(labels)
    graph = similarity_graph(e, np.ones(e.n_objects, int), missing, options.get("n_neighbors"), None)
    return graph.toarray() / e.weights.sum()


def test_seven_objects_divided_by_all_partitions():
    S = counts_of(SEVEN, "zero")
    np.testing.assert_allclose(S[0, 1:], [0.75, 0.5, 0.25, 0, 0, 0])
    np.testing.assert_allclose(S[2, [0, 1, 3, 4, 5, 6]], [0.5, 0.5, 0.25, 0, 0, 0])
    np.testing.assert_allclose(S[4, [0, 1, 2, 3, 5, 6]], [0, 0.25, 0, 0.5, 0.25, 0.25])
    assert S[5, 6] == pytest.approx(0.75)


def test_seven_objects_divided_by_the_partitions_that_cover_both():
    C = counts_of(SEVEN, "ignore")
    assert C[0, 2] == pytest.approx(2 / 3)
    assert C[2, 3] == pytest.approx(1 / 3)
    assert C[4, 5] == pytest.approx(1 / 3)
    assert C[5, 6] == pytest.approx(1)


@pytest.mark.parametrize("missing", ["ignore", "zero"])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(3))
def test_seven_objects(solver, missing, seed):
    model = cspa(3, solver=solver, missing=missing, random_state=seed).fit(SEVEN)
    assert model.labels_.tolist() == GROUPS
    assert model.solver_ == solver
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1)
    assert model.uncertainty_[4] == model.uncertainty_.max()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_finds_a_planted_partition(solver, missing):
    truth, labels = planted(300, 15, 4, 0.3, missing=missing)
    model = cspa(4, solver=solver, imbalance=0.3).fit(labels)
    assert adjusted_rand_score(truth, model.labels_) > 0.94
    assert adjusted_rand_score(truth, cspa(4, solver=solver, imbalance=0.3, n_neighbors=30).fit_predict(labels)) > 0.93


def test_imbalance_bounds_the_largest_cluster():
    truth, labels = planted(600, 15, 3, 0.3, shares=[0.4, 0.35, 0.25])
    largest = {b: np.bincount(cspa(3, imbalance=b).fit_predict(labels)).max() for b in (0.05, 0.3)}
    assert largest[0.05] <= 1.05 * 200 < np.bincount(truth).max() <= largest[0.3] <= 1.3 * 200
    assert adjusted_rand_score(truth, cspa(3, imbalance=0.3).fit_predict(labels)) > 0.97


def test_equal_objects_are_split_for_balance_only_if_not_collapsed():
    labels = np.repeat([[0] * 5, [1] * 5], [53, 97], axis=0)  # unanimous, and far from balanced
    together = cspa(2).fit(labels)
    assert np.bincount(together.labels_).tolist() == [97, 53]
    split = cspa(2, collapse=False).fit(labels)
    assert np.bincount(split.labels_).max() <= 1.05 * 75 + 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_collapsed_vertices_stand_for_their_objects(solver):
    _, labels = planted(40, 6, 3, 0.4)
    many = np.repeat(labels, np.random.default_rng(1).integers(1, 6, len(labels)), axis=0)
    rows = Ensemble(many).unique_rows()
    small = similarity_graph(rows.ensemble, rows.counts, "ignore", None, None).toarray()
    large = similarity_graph(Ensemble(many), np.ones(len(many), int), "ignore", None, None).toarray()
    total = np.zeros_like(small)
    np.add.at(total, np.ix_(rows.inverse, rows.inverse), large)
    np.testing.assert_allclose(small, total)
    found = cspa(3, solver=solver, imbalance=0.3).fit_predict(many)
    assert len(np.unique(np.column_stack([rows.inverse, found]), axis=0)) == len(rows.counts)


@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_count(solver):
    halves, other = [0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 0, 0]
    for weights, expected in (([5, 1], halves), ([1, 5], other), ([1, 0], halves)):
        found = cspa(2, solver=solver).fit_predict(Ensemble([halves, other], weights=weights))
        assert adjusted_rand_score(expected, found) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_names_order_and_threads_do_not_matter(solver):
    _, labels = planted(150, 6, 3, 0.5)
    model = cspa(3, solver=solver).fit(labels)
    named = [[f"x{(c * 7 + p) % 5}" for c in column] for p, column in enumerate(labels.T)]
    assert np.array_equal(cspa(3, solver=solver, n_jobs=2).fit_predict(named), model.labels_)
    order = np.random.default_rng(1).permutation(150)
    assert adjusted_rand_score(cspa(3, solver=solver).fit_predict(labels[order]), model.labels_[order]) == 1


def test_large_graphs_need_limited_neighbors(monkeypatch):
    _, labels = planted(300, 8, 3, 0.4)
    monkeypatch.setattr(similarity_partitioning, "_MAX_VERTICES", 100)
    with pytest.raises(ValueError, match=r"distinct label rows .*limit is 100.*n_neighbors=50"):
        cspa(3).fit(labels)
    assert cspa(3, n_neighbors=20).fit(labels).n_clusters_ == 3
    assert cspa(3).fit(np.repeat(labels[:50], 10, axis=0)).n_clusters_ == 3  # 500 objects, 50 vertices


def test_neighbors_are_those_of_the_evidence():
    _, labels = planted(60, 6, 3, 0.3)
    limited = counts_of(labels, "ignore", n_neighbors=5)
    np.testing.assert_allclose(limited, CoAssociation(labels, form="neighbors", n_neighbors=5).to_dense())


# -- the solvers -------------------------------------------------------------------------------------------------------


def test_metis_gets_counts_as_they_are():
    assert whole_numbers(np.array([3.0, 1.0, 20.0]), 10**9).tolist() == [3, 1, 20]
    assert whole_numbers(np.array([0.5, 1.0, 0.25]), 10**9).tolist() == [1000, 2000, 500]
    assert whole_numbers(np.array([6e8, 3e8]), 9000).tolist() == [6000, 3000]


def test_metis_ignores_loops_and_keeps_isolated_vertices():
    _, labels = planted(60, 6, 3, 0.2)
    graph = CoAssociation(labels).to_sparse()
    graph.data *= 6
    options = {"vertex_weights": None, "imbalance": 0.3, "seed": 1}
    loops = cut_by_metis(graph.copy(), 3, **options)
    graph.setdiag(0)
    graph.eliminate_zeros()
    assert np.array_equal(loops, cut_by_metis(graph, 3, **options))
    lone = graph.copy().tolil()
    lone[0, :], lone[:, 0] = 0, 0
    assert len(cut_by_metis(lone.tocsr(), 3, **options)) == 60


@pytest.mark.parametrize("k", [2, 3, 5])
def test_metis_leaves_no_part_of_a_small_graph_empty(k):
    # Cut k ways, small graphs come back with empty parts: of 15 vertices in 5 parts, one is empty for all seeds.
    for n in (10, 15, 20):
        _, labels = planted(n, 10, k, 0.2)
        for seed in range(3):
            assert cspa(k, random_state=seed).fit(labels).n_clusters_ == k


def test_without_metis(monkeypatch):
    monkeypatch.setattr(_solvers, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pymetis.*pip install 'pluribus\[graph\]'"):
        cspa(3, solver="metis").fit(SEVEN)
    with pytest.warns(UserWarning, match=r"spectral cut is used instead.*pip install 'pluribus\[graph\]'"):
        model = cspa(3).fit(SEVEN)
    assert model.solver_ == "spectral"
    assert model.labels_.tolist() == GROUPS
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert choose_solver("spectral", "this") == "spectral"


# -- edges -------------------------------------------------------------------------------------------------------------


def test_one_cluster_and_as_many_as_objects():
    assert cspa(1).fit_predict(SEVEN).tolist() == [0] * 7
    assert cspa(6).fit_predict(SEVEN).tolist() == [1, 2, 3, 4, 5, 0, 0]


def test_fewer_different_rows_than_clusters():
    with pytest.warns(UserWarning, match="1 of 3 clusters are empty"):
        model = cspa(3).fit([[0, 0, 1, 1], [0, 0, 1, 1]])
    assert model.n_clusters_ == 2
    assert model.labels_.tolist() == [0, 0, 1, 1]


def test_partitions_of_one_cluster_are_ignored():
    with pytest.warns(UserWarning, match="1 of 3 partitions have a single cluster and are ignored.*'p1'"):
        model = cspa(2).fit([[0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 1, 1]])
    assert model.labels_.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("parameters", "ensemble", "message"),
    [
        ({"n_clusters": 8}, SEVEN, "n_clusters=8 is more than the number of objects, 7"),
        ({"n_clusters": 0}, SEVEN, "n_clusters"),
        ({}, SEVEN, "needs n_clusters"),
        ({"n_clusters": 2, "imbalance": 0}, SEVEN, "imbalance"),
        ({"n_clusters": 2, "solver": "kmeans"}, SEVEN, "solver"),
        ({"n_clusters": 2}, [], "empty"),
        ({"n_clusters": 2}, [[0, -1, 1], [0, -1, 1]], "1 objects are in no partition"),
        ({"n_clusters": 2}, [[0, 1, 1], [0, 1]], "must label the same objects"),
        ({"n_clusters": 2}, [[0.5, 1, 2]], "not whole numbers"),
        ({"n_clusters": 2}, [[0, 0, 0]], "Every partition has a single cluster"),
    ],
)
def test_bad_input(parameters, ensemble, message):
    with pytest.raises(ValueError, match=message):
        SimilarityPartitioning(**parameters, verbose=False).fit(ensemble)

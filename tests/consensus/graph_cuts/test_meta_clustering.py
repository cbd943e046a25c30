import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from helpers import SEVEN, planted
from pluribus import Ensemble
from pluribus.consensus._shared import cluster_graph
from pluribus.consensus._shared.cluster_graph import overlaps, tabulate
from pluribus.consensus.graph_cuts import _solvers
from pluribus.consensus.graph_cuts._meta_clusters import associate, first_at_random, jaccard_graph
from pluribus.consensus.graph_cuts.meta_clustering import MetaClustering
from pluribus.evidence import MemoryLimitError

# Their clusters h1 … h11 are the labels 1, 2, 3 of each partition; ours are numbered by first occurrence.
H = {1: 0, 2: 1, 3: 2, 5: 3, 6: 4, 4: 5, 7: 6, 8: 7, 9: 8, 10: 9, 11: 10}
SOLVERS = ["metis", "spectral"]


def mcla(k, **options):
    return MetaClustering(k, **({"random_state": 0, "verbose": False} | options))


def table_of(ensemble):
    """The clusters in the ensemble's own order, and objects in theirs."""
    e = Ensemble(ensemble)
    table = tabulate(e, np.arange(len(e)))
    own = np.argsort(table.position)
    members = table.members[table.inverse][:, own]
    counts, inverse = np.ones(e.n_objects, int), np.arange(e.n_objects)
    return table._replace(
        members=members, weights=table.weights[own], partition=table.partition[own], position=np.arange(len(own)),
        counts=counts, inverse=inverse,
    )  # fmt: skip


def test_seven_objects_jaccard():
    table = table_of(SEVEN)
    J = jaccard_graph(overlaps(table, table.counts, None), table).toarray()
    expected = {
        (1, 5): 1, (1, 7): 2 / 3, (1, 8): 0.25, (2, 6): 1, (2, 8): 1 / 3, (2, 9): 0.25, (3, 4): 1, (3, 9): 2 / 3,
        (2, 10): 1 / 3, (2, 11): 1 / 3, (7, 10): 1 / 3, (7, 11): 1 / 3,
    }  # fmt: skip
    for (a, b), value in expected.items():
        assert J[H[a], H[b]] == pytest.approx(value), (a, b)
        assert J[H[b], H[a]] == pytest.approx(value)
    for p in range(4):
        own = table.partition == p
        assert not J[np.ix_(own, own)].any()


def test_seven_objects_association():
    meta = np.empty(11, int)
    for number, group in enumerate(([3, 4, 9], [2, 6, 8, 10], [1, 5, 7, 11])):
        meta[[H[h] for h in group]] = number
    association = associate(table_of(SEVEN), meta, 3)
    expected = [[0, 0.25, 0.75], [0, 0, 1], [0, 0.25, 0.5], [0, 1, 0], [1 / 3, 0.5, 0.25], [1, 0, 0], [1, 0, 0]]
    np.testing.assert_allclose(association, expected)
    assert first_at_random(association, np.random.default_rng(0)).tolist() == [2, 2, 2, 1, 1, 0, 0]


@pytest.mark.parametrize("options", [{}, {"balance": "objects"}, {"solver": "spectral"}])
@pytest.mark.parametrize("seed", range(3))
def test_seven_objects(options, seed):
    model = mcla(3, random_state=seed, **options).fit(SEVEN)
    assert model.labels_[[0, 1, 2, 3, 5, 6]].tolist() == [0, 0, 0, 1, 2, 2]
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1)
    np.testing.assert_allclose(model.membership_, model.association_ / model.association_.sum(axis=1, keepdims=True))
    for p, (c, codes) in enumerate(zip(model.correspondences_, Ensemble(SEVEN).labels.T, strict=True)):
        assert c.shape == (len(np.unique(codes[codes >= 0])), 3)
        assert c.sum(axis=1).tolist() == [1] * len(c), p
    assert model.correspondences_[0].tolist() == np.eye(3).tolist()


def test_association_is_the_mean_over_the_clusters_that_correspond():
    e = Ensemble(planted(80, 7, 3, 0.4, missing=0.2)[1], weights=[1, 2, 0.5, 1, 0, 3, 1])
    model = mcla(3).fit(e)
    weights = np.repeat(e.weights, e.n_clusters)
    went = np.concatenate(model.correspondences_) * weights[:, None]
    np.testing.assert_allclose(model.association_, e.one_hot() @ went / went.sum(axis=0))
    assert not model.correspondences_[4].any()  # a partition of weight 0 has no say


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("shares", [None, [0.9, 0.05, 0.05], [0.6, 0.3, 0.1]])
def test_returns_what_all_agree_on(solver, shares):
    for r in (2, 4, 20):
        truth, labels = planted(400, r, 3, 0, shares=shares)
        model = mcla(3, solver=solver).fit(labels)
        assert adjusted_rand_score(truth, model.labels_) == 1
        assert model.uncertainty_.max() < 1e-6
        for c in model.correspondences_:
            assert (c.sum(axis=0) == 1).all()


def test_balancing_objects_tears_the_groups_of_large_clusters():
    truth, labels = planted(1000, 20, 3, 0, shares=[0.9, 0.05, 0.05])
    with pytest.warns(UserWarning, match="are empty and left out"):
        found = mcla(3, balance="objects").fit_predict(labels)
    assert adjusted_rand_score(truth, found) < 1


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_finds_a_planted_partition(solver, missing):
    truth, labels = planted(1000, 15, 5, 0.3, shares=[0.4, 0.2, 0.2, 0.1, 0.1], missing=missing)
    model = mcla(5, solver=solver).fit(labels)
    assert adjusted_rand_score(truth, model.labels_) > 0.97
    wrong = model.labels_ != np.bincount(model.labels_).argmax()
    assert 0 < model.uncertainty_[wrong].mean() < 1


def test_soft_partitions():
    truth, labels = planted(300, 10, 3, 0.3)
    rng = np.random.default_rng(1)
    soft = []
    for column in labels.T:
        u = np.eye(3)[column] + rng.random((300, 3))
        soft.append(u / u.sum(axis=1, keepdims=True))
    e = Ensemble.from_memberships(soft)
    model = mcla(3).fit(e)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    went = np.concatenate(model.correspondences_)
    np.testing.assert_allclose(model.association_, np.hstack(soft) @ went / went.sum(axis=0))
    certain = Ensemble.from_memberships([np.eye(3)[column] for column in labels.T])
    np.testing.assert_array_equal(mcla(3).fit_predict(certain), mcla(3).fit_predict(labels))


def test_overlaps_are_contingency_tables():
    e = Ensemble(planted(90, 4, 3, 0.5, missing=0.2)[1])
    table = table_of(e)
    shared = overlaps(table, table.counts, None)
    for a in range(4):
        for b in range(4):
            block = shared[e.offsets[a] : e.offsets[a + 1], e.offsets[b] : e.offsets[b + 1]]
            np.testing.assert_array_equal(block, e.contingency(a, b))


def test_too_many_clusters_for_a_table(monkeypatch):
    monkeypatch.setattr(cluster_graph, "_MAX_CLUSTERS", 19)
    with pytest.raises(MemoryLimitError, match="The ensemble has 20 clusters.*fewer partitions"):
        mcla(2).fit(planted(50, 4, 5, 0.5)[1])


@pytest.mark.parametrize("solver", SOLVERS)
def test_names_order_and_threads_do_not_matter(solver):
    _, labels = planted(200, 6, 4, 0.6)
    model = mcla(4, solver=solver).fit(labels)
    named = [[f"x{(c * 7 + p) % 5}" for c in column] for p, column in enumerate(labels.T)]
    assert np.array_equal(mcla(4, solver=solver, n_jobs=2).fit_predict(named), model.labels_)
    order = np.random.default_rng(1).permutation(200)
    assert adjusted_rand_score(mcla(4, solver=solver).fit_predict(labels[order]), model.labels_[order]) == 1


def test_ties_are_broken_at_random_by_the_seed():
    values = np.full((2000, 3), [0.4, 0.1, 0.4])
    first = first_at_random(values, np.random.default_rng(0))
    assert np.array_equal(first, first_at_random(values, np.random.default_rng(0)))
    assert np.bincount(first, minlength=3)[1] == 0
    assert np.bincount(first)[[0, 2]].min() > 900


def test_meta_clusters_that_win_nothing_are_left_out():
    # All agree on two clusters, so the two other meta-clusters are copies, or hold clusters of both kinds.
    with pytest.warns(UserWarning, match="2 of 4 clusters are empty and left out"):
        model = mcla(4).fit([[0, 0, 0, 1, 1, 1]] * 9)
    assert model.n_clusters_ == 2
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert model.membership_.shape == model.association_.shape == (6, 2)
    assert all(c.shape[1] == 2 for c in model.correspondences_)


def test_without_metis(monkeypatch):
    monkeypatch.setattr(_solvers, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pymetis.*pip install 'pluribus\[graph\]'"):
        mcla(3, solver="metis").fit(SEVEN)
    with pytest.warns(UserWarning, match="spectral cut is used instead"):
        assert mcla(3).fit(SEVEN).solver_ == "spectral"


def test_edges():
    one = mcla(1).fit(SEVEN)
    assert one.labels_.tolist() == [0] * 7
    assert one.membership_.tolist() == [[1.0]] * 7
    assert mcla(1).fit([[0, 0, 0]]).n_clusters_ == 1
    with pytest.warns(UserWarning, match="partitions have a single cluster"):
        model = mcla(2).fit([[0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 1, 1]])
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert not model.correspondences_[1].any()
    part = Ensemble(planted(60, 5, 3, 0.1)[1])
    part = part.take_objects(np.flatnonzero(part.labels[:, 0] > 0))  # leaves cluster 0 of the first partition empty
    model = mcla(2).fit(part)
    assert not model.correspondences_[0][0].any()
    assert model.association_.max() == pytest.approx(1)


@pytest.mark.parametrize("solver", ["metis", "spectral"])
def test_one_partition_comes_back_as_it_is(solver):
    only = [0, 0, 0, 1, 1, 2]
    assert mcla(3, solver=solver).fit([only]).labels_.tolist() == only
    other = Ensemble([only, [0, 1, 0, 1, 0, 1]], weights=[1, 0])
    assert mcla(3, solver=solver).fit(other).labels_.tolist() == only
    with pytest.raises(ValueError, match="has only 3 clusters"):
        mcla(4, solver=solver).fit([only])


@pytest.mark.parametrize(
    ("parameters", "ensemble", "message"),
    [
        ({"n_clusters": 8}, SEVEN, "n_clusters=8 is more than the number of objects, 7"),
        ({"n_clusters": 4}, [[0, 0, 1, 1], [0, 1, 1, 1]], "has only 4 clusters.*n_clusters=4"),
        ({"n_clusters": 0}, SEVEN, "n_clusters"),
        ({}, SEVEN, "needs n_clusters"),
        ({"n_clusters": 2, "balance": "no"}, SEVEN, "balance"),
        ({"n_clusters": 2}, [], "empty"),
        ({"n_clusters": 2}, [[0, -1, 1], [0, -1, 1]], "1 objects are in no partition"),
        ({"n_clusters": 2}, [[0, 0, 0]], "Every partition has a single cluster"),
    ],
)
def test_bad_input(parameters, ensemble, message):
    with pytest.raises(ValueError, match=message):
        MetaClustering(**parameters, verbose=False).fit(ensemble)

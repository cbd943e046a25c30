"""The peers compute the same thing as ours: a comparison with a wrong peer would be worth nothing."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

from benchmarks import _ensembles, _peers
from benchmarks._scores import accuracy
from pluribus.consensus import EvidenceAccumulation, PairwiseProbabilistic
from pluribus.evidence import CoAssociation


@pytest.fixture(scope="module")
def labels():
    X, _ = _ensembles.gaussian_mixture(120)
    return _ensembles._voronoi(X, 20)


def test_all_ways_make_the_same_matrix(labels):
    ours = CoAssociation(labels, form="dense").to_dense()
    upper = np.triu_indices(len(ours), 1)
    for way in _peers.WAYS.values():
        np.testing.assert_allclose(way(labels), 1 - ours[upper], atol=1e-6)


def test_same_tree_where_no_ties_decide():
    two = np.array([[0, 0], [0, 0], [0, 1], [1, 2], [1, 2]])
    ours = EvidenceAccumulation(2, linkage="average", verbose=False).fit(two)
    np.testing.assert_allclose(ours.linkage_[:, 2], linkage(_peers.plainly(two), "average")[:, 2])


def test_average_link_case(tmp_path, labels):
    path = tmp_path / "ensemble.npz"
    truth = np.arange(120) % 3
    np.savez(path, labels=labels, truth=truth)
    task = _peers.average_link(str(path), 4, "plain")
    figures = task.score(task.work())
    assert figures["n_clusters"] <= 4
    assert -1 <= figures["ari"] <= 1


def test_ppc_reaches_the_same_objective(labels):
    c = _peers.by_product(labels, np.float64)
    rng = np.random.default_rng(0)
    best = min(_peers._descend(c, rng.dirichlet(np.ones(3), len(c)))[0] for _ in range(5))
    ours = PairwiseProbabilistic(3, n_init=5, random_state=0, verbose=False).fit(labels)
    assert ours.objective_[-1] == pytest.approx(best, rel=1e-3)


def test_rows_on_the_simplex():
    y = _peers._onto_simplex(np.array([[0.2, 0.3, 0.5], [5.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(y, [[0.2, 0.3, 0.5], [1, 0, 0], [1 / 3, 1 / 3, 1 / 3]])


def test_accuracy_matches_clusters_one_to_one():
    truth = np.array(["a", "a", "a", "b", "b", "b"])
    assert accuracy(truth, np.array([1, 1, 1, 0, 0, 0])) == 1
    assert accuracy(truth, np.array([0, 0, 1, 2, 2, 2])) == 5 / 6  # the third cluster is matched to nothing
    assert accuracy(truth, np.zeros(6, dtype=int)) == 1 / 2


def test_tiny_ensemble_has_the_integer_type_of_the_large_one():
    labels = np.array([[0, 1], [299, 0]])
    assert CoAssociation(_ensembles.tiny_like(labels)).ensemble.labels.dtype == np.int16

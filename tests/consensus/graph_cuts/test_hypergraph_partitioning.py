import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from helpers import SEVEN
from pluribus import Ensemble
from pluribus.consensus.graph_cuts import _solvers
from pluribus.consensus.graph_cuts.hypergraph_partitioning import HypergraphPartitioning


def hgpa(k, **options):
    return HypergraphPartitioning(k, **({"random_state": 0} | options))


def n_torn(labels, found):
    """Clusters with objects in several parts, counted the slow way."""
    e = Ensemble(labels)
    return sum(
        len(np.unique(found[e.labels[:, p] == c])) > 1 for p in range(len(e)) for c in range(int(e.n_clusters[p]))
    )


def small_clusters(n, r, k, size, seed=0):
    """Partitions that cut each of k true clusters into small pieces at random, without a mistake."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    labels = np.empty((n, r), int)
    for p in range(r):
        order = np.lexsort((rng.random(n), truth))
        labels[order, p] = np.arange(n) // size
    return truth, labels


def test_seven_objects():
    model = hgpa(3).fit(SEVEN)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert model.n_cut_ == n_torn(SEVEN, model.labels_) == 4
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1)


def test_no_balanced_partition_tears_fewer_clusters():
    model = hgpa(3, imbalance=0.3).fit(SEVEN)
    best = min(
        n_torn(SEVEN, np.array(parts))
        for parts in product(range(3), repeat=7)
        if np.bincount(parts, minlength=3).max() <= 3 and len(set(parts)) == 3
    )
    assert model.n_cut_ == best


def test_finds_a_planted_partition_from_small_clusters():
    truth, labels = small_clusters(240, 10, 4, 5)
    model = hgpa(4).fit(labels)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.n_cut_ == 0
    labels[np.random.default_rng(1).random(labels.shape) < 0.2] = -1
    assert adjusted_rand_score(truth, hgpa(4).fit_predict(labels)) == 1


def test_weights_count():
    halves, other = [0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 0, 0]
    for weights, expected in (([5, 1], halves), ([1, 5], other), ([0.5, 0.1], halves), ([0, 1], other)):
        found = hgpa(2).fit_predict(Ensemble([halves, other], weights=weights))
        assert adjusted_rand_score(expected, found) == 1


def test_equal_objects_are_split_for_balance_only_if_not_collapsed():
    labels = np.repeat([[0] * 5, [1] * 5], [53, 97], axis=0)
    assert np.bincount(hgpa(2).fit_predict(labels)).tolist() == [97, 53]
    assert np.bincount(hgpa(2, collapse=False).fit_predict(labels)).max() <= 1.05 * 75 + 1


def test_names_and_order_do_not_matter():
    rng = np.random.default_rng(0)
    labels = rng.integers(12, size=(150, 5))
    model = hgpa(3).fit(labels)
    named = [[f"x{(c * 5 + p) % 13}" for c in column] for p, column in enumerate(labels.T)]
    assert np.array_equal(hgpa(3).fit_predict(named), model.labels_)
    order = rng.permutation(150)
    assert adjusted_rand_score(hgpa(3).fit_predict(labels[order]), model.labels_[order]) == 1


def test_the_same_with_one_thread():
    # Mt-KaHyPar starts its threads once in a process, hence another one.
    code = (
        "import joblib, numpy as np; joblib.cpu_count = lambda: 1;"
        "from pluribus.consensus.graph_cuts.hypergraph_partitioning import HypergraphPartitioning;"
        "labels = np.random.default_rng(0).integers(20, size=(400, 6));"
        "print(HypergraphPartitioning(4, random_state=0).fit_predict(labels).tolist())"
    )
    alone = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    labels = np.random.default_rng(0).integers(20, size=(400, 6))
    assert alone.strip() == str(hgpa(4).fit_predict(labels).tolist())


def test_soft_partitions_enter_by_their_labels():
    soft = Ensemble.from_memberships([[[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]]] * 2)
    assert hgpa(2).fit_predict(soft).tolist() == [0, 0, 1, 1]


def test_without_mt_kahypar(monkeypatch):
    monkeypatch.setattr(_solvers, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"HGPA.*mtkahypar.*pip install 'pluribus\[graph\]'"):
        hgpa(3).fit(SEVEN)


def test_edges():
    one = hgpa(1).fit(SEVEN)
    assert one.labels_.tolist() == [0] * 7
    assert one.n_cut_ == 0
    assert hgpa(6).fit_predict(SEVEN).tolist() == [1, 2, 3, 4, 5, 0, 0]
    with pytest.warns(UserWarning, match="1 of 3 clusters are empty"):
        assert hgpa(3).fit([[0, 0, 1, 1], [0, 0, 1, 1]]).n_clusters_ == 2
    with pytest.warns(UserWarning, match="partitions have a single cluster"):
        assert hgpa(2).fit([[0, 0, 1, 1], [0, 0, 0, 0]]).labels_.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("parameters", "ensemble", "message"),
    [
        ({"n_clusters": 8}, SEVEN, "n_clusters=8 is more than the number of objects, 7"),
        ({"n_clusters": 0}, SEVEN, "n_clusters"),
        ({}, SEVEN, "needs n_clusters"),
        ({"n_clusters": 2, "imbalance": -1}, SEVEN, "imbalance"),
        ({"n_clusters": 2}, [], "empty"),
        ({"n_clusters": 2}, [[0, -1, 1], [0, -1, 1]], "1 objects are in no partition"),
        ({"n_clusters": 2}, [[0, 0, 0]], "Every partition has a single cluster"),
    ],
)
def test_bad_input(parameters, ensemble, message):
    with pytest.raises(ValueError, match=message):
        HypergraphPartitioning(**parameters).fit(ensemble)

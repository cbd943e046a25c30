import numpy as np
import pytest

from pluribus.evidence import CoAssociation, _nearest
from pluribus.evidence._label_lists import lists_of
from pluribus.partitions import Ensemble


def voronoi(n, r, k, *, seed=0, missing=0.0, weights=None):
    """Cells of random objects of a mixture in the plane."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) + 6 * rng.integers(0, 3, (n, 1))
    labels = np.empty((n, r), np.int64)
    for p in range(r):
        centers = X[rng.choice(n, k, replace=False)]
        labels[:, p] = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    labels[rng.random(labels.shape) < missing] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    return Ensemble(labels, weights=weights)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_sorted_orders_find_nearly_all_of_the_nearest(missing, weighted):
    weights = np.linspace(0, 2, 20) if weighted else None  # one partition of weight 0
    ensemble = voronoi(1500, 20, 25, missing=missing, weights=weights)
    lists = lists_of(ensemble)
    c = CoAssociation(ensemble, form="operator")
    found = _nearest.nearest_of_sorted(lists, 10, None)
    exact = _nearest.nearest_of_all(lists, 10, None)
    assert (found != np.arange(1500)[:, None]).all()
    assert all(len(set(row)) == 10 for row in found.tolist())
    i = np.repeat(np.arange(1500), 10)
    held, best = (c.pairs(i, near.ravel()).reshape(1500, 10) for near in (found, exact))
    assert (held >= best.min(axis=1, keepdims=True) - 1e-12).mean() > 0.95
    np.testing.assert_array_equal(found, _nearest.nearest_of_sorted(lists, 10, 2))


def test_neighbors_beyond_the_exact_search_hold_exact_evidence(monkeypatch):
    ensemble = voronoi(500, 12, 10)
    monkeypatch.setattr(_nearest, "EXACT_UP_TO", 0)
    c = CoAssociation(ensemble, form="neighbors", n_neighbors=5).to_dense()
    full = CoAssociation(ensemble, form="dense").to_dense()
    np.testing.assert_array_equal(c, c.T)
    np.testing.assert_array_equal(c[c > 0], full[c > 0])
    assert (np.count_nonzero(c, axis=1) >= 6).all()
    renamed = CoAssociation(100 - ensemble.labels.astype(int), form="neighbors", n_neighbors=5)
    np.testing.assert_array_equal(renamed.to_dense(), c)


@pytest.mark.parametrize(
    "labels", [np.zeros((40, 3), int), np.arange(40)[:, None], np.array([[0]]), np.array([[0], [0]])]
)
def test_equal_rows_singletons_and_tiny_ensembles(labels, monkeypatch):
    monkeypatch.setattr(_nearest, "EXACT_UP_TO", -1)
    c = CoAssociation(labels, form="neighbors", n_neighbors=4)
    full = CoAssociation(labels, form="dense").to_dense()
    held = c.to_dense()
    np.testing.assert_array_equal(held[held > 0], full[held > 0])
    assert c.nnz >= min(5, len(labels)) * len(labels) or len(labels) == len(np.unique(labels, axis=0))

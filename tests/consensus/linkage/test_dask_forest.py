"""Trees whose pairs are found by a real cluster of two worker processes: equal to those made here."""

import numpy as np
import pytest

from pluribus import Ensemble
from pluribus._engine import as_cluster
from pluribus._kernels.linkage.graph_single_link import merge_forests, spanning_forest
from pluribus.consensus.linkage import _neighbor_linkages
from pluribus.evidence import CoAssociation, _dask_nearest, _nearest


def ensemble(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2)) + 8 * rng.integers(3, size=(1500, 1))
    labels = np.stack([np.digitize(X @ rng.normal(size=2), np.sort(rng.normal(4, 5, size=12))) for _ in range(9)], 1)
    if kind == "plain":
        return Ensemble(labels)
    labels[rng.random(labels.shape) < 0.2] = -1
    return Ensemble(labels, weights=rng.uniform(1, 3, size=9))


@pytest.fixture(params=["all pairs", "sorted orders"])
def search(request, monkeypatch):
    monkeypatch.setattr(_dask_nearest, "rows_per_block", lambda n: 400)
    monkeypatch.setattr(_nearest, "ROWS_IN_BLOCK", 400)
    if request.param == "sorted orders":
        monkeypatch.setattr(_nearest, "EXACT_UP_TO", 0)


@pytest.mark.parametrize("kind", ["plain", "missing and weighted"])
def test_trees_are_those_made_here(dask_client, search, kind):
    members = ensemble(kind)
    cluster = as_cluster(dask_client)
    single = _neighbor_linkages.neighbor_single_link(members, verbose=False)
    np.testing.assert_array_equal(
        _neighbor_linkages.neighbor_single_link(members, engine=cluster, verbose=False), single
    )
    average = _neighbor_linkages.neighbor_average_link(members, verbose=False)
    np.testing.assert_array_equal(
        _neighbor_linkages.neighbor_average_link(members, engine=cluster, verbose=False), average
    )
    here = CoAssociation(members, n_neighbors=5).to_sparse()
    there = CoAssociation(members, n_neighbors=5, engine=dask_client).to_sparse()
    assert (here != there).nnz == 0


def test_few_objects(dask_client):
    for labels in ([[0]], [[0, 1]], [[0, 0, 1]], [[0, 1, 2], [2, 1, 0]]):
        members = Ensemble(labels)
        here = _neighbor_linkages.neighbor_single_link(members, verbose=False)
        there = _neighbor_linkages.neighbor_single_link(members, engine=as_cluster(dask_client), verbose=False)
        np.testing.assert_array_equal(here, there)


@pytest.mark.parametrize("seed", range(5))
def test_forest_of_forests_is_the_forest_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    n = 30

    def forest(left, right, value):
        order = np.lexsort((right, left, -value))
        left, right, value = left[order], right[order], value[order]
        taken = spanning_forest(left, right, np.arange(n))
        return left[taken], right[taken], value[taken]

    ends = np.sort(rng.integers(0, n, size=(80, 2)), axis=1).astype(np.int32)
    ends = ends[ends[:, 0] < ends[:, 1]]
    value = rng.integers(1, 4, size=len(ends)) / 4  # many ties
    half = len(ends) // 2
    parts = [forest(*ends[part].T, value[part]) for part in (slice(half), slice(half, None))]
    for one, whole in zip(merge_forests(n, *parts[0], *parts[1]), forest(*ends.T, value), strict=True):
        np.testing.assert_array_equal(one, whole)

"""Ties, finite walls and bounds after a timeout: lines that no other test of linked objects looks at."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from pluribus._kernels.graphs.bootstrap import supported
from pluribus._kernels.graphs.signed_pivot import pivot_clusters
from pluribus.relational import CorrelationClustering
from pluribus.relational.entities._merging import merge_all
from pluribus.relational.signed import correlation_clustering
from pluribus.relational.signed._by_components import Solution


def _merges(pairs, similarity, linkage="max"):
    nothing = np.empty((0, 2), np.int64)
    return merge_all(
        np.arange(1 + np.max(pairs)),
        SimpleNamespace(pairs=np.array(pairs), similarity=np.array(similarity)),
        SimpleNamespace(pairs=nothing, times=np.empty(0, np.int64)),
        SimpleNamespace(apart=nothing),
        alpha=0.0,
        linkage=linkage,
        overlap="jaccard",
        distinct=False,
        verbose=False,
    )


@pytest.mark.parametrize("linkage", ["max", "mean", "min"])
@pytest.mark.parametrize("first", [(0, 2), (1, 2)])
def test_the_earlier_of_two_equal_candidates_stands_for_a_merge(first, linkage):
    """0 and 1 merge; both have a candidate with 2 of the same similarity, in either order."""
    second = (1, 2) if first == (0, 2) else (0, 2)
    _, ids, best = _merges([(0, 1), first, second], [0.9, 0.5, 0.5], linkage)
    assert ids[:, :2].tolist() == [[0, 1], [2, 3]]
    assert best.tolist() == [0, 1]


@pytest.mark.parametrize("first", [(0, 2), (1, 2)])
def test_the_better_of_two_candidates_stands_for_a_merge(first):
    second = (1, 2) if first == (0, 2) else (0, 2)
    assert _merges([(0, 1), first, second], [0.9, 0.4, 0.5])[2].tolist() == [0, 2]


def _lists(n, pairs):
    """For each of n references those that pairs join it with, as CSR."""
    matrix = sparse.coo_array(
        (np.ones(2 * len(pairs)), np.array([*pairs, *[(j, i) for i, j in pairs]]).T), shape=(n, n)
    )
    matrix = matrix.tocsr()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)


@pytest.mark.parametrize(
    ("near", "alike", "expected"),
    [
        ([(0, 1), (1, 2)], [(1, 2)], False),  # 1 is no co-reference of 0 in favor of itself
        ([(0, 1), (0, 2)], [(0, 2)], False),  # nor is 0 one of 1
        ([(0, 1), (0, 2), (1, 3)], [(2, 3)], True),
        ([(0, 1), (0, 2), (1, 2)], [(0, 1)], True),  # a co-reference of both
        ([(0, 2), (1, 3)], [(0, 3)], False),
    ],
)
def test_a_pair_is_not_its_own_support(near, alike, expected):
    yes = supported(np.array([[0, 1]]), *_lists(4, alike), *_lists(4, near), 1)
    assert yes.tolist() == [expected]


def _pivots(scores, forbidden):
    matrix = sparse.csr_array(np.array(scores, dtype=float))
    labels = np.empty(len(scores), np.int64)
    pivot_clusters(
        matrix.indptr, matrix.indices, matrix.data, np.ones(len(scores)), 0.0, np.arange(3), forbidden, labels
    )
    return labels.tolist()


def test_a_finite_wall_keeps_a_node_out_of_a_cluster():
    scores = [[0, 1, 1], [1, 0, -100], [1, -100, 0]]
    assert _pivots(scores, -100.0) == [0, 0, 1]  # at the wall
    assert _pivots(scores, -99.0) == [0, 0, 1]
    assert _pivots(scores, -101.0) == [0, 0, 0]
    assert _pivots(scores, -np.inf) == [0, 0, 0]


@pytest.mark.parametrize(("proven", "expected"), [(0.0, 1.0), (0.5, 1.0), (1.5, 1.5)])
@pytest.mark.parametrize("finished", [True, False])
def test_the_bound_after_a_timeout_is_at_least_that_of_a_packing(monkeypatch, proven, expected, finished):
    """A bad triangle costs at least 1."""
    scores = sparse.csr_array([[0.0, 1, 1], [1, 0, -1], [1, -1, 0]])
    found = Solution(np.zeros(3, np.int64), proven, finished)
    monkeypatch.setattr(correlation_clustering, "solve_all_exactly", lambda *_: found)
    model = CorrelationClustering(solver="exact", random_state=0, verbose=False)
    if finished:
        assert model.fit(scores).lower_bound_ == proven
    else:
        with pytest.warns(UserWarning, match="not solved within"):
            assert model.fit(scores).lower_bound_ == pytest.approx(expected)

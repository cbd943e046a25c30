"""Borůvka's tree over a k-d tree is Prim's tree over all pairs, edge for edge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from pluribus._kernels.linkage.euclidean_tree import distinct_points_tree
from pluribus._kernels.linkage.spanning_tree import tree_of_features
from pluribus.increments._shared import dissimilarities


def edges(first, second, length):
    ends = np.sort(np.column_stack([first, second]), axis=1)
    order = np.lexsort(ends.T[::-1])
    return ends[order], length[order]


def assert_same(found, expected):
    found, expected = edges(*found), edges(*expected)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("d", [1, 2, 3, 8])
@pytest.mark.parametrize("n", [1, 2, 3, 16, 17, 100, 700])
def test_random_points(n, d):
    X = np.random.default_rng(n + d).normal(size=(n, d))
    tree = distinct_points_tree(X)
    assert_same(tree, tree_of_features(X, np.arange(n)))
    assert (np.diff(tree[2]) >= 0).all()
    assert tree[2].sum() == pytest.approx(minimum_spanning_tree(cdist(X, X)).sum())


@given(st.integers(0, 10**6), st.integers(2, 150), st.integers(1, 3), st.sampled_from([5, 12, 40]))
def test_points_on_a_lattice(seed, n, d, values):
    X = np.unique(np.random.default_rng(seed).integers(0, values, (n, d)).astype(float), axis=0)
    X = np.random.default_rng(seed).permutation(X)
    assert_same(distinct_points_tree(X), tree_of_features(X, np.arange(len(X))))


def test_clumps_and_a_full_lattice():
    rng = np.random.default_rng(0)
    clumps = (rng.normal(size=(8, 2)) * 100)[rng.integers(0, 8, 600)] + rng.normal(size=(600, 2)) * 0.01
    lattice = np.argwhere(np.ones((20, 20))).astype(float)
    for X in (clumps, lattice, rng.permutation(lattice)):
        assert_same(distinct_points_tree(X), tree_of_features(X, np.arange(len(X))))


@given(st.integers(0, 10**6), st.integers(3, 120), st.integers(1, 3), st.sampled_from([1, 2, 4, 9]))
def test_duplicates(seed, n, d, values):
    X = np.random.default_rng(seed).integers(0, values, (n, d)).astype(float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dissimilarities, "_DENSE_TREE", 0)
        tree = dissimilarities.FeatureDissimilarities(X).tree()
    assert_same(tree, tree_of_features(X, np.arange(n)))

"""Neighbors and spanning trees, against all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from pluribus.pipeline.candidates import _neighborhood
from pluribus.pipeline.candidates._neighborhood import euclidean_tree, nearest_others, reachability_tree


def reachability(X, m):
    distances = cdist(X, X)
    core = np.sort(distances, axis=1)[:, m]
    return np.maximum(distances, np.maximum(core[:, None], core))


def check_tree(tree, lengths, n):
    """A spanning tree of the edges it says, as long as scipy's."""
    graph = np.zeros((n, n))
    graph[tree.first, tree.second] = 1
    assert connected_components(graph)[0] == 1
    assert len(tree.length) == n - 1
    np.testing.assert_allclose(tree.length, lengths[tree.first, tree.second], atol=1e-12)
    assert (np.diff(tree.length) >= 0).all()
    least = np.sort(minimum_spanning_tree(lengths + 1).data) - 1  # scipy takes 0 for no edge
    np.testing.assert_allclose(tree.length, least, atol=1e-9)


def tables(kind, n, d, rng):
    if kind == "normal":
        return rng.normal(size=(n, d))
    if kind == "groups":
        return rng.normal(size=(n, d)) + 30 * rng.integers(0, 6, size=(n, 1))
    if kind == "lattice":
        return rng.integers(0, 3, size=(n, d)).astype(float)
    return np.repeat(rng.normal(size=(n // 30 + 1, d)), 31, axis=0)[:n]


@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(["normal", "groups", "lattice", "copies"]),
    n=st.integers(6, 150),
    d=st.sampled_from([1, 2, 9]),
    p=st.integers(4, 25),
)
def test_trees_are_minimal(seed, kind, n, d, p):
    X = tables(kind, n, d, np.random.default_rng(seed))
    near = nearest_others(X, p)
    check_tree(euclidean_tree(X, near), cdist(X, X), n)
    check_tree(reachability_tree(X, near, 4), reachability(X, 4), n)


@pytest.mark.parametrize("d", [2, 12])
@pytest.mark.parametrize("kind", ["groups", "copies"])
def test_trees_in_several_blocks(monkeypatch, d, kind):
    monkeypatch.setattr(_neighborhood, "_BLOCK", 64)
    X = tables(kind, 400, d, np.random.default_rng(1)) + 1000
    near = nearest_others(X, 10)
    check_tree(euclidean_tree(X, near), cdist(X, X), 400)
    check_tree(reachability_tree(X, near, 4), reachability(X, 4), 400)


def test_equal_lengths_are_ordered_by_distance():
    X = np.array([0, 1, 2, 10, 11, 12.0])[:, None]
    tree = reachability_tree(X, nearest_others(X, 2), 2)
    assert tree.length.tolist() == [2, 2, 2, 2, 8]
    edges = set(zip(tree.first.tolist(), tree.second.tolist(), strict=True))
    assert edges == {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)}  # not (0, 2), which is as long


@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(["normal", "groups", "lattice", "copies"]),
    n=st.integers(2, 80),
    d=st.sampled_from([2, 9]),
)
def test_neighbors(seed, kind, n, d):
    X = tables(kind, n, d, np.random.default_rng(seed))
    near = nearest_others(X, 7)
    distances = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(distances, np.inf)
    np.testing.assert_allclose(near.squared, np.sort(distances, axis=1)[:, : min(7, n - 1)], atol=1e-9)
    np.testing.assert_allclose(near.squared, np.take_along_axis(distances, near.places, 1), atol=1e-9)
    assert (near.places != np.arange(n)[:, None]).all()
    assert all(len(set(row)) == len(row) for row in near.places.tolist())


@pytest.mark.parametrize("d", [3, 20])
def test_same_for_all_numbers_of_threads(d):
    X = np.random.default_rng(0).integers(0, 2, size=(3000, d)).astype(np.float32)
    one, many = nearest_others(X, 25, 1), nearest_others(X, 25, 4)
    assert (one.places == many.places).all()
    assert (one.squared == many.squared).all()

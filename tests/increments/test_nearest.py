"""The two nearest rows: each way to find them against looking at all pairs, with ties and duplicates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from pluribus.increments._shared import nearest
from pluribus.increments._shared.distinct_rows import distinct_rows


def slow(X):
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    places = np.argsort(D, axis=1, kind="stable")[:, :2]
    return places, np.take_along_axis(D, places, 1)


def ways(X):
    return {
        "all pairs": nearest._over_pairs(nearest.two_nearest_rows, X, None),
        "distances": nearest.two_nearest_by_distances(cdist(X, X)),
        "k-d tree": nearest._of_distinct(nearest._by_tree, X, None),
        "products": nearest._of_distinct(nearest._by_products, X, None),
    }


@given(st.integers(0, 10**6), st.integers(3, 40), st.integers(1, 4), st.sampled_from([1, 2, 3, 6, 1000]))
def test_ties_and_duplicates(seed, n, d, values):
    X = np.random.default_rng(seed).integers(0, values, (n, d)).astype(float)
    places, distances = slow(X)
    for way, found in ways(X).items():
        np.testing.assert_array_equal(found.places, places, err_msg=way)
        np.testing.assert_allclose(found.distances, distances, rtol=1e-12, err_msg=way)


@pytest.mark.parametrize("d", [2, 8, 9, 30])
@pytest.mark.parametrize("shift", [0, 1e8])
def test_far_from_the_origin(d, shift):
    X = np.random.default_rng(d).normal(size=(400, d)) + shift
    places, distances = slow(X)
    for way, found in ways(X).items():
        np.testing.assert_array_equal(found.places, places, err_msg=way)
        np.testing.assert_allclose(found.distances, distances, rtol=1e-9, err_msg=way)


def test_many_equally_near_rows():
    """More of them than candidates: all corners of a cube, and a point in the middle of a circle."""
    corners = (np.arange(2**9)[:, None] >> np.arange(9) & 1).astype(float)
    angle = np.arange(64) * np.pi / 32
    circle = np.round(np.column_stack([np.cos(angle), np.sin(angle)]), 2)
    circle = np.vstack([circle, np.zeros((1, 2)), 10 + np.eye(2)])
    for X in (corners, corners[::-1].copy(), 2.0 * np.eye(40), circle):
        places, _ = slow(X)
        for way, found in ways(X).items():
            np.testing.assert_array_equal(found.places, places, err_msg=way)


def test_near_duplicates_that_products_cannot_tell_apart():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(20, 12)), 20, axis=0) + 1e-9 * rng.normal(size=(400, 12))
    places, distances = slow(X)
    found = nearest._by_products(X, None)
    np.testing.assert_array_equal(found.places, places)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-6)


def test_rows_that_differ_by_less_than_squares_can_hold():
    """A distance of 0 to another row: the row itself is left out by its number."""
    X = np.array([[0.0], [1e-200], [2e-200], [1.0], [2.0], [4.0]])
    found = nearest._by_tree(X, None)
    assert (found.places != np.arange(6)[:, None]).all()
    assert found.places[:3].tolist() == [[1, 2], [0, 2], [0, 1]]


def test_the_size_decides_how(monkeypatch):
    rng = np.random.default_rng(0)
    few, many = rng.integers(0, 5, (60, 3)).astype(float), rng.integers(0, 2, (60, 9)).astype(float)
    expected = [nearest.two_nearest(X).places for X in (few, many)]
    asked = []
    for name in ("_by_tree", "_by_products"):
        way = getattr(nearest, name)
        monkeypatch.setattr(nearest, name, lambda X, n_jobs, way=way, name=name: asked.append(name) or way(X, n_jobs))
    nearest.two_nearest(few)
    monkeypatch.setattr(nearest, "_ALL_PAIRS", 10)
    monkeypatch.setattr(nearest, "_ALL_WIDE_PAIRS", 10)
    monkeypatch.setattr(nearest, "_MOST_NEIGHBORS", 50)  # in several parts
    for X, places in zip((few, many), expected, strict=True):
        np.testing.assert_array_equal(nearest.two_nearest(X, n_jobs=2).places, places)
    assert asked == ["_by_tree", "_by_products"]


def test_distinct_rows():
    X = np.array([[1.0, 2], [0, 0], [1, 2], [-0.0, 0], [5, 5], [1, 2]])
    rows = distinct_rows(X)
    assert rows.group.tolist() == [0, 1, 0, 1, 2, 0]
    assert rows.first.tolist() == [0, 1, 4]
    assert rows.members.tolist() == [0, 2, 5, 1, 3, 4]
    assert rows.starts.tolist() == [0, 3, 5]
    assert rows.sizes.tolist() == [3, 2, 1]

"""Valleys around the clusters of a partition."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import make_blobs

from pluribus.validate import cluster_separation, find_structure


def test_valleys_of_a_level_are_those_of_the_structure():
    X, _ = make_blobs(600, centers=[[0, 0], [5, 0], [0, 6]], random_state=0)
    structure = find_structure(X, linkage(X, "average"))
    for level in structure.levels:
        np.testing.assert_allclose(cluster_separation(X, level.labels), level.separation)


def test_clear_clusters_and_a_divided_one():
    X, y = make_blobs(600, centers=[[0, 0], [5, 0], [0, 6]], random_state=0)
    assert np.nanmin(cluster_separation(X, y)) > 1
    divided = np.where((y == 0) & (X[:, 0] > 0), 3, y)
    assert np.nanmin(cluster_separation(X, divided)) < 1


def test_names_and_left_out_objects():
    X, y = make_blobs(300, centers=[[0, 0], [9, 0]], random_state=0)
    plain = cluster_separation(X, y)
    np.testing.assert_array_equal(cluster_separation(X, np.array(["b", "a"])[1 - y]), plain)
    labels = np.append(y, [-1, -1])
    np.testing.assert_array_equal(cluster_separation(np.vstack([X, X[:2] + 40]), labels), plain)


def test_scale_does_not_matter():
    X, y = make_blobs(300, centers=[[0, 0], [4, 0]], random_state=0)
    np.testing.assert_allclose(cluster_separation(X * 2.0**40, y), cluster_separation(X, y))


@pytest.mark.parametrize("X", [np.zeros((40, 2)), np.random.default_rng(0).normal(size=(10, 2))])
def test_where_nothing_can_be_said(X):
    assert np.isnan(cluster_separation(X, np.arange(len(X)) % 2)).all()


def test_wrong_lengths():
    with pytest.raises(ValueError, match="labels has 3 entries, but X has 40 rows"):
        cluster_separation(np.zeros((40, 2)), [0, 1, 1])

"""Valleys around the clusters of a partition."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_moons

from pluribus.validate import cluster_separation, find_structure
from pluribus.validate.structure._valleys import Density, valleys_around, weakest_at_most
from pluribus.validate.structure.separation import deepest_valley


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


def test_the_deepest_valley_is_that_of_the_best_partition_at_the_middle_width():
    X, y = make_blobs([90, 90, 90], centers=[[0, 0], [5, 0], [0, 5]], random_state=3)
    coarse, shuffled = (y > 0).astype(int), np.arange(270) % 2
    shallowest = {}
    for name, labels in {"true": y, "coarse": coarse, "shuffled": shuffled}.items():
        depths = [valleys_around(Density.of(X / np.abs(X).max(), n_neighbors=k), labels).weakest for k in (8, 12, 16)]
        shallowest[name] = np.median(depths)
        assert deepest_valley(X, [labels]) == pytest.approx(shallowest[name])
    assert deepest_valley(X, [shuffled, y, coarse]) == pytest.approx(max(shallowest.values()))
    assert shallowest["true"] > 1 > shallowest["shuffled"]


def test_the_deepest_valley_of_many_objects_has_to_be_deeper():
    X, y = make_blobs(4000, centers=[[0, 0], [4, 0]], random_state=0)
    depths = [valleys_around(Density.of(X / np.abs(X).max(), n_neighbors=k), y).weakest for k in (8, 12, 24)]
    assert deepest_valley(X, [y]) == pytest.approx(np.median(depths) / np.sqrt(np.log(4000 / 24) / 3.6))


def test_there_is_no_valley_in_few_or_equal_rows():
    assert deepest_valley(np.ones((40, 2)), [np.arange(40) % 2]) == 0
    assert deepest_valley(np.arange(15.0)[:, None], [np.arange(15) % 2]) == 0
    assert deepest_valley(np.random.default_rng(0).normal(size=(40, 2)), []) == 0


@pytest.mark.parametrize(
    "made", [make_blobs(400, centers=6, random_state=4), make_moons(400, noise=0.15, random_state=0)]
)
def test_partitions_whose_valleys_cannot_be_deeper_are_left_out_without_a_difference(made):
    X = made[0] / np.abs(made[0]).max()
    densities = [Density.of(X, n_neighbors=width) for width in (8, 12, None)]
    partitions = [KMeans(k, n_init=2, random_state=k).fit_predict(X) for k in range(2, 9)]
    weakest = [[valleys_around(density, labels).weakest for density in densities] for labels in partitions]
    at_most = [[weakest_at_most(density, labels) for density in densities] for labels in partitions]
    assert (np.array(weakest) <= np.array(at_most)).all()
    clear = np.array(at_most) > 0
    assert (np.array(weakest)[clear] * 3.2 >= np.array(at_most)[clear] * 0.99).all()  # thresholds are 2.5 to 8
    for order in (partitions, partitions[::-1]):
        assert deepest_valley(X, order) == pytest.approx(np.median(weakest, axis=1).max())

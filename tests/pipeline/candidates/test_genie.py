"""Genie: the exact example, a slow oracle, single link as its limit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

from pluribus._kernels.linkage.genie import genie_labels
from pluribus.compare import adjusted_rand_index
from pluribus.pipeline.candidates._genie import THRESHOLDS, genie
from pluribus.pipeline.candidates._neighborhood import euclidean_tree, nearest_others


def slow_genie(first, second, n_clusters, threshold):
    """The definition: sizes of all clusters, then the first edge that may be used."""
    clusters = [{i} for i in range(len(first) + 1)]
    edges = list(zip(first.tolist(), second.tolist(), strict=True))
    while len(clusters) > n_clusters:
        sizes = np.array([len(cluster) for cluster in clusters])
        spread = np.abs(sizes[:, None] - sizes).sum() / 2
        allowed = edges
        if spread / ((len(sizes) - 1) * sizes.sum()) > threshold:
            smallest = set().union(*(cluster for cluster in clusters if len(cluster) == sizes.min()))
            allowed = [edge for edge in edges if smallest & set(edge)]
        edge = allowed[0]
        edges.remove(edge)
        one, other = (next(cluster for cluster in clusters if end in cluster) for end in edge)
        clusters = [cluster for cluster in clusters if cluster is not one and cluster is not other] + [one | other]
    labels = np.empty(len(first) + 1, int)
    for number, cluster in enumerate(clusters):
        labels[list(cluster)] = number
    return labels


def tree_of(X):
    return euclidean_tree(X, nearest_others(X, 25))


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [(0.1, [0] * 4 + [1] * 5), (0.3, [0] * 4 + [1] * 5), (0.5, [0] * 8 + [1]), (0.7, [0] * 8 + [1])],
)
def test_exact_example(threshold, expected):
    X = np.array([0, 1, 2, 3, 6, 7, 8, 9, 14.0])[:, None]
    assert genie(tree_of(X), 2, threshold).tolist() == expected


def test_index_equal_to_threshold_is_not_above_it():
    X = np.array([0, 1, 2, 3, 6, 7, 8, 9, 14.0])[:, None]
    assert genie(tree_of(X), 2, 6 / 18).tolist() == [0] * 8 + [1]  # at sizes 4, 4, 1 the index is 6/18


@given(seed=st.integers(0, 10**6), n=st.integers(2, 60), k=st.integers(1, 8), threshold=st.sampled_from(THRESHOLDS))
def test_as_defined(seed, n, k, threshold):
    rng = np.random.default_rng(seed)
    tree = tree_of(rng.normal(size=(n, 2)) * rng.choice([1, 5], size=(n, 1)))
    k = min(k, n)
    found = genie(tree, k, threshold)
    assert adjusted_rand_index(found, slow_genie(tree.first, tree.second, k, threshold)) == 1
    assert found.max() + 1 == k


@given(seed=st.integers(0, 10**6), n=st.integers(2, 60), threshold=st.floats(0, 1))
def test_as_defined_on_any_tree(seed, n, threshold):
    """A random tree has more sizes than one of points."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n - 1)
    second = np.arange(1, n)[order]
    first = np.array([rng.integers(0, i) for i in range(1, n)], dtype=np.int64)[order]
    found = genie_labels(first, second, 2, threshold)
    assert adjusted_rand_index(found, slow_genie(first, second, 2, threshold)) == 1


def test_without_limit_it_is_single_link():
    X = np.random.default_rng(0).normal(size=(300, 3))
    single = fcluster(linkage(X, "single"), 6, "maxclust")
    assert adjusted_rand_index(genie(tree_of(X), 6, 1.0), single) == 1


def test_duplicates():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]], 40, axis=0)
    assert genie(tree_of(X), 3, 0.3).tolist() == [0] * 40 + [1] * 40 + [2] * 40

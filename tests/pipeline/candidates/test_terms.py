"""The five terms: exact examples, slow oracles, scale, duplicates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from pluribus.pipeline.candidates._neighborhood import Tree, nearest_others, reachability_tree
from pluribus.pipeline.candidates._terms import (
    agreements,
    compactness,
    cut,
    gap,
    links_of,
    mean_with_others,
    nearness,
)

X = np.array([0, 1, 2, 10, 11, 12.0])[:, None]
P, Q = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 1, 1])


@pytest.mark.parametrize(("labels", "expected"), [(P, [0, 1, 0.9327, 0.75]), (Q, [0.375, 0.625, 0.5787, -0.4948])])
def test_exact_examples(labels, expected):
    near = nearest_others(X, 2)
    found = [
        cut(labels, links_of(near)),
        nearness(labels, near, 2),
        compactness(labels, X),
        gap(labels, reachability_tree(X, near, 2)),
    ]
    np.testing.assert_allclose(found, expected, atol=5e-5)


def test_exact_agreement():
    between = agreements(np.array([P, Q, P]))
    np.testing.assert_allclose(between[0], [1, 0.3243, 1], atol=5e-5)
    np.testing.assert_allclose(mean_with_others(between), [(0.3243 + 1) / 2, 0.3243, (0.3243 + 1) / 2], atol=5e-5)


def some_table(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 80))
    labels = np.concatenate([np.arange(3), rng.integers(0, 3, size=n - 3)])
    return rng.normal(size=(n, 2)), labels


@given(seed=st.integers(0, 10**6))
def test_as_defined(seed):
    X, labels = some_table(seed)
    near = nearest_others(X, 25)
    n = len(X)
    graph = np.zeros((n, n), bool)
    graph[np.repeat(np.arange(n), near.places.shape[1]), near.places.ravel()] = True
    graph |= graph.T
    shares = [graph[labels == c][:, labels != c].sum() / graph[labels == c].sum() for c in range(3)]
    assert cut(labels, links_of(near)) == pytest.approx(np.mean(shares))

    same = np.array([np.mean([labels[j] == labels[i] for j in near.places[i, :10]]) for i in range(n)])
    assert nearness(labels, near) == pytest.approx(np.mean([same[labels == c].mean() for c in range(3)]))

    means = [X[labels == c].mean(axis=0) for c in range(3)]
    silhouettes = []
    for x, label in zip(X, labels, strict=True):
        own = np.linalg.norm(x - means[label])
        other = min(np.linalg.norm(x - means[c]) for c in range(3) if c != label)
        silhouettes.append((other - own) / max(own, other))
    assert compactness(labels, X) == pytest.approx(np.mean(silhouettes))

    tree = reachability_tree(X, near, 4)
    edges = list(zip(labels[tree.first], labels[tree.second], tree.length, strict=True))
    total = 0.0
    for c in range(3):
        inside = [length for a, b, length in edges if a == b == c]
        within = np.quantile(inside, 0.98) if inside else 0.0
        out = min(length for a, b, length in edges if (a == c) != (b == c))
        total += np.mean(labels == c) * (out - within) / max(out, within)
    assert gap(labels, tree) == pytest.approx(total)

    others = [labels, np.roll(labels, 1), labels[::-1]]
    between = agreements(np.array(others))
    assert between[0, 1] == pytest.approx(adjusted_rand_score(labels, np.roll(labels, 1)))
    assert mean_with_others(between)[2] == pytest.approx((between[2, 0] + between[2, 1]) / 2)


@given(seed=st.integers(0, 10**6), factor=st.sampled_from([1e-3, 7.0, 1e5]))
def test_scale_does_not_matter(seed, factor):
    X, labels = some_table(seed)

    def terms(X):
        near = nearest_others(X, 25)
        tree = reachability_tree(X, near, 4)
        return [cut(labels, links_of(near)), nearness(labels, near), compactness(labels, X), gap(labels, tree)]

    np.testing.assert_allclose(terms(X * factor), terms(X), atol=1e-9)


def test_a_cluster_that_no_edge_leaves():
    tree = Tree(np.array([0, 1]), np.array([1, 2]), np.array([1.0, 3.0]))
    assert gap(np.array([0, 0, 0]), tree) == pytest.approx((3 - 2.96) / 3)


def test_equal_rows_have_no_gap_and_are_not_round():
    X = np.ones((40, 2))
    labels = np.arange(40) % 2
    near = nearest_others(X, 25)
    assert gap(labels, reachability_tree(X, near, 4)) == 0
    assert compactness(labels, X) == 0


def test_a_cluster_of_one():
    labels = np.array([0, 0, 0, 0, 0, 1])
    near = nearest_others(X, 2)
    assert gap(labels, reachability_tree(X, near, 2)) == pytest.approx(5 / 6 * (2 - 7.64) / 7.64 + 1 / 6)
    assert np.isfinite([cut(labels, links_of(near)), nearness(labels, near, 2), compactness(labels, X)]).all()

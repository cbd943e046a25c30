"""Counts of labels by cluster: their costs and scores are those of all pairs, and no sweep makes a partition worse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pluribus import Ensemble
from pluribus.evidence._signed.label_counts import Items


def pair_scores(ensemble):
    """For each pair of objects: weight of the members that put it together, minus that of those that part it."""
    scores = np.zeros((ensemble.n_objects,) * 2)
    for column, weight in zip(ensemble.labels.T, ensemble.weights, strict=True):
        both = (column[:, None] >= 0) & (column >= 0)
        scores += weight * np.where(column[:, None] == column, 1, -1) * both
    np.fill_diagonal(scores, 0)
    return scores


@st.composite
def problems(draw):
    n, r = draw(st.integers(2, 25)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = np.where(rng.random((n, r)) < draw(st.sampled_from([0.0, 0.4])), -1, rng.integers(0, 4, (n, r)))
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    labels[0] = np.maximum(labels[0], 0)
    ensemble = Ensemble(labels, weights=rng.integers(1, 4, r))
    # Every second problem has items of several different rows, as must-links make them.
    item_of = np.unique(rng.integers(0, max(n // 2, 1), n), return_inverse=True)[1] if draw(st.booleans()) else None
    return ensemble, item_of, rng


@settings(max_examples=60, deadline=None)
@given(problem=problems(), keep_all=st.booleans())
def test_scores_and_sweeps(problem, keep_all):
    ensemble, item_of, rng = problem
    items, scores = Items(ensemble, item_of), pair_scores(ensemble)
    clusters = np.unique(rng.integers(0, 3, items.n_items), return_inverse=True)[1]
    k = int(clusters.max()) + 1
    tables = items.tabulate(clusters, k)
    member = items.item_of == np.arange(items.n_items)[:, None]
    between = member.astype(float) @ scores @ member.T  # scores of pairs of items
    np.fill_diagonal(between, 0)
    same = clusters[:, None] == clusters
    np.testing.assert_allclose(items.own_scores(clusters, tables), (between * same).sum(axis=1), atol=1e-9)
    inside = member.astype(float) @ scores
    np.testing.assert_allclose(items.inside, (inside * member).sum(axis=1) / 2, atol=1e-9)
    together = np.zeros((k, k))
    np.add.at(
        together, (clusters[:, None] + np.zeros_like(clusters), clusters + np.zeros_like(clusters)[:, None]), between
    )
    np.fill_diagonal(together, 0)
    np.testing.assert_allclose(items.scores_between(tables), together, atol=1e-9)
    if not keep_all:
        clusters[rng.random(items.n_items) < 0.3] = -1
        tables = items.tabulate(clusters, k)
    cost = items.cost(clusters, tables)
    for _ in range(3):
        before = clusters.copy()
        moves = items.move(clusters, tables, rng.permutation(items.n_items), 1e-9, keep_all=keep_all)
        after = items.cost(clusters, tables)
        again = items.tabulate(clusters, k)
        for kept, made in zip(tables, again, strict=True):
            np.testing.assert_allclose(kept, made, atol=1e-9)
        assert after <= cost + 1e-9
        assert (moves == 0) == np.array_equal(before, clusters)
        cost = after
    if keep_all:
        assert set(clusters) == set(range(k))
    alone = np.where(clusters < 0, k + np.arange(items.n_items), clusters)
    labels = alone[items.item_of]
    pairs = np.triu_indices(ensemble.n_objects, 1)
    apart = labels[:, None] != labels
    plus = sum(
        weight * ((column[:, None] == column) & (column >= 0))[pairs].sum()
        for column, weight in zip(ensemble.labels.T, ensemble.weights, strict=True)
    )
    assert cost == pytest.approx(plus - (scores * ~apart)[pairs].sum())


@settings(max_examples=30, deadline=None)
@given(problem=problems())
def test_gathered_clusters_gain(problem):
    ensemble, item_of, rng = problem
    items = Items(ensemble, item_of)
    clusters = np.full(items.n_items, -1)
    alone = rng.permutation(items.n_items)
    before = items.cost(clusters, items.tabulate(clusters, 1))
    joined = items.gather(clusters, alone, int(alone[0]), 0, 1e-9)
    assert (clusters == 0).sum() == (joined + 1 if joined else 0)
    after = items.cost(clusters, items.tabulate(clusters, 1))
    assert after < before if joined else after == before

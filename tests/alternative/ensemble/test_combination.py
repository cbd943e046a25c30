import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pluribus import Ensemble
from pluribus.alternative.ensemble._combination import category_utility, combine, polish


def between_squares(labels, partition):
    """n U by its meaning: the squares between clusters of the one-hot matrix."""
    rows = np.eye(partition.max() + 1)[partition]
    total = ((rows - rows.mean(axis=0)) ** 2).sum()
    within = sum(((rows[labels == c] - rows[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels))
    return total - within


def quadratic_information(labels, partition):
    """I² of the generalized entropy of degree 2: H² = 2 (1 - Σ p²)."""

    def entropy(values):
        p = np.bincount(values) / len(values)
        return 2 * (1 - (p**2).sum())

    inside = sum((labels == c).mean() * entropy(partition[labels == c]) for c in np.unique(labels))
    return entropy(partition) - inside


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_utility_is_the_squares_between_and_half_the_quadratic_information(seed):
    rng = np.random.default_rng(seed)
    labels, partition = rng.integers(0, 3, 25), rng.integers(0, 4, 25)
    partition = np.unique(partition, return_inverse=True)[1]
    utility = category_utility(labels, partition)
    assert 25 * utility == pytest.approx(between_squares(labels, partition), abs=1e-9)
    assert 2 * utility == pytest.approx(quadratic_information(labels, partition), abs=1e-9)
    shares = np.bincount(partition) / 25
    assert -1e-12 <= utility <= 1 - (shares**2).sum() + 1e-12


def entropy(*labels):
    _, counts = np.unique(np.column_stack(labels), axis=0, return_counts=True)
    p = counts / counts.sum()
    return -(p * np.log2(p)).sum()


def test_the_entropy_within_known_groups_is_lower_by_the_information_shared():
    rng = np.random.default_rng(0)
    for _ in range(20):
        y, z = rng.integers(0, 3, 40), rng.integers(0, 2, 40)
        given_z = entropy(y, z) - entropy(z)
        shared = entropy(y) + entropy(z) - entropy(y, z)
        assert given_z <= entropy(y) + 1e-12
        assert entropy(y) - given_z == pytest.approx(shared)


def partitions_into(k, m):
    for assigned in itertools.product(range(k), repeat=m):
        if len(set(assigned)) == k:
            yield np.array(assigned)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("missing", [False, True])
def test_the_combination_is_the_best_of_all(seed, missing):
    rng = np.random.default_rng(seed)
    rows = np.unique(rng.integers(0, 3, (7, 3)), axis=0)
    if missing:
        rows[0, 0] = -1
    votes = np.repeat(rows, rng.integers(1, 6, len(rows)), axis=0)
    ensemble = Ensemble(votes)

    def total(labels):
        return sum(category_utility(labels, column) for column in ensemble.labels.T)

    at = ensemble.unique_rows().inverse
    best = max(total(assigned[at]) for assigned in partitions_into(3, at.max() + 1))
    found = max((combine(ensemble, "qmi", 3, s) for s in range(20)), key=total)
    assert total(found) == pytest.approx(best, abs=1e-9)


def test_polishing_raises_the_utility_and_empties_no_cluster():
    rng = np.random.default_rng(0)
    ensemble = Ensemble(rng.integers(0, 3, (200, 4)))
    rows = ensemble.unique_rows()
    start = rng.integers(0, 4, len(rows.counts))[rows.inverse]
    polished = polish(ensemble, start)

    def total(labels):
        return sum(category_utility(labels, column) for column in ensemble.labels.T)

    assert total(polished) > total(start)
    assert set(polished) == set(start)
    again = polish(ensemble, polished)
    assert total(again) == pytest.approx(total(polished))


def test_any_consensus_function_combines():
    votes = np.repeat([[0, 0, 1], [1, 1, 0]], 10, axis=0)
    for name in ("eac", "voting", "scec"):
        labels = combine(Ensemble(votes), name, 2, 0)
        assert len(set(labels[:10])) == len(set(labels[10:])) == 1
        assert labels[0] != labels[10]

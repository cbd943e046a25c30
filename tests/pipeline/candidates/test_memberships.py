"""Memberships: the exact example, votes, rows that sum to one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from pluribus.pipeline.candidates._choice import Choice
from pluribus.pipeline.candidates._memberships import calibrated, votes
from pluribus.pipeline.candidates._pool import Pool
from pluribus.pipeline.candidates._terms import agreements


def chosen_of(labels, chosen, names=None):
    names = names or ("own", *(f"candidate {i}" for i in range(1, len(labels))))
    pool = Pool(names, np.array(labels), 3, None, None)
    return pool, Choice(names, None, None, agreements(labels), chosen, "")


def test_exact_example():
    labels = np.repeat([0, 1, 2], 4)
    evidence = np.full((12, 3), 0.0005)
    evidence[np.arange(12), labels] = 0.999
    membership = calibrated(evidence, *chosen_of([labels] * 12, 0))
    np.testing.assert_allclose(
        membership[np.arange(12), labels], expit(-0.93 + 0.32 * 4.595 + 0.42 * 4.595 + 1.76), 1e-4
    )
    assert membership[0, 0] == pytest.approx(0.986, abs=5e-4)
    np.testing.assert_allclose(membership[0, 1:], (1 - membership[0, 0]) / 2)


def test_votes_by_the_assignment_of_greatest_overlap():
    labels = np.array([0, 0, 0, 1, 1, 2])
    renamed = np.array([2, 2, 2, 0, 0, 1])
    other = np.array([1, 1, 0, 0, 0, 2])
    assert votes(labels, np.array([renamed, other])).tolist() == [1, 1, 0.5, 1, 1, 1]


def test_formula():
    labels = [[0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2], [0, 0, 0, 1, 2, 2], [0, 1, 0, 1, 1, 2]]
    evidence = np.array(
        [[0.5, 0.4, 0.1], [1, 0, 0], [0.2, 0.8, 0], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4], [0, 0, 1]], dtype=float
    )
    pool, choice = chosen_of(labels, 1)
    membership = calibrated(evidence, pool, choice)
    vote = np.array([1, 2 / 3, 1 / 3, 1, 2 / 3, 1])  # of the three candidates other than own, the chosen one included
    agreement = choice.between[1, 1:].mean()
    own = evidence[np.arange(6), labels[1]]
    q = expit(
        -0.93 + 0.32 * logit(np.clip(own, 0.01, 0.99)) + 0.42 * logit(np.clip(vote, 0.01, 0.99)) + 1.76 * agreement
    )
    np.testing.assert_allclose(membership[np.arange(6), labels[1]], q)
    np.testing.assert_allclose(membership[0, 1:], (1 - q[0]) * np.array([0.8, 0.2]))
    np.testing.assert_allclose(membership[1, 1:], (1 - q[1]) / 2)  # no evidence for any other


@given(seed=st.integers(0, 10**6), chosen=st.integers(0, 4))
def test_rows_sum_to_one(seed, chosen):
    rng = np.random.default_rng(seed)
    labels = np.array([np.concatenate([np.arange(3), rng.integers(0, 3, 17)]) for _ in range(5)])
    evidence = rng.dirichlet([0.2] * 3, size=20).astype(np.float32)
    before = evidence.copy()
    membership = calibrated(evidence, *chosen_of(labels, chosen))
    np.testing.assert_allclose(membership.sum(axis=1), 1)
    assert (membership >= 0).all()
    assert (evidence == before).all()


def test_without_own_all_vote():
    labels = np.array([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2]])
    evidence = np.eye(3)[labels[0]]
    with_all = calibrated(evidence, *chosen_of(labels, 0, ("average", "k-means")))
    np.testing.assert_allclose(with_all.max(axis=1), expit(-0.93 + 0.74 * logit(0.99) + 1.76))

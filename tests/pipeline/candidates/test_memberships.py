"""Memberships: the exact example, votes, rows that sum to one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from pluribus.pipeline.candidates._memberships import calibrated, votes


def test_exact_example():
    labels = np.repeat([0, 1, 2], 4)
    evidence = np.full((12, 3), 0.0005)
    evidence[np.arange(12), labels] = 0.999
    membership = calibrated(evidence, labels, np.arange(12), np.ones(12))
    np.testing.assert_allclose(membership[np.arange(12), labels], expit(0.04 + (0.37 + 0.33) * 6.9068), 1e-4)
    assert membership[0, 0] == pytest.approx(0.9924, abs=5e-4)
    np.testing.assert_allclose(membership[0, 1:], (1 - membership[0, 0]) / 2)


def test_votes_by_the_assignment_of_greatest_overlap():
    labels = np.array([0, 0, 0, 1, 1, 2])
    renamed = np.array([2, 2, 2, 0, 0, 1])
    other = np.array([1, 1, 0, 0, 0, 2])
    assert votes(labels, np.array([renamed, other])).tolist() == [1, 1, 0.5, 1, 1, 1]


def test_formula_with_and_without_a_vote():
    labels = np.array([0, 0, 1, 1, 1, 2])
    evidence = np.array(
        [[0.5, 0.4, 0.1], [1, 0, 0], [0.2, 0.8, 0], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4], [0, 0, 1]], dtype=float
    )
    voted, vote = np.array([1, 2, 4, 5]), np.array([2 / 3, 1 / 3, 0, 1])
    membership = calibrated(evidence, labels, voted, vote)
    odds = logit(np.clip(evidence[np.arange(6), labels], 0.001, 0.999))
    own = expit(0.33 + 0.50 * odds)
    own[voted] = expit(0.04 + 0.37 * odds[voted] + 0.33 * logit(np.clip(vote, 0.001, 0.999)))
    np.testing.assert_allclose(membership[np.arange(6), labels], own)
    np.testing.assert_allclose(membership[0, 1:], (1 - own[0]) * np.array([0.8, 0.2]))
    np.testing.assert_allclose(membership[1, 1:], (1 - own[1]) / 2)  # no evidence for any other


@given(seed=st.integers(0, 10**6), n_voted=st.integers(0, 20))
def test_rows_sum_to_one(seed, n_voted):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(3), rng.integers(0, 3, 17)])
    evidence = rng.dirichlet([0.2] * 3, size=20).astype(np.float32)
    before = evidence.copy()
    voted = np.sort(rng.choice(20, n_voted, replace=False))
    membership = calibrated(evidence, labels, voted, rng.uniform(size=n_voted))
    np.testing.assert_allclose(membership.sum(axis=1), 1)
    assert (membership >= 0).all()
    assert (evidence == before).all()

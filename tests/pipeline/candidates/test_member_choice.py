"""The most central member of an ensemble."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from pluribus.pipeline.candidates._member_choice import central_member


def slow_values(labels):
    m = len(labels)
    between = np.array([[adjusted_rand_score(a, b) for b in labels] for a in labels])
    weight = [max(0, np.mean([between[i, j] for j in range(m) if j != i])) + 0.001 for i in range(m)]
    values = []
    for i in range(m):
        others = [j for j in range(m) if j != i]
        central = np.average(between[i, others], weights=np.array(weight)[others])
        shares = np.bincount(labels[i]) / len(labels[i])
        shares = shares[shares > 0]
        values.append(central + 0.4 * -(shares * np.log(shares)).sum() / np.log(len(shares)))
    return np.array(values)


@given(seed=st.integers(0, 10**6), m=st.integers(2, 8))
def test_as_defined(seed, m):
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(3), rng.integers(0, 3, 27)])
    labels = [np.where(rng.random(30) < rng.random(), truth, rng.permutation(truth)) for _ in range(m)]
    labels = [np.concatenate([np.arange(3), member[3:]]) for member in labels]
    values = slow_values(labels)
    assert values[central_member(labels)] == pytest.approx(values.max())


def test_ties_go_to_the_first():
    labels = np.array([0, 0, 1, 1])
    assert central_member([labels[::-1], 1 - labels, labels]) == 0


def test_names_and_single_members():
    assert central_member([["a", "a", "b", "b"]]) == 0
    assert central_member([["a", "b", "a", "b"], ["x", "x", "y", "y"], ["u", "u", "v", "v"]]) == 1

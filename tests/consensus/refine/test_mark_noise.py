import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus import Ensemble
from pluribus.consensus import mark_noise
from pluribus.consensus.refine.mark_noise import WEAK


def slow(members, weights, labels):
    """The definition, object by object and pair by pair."""
    n, own = len(labels), {}
    for i in range(n):
        together = seen = 0.0
        for j in range(n):
            for member, weight in zip(members, weights, strict=True):
                if labels[i] >= 0 and labels[j] == labels[i] and member[i] >= 0 and member[j] >= 0:
                    seen += weight
                    together += weight * (member[i] == member[j])
        own[i] = together / seen if seen else 0.0
    out = []
    for i in range(n):
        mates = [own[j] for j in range(n) if labels[j] == labels[i]]
        out.append(-1 if labels[i] < 0 or own[i] < WEAK * np.median(mates) else labels[i])
    return out


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 5), st.sampled_from([0.0, 0.3]))
def test_by_its_definition(seed, n, r, missing):
    rng = np.random.default_rng(seed)
    members = rng.integers(3, size=(r, n))
    members[1:][rng.random((r - 1, n)) < missing] = -1
    members[:, 0] = 0  # no member without labels
    labels, weights = rng.integers(-1, 3, size=n), rng.integers(1, 4, size=r).astype(float)
    ensemble = Ensemble(list(members), weights=weights)
    assert mark_noise(ensemble, labels).tolist() == slow(members, weights, labels)


def test_one_that_wanders_is_left_out():
    rng = np.random.default_rng(0)
    members = [np.repeat([0, 1], 20) for _ in range(20)]
    members = [np.append(m, rng.integers(2, 30)) for m in members]
    labels = np.append(np.repeat([0, 1], 20), 0)
    assert mark_noise(members, labels).tolist() == [*np.repeat([0, 1], 20).tolist(), -1]
    assert labels[-1] == 0  # what was given is not changed


def test_what_is_unclustered_stays_and_all_else_too_where_members_agree():
    members = [[0, 0, 0, 1, 1, 1]] * 3
    assert mark_noise(members, [0, 0, -1, 1, 1, -1]).tolist() == [0, 0, -1, 1, 1, -1]
    assert mark_noise(members, [-1] * 6).tolist() == [-1] * 6
    assert mark_noise([[0, 0, 0]], [0, 0, 0]).tolist() == [0, 0, 0]
    assert mark_noise([[0, 1, 2]], [2, 0, 1]).tolist() == [2, 0, 1]
    assert mark_noise([[5]], [0]).tolist() == [0]


def test_numbers_of_clusters_may_be_left_out():
    assert mark_noise([[0, 0, 1, 1]], [0, 0, 3, 3]).tolist() == [0, 0, 3, 3]


@pytest.mark.parametrize("labels", [[0, 1], [0.5, 0, 1], [0, -2, 1], ["a", "b", "c"], []])
def test_bad_labels(labels):
    with pytest.raises(ValueError, match="labels"):
        mark_noise([[0, 0, 1]], labels)

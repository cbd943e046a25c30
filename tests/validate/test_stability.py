import numpy as np
import pytest
from sklearn.datasets import make_blobs

from pluribus import Ensemble
from pluribus.evidence import CoAssociation
from pluribus.validate import (
    ambiguous_pairs_cost,
    average_consistency_index,
    average_mutual_information_index,
    consensus_distribution,
    stability,
)


def test_distribution_by_loops():
    rng = np.random.default_rng(0)
    members = rng.integers(0, 3, (30, 8))
    members[rng.random(members.shape) < 0.3] = -1
    members[:2] = [[0] * 4 + [-1] * 4, [-1] * 4 + [0] * 4]  # never seen together
    C = CoAssociation(members).to_dense()
    seen = members >= 0
    pairs = [(i, j) for i in range(30) for j in range(i) if (seen[i] & seen[j]).any()]
    assert len(pairs) < 435
    values = np.array([C[i, j] for i, j in pairs])
    found = consensus_distribution(members)
    assert found.exact
    np.testing.assert_allclose(found.values, np.sort(values))
    for evidence, share in found.frame.to_numpy()[::10]:
        assert share == pytest.approx((values <= evidence + 1e-9).mean())
    assert ambiguous_pairs_cost(members) == pytest.approx(((values > 0.1 + 1e-9) & (values < 0.9 - 1e-9)).mean())


def test_drawn_pairs_have_an_interval_that_covers():
    rng = np.random.default_rng(1)
    members = rng.integers(0, 3, (300, 10))
    exact = ambiguous_pairs_cost(members)
    drawn = [ambiguous_pairs_cost(members, n_pairs=2000, random_state=seed) for seed in range(20)]
    assert exact.exact
    assert all(value.n_sampled == 2000 for value in drawn)
    assert sum(value.low <= exact <= value.high for value in drawn) >= 16
    assert drawn[0] == ambiguous_pairs_cost(members, n_pairs=2000, random_state=0, n_jobs=2)
    assert "drawn pairs" in consensus_distribution(members, n_pairs=2000).sentence


def test_a_million_objects_take_no_matrix():
    members = np.random.default_rng(0).integers(0, 3, (1_000_000, 3), dtype=np.int8)
    assert 0 < ambiguous_pairs_cost(Ensemble(members)) < 1


def test_unanimous_members_are_not_ambiguous():
    assert ambiguous_pairs_cost([[0, 0, 1, 1]] * 5) == 0
    with pytest.raises(ValueError, match="at least two"):
        ambiguous_pairs_cost([[0], [0]])
    with pytest.raises(ValueError, match="no evidence"):
        ambiguous_pairs_cost([[0, -1], [-1, 0]])
    with pytest.raises(ValueError, match="low=0.9"):
        ambiguous_pairs_cost([[0, 0, 1]], low=0.9, high=0.1)
    with pytest.raises(ValueError, match="n_pairs"):
        consensus_distribution([[0, 0, 1]], n_pairs=0)


def test_the_true_number_is_the_most_stable():
    X, _ = make_blobs(200, centers=[[0, 0], [9, 0], [0, 9], [9, 9]], random_state=0)
    found = stability(X, k_range=(2, 6), n_members=15, random_state=1)
    assert found.most_stable == 4
    assert found.frame["k"].tolist() == [2, 3, 4, 5, 6]
    assert (found.frame["low"] <= found.frame["ambiguous"]).all()
    again = stability(X, k_range=(2, 6), n_members=15, random_state=1, n_jobs=2)
    np.testing.assert_array_equal(found.frame, again.frame)


@pytest.mark.parametrize("k_range", [(1, 3), (5, 2), (2, 100), "2-5", [], (2.5, 3), 7.0, [True]])
def test_ranges_that_are_none(k_range):
    with pytest.raises(ValueError, match="k_range"):
        stability(np.arange(20.0)[:, None], k_range=k_range)


@pytest.mark.parametrize("subsample", [0, 1.5, "0.8"])
def test_subsamples_that_are_none(subsample):
    with pytest.raises(ValueError, match="subsample must be"):
        stability(np.arange(20.0)[:, None], k_range=(2, 3), subsample=subsample)


def test_agreement_is_that_of_compare():
    members = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]
    assert average_consistency_index([0, 0, 1, 2, 2, 2], members) == pytest.approx(53 / 108)
    assert average_mutual_information_index([0, 0, 1, 1, 1, 1], members) == pytest.approx(0.545654, abs=1e-6)
    with pytest.warns(UserWarning, match="One cluster"):
        assert average_consistency_index([0] * 6, members) == 0
    with pytest.raises(ValueError, match="missing='ignore'"):
        average_consistency_index([0, 0, 0, 1, 1, -1], members)
    assert 0 < average_mutual_information_index([0, 0, 0, 1, 1, -1], members, missing="ignore") <= 1

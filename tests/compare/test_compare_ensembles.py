"""All pairs of an ensemble, the medoid, diversity, disagreement by object, and all measures at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pluribus import Ensemble, compare
from pluribus.compare import _lifted
from pluribus.compare._internal import nearest_to_all

X = np.array([[0.0], [1], [2], [3], [7], [8], [9], [10]])
RP, FP, SP = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1, 0]
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", sorted(compare.SPATIAL_DISTANCES))
def test_spatial_matrix(name):
    ensemble, measure = [RP, FP, SP, [0, 1, 2, 3, 4, 5, -1, -1]], compare.SPATIAL_DISTANCES[name]
    d = compare.distance_matrix(ensemble, name, X)
    for i in range(4):
        for j in range(i + 1, 4):
            assert d[i, j] == d[j, i] == pytest.approx(measure(ensemble[i], ensemble[j], X), abs=1e-9)
    assert np.array_equal(d, compare.distance_matrix(ensemble, measure, X, n_jobs=2))
    assert compare.medoid([RP, FP, SP, RP], name, X) == 0
    soft = [(0.8 * (np.array(p)[:, None] == [0, 1]) + 0.1) for p in (RP, FP)]
    between = compare.distance_matrix(Ensemble.from_memberships(soft), name, X)[0, 1]
    assert between == pytest.approx(measure(*soft, X), abs=1e-9)


def test_options_reach_the_metric(monkeypatch):
    d = compare.distance_matrix([RP, FP], "lift_emd", X, sigma=2.0)
    assert d[0, 1] == pytest.approx(0.3704682855, abs=1e-9)
    assert compare.distance_matrix([RP, FP], "lift_emd", kernel="discrete")[0, 1] == pytest.approx(np.sqrt(0.5))
    assert compare.distance_matrix([RP, FP], "cc", X, p=2)[0, 1] == pytest.approx(compare.cc_distance(RP, FP, X, p=2))
    joint = compare.normalized_variation_of_information_distance(RP, FP, by="joint")
    by_joint = compare.distance_matrix([RP, FP], "normalized_variation_of_information", by="joint")
    assert by_joint[0, 1] == pytest.approx(joint)
    assert compare.distance_matrix([RP, FP], lambda a, b, data: len(data), X)[0, 1] == 8
    with pytest.raises(ValueError, match="lift_emd"):
        compare.distance_matrix([RP, FP], "nope")
    with pytest.raises(ValueError, match="X is missing"):
        compare.distance_matrix([RP, FP], "cdistance")
    with pytest.raises(ValueError, match="X has 3 rows"):
        compare.diversity([RP, FP], "lift_emd", X[:3])
    with pytest.raises(TypeError):
        compare.distance_matrix([RP, FP], "rand", odd=1)


def test_each_partition_is_lifted_once(monkeypatch):
    passes = []
    real = _lifted.lift_map
    monkeypatch.setattr(_lifted, "lift_map", lambda *a, **k: passes.append(1) or real(*a, **k))
    compare.distance_matrix([RP, FP, SP, RP, FP, SP], "lift_emd", X)
    assert len(passes) == 1


def test_diversity():
    d = compare.distance_matrix([RP, FP, SP], "rand")
    assert compare.diversity([RP, FP, SP], "rand") == pytest.approx(d[np.triu_indices(3, 1)].mean())
    weighted = Ensemble([RP, FP, SP], weights=[1, 2, 3])
    expected = (2 * d[0, 1] + 3 * d[0, 2] + 6 * d[1, 2]) / 11
    assert compare.diversity(weighted, "rand") == pytest.approx(expected)
    assert compare.diversity([RP, RP], "lift_emd", X) == 0
    assert compare.diversity([RP]) == 0
    with pytest.raises(ValueError, match="No object is in both 'p0' and 'p1'"):
        compare.diversity([[0, 0, -1, -1], [-1, -1, 0, 0]])


@given(seeds)
def test_disagreement_by_definition(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 25)
    a, b = rng.integers(-1, rng.integers(1, 30), n), rng.integers(-1, 4, n)
    a[0], b[0] = 0, 1
    both = (a >= 0) & (b >= 0)
    found = compare.disagreement(a, b)
    differ = (a[:, None] == a) != (b[:, None] == b)
    expected = differ[:, both].sum(axis=1) / max(both.sum() - 1, 1)
    assert found.share[both] == pytest.approx(expected[both], abs=1e-12)
    assert np.isnan(found.share[~both]).all()
    assert not found.moved[~both].any()
    assert found.moved.sum() == compare.edit_distance(a, b)
    assert np.nanmean(found.share) == pytest.approx(compare.rand_distance(a, b), abs=1e-12)


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_mean_disagreement_by_definition(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, (20, rng.integers(1, 20)))
    labels[rng.random(labels.shape) < 0.2] = -1
    labels[:2], labels[:, 0] = 0, np.arange(20) % 3
    weights = rng.random(labels.shape[1])
    ensemble = Ensemble(labels, weights=weights)
    total, weight = np.zeros(20), np.zeros(20)
    for i in range(labels.shape[1]):
        for j in range(i):
            share = compare.disagreement(labels[:, i], labels[:, j]).share
            total += np.where(np.isnan(share), 0, share) * weights[i] * weights[j]
            weight += np.where(np.isnan(share), 0, 1) * weights[i] * weights[j]
    with np.errstate(invalid="ignore"):
        expected = total / weight
    assert compare.mean_disagreement(ensemble, n_jobs=2) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_disagreement_of_names_and_bad_input():
    found = compare.disagreement(["x", "x", "y", None], [0, 0, 0, 1])
    assert found.share[:3].tolist() == [0.5, 0.5, 1]
    assert found.moved.tolist() == [False, False, True, False]
    with pytest.raises(ValueError, match="disagreement has no fuzzy form"):
        compare.disagreement([[0.5, 0.5]], [0])
    with pytest.raises(ValueError, match="No object is in both"):
        compare.disagreement([0, -1], [-1, 0])
    with pytest.raises(ValueError, match="a has 2, b has 1"):
        compare.disagreement([0, 1], [0])


def test_all_measures_at_once():
    values = compare.compare_partitions(RP, FP, X, sigma=2.0)
    assert values["lift_emd_distance"] == pytest.approx(0.3704682855, abs=1e-9)
    for name, value in values.items():
        options = {"sigma": 2.0} if name.startswith("lift") else {}
        needs_data = name.startswith(("lift", "cc", "adco", "cdistance"))
        assert value == pytest.approx(getattr(compare, name)(RP, FP, *[X] * needs_data, **options)), name
    public = {name for name in compare.__all__ if name.endswith(("_index", "distance"))}
    assert set(values) == public - {"consistency_index"}
    assert set(compare.compare_partitions(RP, FP)) == {name for name in values if "adco" not in name} - {
        "lift_emd_distance", "lift_kernel_distance", "lift_hausdorff_distance", "cc_distance", "cdistance",
    }  # fmt: skip
    K = X @ X.T + 1
    by_kernel = compare.compare_partitions(RP, FP, K, kernel="precomputed")
    assert set(values) - set(by_kernel) == {"cc_distance", "cdistance", "adco_index", "adco_distance"}
    assert "lift_emd_distance" in compare.compare_partitions(RP, FP, kernel="discrete")
    soft = 0.8 * (np.array(RP)[:, None] == [0, 1]) + 0.1
    of_soft = compare.compare_partitions(soft, FP, X)
    assert set(values) - set(of_soft) == {
        "adjusted_mutual_information_index", "purity_index", "van_dongen_distance",
    }  # fmt: skip
    with pytest.raises(ValueError, match="X has 3 rows"):
        compare.compare_partitions(RP, FP, X[:3])


@pytest.mark.parametrize("metric", [None, 5])
def test_metrics_that_are_none(metric):
    with pytest.raises(ValueError, match="metric must be"):
        compare.distance_matrix([[0, 0, 1], [0, 1, 1]], metric)


def test_the_medoid_counts_and_rounding_decides_nothing():
    members = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 3]]
    assert compare.medoid(Ensemble(members), "edit") == 1
    assert compare.medoid(Ensemble(members, weights=[1, 0, 1]), "edit") == 0
    distances = np.array([[0, 1 + 1e-15], [1, 0]])
    assert nearest_to_all(distances) == nearest_to_all(distances.T) == 0
    assert nearest_to_all(distances, candidates=[1]) == 1
    with pytest.raises(ValueError, match="weight above 0"):
        nearest_to_all(distances, [0, 1], [0])

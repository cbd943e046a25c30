import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus import compare

partitions = st.integers(1, 40).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 6), min_size=n, max_size=n)] * 3))
RP, FP, SP = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1, 0]


@given(partitions, st.sampled_from(sorted(compare.DISTANCES)))
def test_metric_axioms(triple, name):
    a, b, c = triple
    d = compare.DISTANCES[name]
    assert d(a, a) == 0
    assert d(a, b) == pytest.approx(d(b, a), abs=1e-12)
    assert d(a, c) <= d(a, b) + d(b, c) + 1e-9
    renamed = [f"cluster {(7 * x) % 11}" for x in b]
    assert d(a, renamed) == pytest.approx(d(a, b), abs=1e-12)
    assert (d(a, b) < 1e-12) == (compare.rand_distance(a, b) == 0)


@pytest.mark.parametrize("other", [FP, SP])
def test_worked_example(other):
    exact = {
        "rand_distance": 3 / 7, "mirkin_distance": 24, "jaccard_distance": 2 / 3, "fowlkes_mallows_index": 0.5,
        "adjusted_rand_index": 0.125, "van_dongen_distance": 4, "accuracy_index": 0.75,
        "normalized_mutual_information_index": 0.1887218755, "mutual_information_index": 0.1308120359,
        "variation_of_information_distance": 1.1246702892,
        "normalized_variation_of_information_distance": 0.5408520830,
    }  # fmt: skip
    for name, value in exact.items():
        assert getattr(compare, name)(RP, other) == pytest.approx(value, abs=1e-9)


def test_missing_labels_are_left_out():
    assert compare.rand_distance([0, 0, 1, -1], [0, 0, 1, 1]) == 0
    assert compare.accuracy_index([0, None, 1, 1], ["x", "x", "y", None]) == 1
    with pytest.raises(ValueError, match="No object"):
        compare.rand_index([0, -1], [-1, 0])
    with pytest.raises(ValueError, match="a has 2, b has 3"):
        compare.rand_index([0, 1], [0, 1, 2])


def test_degenerate_partitions():
    one, each = [0] * 5, list(range(5))
    for name, f in compare.INDICES.items():
        for same in (one, each, [3]):
            assert f(same, same) == pytest.approx(1), name
    assert compare.adjusted_rand_index(one, each) == 0
    assert compare.normalized_mutual_information_index(one, each) == 0


def test_all_singletons_at_size():
    n = 200_000
    a = np.arange(n)
    assert compare.rand_index(a, a[::-1]) == 1
    assert compare.accuracy_index(a, a[::-1]) == 1
    assert compare.variation_of_information_distance(a, a) == 0


def test_distance_matrix_and_medoid():
    ensemble = [RP, FP, SP, RP]
    for name, f in compare.DISTANCES.items():
        d = compare.distance_matrix(ensemble, name)
        assert d[0, 1] == pytest.approx(f(RP, FP))
        assert d[0, 3] == 0
        assert np.array_equal(d, d.T)
    assert compare.medoid(ensemble) == 0
    assert np.array_equal(
        compare.distance_matrix(ensemble, compare.rand_distance), compare.distance_matrix(ensemble, "rand")
    )
    with pytest.raises(ValueError, match="van_dongen"):
        compare.distance_matrix(ensemble, "nope")
    with pytest.raises(ValueError, match="average"):
        compare.normalized_mutual_information_index(RP, FP, average="odd")


def test_equal_partitions_are_exactly_1():
    for n in range(1, 60):
        assert compare.fowlkes_mallows_index([0] * n, [1] * n) == 1


@pytest.mark.parametrize("labels", [{0: "a", 1: "b"}, {0, 1}], ids=["dict", "set"])
def test_labels_without_an_order_are_refused(labels):
    with pytest.raises(ValueError, match="must be a sequence"):
        compare.rand_index(labels, [0, 1])


def test_unknown_averages_are_refused_for_trivial_partitions_too():
    for index in (compare.normalized_mutual_information_index, compare.adjusted_mutual_information_index):
        with pytest.raises(ValueError, match="average must be"):
            index([0, 0], [0, 0], average="harmonic")


@pytest.mark.parametrize("average", ["geometric", "arithmetic", "max", "min"])
def test_adjusted_mutual_information_of_single_objects(average):
    for n in range(3, 30):
        single, two = np.arange(n), np.arange(n) % 2
        assert compare.adjusted_mutual_information_index(two, single, average=average) == 0
        assert compare.adjusted_mutual_information_index(single, two, average=average) == 0
        assert compare.adjusted_mutual_information_index(single, single[::-1], average=average) == 1

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from pluribus import Ensemble
from pluribus.compare import INDICES, adjusted_rand_index, agreement_with_members, average_agreement, consistency_index

P1, P2, P3 = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]
MEMBERS = [P1, P2, P3]
NMI = "normalized_mutual_information"

pairs = st.integers(1, 25).flatmap(lambda n: st.tuples(*[st.lists(st.integers(-1, 5), min_size=n, max_size=n)] * 2))


def slow_consistency(consensus, member, weighting="inside"):
    """The definition, cluster by cluster, in fractions."""
    both = [(c, m) for c, m in zip(consensus, member, strict=True) if c != -1 and m != -1]
    n = len(both)
    clusters = sorted({c for c, _ in both})
    size = {c: sum(a == c for a, _ in both) for c in clusters}
    total = F(0)
    for m in {m for _, m in both}:
        shared = {c: both.count((c, m)) for c in clusters}
        if weighting == "inside":
            total += max(shared[c] * (1 - F(size[c], n)) for c in clusters)
        else:
            majority = max(clusters, key=lambda c: (shared[c], -size[c]))
            total += shared[majority] * (1 - F(size[majority], n))
    return float(total / n)


@pytest.mark.parametrize(
    ("partition", "acc", "anmi"),
    [
        (P1, F(17, 36), 0.785796),
        ([0, 0, 1, 1, 1, 1], F(11, 27), 0.545654),
        ([0, 1, 0, 1, 0, 1], F(11, 36), 0.084499),
        ([0, 0, 1, 2, 2, 2], F(53, 108), None),
    ],
)
def test_examples(partition, acc, anmi):
    assert average_agreement(partition, MEMBERS) == pytest.approx(float(acc), abs=1e-12)
    if anmi is not None:
        assert average_agreement(partition, MEMBERS, NMI) == pytest.approx(anmi, abs=1e-6)


def test_the_members_lie_inside_the_consensus_and_not_the_other_way_round():
    assert agreement_with_members(P1, MEMBERS) == pytest.approx([1 / 2, 5 / 12, 1 / 2])
    assert [consistency_index(p, P1) for p in MEMBERS] == pytest.approx([1 / 2, 4 / 9, 17 / 36])


def test_the_weight_is_inside_the_maximum():
    consensus, member = [0] * 6 + [1] * 2, [0, 0, 0, 1, 1, 1, 0, 0]
    assert consistency_index(consensus, member) == 9 / 32
    assert consistency_index(consensus, member, weighting="majority") == 3 / 16
    assert consistency_index(consensus, consensus) == 3 / 8
    with pytest.raises(ValueError, match="weighting must be 'inside' or 'majority'; got 'best'"):
        consistency_index(consensus, member, weighting="best")


def test_missing_labels_count_nowhere():
    members = [P1, [0, 0, -1, 1, 2, 2], [0, 0, 0, 1, 1, -1]]
    assert agreement_with_members(P1, members) == pytest.approx([1 / 2, 12 / 25, 12 / 25])
    assert average_agreement(P1, members) == pytest.approx(73 / 150)


@given(pairs)
def test_equals_the_definition(pair):
    a, b = map(np.array, pair)
    if not ((a >= 0) & (b >= 0)).any():
        with pytest.raises(ValueError, match="No object is in both partitions"):
            consistency_index(a, b)
        return
    for weighting in ("inside", "majority"):
        assert consistency_index(a, b, weighting=weighting) == pytest.approx(slow_consistency(*pair, weighting))


@given(pairs)
def test_bounds(pair):
    a, b = (np.maximum(x, 0) for x in pair)
    share = np.bincount(a) / len(a)
    bound = 1 - (share**2).sum()
    value = consistency_index(a, b)
    assert -1e-12 <= consistency_index(a, b, weighting="majority") <= value + 1e-12 <= bound + 2e-12
    assert consistency_index(a, a) == pytest.approx(bound)
    assert consistency_index(np.zeros_like(a), b) == 0
    n, k = len(a), len(set(b.tolist()))
    assert consistency_index(np.arange(n), b) == pytest.approx(k / n * (1 - 1 / n))
    finer = 2 * b + np.arange(n) % 2
    assert consistency_index(a, finer) >= value - 1e-12  # splitting a cluster never makes it less consistent
    assert consistency_index([f"x{c}" for c in a], b.max() - b) == pytest.approx(value)
    assert consistency_index(a, 6 * a + b) == pytest.approx(bound)  # refines a


@pytest.mark.parametrize("index", [*INDICES, "consistency"])
def test_agreement_is_the_index_with_each_member(index):
    rng = np.random.default_rng(0)
    partition, labels = rng.integers(4, size=60), rng.integers(-1, 5, size=(60, 4))
    labels[:, 0] = np.abs(labels[:, 0])
    measure = INDICES.get(index, consistency_index)
    expected = [measure(partition, column) for column in labels.T]
    np.testing.assert_allclose(agreement_with_members(partition, labels, index), expected, atol=1e-12)
    np.testing.assert_allclose(agreement_with_members(partition, labels, measure), expected, atol=1e-12)


def test_agrees_with_scikit_learn():
    rng = np.random.default_rng(1)
    partition, labels = rng.integers(3, size=80), rng.integers(6, size=(80, 5))
    ours = agreement_with_members(partition, labels, NMI)
    assert ours == pytest.approx([normalized_mutual_info_score(partition, c, average_method="geometric") for c in labels.T])  # fmt: skip # noqa: E501
    ours = agreement_with_members(partition, labels, "adjusted_rand")
    assert ours == pytest.approx([adjusted_rand_score(partition, column) for column in labels.T])


def test_weights_and_copies():
    weighted = Ensemble(MEMBERS, weights=[2, 1, 0])
    assert average_agreement(P1, weighted) == pytest.approx((2 * F(1, 2) + F(5, 12)) / 3)
    assert average_agreement(P1, [P1, P1, P2]) == pytest.approx(average_agreement(P1, weighted))
    assert average_agreement(P1, MEMBERS * 3) == pytest.approx(average_agreement(P1, MEMBERS))
    assert average_agreement(list("aaabbb"), MEMBERS) == average_agreement(P1, MEMBERS)
    assert average_agreement(P1, MEMBERS, adjusted_rand_index) == pytest.approx(1 - 0.350564, abs=1e-6)


def test_many_clusters_take_no_dense_table():
    n = 200_000
    singletons = np.arange(n)
    assert average_agreement(singletons, [singletons, singletons]) == pytest.approx(1 - 1 / n)


@pytest.mark.parametrize(
    ("partition", "ensemble", "index", "message"),
    [
        ([0, 1], MEMBERS, "rand", "labels 2 objects, but the ensemble 6"),
        (P1, MEMBERS, "nope", "No index is called 'nope'; there are .*consistency"),
        (P1, [], "rand", "empty"),
        ([0, 0, -1, -1, -1, -1], [P1, [-1, -1, 0, 0, 1, 1]], "rand", "both the partition and 'p1'"),
    ],
)
def test_bad_input(partition, ensemble, index, message):
    with pytest.raises(ValueError, match=message):
        agreement_with_members(partition, ensemble, index)

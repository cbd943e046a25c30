"""CC, ADCO and CDistance."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from pluribus import compare
from pluribus.compare import adco_distance, adco_index, cc_distance, cdistance, lift_emd_distance
from pluribus.compare._transport import transport_flow

X = np.array([[0.0], [1], [2], [3], [7], [8], [9], [10]])
RP, FP, SP = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1, 0]
seeds = st.integers(0, 2**32 - 1)


def made(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(3, 14)
    return rng.normal(size=(n, 2)), [rng.integers(0, rng.integers(1, 5), n) for _ in range(3)]


def transport(w, w2, ground):
    sides = [np.kron(np.eye(len(w)), np.ones(len(w2))), np.kron(np.ones(len(w)), np.eye(len(w2)))]
    return linprog(ground.ravel(), A_eq=np.vstack(sides), b_eq=np.concatenate([w, w2])).fun


def one_hot(labels):
    return (np.asarray(labels)[:, None] == np.unique(labels)).astype(float)


def test_worked_example():
    assert [cdistance(RP, other, X) for other in (FP, SP)] == pytest.approx([2 / 7, 5 / 7], abs=1e-12)
    assert [adco_index(RP, other, X) for other in (FP, SP)] == pytest.approx([0.8, 0.7], abs=1e-12)
    assert [adco_index(RP, other, X, n_bins=5) for other in (FP, SP)] == pytest.approx([0.8333333, 0.7222222])
    assert [cc_distance(RP, other, X) for other in (FP, SP)] == pytest.approx([1.0, 2.5], abs=1e-12)
    for other in (FP, SP):
        assert cc_distance(RP, other, representation="membership") == 0.25


@given(seeds)
def test_cdistance_by_definition(seed):
    points, (a, b, _) = made(seed)
    clusters = [[np.flatnonzero(x == c) for c in np.unique(x)] for x in (a, b)]
    ground = np.array([
        [transport(np.full(len(p), 1 / len(p)), np.full(len(q), 1 / len(q)), cdist(points[p], points[q]))
         for q in clusters[1]] for p in clusters[0]
    ])  # fmt: skip
    w, w2 = ([len(p) / len(a) for p in own] for own in clusters)
    spread = w @ ground @ w2
    value = cdistance(a, b, points)
    assert value == pytest.approx(transport(w, w2, ground) / spread if spread > 1e-12 else 0, abs=1e-6)
    assert value == pytest.approx(cdistance(b, a, points), abs=1e-9)
    assert cdistance(a, a, points) == pytest.approx(0, abs=1e-12)
    if len(clusters[0]) > 1:
        assert cdistance(a, np.zeros(len(a)), points) == pytest.approx(1)


def test_cdistance_is_no_metric():
    points, a, b, c = [[0], [1], [2], [5]], [0, 1, 2, 1], [0, 1, 2, 3], [0, 1, 0, 2]
    assert cdistance(a, c, points) == pytest.approx(0.8)
    assert (cdistance(a, b, points), cdistance(b, c, points)) == pytest.approx((0.5, 0.25))


def test_cdistance_soft_sparse_and_sampled(monkeypatch):
    from pluribus.compare import point_transport

    u = one_hot(RP)
    assert cdistance(u, FP, X) == cdistance(RP, FP, X)
    softened = 0.8 * u + 0.1
    assert cdistance(softened, softened[:, ::-1], X) == pytest.approx(0, abs=1e-12)
    assert 0 < cdistance(softened, RP, X) < 1
    assert cdistance(RP, FP, sparse.csr_array(X)) == cdistance(RP, FP, X)
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 600)
    points = rng.normal(size=(600, 2)) + 3 * labels[:, None]
    other = np.where(rng.random(600) < 0.2, rng.integers(0, 3, 600), labels)
    exact = cdistance(labels, other, points, n_jobs=2)
    assert cdistance(labels, other, points, sample=600) == exact
    assert cdistance(labels, other, points, sample=300) == pytest.approx(exact, abs=0.05)
    monkeypatch.setattr(point_transport, "_MOST_WAYS", 1000)
    with pytest.raises(ValueError, match="the limit is 1,000. Give sample=2000 .* 600 objects, or use lift_emd"):
        cdistance(labels, other, points)
    assert "cdistance" not in compare.compare_partitions(labels, other, points)
    with pytest.raises(ValueError, match="sample must be a whole number"):
        cdistance(labels, other, points, sample=0)


@given(seeds)
def test_cc_by_definition(seed):
    points, (a, b, c) = made(seed)
    u, v = one_hot(a), one_hot(b)
    centers = [(x.T @ points) / x.sum(axis=0)[:, None] for x in (u, v)]
    w, w2 = u.mean(axis=0), v.mean(axis=0)
    assert cc_distance(a, b, points) == pytest.approx(transport(w, w2, cdist(*centers)), abs=1e-7)
    assert cc_distance(a, b, points, p=2) ** 2 == pytest.approx(transport(w, w2, cdist(*centers) ** 2), abs=1e-7)
    apart = np.abs(u[:, :, None] - v[:, None]).mean(axis=0)
    assert cc_distance(a, b, representation="membership") == pytest.approx(transport(w, w2, apart), abs=1e-7)
    lifted = lift_emd_distance(a, b, points, kernel="linear", normalize="mean")
    assert cc_distance(a, b, points) == pytest.approx(lifted, abs=1e-7)
    for options in ({}, {"representation": "membership"}, {"p": 2}):
        ab, bc, ac = (cc_distance(x, y, points, **options) for x, y in ((a, b), (b, c), (a, c)))
        assert ac <= ab + bc + 1e-9
        assert cc_distance(a, a + 3, points, **options) == pytest.approx(0, abs=1e-7)


def test_cc_soft_and_rings():
    softened = 0.8 * one_hot(RP) + 0.1
    for representation in ("centroid", "membership"):
        assert cc_distance(one_hot(RP), FP, X, representation=representation) == cc_distance(
            RP, FP, X, representation=representation
        )
        assert cc_distance(softened, softened[:, ::-1], X, representation=representation) == pytest.approx(0, abs=1e-12)
    assert cc_distance(RP, FP, sparse.csr_array(X)) == pytest.approx(1)
    angle = np.arange(16) * np.pi / 8
    rings = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(np.arange(16) % 2, 1, 3)[:, None]
    assert cc_distance(np.arange(16) % 2, np.zeros(16), rings) == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="representation must be"):
        cc_distance(RP, FP, X, representation="odd")
    with pytest.raises(ValueError, match="p=0.5: give a number from 1 to 100"):
        cc_distance(RP, FP, X, p=0.5)


@given(seeds)
def test_adco_by_definition(seed):
    from itertools import permutations

    points, (a, b, c) = made(seed)
    bins = [np.clip(np.digitize(x, np.linspace(x.min(), x.max(), 11)) - 1, 0, 9) for x in points.T]
    profile = [np.hstack([one_hot(x).T @ (q[:, None] == np.arange(10)) for q in bins]) for x in (a, b)]
    products = profile[0] @ profile[1].T
    wide = products if products.shape[0] <= products.shape[1] else products.T
    best = max(
        wide[np.arange(len(wide)), list(order)].sum() for order in permutations(range(wide.shape[1]), wide.shape[0])
    )
    index = best / max((own**2).sum() for own in profile)
    assert adco_index(a, b, points) == pytest.approx(index, abs=1e-12)
    same = compare.rand_distance(a, b) == 0
    assert adco_distance(a, b, points) == pytest.approx(0 if same else 2 - index, abs=1e-12)
    assert adco_distance(a, 7 - a, points) == 0
    d = [adco_distance(*pair, points) for pair in ((a, b), (b, c), (a, c))]
    assert d[2] <= d[0] + d[1]


def test_adco_soft_and_words():
    u = one_hot(RP)
    softened = 0.8 * u + 0.1
    assert adco_index(u, FP, X) == adco_index(RP, FP, X)
    assert adco_distance(softened, softened[:, ::-1], X) == 0
    assert 1 <= adco_distance(softened, RP, X) < 2
    assert adco_index(RP, FP, sparse.csr_array(X)) == adco_index(RP, FP, X)
    frame = pd.DataFrame({"number": X[:, 0], "word": list("aaaabbbb"), "same": 1.0})
    alone = adco_index(RP, FP, frame[["word"]])
    assert alone == pytest.approx(2 * (4 * 3) / 32)
    assert 0 < adco_index(RP, FP, frame) < 1
    assert adco_index(RP, RP, frame) == 1
    with pytest.raises(ValueError, match="missing values in column 'word'"):
        adco_index(RP, FP, frame.assign(word=[None, *"aaabbbb"]))
    with pytest.raises(ValueError, match="n_bins=0: give a whole number"):
        adco_index(RP, FP, X, n_bins=0)
    with pytest.raises(ValueError, match="column that is not numeric, 'word'"):
        cc_distance(RP, FP, frame)


@pytest.mark.parametrize("measure", [cdistance, adco_distance, adco_index, cc_distance])
def test_bad_input(measure):
    for a, b, data, words in [
        (RP, FP[:7], X, "a has 8, b has 7"),
        (RP, FP, X[:7], "X has 7 rows, but the partitions label 8"),
        (RP, FP, None, "X is missing"),
        (RP, FP, np.where(X == 3, np.nan, X), "NaN"),
        ([-1] * 8, FP, X, "No object has a label in a"),
    ]:
        with pytest.raises(ValueError, match=words):
            measure(a, b, data)
    at_one = 1 if measure is adco_index else 0
    assert measure([0], [5], [[1.0, 2]]) == at_one
    assert measure([0] * 8, ["x"] * 8, X) == at_one
    assert measure(range(8), range(8, 16), X) == pytest.approx(at_one)
    assert measure([0, -1] * 4, [0, -1] * 4, X) == at_one


@pytest.mark.parametrize("scale", [1e-140, 1e-30, 1e-12, 1e-6, 1e6, 1e30, 1e140])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_units_do_not_matter(scale):
    rng = np.random.default_rng(0)
    points, a, b = rng.normal(size=(40, 3)), rng.integers(0, 4, 40), rng.integers(0, 5, 40)
    for p in (1, 3, 100):
        assert cc_distance(a, b, points * scale, p=p) == pytest.approx(
            scale * cc_distance(a, b, points, p=p), rel=1e-9, abs=0
        )
        assert cc_distance(a, b, points * scale, p=np.float16(p)) == cc_distance(a, b, points * scale, p=p)
    assert cdistance(a, b, points * scale) == pytest.approx(cdistance(a, b, points))


def test_distances_that_overflow_are_refused():
    for distance in (cc_distance, cdistance):
        with pytest.raises(ValueError, match="too large"):
            distance(RP, FP, X * 1e300)


@given(seeds)
def test_adco_of_soft_partitions_does_not_depend_on_the_order_of_clusters(seed):
    rng = np.random.default_rng(seed)
    u = rng.dirichlet(np.full(3, 0.5), 8)
    u = np.hstack([u[:, :2] / 2, u[:, :2] / 2, u[:, 2:]])  # two clusters twice
    assert adco_distance(u, u[:, rng.permutation(5)], X) == 0


def test_very_many_clusters_are_refused():
    n = 10_000
    points = np.arange(n)[:, None]
    for distance in (adco_distance, cc_distance):
        with pytest.raises(ValueError, match="10,000 and 10,000 clusters"):
            distance(np.arange(n), np.arange(n), points)
    with pytest.raises(ValueError, match="120,000 of them"):
        cdistance(np.arange(n), np.arange(n) % 12, points)


def test_data_that_are_none():
    words = pd.DataFrame({"x": range(8), "word": list("aabbccdd")})
    for distance in (lift_emd_distance, cc_distance):
        with pytest.raises(ValueError, match="not numeric, 'word'"):
            distance(RP, FP, words)
        with pytest.raises(ValueError, match="a row for each object"):
            distance(RP, FP, 5)
    with pytest.raises(ValueError, match="p='2': give a number from 1 to 100"):
        cc_distance(RP, FP, X, p="2")


def test_a_plan_moves_shares_whatever_they_add_up_to():
    ground = np.array([[0.0, 1.0], [1.0, 0.0]])
    plan = transport_flow(np.array([2.0, 2.0]), np.array([1.0, 3.0]), ground)
    np.testing.assert_allclose(plan, [[0.25, 0.25], [0, 0.5]])
    np.testing.assert_allclose(transport_flow(np.array([4.0]), np.array([1.0, 3.0]), ground[:1]), [[0.25, 0.75]])

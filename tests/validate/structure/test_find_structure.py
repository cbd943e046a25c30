"""Whether there are clusters at all: examples to the digit, a slow oracle of the dip, and one group in many forms."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

from pluribus._kernels.points.dip import dip_statistic
from pluribus.validate import find_structure
from pluribus.validate.structure import _shadows
from pluribus.validate.structure._dip import PROBABILITIES, SIZES, dip_p_value
from pluribus.validate.structure._shadows import _direction, _p_value, _sides, least_p_value
from pluribus.validate.structure._spread_ties import _categories, spread_ties
from pluribus.validate.structure._valleys import (
    Density,
    _dimension,
    merging_path,
    scaling_dimension,
    threshold,
    valleys_around,
    ways_across,
)
from tests.validate.structure.dip_oracle import slow_dip

ONE = np.arange(8) + np.array([0, 0.1, 0.15, 0.1, 0, -0.1, 0.05, 0.02])


def two_groups(gap):
    return np.append(ONE, ONE + 7 + gap)[:, None]


def found(X, **options):
    return find_structure(X, linkage(X, "average"), **options)


# -- the dip ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_the_dip_is_that_of_its_definition(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rng.integers(2, 12))
    if seed % 3 == 0:
        x = np.append(x, x + 5)
    elif seed % 3 == 1:
        x = np.round(x)
    x = np.sort(x)
    assert dip_statistic(x) == pytest.approx(slow_dip(x), abs=1e-7)


def test_the_dip_keeps_its_level_and_sees_two_modes():
    rng = np.random.default_rng(0)
    for n in (30, 300):
        values = np.array([dip_p_value(rng.random(n)) for _ in range(400)])
        assert 0.02 <= (values <= 0.05).mean() <= 0.09
        assert 0.4 <= (values <= 0.5).mean() <= 0.6
    assert dip_p_value(np.append(rng.normal(size=100), rng.normal(8, 1, 100))) == pytest.approx(PROBABILITIES[-1])
    assert dip_p_value(rng.random(SIZES[0] - 1)) == 1


# -- the parts -------------------------------------------------------------------------------------------------------


def test_repeated_values_are_spread_and_gaps_stay():
    spread = spread_ties(np.array([[0.0, 0, 1, 1, 1, 5]]).T, np.random.default_rng(1)).ravel()
    assert (np.abs(spread[:2]) <= 0.5).all()
    assert (np.abs(spread[2:5] - 1) <= 0.5).all()
    assert spread[5] == 5
    assert len(set(spread)) == 6
    distinct = np.arange(6.0)[:, None]
    np.testing.assert_array_equal(spread_ties(distinct, np.random.default_rng(0)), distinct)
    assert spread_ties(np.ones((5, 2)), np.random.default_rng(0)).shape == (5, 0)


def one_hot(codes, n_values):
    return (codes[:, None] == np.arange(n_values)).astype(float)


def test_a_category_fills_its_simplex():
    rng = np.random.default_rng(0)
    codes, other = rng.integers(3, size=3_000), rng.integers(2, size=3_000)
    X = np.hstack([rng.normal(size=(3_000, 1)), one_hot(codes, 3), one_hot(other, 2)])
    scaled = X * [1, 2, 4, 1, 1, 3] - [0, 1, 0, 0, 0, 0]
    spread = spread_ties(scaled, np.random.default_rng(1))
    np.testing.assert_array_equal(spread[:, 0], X[:, 0])
    places = (spread[:, 1:4] + [1, 0, 0]) / [2, 4, 1]
    assert (places >= 0).all()
    np.testing.assert_allclose(places.sum(axis=1), 1)
    np.testing.assert_array_equal(places.argmax(axis=1), codes)
    one_in_all = rng.dirichlet(np.ones(3), 3_000)  # with equal shares nothing tells the values apart
    assert np.sort(places[:, 0])[::300] == pytest.approx(np.sort(one_in_all[:, 0])[::300], abs=0.04)
    assert dip_p_value(places[:, 0] - places[:, 1]) > 0.5
    pair = spread[:, 4:] / [1, 3]
    np.testing.assert_allclose(pair.sum(axis=1), 1)
    np.testing.assert_array_equal(pair.argmax(axis=1), other)


def test_columns_of_a_category_are_found_by_their_rows():
    codes = np.arange(60) % 3
    category, coin = one_hot(codes, 3), (np.arange(60) // 3 % 2)[:, None].astype(float)
    assert _categories(category) == [range(3)]
    assert _categories(np.hstack([category[:, :1], category])) == [range(1, 4)]  # one column of another category
    assert _categories(np.hstack([coin, category, coin, 1 - coin])) == [range(1, 4), range(4, 6)]
    assert _categories(category[:, :2]) == []  # rows without a value
    assert _categories(np.hstack([category[:, :2], 2 * category[:, 2:] + coin])) == []


def test_a_value_that_does_not_occur_is_no_column_of_a_category():
    category = one_hot(np.arange(60) % 3, 3)
    gap = np.hstack([category[:, :1], np.zeros((60, 1)), category[:, 1:]])
    spread = [spread_ties(X, np.random.default_rng(0)) for X in (category, gap)]
    np.testing.assert_array_equal(*spread)
    np.testing.assert_allclose(spread[0].sum(axis=1), 1)


def test_independent_categories_are_one_group():
    rng = np.random.default_rng(2)
    X = np.hstack([one_hot(rng.choice(3, 900, p=[0.5, 0.3, 0.2]), 3) for _ in range(10)])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    found = find_structure(X, linkage(X, "average"))
    assert found.verdict == "none"
    classes = rng.integers(2, size=900)
    codes = [np.where(rng.random(900) < 0.8, classes, rng.integers(3, size=900)) for _ in range(10)]
    X = np.hstack([one_hot(column, 3) for column in codes])
    assert find_structure(X, linkage(X, "average")).verdict == "clusters"


@pytest.mark.parametrize(
    ("gap", "dimension", "depth"), [(1.5, 1.0784, 0.4668), (2.5, 1.0414, 0.8871), (4.5, 1.0046, np.inf)]
)
def test_depth_of_a_valley(gap, dimension, depth):
    density = Density.of(two_groups(gap), n_neighbors=4)
    assert density.local_dimension == pytest.approx(dimension, abs=5e-5)
    step = merging_path(density, np.repeat([0, 1], 8))[0]
    assert np.isnan(step.depth[0])
    assert step.depth[1] == pytest.approx(depth, abs=5e-5)


def test_the_saddle_of_few_pairs_is_their_mean_level():
    density = Density.of(two_groups(2.5), n_neighbors=4)
    crossing = (density.one < 8) & (density.other >= 8)
    assert crossing.sum() == 1
    levels = np.minimum(density.log_density[density.one], density.log_density[density.other])[crossing]
    height = np.sort(density.log_density[8:])[-2:].mean()
    expected = density.local_dimension * 2 * (height - levels[0])
    assert merging_path(density, np.repeat([0, 1], 8))[0].depth[1] == pytest.approx(expected)


def test_depths_do_not_change_with_shift_rotation_and_scale():
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(3.0, 1, (60, 2))])
    turn, _ = np.linalg.qr(rng.normal(size=(2, 2)))
    leaves = np.arange(120) // 20
    paths = [merging_path(Density.of(each), leaves) for each in (X, 1e3 * X @ turn + 7)]
    for one, other in zip(*paths, strict=True):
        np.testing.assert_allclose(one.depth, other.depth, rtol=1e-6)
        np.testing.assert_array_equal(one.groups, other.groups)


def test_small_groups_are_no_modes_and_merging_ends_in_one_group():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(100, 2)), [[0.05, 0.02]]])
    path = merging_path(Density.of(X), np.append(np.zeros(100, int), 1))
    assert path[0].depth[1] < 0
    assert path[-1].n_groups == 1
    assert [step.n_groups for step in path] == [2, 1]


def test_few_ways_across_need_deeper_valleys_but_less_in_a_region():
    assert [threshold(n_ways, 1.2) for n_ways in (0.5, 1, 8.5, 17, 34, 99)] == pytest.approx(
        [8, 8, 3.2, 2.85, 2.5, 2.5]
    )
    assert [threshold(1, dimension) for dimension in (1, 1.75, 1.875, 2, 9)] == pytest.approx([8, 8, 5.75, 3.5, 3.5])
    assert threshold(34, 9) == threshold(34, 1) == 2.5
    assert threshold(0, 1) == 8


@pytest.mark.parametrize(("stretch", "far"), [(1, 6), (8, 40)])
def test_a_depth_is_held_against_the_threshold_of_its_border_and_union(stretch, far):
    rng = np.random.default_rng(2)
    X = np.append(rng.normal(size=(80, 2)), rng.normal(size=(50, 2)) + [far / stretch, 0], axis=0) * [stretch, 1]
    density = Density.of(np.append(X, 1000 + 9 * rng.random((40, 2)) * [1, 1e-3], axis=0))
    groups = np.repeat([0, 1, 2], [80, 50, 40])
    step = valleys_around(density, groups)
    low = int(np.flatnonzero((step.depth > 1) & (step.depth < np.inf))[0])
    sides = np.where(groups == low, 0, np.where(groups == 1 - low, -1, 1))
    expected = threshold(ways_across(density, sides), scaling_dimension(X, 150))
    assert low < 2
    assert step.ratio[low] == pytest.approx(step.depth[low] / expected)


@pytest.mark.parametrize("shift", [2.0, 2.8, 3.0, 3.2])
def test_shallow_depths_are_held_against_the_largest_threshold(shift):
    rng = np.random.default_rng(1)
    X = np.append(rng.normal(size=(150, 2)), rng.normal(size=(100, 2)) + [shift, 0], axis=0)
    density, groups = Density.of(X), (X[:, 0] > shift / 2).astype(int)
    step = valleys_around(density, groups)
    low = int(np.flatnonzero(~np.isnan(step.depth))[0])
    shallow = shift < 3
    assert (step.depth[low] < 1) == shallow
    assert step.depth[low] < 2.5
    sides = np.where(groups == low, 0, -1)
    expected = 8 if shallow else threshold(ways_across(density, sides), scaling_dimension(X, 150))
    assert step.ratio[low] == pytest.approx(step.depth[low] / expected)


def test_a_union_of_few_objects_counts_as_filled():
    line = np.arange(40.0)[:, None]
    assert _dimension(line, np.arange(15)) == 9
    assert _dimension(line, np.arange(16)) == scaling_dimension(line[:16], 150) < 2


def slow_ways(X, k, sides):
    """Object by object."""
    objects = range(len(X))
    nearest = np.argsort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 1 : k + 1]
    near = [{j for j in objects if j in nearest[i] or i in nearest[j]} for i in objects]
    shared = []
    for own, opposite in ((0, -1), (-1, 0)):
        border = {i for i in objects if sides[i] == own and any(sides[j] == opposite for j in near[i])}
        shared.append(len({j for i in border for j in near[i] | {i} if sides[j] == own}))
    return max(shared) / k


@pytest.mark.parametrize("seed", range(6))
def test_ways_across_are_the_neighborhoods_along_a_border(seed):
    rng = np.random.default_rng(seed)
    X, scattered = rng.normal(size=(60, 2)), rng.integers(-1, 2, 60)
    sides = np.where(X[:, 0] > 0.9, 0, np.where(X[:, 1] > 0, -1, 1)) if seed % 2 else scattered
    moved = 1e3 * X @ [[0.6, 0.8], [-0.8, 0.6]] + 7
    for rows in (X, moved):
        assert ways_across(Density.of(rows, n_neighbors=5), sides) == slow_ways(X, 5, sides)


def test_a_curve_breaks_in_one_place_and_two_strands_lie_along_each_other():
    place = np.arange(200.0)
    line, halves = np.stack([place, 0 * place], axis=1), np.repeat([0, -1], 100)
    angle = 2 * np.pi * place / 200
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    strands = np.append(line, line + [0, 4], axis=0)
    assert ways_across(Density.of(line), halves) == pytest.approx(1, abs=0.1)
    assert ways_across(Density.of(ring), halves) == pytest.approx(2, abs=0.2)
    assert ways_across(Density.of(strands, n_neighbors=16), np.repeat([0, -1], 200)) == 200 / 16
    assert ways_across(Density.of(strands * [1, 9]), np.repeat([0, -1], 200)) == 0


def test_a_long_region_needs_deeper_valleys_than_a_round_one():
    X = np.random.default_rng(0).normal(size=(600, 3))
    sides = np.where(X[:, 0] > 0, 0, -1)
    long, round_ = ways_across(Density.of(X * [12, 1, 1]), sides), ways_across(Density.of(X), sides)
    assert long < 5 < 8 < round_


def test_the_end_of_a_curve_at_the_side_of_another_did_not_break():
    place = np.arange(100.0)
    line = np.stack([place, 0 * place], axis=1)
    meets = np.append(line, np.stack([0 * place + 50, place + 3], axis=1), axis=0)
    follows = np.append(line, line + [102, 0], axis=0)
    sides = np.repeat([0, -1], 100)
    end_to_side, end_to_end = (ways_across(Density.of(rows, n_neighbors=12), sides) for rows in (meets, follows))
    assert end_to_side >= 1.5 * end_to_end


def test_the_dimension_of_a_thick_ring_is_that_of_a_curve():
    t = np.linspace(0, 2 * np.pi, 500)
    ring = np.stack([np.cos(t), np.sin(t)], axis=1) + 0.02 * np.random.default_rng(0).normal(size=(500, 2))
    assert scaling_dimension(ring, 150) < 1.3
    assert scaling_dimension(np.random.default_rng(0).normal(size=(500, 6)), 150) > 3
    assert scaling_dimension(np.zeros((50, 2)), 20) == 9


def coil(rng, n, turns=4):
    angle = 2 * np.pi * turns * rng.random(n)
    return np.stack([np.cos(angle), np.sin(angle), angle / 4], axis=1) + rng.normal(0, 0.08, (n, 3))


def test_a_coil_is_one_group():
    rng = np.random.default_rng(0)
    verdicts = [found(coil(rng, 600)).verdict for _ in range(8)]
    assert "clusters" not in verdicts


def test_rings_in_each_other_are_clusters_though_neighbors_lead_across():
    rng = np.random.default_rng(1)
    angle, y = 2 * np.pi * rng.random(700), np.repeat([0, 1], [250, 450])
    X = (1 + 0.75 * y[:, None]) * np.stack([np.cos(angle), np.sin(angle)], axis=1) + rng.normal(0, 0.12, (700, 2))
    step = valleys_around(Density.of(X), y)
    assert np.nanmin(step.depth) < 5
    assert step.weakest > 1


def test_long_groups_are_one_group():
    rng = np.random.default_rng(5)
    verdicts = [found(rng.normal(size=(900, 5)) * [15, 1, 1, 1, 1]).verdict for _ in range(6)]
    assert "clusters" not in verdicts


def test_the_direction_comes_from_other_rows_than_the_test():
    X = np.random.default_rng(0).normal(size=(120, 40))  # any split of it looks like two groups in its own rows
    values = [least_p_value(X, linkage(X, "ward"), np.random.default_rng(seed)) for seed in range(10)]
    assert np.mean(np.array(values) <= 0.1) <= 0.2
    X[:60, 0] += 12
    assert least_p_value(X, linkage(X, "ward"), np.random.default_rng(0)) <= 0.01
    for seed in range(5):  # any two sides are apart in the rows that their direction comes from
        rng = np.random.default_rng(seed)
        X, one, seen = rng.normal(size=(200, 300)), np.arange(200) < 100, rng.permutation(200) < 100
        assert dip_p_value(X[seen] @ _direction(X[one & seen], X[~one & seen])) <= 0.01
        assert _p_value(X, one, ~one, seen) > 0.05


def test_the_dip_is_a_median_over_halves():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    X[:200, 0] += 3
    tree = linkage(X, "ward")
    halves = np.random.default_rng(4)
    ways = [way for half in [halves.permutation(400) < 200 for _ in range(5)] for way in (half, ~half)]
    slowly = [np.median([_p_value(X, one, other, way) for way in ways]) for one, other in _sides(tree)]
    assert least_p_value(X, tree, np.random.default_rng(4)) == min(slowly)
    assert least_p_value(X[:6], linkage(X[:6], "ward"), np.random.default_rng(0)) == 1


def test_wide_tables_are_divided_less_often(monkeypatch):
    calls = []
    monkeypatch.setattr(_shadows, "_p_value", lambda *arguments: calls.append(1) or 0.5)
    for n, d, ways in ((200, 3, 10), (200, 3000, 4), (200, 9000, 2)):
        calls.clear()
        X = np.random.default_rng(0).normal(size=(n, 1)) * np.ones((1, d))
        tree = linkage(X[:, :1], "ward")
        assert least_p_value(X, tree, np.random.default_rng(0)) == 0.5
        assert len(calls) == ways * len(list(_sides(tree)))


# -- the verdict -----------------------------------------------------------------------------------------------------


def one_group(kind, rng, n=300):
    return {
        "normal": lambda: rng.normal(size=(n, 2)),
        "wide": lambda: rng.normal(size=(n, 20)),
        "uniform": lambda: rng.random((n, 3)),
        "heavy": lambda: rng.standard_t(3, (n, 3)),
        "skewed": lambda: rng.exponential(size=(n, 4)),
        "counts": lambda: rng.poisson(2.0, (n, 3)).astype(float),
        "grades": lambda: rng.integers(0, 2, (n, 4)).astype(float),
    }[kind]()


@pytest.mark.parametrize("kind", ["normal", "wide", "uniform", "heavy", "skewed", "counts", "grades"])
def test_one_group_is_not_called_clusters(kind):
    rng = np.random.default_rng(7)
    verdicts = [found(one_group(kind, rng)).verdict for _ in range(4)]
    assert "clusters" not in verdicts
    assert verdicts.count("none") >= 3


def test_clusters_are_seen_by_each_witness_alone():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(400, 2))
    valley = found(np.append(flat, flat + [6, 0], axis=0))
    assert valley.verdict == "clusters"
    assert valley.witnesses.saddle >= 1
    assert np.isnan(valley.witnesses.dip)
    X = rng.normal(size=(300, 5))
    X[:150, 0] += 4
    dip = find_structure(X, linkage(X, "ward"))
    assert dip.verdict == "clusters"
    assert dip.witnesses.dip <= 0.05
    gap = found(flat, lifetimes=[0.1, np.log(20)], stability=[0.5, 0.99])
    assert gap.verdict == "clusters"
    assert gap.witnesses.gap == pytest.approx(20)


def test_valleys_between_other_partitions_count():
    flat = np.random.default_rng(0).normal(size=(400, 2))
    plain = found(flat)
    for valley, verdict in (
        (-1.0, "none"),
        (0.64, "none"),
        (0.65, "undecided"),
        (0.89, "undecided"),
        (0.9, "clusters"),
        (np.inf, "clusters"),
    ):
        structure = found(flat, valley=valley)
        assert structure.verdict == verdict
        assert structure.witnesses.saddle == max(valley / 0.9, plain.witnesses.saddle)
        assert [level.n_clusters for level in structure.levels] == [level.n_clusters for level in plain.levels]


def test_hints_are_undecided():
    flat = np.random.default_rng(0).normal(size=(400, 2))
    assert found(flat).verdict == "none"
    assert found(flat, lifetimes=[1.5], stability=[0.99]).verdict == "undecided"
    assert found(flat, lifetimes=[5.0], stability=[0.9]).verdict == "none"
    assert found(flat, lifetimes=[5.0], stability=[np.nan]).verdict == "none"


def test_levels_are_nested_and_numbered_from_the_largest():
    rng = np.random.default_rng(2)
    X = np.concatenate(
        [rng.normal(size=(m, 2)) + place for m, place in ((400, [0, 0]), (200, [4.5, 0]), (100, [0, 9]))]
    )
    structure = found(X)
    assert [level.n_clusters for level in structure.levels] == [2, 3]
    coarse, fine = structure.levels
    assert np.bincount(fine.labels).tolist() == sorted(np.bincount(fine.labels), reverse=True)
    assert np.bincount(fine.labels) == pytest.approx([400, 200, 100], abs=30)
    for group in range(3):
        assert len(np.unique(coarse.labels[fine.labels == group])) == 1
    for level in structure.levels:
        assert len(level.separation) == level.n_clusters
        assert np.isnan(level.separation).sum() == 1
        assert np.nanmin(level.separation) >= 0.75


def test_few_or_equal_rows():
    assert found(np.arange(15.0)[:, None]).verdict == "undecided"
    assert "too few" in found(np.arange(15.0)[:, None]).sentence
    assert found(np.ones((40, 3))).verdict == "none"
    doubled = np.repeat(np.random.default_rng(0).normal(size=(10, 2)), 30, axis=0)
    assert found(doubled).verdict in ("clusters", "undecided", "none")
    assert found(np.random.default_rng(0).normal(size=(16, 2))).verdict in ("undecided", "none")


def test_same_seed_same_structure():
    X = np.random.default_rng(0).poisson(3.0, (200, 6)).astype(float)
    one, other = found(X, random_state=4), found(X, random_state=4, n_jobs=2)
    np.testing.assert_array_equal(one.witnesses, other.witnesses)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": [[np.nan, 1], [2, 3]]}, "NaN"),
        ({"tree": np.zeros((5, 4))}, "dendrogram of shape"),
        ({"tree": np.full((39, 4), 99.0)}, "tree"),
        ({"tree": np.full((39, 4), -1.0)}, "tree"),
        ({"lifetimes": [1, 2], "stability": [1]}, "one each"),
        ({"valley": np.nan}, "valley"),
        ({"valley": "deep"}, "valley"),
    ],
)
def test_bad_input(change, words):
    X = np.random.default_rng(0).normal(size=(40, 2))
    arguments = {"X": X, "tree": linkage(X, "average")} | change
    with pytest.raises(ValueError, match=words):
        find_structure(**arguments)


@pytest.mark.parametrize("verdict", ["clusters", "undecided", "none"])
def test_the_sentence_says_what_was_seen(verdict):
    flat = np.random.default_rng(0).normal(size=(400, 2))
    gaps = {"clusters": [3.0], "undecided": [1.5], "none": None}[verdict]
    structure = found(flat, lifetimes=gaps, stability=None if gaps is None else [1.0])
    assert structure.verdict == verdict
    begins = {"clusters": "There are", "undecided": "It is not decided", "none": "One group, no evidence of clusters"}
    assert structure.sentence.startswith(begins[verdict])
    assert structure.sentence.endswith(".")


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("unit", [1e-307, 1e-150, 1e200])
def test_the_unit_does_not_matter(unit):
    X = np.random.default_rng(0).integers(1, 5, (40, 1)).astype(float)
    tree = linkage(X, "average")
    np.testing.assert_allclose(find_structure(X * unit, tree).witnesses, find_structure(X, tree).witnesses, rtol=1e-6)

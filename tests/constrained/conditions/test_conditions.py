"""Conditions on clusters: what they mean, by the definition; what they reduce to; and what cannot hold."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus.constrained import Aggregate, AtLeast, Distinct, EntropyDiversity, RecursiveDiversity, satisfied
from pluribus.constrained.conditions._admissible import deal, refine, repair
from pluribus.constrained.conditions._requirements import Requirements
from pluribus.constraints import InfeasibleError

COMPARE = {
    "<": np.less,
    "<=": np.less_equal,
    "!=": np.not_equal,
    "==": np.equal,
    ">=": np.greater_equal,
    ">": np.greater,
}
FUNCTION = {"count": len, "min": min, "max": max, "sum": sum, "avg": np.mean}


def complies(condition, rows):
    """The definition, for the rows of one cluster."""
    if isinstance(condition, AtLeast):
        return len(rows) >= condition.n
    if isinstance(condition, Aggregate):
        value = FUNCTION[condition.function](rows["a"].tolist())
        return bool(COMPARE[condition.comparison](value, condition.value))
    counts = np.sort(rows["s"].value_counts().to_numpy())[::-1]
    if isinstance(condition, Distinct):
        return len(counts) >= condition.l
    if isinstance(condition, EntropyDiversity):
        shares = counts / counts.sum()
        return -(shares * np.log(shares)).sum() >= np.log(condition.l) - 1e-9
    return counts[0] < condition.m * counts[condition.l - 1 :].sum()


def by_definition(condition, table, labels, c):
    groups = [table[np.asarray(labels) == h] for h in range(c)]
    return all(len(rows) and complies(condition, rows) for rows in groups)


conditions = st.one_of(
    st.builds(AtLeast, st.integers(0, 3)),
    st.builds(
        Aggregate,
        st.sampled_from(["min", "max", "sum", "avg"]),
        st.just("a"),
        st.sampled_from(list(COMPARE)),
        st.integers(-2, 3),
    ),
    st.builds(Aggregate, st.just("count"), st.none(), st.sampled_from(list(COMPARE)), st.integers(0, 4)),
    st.builds(Distinct, st.just("s"), st.integers(1, 3)),
    st.builds(EntropyDiversity, st.just("s"), st.sampled_from([1, 1.5, 2])),
    st.builds(RecursiveDiversity, st.just("s"), st.sampled_from([0.5, 1, 2]), st.integers(1, 3)),
)


@st.composite
def tables(draw, n_max=8):
    n = draw(st.integers(2, n_max))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    return pd.DataFrame({"a": rng.integers(-2, 4, n), "s": rng.choice(list("xyz"), n)}), rng


@given(conditions, tables(), st.integers(1, 3))
def test_what_holds_is_what_the_definition_says(condition, drawn, c):
    table, rng = drawn
    labels = rng.integers(0, c, len(table))
    try:
        needed = Requirements.of([condition], len(table), table)
    except InfeasibleError:  # a universal condition that some rows break
        assert not by_definition(condition, table, labels, c)
        return
    assert needed.satisfied(labels, c) == by_definition(condition, table, labels, c)
    if len(np.unique(labels)) == c:
        slack = needed.slack(labels, c)[:, 0]
        strict = isinstance(condition, RecursiveDiversity) or (
            isinstance(condition, Aggregate)
            and condition.comparison == "!="
            and condition.function in ("sum", "avg", "count")
        )
        assert (slack.min() > 1e-9 if strict else slack.min() >= -1e-9) == by_definition(condition, table, labels, c)


@given(st.lists(conditions, min_size=1, max_size=2), tables(n_max=6), st.integers(1, 3))
def test_nothing_feasible_is_refused_and_repair_keeps_its_word(given_conditions, drawn, c):
    table, rng = drawn
    n = len(table)
    each = itertools.product(range(c), repeat=n)
    feasible = any(all(by_definition(q, table, labels, c) for q in given_conditions) for labels in each)
    try:
        needed = Requirements.of(given_conditions, n, table)
        needed.ensure_feasible(c)
    except InfeasibleError:
        assert not feasible
        return
    assert not feasible or needed.most_clusters() >= c
    found = repair(rng.normal(size=(n, 2)), rng.integers(0, c, n), c, needed)
    if found is not None:
        assert all(by_definition(q, table, found, c) for q in given_conditions)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(1, 4))
def test_the_most_clusters_of_distinct_values_are_exact_and_dealt(counts, l):  # noqa: E741
    values = np.repeat(np.arange(len(counts)), counts)
    needed = Requirements.of([Distinct("s", l)], len(values), {"s": values})
    most = needed.most_clusters()
    possible = [c for c in range(1, len(values) + 1) if np.minimum(counts, c).sum() >= l * c]
    assert most == max(possible, default=0)
    for c in possible:
        X = np.random.default_rng(0).normal(size=(len(values), 2))
        assert needed.satisfied(deal(X, c, needed), c)


def test_values_of_the_literature():
    told = {"s": list("aaab")}
    assert not satisfied([EntropyDiversity("s", 2)], [0] * 4, told)
    needed = Requirements.of([EntropyDiversity("s", 1)], 4, told)
    assert needed.slack(np.zeros(4, int), 1)[0, 0] + 1 == pytest.approx(1.7548, abs=1e-4)
    assert np.log(1.7548) == pytest.approx(0.562335, abs=1e-4)
    assert satisfied([EntropyDiversity("s", 2)], [0] * 4, {"s": list("aabb")})
    assert satisfied([RecursiveDiversity("s", 2, 2)], [0] * 8, {"s": list("aaaabbcd")})
    assert not satisfied([RecursiveDiversity("s", 1, 2)], [0] * 8, {"s": list("aaaabbcd")})
    assert Requirements.of([Distinct("s", 2)], 6, {"s": list("aaaabb")}).most_clusters() == 2


@given(conditions, tables(n_max=30), st.integers(1, 4))
def test_refining_keeps_the_conditions_and_lowers_the_dispersion(condition, drawn, c):
    table, rng = drawn
    labels = rng.integers(0, c, len(table))
    X = rng.normal(size=(len(table), 2))
    try:
        needed = Requirements.of([condition], len(table), table)
    except InfeasibleError:
        return
    if not needed.satisfied(labels, c):
        return
    found = refine(X, labels, c, needed)
    assert by_definition(condition, table, found.labels, c)
    assert (np.diff(found.path) < 0).all()
    means = np.array([X[found.labels == h].mean(axis=0) for h in range(c)])
    assert found.path[-1] == pytest.approx(((X - means[found.labels]) ** 2).sum())


@pytest.mark.parametrize(
    "where",
    [
        [True, True, False, False],
        np.array([1, 1, 0, 0]),
        "old",
        ("age", ">", 40),
        lambda table: table["age"] > 40,
    ],
)
@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame, lambda t: pd.DataFrame(t).to_records(index=False)])
def test_ways_to_say_which_rows_count(where, kind):
    table = kind({"age": [50, 60, 20, 30], "old": [True, True, False, False]})
    assert satisfied([AtLeast(1, where)], [0, 1, 0, 1], table)
    assert not satisfied([AtLeast(1, where)], ["a", "a", "b", "b"], table)
    assert satisfied(Aggregate("count", where, "<=", 1), [0, 1, 0, 1], table)


def test_sums_of_fractions_meet_their_bound():
    tenths = {"a": [0.1] * 10}
    assert satisfied([Aggregate("sum", "a", ">=", 1)], [0] * 10, tenths)  # 0.1 added ten times is less than 1
    assert satisfied([Aggregate("sum", "a", "==", 1)], [0] * 10, tenths)
    assert Requirements.of([Aggregate("sum", "a", ">=", 1)], 10, tenths).slack(np.zeros(10, int), 1) == 0
    assert not satisfied([Aggregate("sum", "a", ">", 1)], [0] * 10, tenths)
    assert not satisfied([Aggregate("sum", "a", "!=", 1)], [0] * 10, tenths)


TABLE = {
    "a": [1.0, 2, 3, 4],
    "s": ["x", "x", "y", "y"],
    "gap": [1, None, 2, 3],
    "far": [1, 2, 3, np.inf],
    "vast": [1e308] * 4,
    "day": pd.date_range("2026-01-01", periods=4),
    "lists": [[1]] * 4,
}


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (AtLeast(1, "b"), "no attribute is called 'b'; there are a, s"),
        (AtLeast(1, "a"), "other than true and false"),
        (AtLeast(1, [True]), r"shape \(1,\), but there are 4 rows"),
        (Aggregate("sum", "s", ">=", 1), "'s' is not numeric"),
        (Aggregate("sum", "gap", ">=", 1), "'gap' has no value in 1 rows, such as row 1"),
        (Aggregate("sum", "far", ">=", 1), "infinite"),
        (Aggregate("min", "a", ">=", 2), r"1 rows do not comply \(rows 0\)"),
        (Aggregate("max", "a", "<", 2), r"3 rows do not comply \(rows 1, 2, 3\)"),
        (Aggregate("sum", "vast", ">=", 1), "too large to add"),
        (Aggregate("sum", "day", ">=", 1), "'day' is not numeric"),
        (Aggregate("sum", ["a"], ">=", 1), r"no attribute is called \['a'\]"),
        (AtLeast(1, ("s", ">", 1)), "'s' cannot be compared with 1"),
        (AtLeast(1, ("a", "=", 1)), r"shape \(3,\), but there are 4 rows: give true or false"),
        (AtLeast(1, [[1], [1, 2]]), "not given as an array of true and false"),
        (AtLeast(1, lambda table: None), r"shape \(\), but there are 4 rows"),
        (AtLeast(1, lambda table: np.full(4, np.nan)), "other than true and false"),
        (AtLeast(1, lambda table: (table["a"] > 2)[::-1]), "in another order"),
        (Distinct("lists", 1), "cannot be compared"),
        ("sum(a) >= 3", "is not a condition"),
    ],
)
def test_conditions_that_are_wrong(condition, message):
    with pytest.raises(ValueError, match=message):
        Requirements.of([condition], 4, TABLE)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AtLeast(-1), "whole number, 0 or more"),
        (lambda: AtLeast(2.5), "whole number, 0 or more"),
        (lambda: Aggregate("mean", "a", ">", 1), "no function is called 'mean'"),
        (lambda: Aggregate("avg", "a", "=", 1), "'=' is not a comparison"),
        (lambda: Aggregate("avg", "a", [">"], 1), "is not a comparison"),
        (lambda: Aggregate("avg", "a", ">", np.nan), "not a finite number"),
        (lambda: Distinct("s", 0), "whole number, 1 or more"),
        (lambda: EntropyDiversity("s", 0.5), "number, 1 or more"),
        (lambda: RecursiveDiversity("s", 0, 2), "number above 0"),
    ],
)
def test_parameters_that_are_wrong(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("condition", "c", "message"),
    [
        (AtLeast(2), 3, "needs 6 rows, but there are 4: use at most 2 clusters"),
        (Aggregate("count", None, "<", 2), 2, "leaves room for 2 rows, but there are 4"),
        (Aggregate("sum", "a", ">=", 6), 2, "needs 12 in total, but there are 10: use at most 1"),
        (Aggregate("avg", "a", ">", 2.5), 2, "of all rows it is 2.5"),
        (Aggregate("min", "a", "!=", 1), 2, "of all rows it is just that"),
        (Aggregate("sum", "a", "<=", 3.5), 4, "row 3 alone has 4"),
        (Aggregate("sum", "a", "==", 2.5), 4, "are whole numbers"),
        (Distinct("s", 2), 3, "needs 6 different values in total, but there are 4"),
        (Distinct("s", 3), 1, "relax"),
        (EntropyDiversity("s", 2.1), 1, "of all rows is 2"),
        (RecursiveDiversity("s", 1, 2), 1, r"\(2, 2\) break it"),
    ],
)
def test_what_cannot_hold(condition, c, message):
    with pytest.raises(InfeasibleError, match=message):
        Requirements.of([condition], 4, TABLE).ensure_feasible(c)
    assert Requirements.of([AtLeast(2)], 4).most_clusters() == 2


def test_attributes_that_do_not_fit():
    with pytest.raises(ValueError, match="2 rows, but there are 4"):
        Requirements.of([Distinct("s", 2)], 4, {"s": [1, 2]})
    with pytest.raises(ValueError, match="2 rows, but there are 4"):
        Requirements.of([AtLeast(1)], 4, {"s": [1, 2]})  # though no condition speaks of it
    with pytest.raises(ValueError, match="a str that is not a table"):
        Requirements.of([Distinct("s", 2)], 4, "s")
    with pytest.raises(ValueError, match="2 attributes are called 's'"):
        Requirements.of([Distinct("s", 2)], 2, pd.DataFrame([[1, 2], [1, 2]], columns=["s", "s"]))
    with pytest.raises(ValueError, match="40000 different values in 30000 clusters"):
        Requirements.of([Distinct("s", 1)], 40_000, {"s": np.arange(40_000)}).shortfalls(np.zeros(40_000, int), 30_000)
    with pytest.raises(ValueError, match="use fit"):
        Requirements.of([Distinct("s", 2)], 4)


@pytest.mark.parametrize(
    ("labels", "message"),
    [([0, -1], "no cluster for 1 rows"), ([0, np.nan], "no cluster for 1 rows"), ([], "shape"), ([[0, 1]], "shape")],
)
def test_labels_that_are_none(labels, message):
    with pytest.raises(ValueError, match=message):
        satisfied([AtLeast(1)], labels)
    with pytest.raises(ValueError, match="conditions=None"):
        satisfied(None, [0, 1])


def test_many_clusters_are_repaired_with_nearby_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    labels = ((X[:, :1] - rng.normal(size=400)) ** 2).argmin(axis=1)
    needed = Requirements.of([AtLeast(6), Distinct("s", 2)], 4000, {"s": rng.integers(0, 3, 4000)})
    assert (needed.shortfalls(labels, 400) > 0).sum() > 50
    found = repair(X, labels, 400, needed)
    assert needed.satisfied(found, 400)
    assert (found == labels).mean() > 0.6

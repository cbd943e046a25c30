"""CDK-means: the table of the source, all its starts, a slow oracle, constraints and bad input."""

import warnings
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from pluribus import Constraints
from pluribus.constrained import ConstrainedCoClustering, CoverageWarning, NoFeasibleAssignmentError, concepts
from pluribus.constrained.coclusters._pattern_means import PatternMeans
from pluribus.constraints import ConstraintError, ContradictionError, InfeasibleError
from tests.constrained.coclusters.shared import CONCEPTS, SOURCE, cdk_means, distance, sets_of

ROWS, COLUMNS = [0, 1, 0, 0, 1, 1, 1], [0, 1, 0, 0, 1]  # the co-clustering of the source
pytestmark = pytest.mark.filterwarnings("ignore::pluribus.constrained.CoverageWarning")


def made(k=2, **options):
    return ConstrainedCoClustering(k, **({"random_state": 0, "verbose": False} | options))


def source_patterns():
    """The concepts in the order of the source: by extent."""
    found = concepts(SOURCE)
    return found[sorted(range(6), key=lambda b: sorted(sets_of(found)[b][0]))]


def run(first, patterns=None, held=None, apart=None, weights=None):
    patterns = source_patterns() if patterns is None else patterns
    weights = np.ones(len(patterns)) if weights is None else weights
    return PatternMeans(patterns, weights, held, apart).run(np.array(first), 100, leave_out=True)


def labels_of(found, patterns):
    return tuple(found.kinds.argmax(axis=0)[patterns.kind_of].tolist()), tuple(found.columns.argmax(axis=0).tolist())


def two_names(labels):
    """The labels of rows and columns with the cluster of the first row called 0."""
    rows, columns = labels
    swap = rows[0] == 1
    return tuple(abs(x - swap) for x in rows), tuple(abs(x - swap) for x in columns)


def table(seed=0, shape=(14, 8), density=0.45):
    return (np.random.default_rng(seed).random(shape) < density).astype(int)


class TestTheTableOfTheSource:
    def test_the_order_of_its_patterns(self):
        assert sets_of(source_patterns(), start=1) == CONCEPTS

    def test_the_first_distances(self):
        patterns = source_patterns()
        means = PatternMeans(patterns, np.ones(6), None, None)
        found = means.distances(patterns.kinds[[0, 4]].toarray(), patterns.columns[[0, 4]].toarray())
        known = [(0, 1), (0.2, 1), (0.35, 0.8571), (1, 0.2381), (1, 0), (0.8333, 0.55)]
        assert found == pytest.approx(np.array(known), abs=1e-4)

    def test_a_start(self):
        found, kind_of = run([0, 4]), source_patterns().kind_of
        assert found.labels.tolist() == [0, 0, 0, 1, 1, 1]
        assert found.objective == pytest.approx([1.338095, 0.900825], abs=1e-6)
        third = 1 / 3
        assert found.kinds[:, kind_of] == pytest.approx(
            np.array([[1, 0, 1, third, third, 0, 0], [0, 2 * third, 0, 0, 1, 2 * third, third]])
        )
        assert found.columns == pytest.approx(
            np.array([[2 * third, 0, 2 * third, 2 * third, 0], [third, 2 * third, 0, 0, 1]])
        )
        assert labels_of(found, source_patterns()) == (tuple(ROWS), tuple(COLUMNS))

    def test_all_fifteen_starts(self):
        patterns = source_patterns()
        found = Counter(two_names(labels_of(run(pair), patterns)) for pair in combinations(range(6), 2))
        assert found == {
            (tuple(ROWS), tuple(COLUMNS)): 12,
            (tuple(ROWS), (1, 1, 0, 0, 1)): 1,
            ((0, 1, 0, 1, 1, 1, 1), (0, 1, 1, 1, 1)): 2,
        }

    def test_the_fitted_model(self):
        model = made().fit(SOURCE)
        assert model.row_labels_.tolist() == [1 - x for x in ROWS]  # numbered from the largest
        assert model.column_labels_.tolist() == [1 - x for x in COLUMNS]
        assert model.labels_ is model.row_labels_
        assert model.tau_ == pytest.approx(7 / 9)
        assert model.mutual_information_ == pytest.approx(0.496929, abs=1e-6)
        assert model.n_clusters_ == 2
        assert model.row_jumps_ == 2
        assert model.column_jumps_ == 2
        assert model.n_comparisons_ == 6 * model.n_iter_
        assert len(model.objective_) == model.n_iter_
        assert model.kept_patterns_.tolist() == list(range(6))
        assert model.violations_.count == 0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_a_start_is_as_the_slow_one(seed, k):
    patterns = concepts(table(seed, (9, 6)))
    assume(len(patterns) >= k)
    rng = np.random.default_rng(seed)
    first = rng.choice(len(patterns), k, replace=False)
    slow = cdk_means(patterns.rows.toarray(), patterns.columns.toarray(), first)
    found = run(first, patterns)
    assert found.labels.tolist() == slow[0].tolist()
    assert found.kinds[:, patterns.kind_of] == pytest.approx(slow[1])
    assert found.columns == pytest.approx(slow[2])
    assert found.objective == pytest.approx(slow[3])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 3))
def test_cannot_links_are_as_in_the_slow_one(seed, k):
    """Patterns one after another, each to the nearest cluster that holds nothing it must be apart from."""
    rng = np.random.default_rng(seed)
    X = table(seed, (9, 6))
    pairs = [(i, j) for i, j in rng.integers(0, 15, (4, 2)).tolist() if i != j]
    patterns = concepts(X)
    elements = [rows | {9 + c for c in columns} for rows, columns in sets_of(patterns)]
    kept = [b for b, members in enumerate(elements) if not any({i, j} <= members for i, j in pairs)]
    assume(len(kept) >= k)
    patterns = patterns[kept]
    first = rng.choice(len(patterns), k, replace=False)
    names = sorted({x for pair in pairs for x in pair})
    members = np.hstack([patterns.rows.toarray(), patterns.columns.toarray()])
    graph = np.zeros((len(names), len(names)))
    for i, j in pairs:
        graph[names.index(i), names.index(j)] = graph[names.index(j), names.index(i)] = 1
    found = run(first, patterns, sparse.csr_array(members[:, names]), sparse.csr_array(graph))
    slow = cdk_means(patterns.rows.toarray(), patterns.columns.toarray(), first, pairs)
    assert found.labels.tolist() == slow[0].tolist()
    assert found.columns == pytest.approx(slow[2])


def test_equal_supports_have_distance_0():
    assert distance([1, 1], [0.5, 0.5]) == 0
    patterns = concepts([[1, 0], [0, 1]])
    means = PatternMeans(patterns, np.ones(2), None, None)
    assert means.distances(np.array([[0.5, 0.0]]), np.array([[0.25, 0.0]]))[:, 0].tolist() == [0, 1]


def test_distances_are_between_0_and_1():
    patterns = concepts(table(3))
    rng = np.random.default_rng(0)
    kinds = rng.random((4, patterns.n_kinds)) * (rng.random((4, patterns.n_kinds)) < 0.5)
    found = PatternMeans(patterns, np.ones(len(patterns)), None, None).distances(kinds, rng.random((4, 8)))
    assert found.min() >= 0
    assert found.max() <= 1


def test_the_objective_may_rise_and_the_search_still_ends():
    rises = 0
    for seed in range(40):
        model = made(3, n_init=1, random_state=seed).fit(table(seed, (30, 10), 0.4))
        rises += bool((np.diff(model.objective_) > 1e-9).any())
        assert model.n_iter_ < 100
    assert rises


def test_doubling_every_pattern_changes_nothing():
    patterns = concepts(table(4))
    both = patterns[np.repeat(np.arange(len(patterns)), 2)]
    first = np.array([0, 5, 9])
    once, twice = run(first, patterns), run(2 * first, both)
    assert once.columns == pytest.approx(twice.columns)
    assert np.repeat(once.labels, 2).tolist() == twice.labels.tolist()
    assert run(first, patterns, weights=np.full(len(patterns), 2.0)).columns == pytest.approx(once.columns)
    assert run(first, patterns, weights=np.full(len(patterns), 2.0)).objective == pytest.approx(twice.objective)


def test_permuted_rows_and_columns_permute_the_result():
    X, rng = table(5), np.random.default_rng(5)
    rows, columns = rng.permutation(14), rng.permutation(8)
    given_sets, moved = concepts(X), concepts(X[rows][:, columns])
    named = {(frozenset(rows[list(r)].tolist()), frozenset(columns[list(c)].tolist())): b
             for b, (r, c) in enumerate(sets_of(moved))}  # fmt: skip
    first = [1, 7, 12]
    there = [named[frozenset(r), frozenset(c)] for r, c in (sets_of(given_sets)[b] for b in first)]
    one, other = run(first, given_sets), run(there, moved)
    assert one.kinds[:, given_sets.kind_of][:, rows] == pytest.approx(other.kinds[:, moved.kind_of])
    assert one.columns[:, columns] == pytest.approx(other.columns)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from(["rows", "columns", "both"]))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_constraints_hold(seed, together, side):
    """Linked elements share a label, parted ones that are covered do not; patterns only become fewer."""
    X, rng = table(seed, (12, 9), 0.4), np.random.default_rng(seed)
    i, j = rng.choice({"rows": 12, "columns": 9, "both": 9}[side], 2, replace=False).tolist()
    kind = "must_link" if together else "cannot_link"
    if side == "both":
        options = {f"mixed_{kind}": [(i, j)]}
    else:
        name, n = {"rows": ("constraints", 12), "columns": ("column_constraints", 9)}[side]
        options = {name: Constraints(n, **{kind: [(i, j)]})}
    try:
        model = made(2, n_init=3).fit(X, **options)
    except ValueError as error:
        assume("patterns satisfy" not in str(error) and "no pattern that agrees" not in str(error))
        raise
    one = (model.column_labels_ if side == "columns" else model.row_labels_)[i]
    other = (model.row_labels_ if side == "rows" else model.column_labels_)[j]
    free = made(2, n_init=1).fit(X)
    assert {tuple(map(frozenset, p)) for p in sets_of(model.patterns_)} <= {
        tuple(map(frozenset, p)) for p in sets_of(free.patterns_)
    }
    for rows, columns in sets_of(model.patterns_):
        has = (i in (columns if side == "columns" else rows), j in (rows if side == "rows" else columns))
        assert has[0] == has[1] if together else not all(has)
    assert one == other if together else (one != other or one == -1)


def test_chains_of_links_over_rows_and_columns():
    """Row 1, row 4 and column 1 together, by a chain over both."""
    known = Constraints(7, must_link=[(1, 4)])
    model = made().fit(SOURCE, constraints=known, mixed_must_link=[(4, 1)])
    for rows, columns in sets_of(model.patterns_):
        assert (1 in rows) == (4 in rows) == (1 in columns)
    assert model.row_labels_[1] == model.row_labels_[4] == model.column_labels_[1]


def test_known_labels_and_groups_of_rows():
    known = Constraints(7, labels=["a", "b", None, None, None, "b", None], groups=[-1, -1, "g", -1, -1, -1, -1])
    model = made().fit(SOURCE, constraints=known)
    assert model.row_labels_[1] == model.row_labels_[5] != model.row_labels_[0]
    assert model.violations_.count == 0


def test_constraints_are_not_broken_by_equal_rows():
    """Rows 0 and 2 are equal: a link of one is a link of both."""
    model = made().fit(SOURCE, constraints=Constraints(7, must_link=[(0, 2)]))
    assert len(model.patterns_) == 6
    with pytest.raises(InfeasibleError, match="row 0 and row 2 must be apart, but no pattern"):
        made().fit(SOURCE, constraints=Constraints(7, cannot_link=[(0, 2)]))


def test_a_largest_gap_keeps_patterns_of_intervals():
    rng = np.random.default_rng(0)
    stage = np.repeat([0, 1, 2], 8)
    X = rng.random((24, 18)) < np.where(stage[:, None] == np.arange(18) // 6, 0.75, 0.25)
    order = rng.permutation(24)
    plain, bounded = made(3, min_rows=2).fit(X), made(3, min_rows=2, max_row_gap=2).fit(X)
    assert len(bounded.patterns_) < len(plain.patterns_)
    for rows, _ in sets_of(bounded.patterns_):
        assert max(np.diff(sorted(rows))) <= 3
    assert bounded.row_jumps_ <= plain.row_jumps_
    moved = made(3, min_rows=2, max_row_gap=2).fit(X[order], row_order=order)
    assert len(moved.patterns_) == len(bounded.patterns_)
    across = made(3, min_columns=2, max_column_gap=2).fit(X.T)
    assert len(across.patterns_) == len(bounded.patterns_)


@pytest.mark.parametrize("side", ["row", "column"])
@pytest.mark.parametrize("cyclic", [False, True])
def test_a_smallest_gap_keeps_members_apart(side, cyclic):
    X = table(6, (12, 12), 0.4)
    model = made(2, **{f"min_{side}_gap": 1, "cyclic": cyclic}).fit(X)
    every = sets_of(concepts(X))
    kept = sets_of(model.patterns_)

    def far(members):
        places = sorted(members)
        gaps = np.diff([*places, places[0] + 12] if cyclic and len(places) > 1 else places) - 1
        return len(places) < 2 or gaps.min() >= 1

    place = 0 if side == "row" else 1
    assert [p for p in every if far(p[place])] == kept


def test_of_starts_with_a_largest_gap_the_one_with_the_fewest_jumps_wins():
    X = table(7, (20, 10), 0.4)
    best = made(3, max_row_gap=6, n_init=10).fit(X)
    each = [made(3, max_row_gap=6, n_init=1, random_state=seed).fit(X).row_jumps_ for seed in range(5)]
    assert best.row_jumps_ <= np.mean(each)
    free = [made(3, n_init=n).fit(X).tau_ for n in (1, 10)]
    assert free[1] >= free[0]


def test_memberships():
    X = np.vstack([SOURCE, np.zeros(5, int)])
    model = made().fit(X)
    assert model.row_labels_[-1] == -1
    assert model.membership_[-1].tolist() == [0.5, 0.5]
    assert model.uncertainty_[-1] == 1
    assert model.membership_.sum(axis=1) == pytest.approx(1)
    assert model.column_membership_.sum(axis=1) == pytest.approx(1)
    covered = model.row_labels_ >= 0
    top = model.membership_.max(axis=1)
    assert (model.membership_[np.arange(8), model.row_labels_] == top)[covered].all()
    assert model.row_centroids_.shape == (2, 8)
    assert (model.membership_ * model.row_centroids_.sum(axis=0)[:, None]).T[:, :-1] == pytest.approx(
        model.row_centroids_[:, :-1]
    )
    assert model.pattern_labels_.shape == (6,)


def test_empty_rows_and_columns_are_not_covered():
    X = np.zeros((9, 7), int)
    X[:7, :5] = SOURCE
    with pytest.warns(CoverageWarning, match="2 rows and 2 columns are in no pattern"):
        model = made().fit(X)
    assert model.row_labels_[7:].tolist() == [-1, -1]
    assert model.column_labels_[5:].tolist() == [-1, -1]
    assert model.row_labels_[:7].tolist() == made().fit(SOURCE).row_labels_.tolist()


def test_equal_rows_and_columns_have_equal_labels():
    X = np.repeat(np.repeat(table(8, (6, 5)), 2, axis=0), 2, axis=1)
    model = made(3).fit(X)
    assert (model.row_labels_[::2] == model.row_labels_[1::2]).all()
    assert (model.column_labels_[::2] == model.column_labels_[1::2]).all()


def test_given_patterns_and_their_weights():
    found = concepts(SOURCE)
    rows, columns = found.rows, found.columns
    as_is = made().fit(SOURCE, patterns=found)
    assert as_is.row_labels_.tolist() == made().fit(SOURCE).row_labels_.tolist()
    pair = made().fit(SOURCE, patterns=(rows.toarray(), columns))
    assert pair.row_labels_.tolist() == as_is.row_labels_.tolist()
    assert pair.objective_ == pytest.approx(as_is.objective_)
    part = made().fit(SOURCE, patterns=(rows, columns), pattern_weight=[1, 1, 0, 1, 1, 1])
    assert part.kept_patterns_.tolist() == [0, 1, 3, 4, 5]
    heavy = made(n_init=1).fit(SOURCE, patterns=(rows, columns), pattern_weight=np.arange(1.0, 7))
    members = heavy.pattern_labels_ == 0
    weight = np.arange(1.0, 7) * members
    assert heavy.column_centroids_[0] == pytest.approx(weight @ columns.toarray() / weight.sum())


def test_the_same_for_any_number_of_jobs_and_form_of_table():
    X = table(9)
    models = [made(3, n_jobs=jobs).fit(form(X)) for jobs in (1, 2) for form in (np.asarray, sparse.csr_array)]
    frame = made(3).fit(pd.DataFrame(X, columns=list("abcdefgh")))
    assert frame.feature_names_in_.tolist() == list("abcdefgh")
    for model in [*models, frame, made(3).fit(X.astype(bool)), made(3).fit(X.astype(np.float32))]:
        assert model.row_labels_.tolist() == models[0].row_labels_.tolist()
        assert model.column_labels_.tolist() == models[0].column_labels_.tolist()
    assert made(3).fit_predict(X).tolist() == models[0].labels_.tolist()
    assert clone(models[0]).get_params() == models[0].get_params()


def nowhere():
    """Row 1 in one cluster and row 3 in the other leave none for the pattern with rows 0 and 2."""
    patterns = np.array([[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0]]), np.eye(3, dtype=int)
    return dict(X=np.ones((4, 3)), constraints=Constraints(4, cannot_link=[(0, 1), (2, 3)]), patterns=patterns)


def test_patterns_that_fit_nowhere():
    outcomes = set()
    for seed in range(10):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = made(2, n_init=1, random_state=seed).fit(**nowhere())
        said = any("1 patterns fit into no cluster" in str(warning.message) for warning in caught)
        assert said == (model.pattern_labels_ == -1).any()
        assert model.violations_.count == 0
        strict = made(2, n_init=1, random_state=seed, on_infeasible="raise")
        outcomes.add(said)
        if said:
            assert model.pattern_labels_.tolist()[2] == -1
            assert model.row_labels_.tolist() == [-1, 0, -1, 1]
            with pytest.raises(NoFeasibleAssignmentError, match="on_infeasible='drop'"):
                strict.fit(**nowhere())
        else:
            assert (strict.fit(**nowhere()).pattern_labels_ >= 0).all()
    assert outcomes == {True, False}
    assert (made(2, on_infeasible="raise").fit(**nowhere()).pattern_labels_ >= 0).all()  # of ten starts


def test_empty_clusters_are_reported():
    X = np.kron(np.eye(2, dtype=int), np.ones((3, 3), int))
    X[0, 3] = 1  # patterns that only add to the same two groups
    with pytest.warns(ConvergenceWarning, match="clusters have objects"):
        made(3).fit(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((4, 3), int), "Only 1 of 1 patterns satisfy the constraints, and n_clusters=2"),
        (np.zeros((4, 3), int), "Only 0 of 0 patterns"),
        ([[0, 2], [1, 1]], "X has the value 2, but only 0 and 1"),
        ([[0.0, np.nan], [1, 1]], "NaN"),
        (np.empty((0, 3)), "0 sample"),
        ([["a"], ["b"]], "convert|dtype"),
        ([[1]], "Only 1 of 1"),
    ],
)
def test_tables_that_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        made().fit(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(n_clusters=1), "n_clusters"),
        (dict(n_clusters=True), "n_clusters"),
        (dict(n_clusters=7), "Only 6 of 6 patterns"),
        (dict(min_rows=0), "min_rows"),
        (dict(max_row_gap=-1), "max_row_gap"),
        (dict(min_column_gap=1.5), "min_column_gap"),
        (dict(max_column_gap=0, min_column_gap=1), "max_column_gap=0 is less than min_column_gap=1"),
        (dict(cyclic="yes"), "cyclic"),
        (dict(on_infeasible="ignore"), "on_infeasible"),
        (dict(max_patterns=3), "more than max_patterns=3 concepts"),
        (dict(min_rows=5), "Only 0 of 0"),
    ],
)
def test_parameters_that_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        made(**({"k": options.pop("n_clusters")} if "n_clusters" in options else {}), **options).fit(SOURCE)


@pytest.mark.parametrize(
    ("given_options", "error", "message"),
    [
        (dict(constraints=Constraints(5)), ConstraintError, "about 5 objects, but there are 7"),
        (dict(column_constraints=Constraints(7)), ConstraintError, "column_constraints: .*about 7 objects"),
        (dict(constraints=[(0, 1)]), ConstraintError, "must be None or a pluribus.Constraints"),
        (dict(constraints=Constraints(7, must_link=[(0, 1)], must_weight=[2])), ConstraintError, "finite weight"),
        (dict(mixed_must_link=[(0, 1, 2)]), ConstraintError, r"give pairs \(row, column\)"),
        (dict(mixed_must_link=[(0, 5)]), ConstraintError, "columns from 0 to 4"),
        (dict(mixed_cannot_link=[(7, 0)]), ConstraintError, "rows go from 0 to 6"),
        (dict(mixed_cannot_link=[(-1, 0)]), ConstraintError, "rows go from 0 to 6"),
        (dict(mixed_cannot_link=[(0.5, 0)]), ConstraintError, r"give pairs \(row, column\)"),
        (dict(mixed_cannot_link=5), ConstraintError, "mixed_cannot_link"),
        (dict(mixed_must_link=[(0, 1)], mixed_cannot_link=[(0, 1)]), ContradictionError, "row 0 and column 1"),
        (
            dict(constraints=Constraints(7, must_link=[(0, 1)]), mixed_must_link=[(1, 2)], mixed_cannot_link=[(0, 2)]),
            ContradictionError,
            "row 0 and column 2 must be apart",
        ),
        (
            dict(constraints=Constraints(7, cannot_link=[(0, 1), (1, 3), (0, 3)])),
            InfeasibleError,
            r"do not fit into n_clusters=2 \(row",
        ),
        (dict(row_order=[1, 2]), ValueError, "row_order has the shape"),
        (dict(column_order=list("abcde")), ValueError, "column_order"),
        (dict(patterns=5), ValueError, "patterns is of type int"),
        (dict(patterns=(np.ones((2, 7)), np.ones((3, 5)))), ValueError, "patterns have the shapes"),
        (dict(patterns=(np.ones((2, 7)), np.zeros((2, 5)))), ValueError, "pattern 0 has no rows or no columns"),
        (dict(patterns=(np.full((2, 7), 3), np.ones((2, 5)))), ValueError, r"patterns\[0\] has the value 3"),
        (dict(patterns=concepts(np.eye(3, dtype=int))), ValueError, r"patterns are of a table with shape \(3, 3\)"),
        (dict(pattern_weight=np.ones(6)), ValueError, "give patterns too"),
        (dict(patterns=concepts(SOURCE), pattern_weight=np.ones(5)), ValueError, "for each of the 6 patterns"),
        (dict(patterns=concepts(SOURCE), pattern_weight=-np.ones(6)), ValueError, "0 or more"),
        (dict(patterns=concepts(SOURCE), pattern_weight=np.full(6, np.nan)), ValueError, "0 or more"),
        (dict(patterns=concepts(SOURCE), pattern_weight=np.full(6, 1e308)), ValueError, "scale them"),
    ],
)
def test_knowledge_that_is_refused(given_options, error, message):
    with pytest.raises(error, match=message):
        made().fit(SOURCE, **given_options)


def test_an_empty_cluster_of_patterns_stays_where_it_was():
    patterns = source_patterns()
    before = patterns.kinds[[0, 4]].toarray(), patterns.columns[[0, 4]].toarray()
    after = PatternMeans(patterns, np.ones(6), None, None).means(np.zeros(6, dtype=int), before)
    for old, new in zip(before, after, strict=True):
        assert new[1].tolist() == old[1].tolist()
        assert new[0].tolist() != old[0].tolist()


def test_a_row_apart_from_one_that_no_pattern_has():
    X = np.vstack([SOURCE, np.zeros(5, int)])
    model = made().fit(X, constraints=Constraints(8, cannot_link=[(0, 7)]))
    assert model.row_labels_[7] == -1 != model.row_labels_[0]

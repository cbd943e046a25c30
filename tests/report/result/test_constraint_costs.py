import numpy as np
import pytest

from pluribus import Constraints, Ensemble
from pluribus.report import Case, render, summarize
from pluribus.report.result._constraint_costs import known_table

LABELS = np.array([0, 0, 1, 1])
MEMBERS = Ensemble([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1], [0, 0, 1, 1]])
IDS = np.array(["a", "b", "c", "d"])


def table(known, ids=IDS):
    return known_table(known, LABELS, MEMBERS, ids)


def test_cost_is_the_share_that_speaks_against():
    found = table(Constraints(4, must_link=[(0, 1)], cannot_link=[(1, 2)]))
    assert [(row.kind, row.one, row.other, row.holds, row.cost) for row in found.rows] == [
        ("cannot-link", "b", "c", True, 0.5),
        ("must-link", "a", "b", True, 0.25),
    ]
    assert found.sentence == "All 2 statements hold."
    assert found.mean_cost == pytest.approx(0.375)


def test_broken_ones_come_first():
    known = Constraints(4, must_link=[(0, 1), (1, 2)], must_weight=[1, 2.5])
    found = table(known)
    assert (found.rows[0].one, found.rows[0].weight, found.rows[0].holds) == ("b", 2.5, False)
    assert (found.n_broken, found.n_broken_hard, found.broken_weight) == (1, 0, 2.5)
    assert "1 of 2 statements are broken, all of them preferences" in found.sentence


def test_classes_and_groups():
    found = table(Constraints(4, labels=["x", "x", "y", None], groups=[None, None, "g", "g"]))
    assert {(row.kind, row.one, row.holds) for row in found.rows} == {
        ("known label", "x", True),
        ("known label", "y", True),
        ("group", "g", True),
    }
    split = table(Constraints(4, labels=["x", None, "x", "y"]))
    assert not split.rows[0].holds


def test_broken_classes_are_counted_as_what_they_are():
    """Five labels in one cluster are five broken statements, not the ten pairs of them."""
    known = Constraints(6, labels=[*"abcde", None], must_link=[(4, 5)], must_weight=[3])
    found = known_table(known, np.array([0, 0, 0, 0, 0, 1]), Ensemble([[0] * 6, range(6)]), np.arange(6))
    assert (found.n_statements, found.n_broken, found.n_broken_hard, found.broken_weight) == (6, 6, 5, 3)
    assert found.sentence.startswith("6 of 6 statements are broken, 5 of them hard")


def test_no_cost_where_no_member_has_both():
    members = Ensemble([[0, 0, None, 1], [None, 0, 1, 1]])
    known = Constraints(4, must_link=[(0, 2), (0, 1), (2, 3)], labels=[None, "x", None, None])
    found = known_table(known, np.array([0, 0, 0, 0]), members, IDS)
    assert [(row.kind, row.one, row.cost) for row in found.rows[:2]] == [("must-link", "a", 0), ("must-link", "c", 0)]
    assert [row.one for row in found.rows[2:] if np.isnan(row.cost)] == ["a", "x"]
    assert found.mean_cost == 0
    nothing = known_table(Constraints(4, must_link=[(0, 2)]), np.zeros(4, int), members, IDS)
    assert np.isnan(nothing.mean_cost)
    shown = Case("t", members, np.zeros(4, int), np.ones((4, 1)), np.zeros(4), IDS, known=Constraints(4, [(0, 2)]))
    assert "nan" not in render(summarize(shown)).split('id="known"')[1].split("</section>")[0]


def test_of_very_many_the_first_two_hundred():
    n = 100_000
    known = Constraints(n, must_link=np.column_stack([np.arange(n - 1), np.arange(1, n)]), groups=np.arange(n))
    labels = (np.arange(n) > 7).astype(int)
    found = known_table(known, labels, Ensemble([labels, np.zeros(n, int)]), np.arange(n))
    assert (len(found.rows), found.n_statements, found.n_broken) == (200, 2 * n - 1, 1)
    assert (found.rows[0].one, found.rows[0].cost) == ("7", 0.5)


def test_objects_left_out_are_not_judged():
    found = known_table(Constraints(3, [(0, 1)], [(1, 2)]), np.array([0, -1, -1]), Ensemble([[0, 0, 1]]), IDS[:3])
    assert found.n_broken == 0


def test_the_page_escapes_ids_and_labels(hostile):
    case = Case(
        title="t",
        ensemble=MEMBERS,
        labels=LABELS,
        membership=np.eye(2)[LABELS],
        uncertainty=np.zeros(4),
        ids=np.array([hostile, "b", "c", "d"], dtype=object),
        known=Constraints(4, must_link=[(0, 1)], labels=[hostile, None, None, None]),
    )
    page = render(summarize(case))
    assert 'id="known"' in page
    assert "hard" in page
    assert "<img src=x" not in page
    assert "<b>bold</b>" not in page


def test_no_section_where_nothing_was_known(make_case):
    assert 'id="known"' not in render(summarize(make_case()))

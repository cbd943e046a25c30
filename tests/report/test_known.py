import numpy as np
import pytest

from pluribus import Constraints, Ensemble
from pluribus.report import Case, render, summarize
from pluribus.report._known import known_table

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

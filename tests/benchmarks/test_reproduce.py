"""Published tables beside ours: the comparison itself on a toy source, resuming, absent data, and every source."""

import json
import re
import warnings
from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import _data
from benchmarks.__main__ import main
from benchmarks._installed_peers import PYTHON
from benchmarks.reproduce import SOURCES, _run
from benchmarks.reproduce._agreement import Reproduced, differences, order_kept
from benchmarks.reproduce._published import Published, present
from benchmarks.reproduce._show import BEGIN, END, as_markdown, grids, put_between_marks

TABLE = Published(
    "Table 1", "NMI", True, ("A", "B", "C"), {"iris": (0.70, 0.60, 0.605), "pima": (0.50, 0.80, None)}, note="A note."
)
MEANS = {"A": 0.72, "B": 0.55, "C": 0.5}


class Toy:
    """A toy source."""

    PAPER = "Nobody, 2026."

    def __init__(self, tables=(TABLE,), fail_at=None):
        self.tables_, self.fail_at, self.calls = list(tables), fail_at, []

    def tables(self, quick):
        return self.tables_

    def n_runs(self, quick):
        return 1 if quick else 2

    def score(self, table, row, run, quick):
        if (row, run) == self.fail_at:
            raise KeyboardInterrupt
        self.calls.append((table, row, run))
        shift = 0.01 if run else -0.01
        return {method: value + shift for method, value in MEANS.items() if not (row == "pima" and method == "C")}


@pytest.fixture
def reproduced(tmp_path):
    return _run.compute(Toy(), quick=False, jobs=1, directory=tmp_path)


def test_a_slow_table_has_fewer_runs(tmp_path):
    fewer = replace(TABLE, title="Table 2", most_runs=1)
    plain, slow = _run.compute(Toy([TABLE, fewer]), quick=False, jobs=1, directory=tmp_path)
    assert [len(runs) for runs in plain.ours.values()] == [2, 2]
    assert [len(runs) for runs in slow.ours.values()] == [1, 1]
    assert "1 runs" in next(iter(grids([slow]))).title


def test_differences(reproduced):
    a, b, c = differences(reproduced)
    assert (a.method, a.n_cells, b.n_cells, c.n_cells) == ("A", 2, 2, 1)
    assert a.theirs == pytest.approx(0.6)
    assert a.ours == pytest.approx(0.72)
    assert a.signed == pytest.approx((0.02 + 0.22) / 2)
    assert b.signed == pytest.approx((-0.05 - 0.25) / 2)
    assert b.absolute == pytest.approx(0.15)
    assert c.signed == pytest.approx(-0.105)


def test_spread_is_over_runs(reproduced):
    np.testing.assert_allclose(reproduced[0].spreads[0], 0.01)


def test_order(reproduced):
    # iris: A > B and A > C are kept, B and C are a tie. pima: A < B is lost, C has no value.
    assert order_kept(reproduced) == (2, 3)
    assert order_kept(reproduced, tolerance=0.005) == (2, 4)  # now B < C counts, and ours is B > C


def test_a_difference_of_just_the_tolerance_counts():
    table = Published("t", "s", False, ("A", "B"), {"x": (0.42, 0.43)})
    assert order_kept([Reproduced(table, {"x": np.array([[0.1, 0.2]])})]) == (1, 1)
    assert order_kept([Reproduced(table, {"x": np.array([[0.2, 0.2]])})]) == (0, 1)


def test_other_forms_of_a_method_do_not_count_in_the_order(reproduced):
    (table,) = reproduced
    without = Reproduced(replace(table.published, other_forms=("C",)), table.ours)
    assert order_kept([without]) == (1, 2)
    assert len(differences([without])) == 3


def test_continues_where_it_was_stopped(tmp_path):
    stopped = Toy(fail_at=("pima", 0))
    with pytest.raises(KeyboardInterrupt):
        _run.compute(stopped, quick=False, jobs=1, directory=tmp_path)
    assert len(stopped.calls) == 2
    after = Toy()
    resumed = _run.compute(after, quick=False, jobs=1, directory=tmp_path)
    assert [row for _, row, _ in after.calls] == ["pima", "pima"]
    fresh = _run.compute(Toy(), quick=False, jobs=1, directory=tmp_path / "fresh")
    np.testing.assert_array_equal(resumed[0].means, fresh[0].means)


def test_a_damaged_result_is_computed_again(tmp_path):
    _run.compute(Toy(), quick=False, jobs=1, directory=tmp_path)
    next(tmp_path.rglob("task-3.npz")).write_bytes(b"cut")
    again = Toy()
    _run.compute(again, quick=False, jobs=1, directory=tmp_path)
    assert again.calls == [("Table 1", "pima", 1)]


def test_a_changed_protocol_starts_anew(tmp_path):
    _run.compute(Toy(), quick=False, jobs=1, directory=tmp_path)
    renamed = SimpleNamespace(**{name: getattr(Toy(), name) for name in ("tables", "n_runs", "score", "PAPER")})
    renamed.__file__ = str(tmp_path / "protocol.py")
    (tmp_path / "protocol.py").write_text("# another protocol")
    _run.compute(renamed, quick=False, jobs=1, directory=tmp_path)
    assert len(list(tmp_path.rglob("job.json"))) == 2


def test_a_full_run_writes_page_and_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(_data, "missing_sets", lambda: [])
    page = tmp_path / "toy.md"
    page.write_text(f"# Toy\n\n{BEGIN}\nold\n{END}\n\nWords.\n")
    quick = list(_run.run("toy", quick=True, jobs=1, results=tmp_path, docs=tmp_path, source=Toy()))
    assert "old" in page.read_text()
    assert quick[0] == "A toy source. Nobody, 2026."
    list(_run.run("toy", quick=False, jobs=2, results=tmp_path, docs=tmp_path, source=Toy()))
    text = page.read_text()
    assert text.startswith("# Toy")
    assert text.endswith("Words.\n")
    assert "old" not in text
    assert "| iris | .700 / .720 ± .010 | .600 / .550 ± .010 | .605 / .500 ± .010 |" in text
    assert "| pima | .500 / .720 ± .010 | .800 / .550 ± .010 | – / – |" in text
    assert "| A | 2 | .600 | .720 | +0.120 | .120 |" in text
    assert "2 of 3 pairs" in text
    assert re.search(r"\*Figures of \d{4}-\d\d-\d\d(, commit [0-9a-f]{7,}(, changed)?)?\.\*\n\n\*\*Table 1", text)
    kept = json.loads(next(tmp_path.glob("reproduce-toy-2*.json")).read_text())
    assert kept["tables"][0]["ours"]["iris"] == [[0.71, 0.54, 0.49], [0.73, 0.56, 0.51]]
    assert kept["tables"][0]["order_pairs"] == 3
    assert not list(tmp_path.glob("*unfinished"))


def test_the_page_stays_when_data_are_absent(tmp_path, monkeypatch):
    monkeypatch.setattr(_data, "missing_sets", lambda: ["pima"])
    (tmp_path / "toy.md").write_text(f"{BEGIN}\nold\n{END}")
    list(_run.run("toy", quick=False, jobs=1, results=tmp_path, docs=tmp_path, source=Toy()))
    assert "old" in (tmp_path / "toy.md").read_text()


def test_absent_rows_are_left_out_with_a_word(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(_data, "FOLDER", tmp_path)
    only_pima = Published("Table 2", "NMI", True, ("A",), {"pima": (0.5,)})
    (left,) = present([TABLE, only_pima], lambda table, row: row)
    assert list(left.theirs) == ["iris"]
    assert "pima" in capsys.readouterr().err


def test_several_tables_are_also_compared_together(tmp_path):
    second = Published("Table 2", "NMI", True, ("A", "B", "C"), {"wine": (0.7, 0.7, 0.7)})
    both = _run.compute(Toy([TABLE, second]), quick=True, jobs=1, directory=tmp_path)
    last = list(grids(both))[-1]
    assert last.title == "All 2 tables together"
    assert [row[1] for row in last.rows] == ["3", "3", "2"]
    assert "A note." in as_markdown(list(grids(both)))


def test_page_without_marks():
    with pytest.raises(ValueError, match="tables: begin"):
        put_between_marks("# A page", "tables")


def test_unknown_source(capsys):
    with pytest.raises(SystemExit):
        main(["reproduce", "nobody"])
    assert ", ".join(SOURCES) in capsys.readouterr().err


# By score; those of co-clusters have counts (thousands of patterns, jumps) next to indices.
LARGEST = {
    "clusters": 100,
    "T": 100,
    "seconds": 1000,
    "largest gap of the rows; one start in a run": 120,
    "one start in a run": 36,
}


@pytest.mark.parametrize("name", SOURCES)
def test_tables_of_each_source(name):
    source = _run.source_module(name)
    assert (source.__doc__ or "").splitlines()[0].endswith(".")
    assert re.search(r"\b(19|20)\d\d\b", source.PAPER)
    for quick in (True, False):
        tables = source.tables(quick)
        assert len({table.title for table in tables}) == len(tables)
        assert 1 <= source.n_runs(quick) <= 100
        for table in tables:
            assert table.theirs
            assert len(set(table.methods)) == len(table.methods)
            for row, values in table.theirs.items():
                assert len(values) == len(table.methods), row
                most = LARGEST.get(table.score, 2)
                least = -1 if table.score == "correlation" else 0
                assert all(value is None or least <= value <= most for value in values), row
    assert source.n_runs(True) <= source.n_runs(False)


@pytest.mark.parametrize("name", SOURCES)
def test_each_page_says_from_when_its_figures_are_and_by_which_commit(name):
    _, tables = (_run.DOCS / f"{name}.md").read_text().split("<!-- tables: begin -->")
    assert re.match(r"\n\n\*Figures of 20\d\d-\d\d-\d\d, [a-z ]*commit [0-9a-f]{7,}(, changed)?\.\*\n\n", tables)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_each_source_runs(name, tmp_path, capsys):
    source = _run.source_module(name)
    tables = source.tables(True)
    left_out = capsys.readouterr().err.strip()
    if not tables:
        pytest.skip(f"no table of {name} is left: {left_out}")
    list(_run.run(name, quick=True, jobs=1, results=tmp_path, docs=tmp_path))
    (file,) = tmp_path.glob("*.json")
    for table in json.loads(file.read_text())["tables"]:
        for row, runs in table["ours"].items():
            assert np.isfinite(runs).any(), (table["title"], row)
    if left_out or not PYTHON.exists():
        peers = "" if PYTHON.exists() else " The peers are not installed (`make peers`)."
        warnings.warn(f"{name} ran in part. {left_out}{peers}", stacklevel=1)


def test_a_row_of_soft_correspondence():
    from benchmarks.reproduce import scec

    once, again = (scec.score("Table 2, iris, RI", "r = 5, k = 2", 0, True) for _ in range(2))
    assert once == again
    assert set(once) == set(scec.METHODS)
    assert once["BL"] == pytest.approx(0.6793, abs=1e-3)  # k-means finds the same two clusters from every start


def test_a_row_of_lifted_consensus():
    from benchmarks.reproduce import lift

    found = lift.score("Table 3", "iris", 0, True)
    assert set(found) == set(lift.METHODS)
    assert found["LiftKm"] == pytest.approx(0.114, abs=0.03)


def test_a_row_of_genie_is_the_published_one():
    from benchmarks.reproduce import genie

    found = genie.score("", "wine", 0, True)
    assert tuple(round(found[method], 2) for method in genie.METHODS) == genie.THEIRS["wine"]


def test_a_row_of_conditions_on_clusters():
    from benchmarks.reproduce import aggregate

    found = aggregate.score(aggregate.TITLE, "1", 0, True)
    assert set(found) == set(aggregate.tables(True)[0].methods)
    assert found["flow"] < found["random + deadlock"] < found["random"] < found["start"]


def test_a_row_of_made_hypergraphs():
    from benchmarks.reproduce import relational

    once, again = (relational.score(relational.MADE, "1", 0, True) for _ in range(2))
    assert once == again
    assert set(once) == set(relational.METHODS_MADE)
    assert once["A"] == pytest.approx(0.636, abs=0.02)
    assert once["CR"] > once["A"]


def test_curves_of_the_constrained_methods():
    from benchmarks.reproduce import constrained

    for method in ("cop-kmeans", "pckmeans", "ceac"):
        once, again = (constrained.score("iris", method, 0, True) for _ in range(2))
        assert once == again
        assert set(once) == {"0", "10", "50", "others, 0", "others, 50"}
        assert once["50"] > once["0"]


def test_only_methods_that_keep_pairs_have_a_curve():
    from benchmarks.reproduce import constrained
    from pluribus.constrained import by_name

    names = constrained.methods()
    assert {"cop-kmeans", "gmm", "size-constrained", "ceac", "acccs"} <= set(names)
    assert "balanced" not in names  # sizes only
    assert all("pairs" in by_name(name)().keeps for name in names if name not in constrained.CONSENSUS)


def test_the_rise_over_the_sets_and_the_drawings():
    from benchmarks.reproduce import constrained

    columns = ("0", "50", *constrained.OTHERS)
    first, second = (
        Reproduced(
            Published(name, "ARI", True, columns, {"cop-kmeans": (None,) * 4}),
            {"cop-kmeans": np.array([[0.4, 0.4 + rise, 0.3, 0.35], [0.6, 0.6 + rise, 0.3, 0.35]])},
        )
        for name, rise in (("iris", 0.3), ("wine", -0.1))
    )
    (grid,) = constrained.summary([first, second])
    (row,) = grid.rows
    assert row == ("cop-kmeans", ".500", ".600", "+0.100 ± .000", "1 of 2", "-0.100 (wine)", ".300", ".350", "+0.050")
    drawings = constrained.figures([first, second])
    assert list(drawings) == ["constrained-iris.svg", "constrained-wine.svg"]
    picture = ElementTree.fromstring(drawings["constrained-iris.svg"])
    assert "cop-kmeans" in [element.text for element in picture.iter()]
    assert len([element for element in picture.iter() if element.tag.endswith("polyline")]) == 1
    tables = list(grids([first, second]))
    assert [table.title.split(":")[0] for table in tables] == ["iris", "wine"]  # nothing published: no differences
    assert tables[0].rows[0][1] == ".500 ± .100"


def test_f_of_pairs_by_hand():
    from benchmarks.reproduce.constrained_papers import pair_f

    # Together in truth: 01, 23; found: 01, 02, 12. One is right.
    assert pair_f(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])) == pytest.approx(2 / 5)


@pytest.mark.parametrize("place", [pytest.param(0, marks=pytest.mark.slow), 1, 2, 3, 4])
def test_a_row_of_each_paper_on_constraints(place):
    from benchmarks.reproduce import constrained_papers

    for table in constrained_papers.tables(True)[place : place + 1]:  # of data that are there
        row = next(iter(table.theirs))
        assert set(constrained_papers.score(table.title, row, 0, True)) >= set(table.methods)

"""What the command line says, and the data it finds."""

import argparse

import numpy as np
import pandas as pd
import pytest

from benchmarks import NAMES, _data, eac_accuracy, evidence_size
from benchmarks.__main__ import main
from benchmarks._session import Result, Session
from benchmarks._worker import measure
from pluribus.generate._internal import k_range


def test_lists_the_names(capsys):
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in NAMES)


def test_unknown_name(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["nothing"])
    assert stop.value.code == 2
    assert "average-link" in capsys.readouterr().err


def test_says_which_sets_are_left_out(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(_data, "FOLDER", tmp_path)
    assert _data.missing_sets() == list(_data.READ)
    assert not _data.available("pima")
    assert _data.available("iris")
    main([])
    assert "house_votes" in capsys.readouterr().out


def test_reads_complete_rows(monkeypatch, tmp_path):
    monkeypatch.setattr(_data, "FOLDER", tmp_path)
    frame = pd.DataFrame({"a": ["y", "n", None], "b": ["n", "n", "y"], "label": ["p", "q", "q"]})
    frame.to_csv(tmp_path / "house_votes.csv.gz", index=False)
    X, y = _data.load("house_votes")
    np.testing.assert_array_equal(X, [[1, 0], [0, 0]])
    assert y.tolist() == ["p", "q"]


SHAPES = [
    ("spiral", [100, 100]),
    ("cigar", [100, 100, 25, 25]),
    ("rings", [150, 150, 150]),
    ("bars", [200, 200]),
    ("half_rings", [200, 200]),
]


@pytest.mark.parametrize(("name", "sizes"), SHAPES)
def test_drawn_sets(name, sizes):
    X, y = _data.load(name, seed=3)
    assert np.bincount(y).tolist() == sizes
    assert X.shape == (sum(sizes), 2)
    np.testing.assert_array_equal(X, _data.load(name, seed=3).X)
    assert (X != _data.load(name, seed=4).X).any()


def test_printed_ranges_are_those_of_the_rules():
    sizes = {"iris": 150, "wine": 178, "house_votes": 232, "breast_w": 683, "pima": 768, "optdigits": 1000}
    for name, n in sizes.items():
        assert eac_accuracy.TABLE[name].ranges[1:] == (k_range(n, "sqrt"), k_range(n, "linear"))


def test_estimates():
    assert evidence_size.estimate("A", 10_000) == pytest.approx(0.04)
    assert evidence_size.estimate("B", 10_000) == pytest.approx(0.01)


def test_one_small_case_of_the_accuracy(monkeypatch):
    monkeypatch.setattr(eac_accuracy, "N_MEMBERS", 10)
    task = eac_accuracy.ours("iris", n_ensembles=1, jobs=1)
    assert all(0.5 < found[0] <= 1 for found in task.score(task.work()).values())


def test_table_of_a_run(monkeypatch, tmp_path):
    with Session("evidence-size", quick=True, results=tmp_path) as session:
        monkeypatch.setattr(session, "measure", _tiny_case_here)
        table, *_ = evidence_size.run(session, argparse.Namespace())
    assert table.row_count == 4


def _tiny_case_here(case, function, *, repeat, **arguments):
    """In this process: what is tested is the table."""
    return Result(case, "done", **measure(function, arguments | {"n": 200, "n_members": 2}))

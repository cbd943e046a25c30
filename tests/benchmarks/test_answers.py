"""The benchmark of answers: its halves, its data, what is kept between runs, and its tables."""

import argparse
import io
import json

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from scipy import sparse

from benchmarks import _answers_cache, _answers_methods, _answers_sets, _answers_tables, _data, answers
from benchmarks._answers_cache import Cache, mean
from benchmarks._answers_sets import HALVES, SETS, Loaded, load, score, sets
from benchmarks._session import Result, Session


def test_halves_share_no_set_and_are_of_one_size():
    by_half = [[name for names in SETS[half].values() for name in names] for half in HALVES]
    assert len(by_half[0]) == len(by_half[1]) == len(set(by_half[0] + by_half[1])) // 2


@pytest.mark.parametrize(
    "together", [("digits", "optdigits"), ("pendigits", "pendigits_test"), ("text_k1a", "text_wap")]
)
def test_parts_of_one_source_are_in_one_half(together):
    assert len({_answers_sets.half_of(name) for name in together}) == 1


def test_only_sets_that_are_here(monkeypatch, tmp_path):
    monkeypatch.setattr(_data, "FOLDER", tmp_path)
    assert sets("chosen on") == ["blobs_stretched", "moons", "digits", "iris"]
    assert sets("held out", "shapes") == ["blobs", "blobs_varied", "circles"]
    with pytest.raises(ValueError, match="half='other'"):
        sets("other")


def test_noise_is_left_out_of_scores(monkeypatch, tmp_path):
    monkeypatch.setattr(_data, "FOLDER", tmp_path)
    frame = pd.DataFrame({"x": [0.0, 0.1, 9, 9.1, 5], "y": [0.0, 0, 9, 9, 2], "label": [1, 1, 2, 2, 0]})
    frame.to_csv(tmp_path / "chameleon_t7_10k.csv.gz", index=False)
    X, y, k, keep = load("chameleon_t7_10k")
    assert k == 2
    assert keep.tolist() == [True] * 4 + [False]
    assert score([7, 7, 3, 3, 7], y, keep) == 1
    np.testing.assert_allclose([X.mean(), X.var(axis=0).mean()], [0, 1], atol=1e-12)


def test_zero_is_a_class_elsewhere_and_columns_weigh_the_same(monkeypatch, tmp_path):
    monkeypatch.setattr(_data, "FOLDER", tmp_path)
    frame = pd.DataFrame({"x": [1.5, 2, 5, 7, np.nan], "y": [100.5, 2, 7, 3, 1], "label": [0, 0, 1, 1, 0]})
    frame.to_csv(tmp_path / "pendigits.csv.gz", index=False)
    X, _, k, keep = load("pendigits")
    assert X.shape == (4, 2)
    assert k == 2
    assert keep.all()
    np.testing.assert_allclose(X.std(axis=0), 1)
    np.testing.assert_allclose(load("pendigits_raw").X[:, 0], [1.5, 2, 5, 7])


def test_text_is_sparse_in_rows_of_length_1(monkeypatch, tmp_path):
    monkeypatch.setattr(_data, "FOLDER", tmp_path)
    counts = sparse.csr_matrix(np.array([[1.0, 2, 0], [0, 0, 3], [4, 0, 1]], dtype=np.float32))
    parts = {"data": counts.data, "indices": counts.indices, "indptr": counts.indptr, "shape": counts.shape}
    np.savez(tmp_path / "text_re0.npz", y=np.array([0, 1, 0]), **parts)
    loaded = load("text_re0")
    np.testing.assert_allclose(loaded.X.power(2).sum(axis=1), 1)
    _answers_sets.write(tmp_path / "kept.npz", loaded)
    read = _answers_sets.read(tmp_path / "kept.npz")
    assert (read.X != loaded.X).nnz == 0
    assert _answers_sets.fingerprint(read) == _answers_sets.fingerprint(loaded)


def test_kept_only_for_the_same_versions(tmp_path):
    kept = Cache(tmp_path / "kept.json")
    kept.put("iris", "Ward", {"holds_for": {"numpy": "2"}, "runs": [{"seed": 0, "ari": 0.5}, {"seed": 1, "ari": 1.0}]})
    kept.put("iris", "Genie", {"holds_for": {}, "runs": []})
    found = kept.get("iris", "Ward", {"numpy": "2"})
    assert mean(found) == 0.75
    assert mean(found, seeds=[1]) == 1
    assert kept.get("iris", "Ward", {"numpy": "3"}) is None
    assert np.isnan(mean(kept.get("iris", "Genie", {})))


@pytest.mark.parametrize("method", [name for name in _answers_methods.METHODS if name != "Genie"])
def test_methods_find_two_far_groups(method):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 30]) / 15
    labels = _answers_methods.METHODS[method](X, 2, 0)
    assert score(labels, np.repeat([0, 1], 60), np.ones(120, dtype=bool)) > (0.5 if method == "HDBSCAN" else 0.99)


class _Instead(Session):
    """Runs nothing: every method is right for seed 0 and wrong after; average link does not finish."""

    def measure(self, case, function, **told):
        self.asked.append(case)
        if told["method"] == "average link":
            return Result(case, "failed", error="MemoryError: much")
        runs = [
            {"seed": seed, "ari": float(seed == 0), "cpu_seconds": 1.0, "nmi": 1.0, "nmi_max": 1.0}
            for seed in told.get("seeds", [])
        ]
        return Result(case, "done", seconds=1.0, cpu_seconds=1.0, figures={"runs": runs})


def test_runs_only_what_is_not_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(_data, "FOLDER", tmp_path)
    monkeypatch.setattr(_answers_cache, "PEERS", tmp_path / "peers.json")
    monkeypatch.setattr(_answers_cache, "OURS", tmp_path / "ours.json")
    monkeypatch.setattr(answers, "PYTHON", tmp_path)  # there
    for expected in (3 * 10, 0):  # moons, iris and circles by seven peers, k-means by silhouette, and ours twice
        with _Instead("answers", quick=True, results=tmp_path) as session:
            session.asked = []
            shown = list(answers.run(session, argparse.Namespace()))
        assert len(session.asked) == expected
    kept = json.loads((tmp_path / "peers.json").read_text())["iris"]
    assert [run["seed"] for run in kept["k-means"]["runs"]] == [0, 1]
    assert [run["seed"] for run in kept["Ward"]["runs"]] == [0]
    assert any("average link: MemoryError: " in line for line in shown if isinstance(line, str))


def test_a_failure_of_the_place_is_not_kept():
    assert answers._our_fault({"status": "failed", "error": "ModuleNotFoundError: genieclust"})
    assert answers._our_fault({"status": "died (exit code 1)", "error": ""})
    assert not answers._our_fault({"status": "failed", "error": "MemoryError: much"})


def test_tables_and_verdicts():
    about = {"n": 10, "d": 2, "k": 2, "status": "done", "error": "", "at_limit": False}

    def record(ari):
        return {**about, "runs": [{"seed": 0, "ari": ari, "cpu_seconds": 0.5}] if ari is not None else []}

    records = {
        "moons": {"ours": record(0.9), "Ward": record(0.5), "Genie": record(0.7)},
        "circles": {"ours": record(0.2), "Ward": record(0.4), "Genie": record(None)},
    }
    console = Console(width=150, record=True, file=io.StringIO())
    console.print(_answers_tables.each_set("At k", records, ["ours", "Ward", "Genie"], [0]))
    console.print(_answers_tables.summary("At k", records, ["ours", "Ward", "Genie"], [0]))
    shown = console.export_text()
    assert "all, 1 of 2" in shown
    assert "+0.200" in shown  # over Genie, on the one that both finished
    lines = list(_answers_tables.verdicts(records, "ours", ["Ward", "Genie"], [0], known_k=True))
    assert lines[0].startswith("all sets: ours +0.100 beside Ward")
    assert lines[0].endswith("met.")
    assert lines[2].endswith("MISSED.")
    assert "circles (-0.20)" in lines[-1]


def test_a_method_stops_when_its_time_is_over(monkeypatch, tmp_path):
    data = Loaded(np.random.default_rng(0).normal(size=(40, 2)), np.repeat([0, 1], 20), 2, np.ones(40, dtype=bool))
    _answers_sets.write(tmp_path / "set.npz", data)
    monkeypatch.setattr(_answers_methods.resource, "setrlimit", lambda *_: None)
    task = _answers_methods.answer("Ward", str(tmp_path / "set.npz"), [0, 1])
    assert [run["seed"] for run in task.score(task.work())["runs"]] == [0, 1]
    monkeypatch.setattr(_answers_methods, "SECONDS", 0)
    assert [run["seed"] for run in task.score(task.work())["runs"]] == [0]

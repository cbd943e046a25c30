"""The harness itself: fresh processes, honest memory, time limits, and figures that are kept."""

import json
import sys
import textwrap
from importlib import import_module

import pytest

from benchmarks import _session
from benchmarks._session import Session

CASES = """
    import os, time
    import numpy as np
    from benchmarks._worker import Task

    def allocate(megabytes):
        return Task(lambda: np.ones(megabytes * 125_000), lambda array: {"n": array.size})

    def sleep(seconds):
        return Task(lambda: time.sleep(seconds))

    def sleepy_setup(seconds):
        time.sleep(seconds)
        return Task(lambda: None)

    def fail():
        return Task(lambda: 1 // 0)

    def die():
        os.kill(os.getpid(), 9)

    def where():
        return Task(os.getpid, lambda pid: {"pid": pid})
"""


@pytest.fixture
def cases(tmp_path, monkeypatch):
    """A module of cases that also the fresh processes can import."""
    (tmp_path / "some_cases.py").write_text(textwrap.dedent(CASES))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield import_module("some_cases")
    del sys.modules["some_cases"]


@pytest.fixture
def session(tmp_path):
    with Session("trial", results=tmp_path / "results") as session:
        yield session


def test_memory_is_that_of_the_case_alone(cases, session):
    ballast = bytearray(600_000_000)  # of this process: no part of the case's peak
    ballast[::4096] = b"x" * len(ballast[::4096])
    result = session.measure("200 MB", cases.allocate, megabytes=200)
    assert result.done
    assert result.figures == {"n": 200 * 125_000}
    assert 195 < result.above_baseline_mb < 230
    assert result.baseline_mb + 195 < result.peak_mb < 400


def test_setting_up_is_not_timed(cases, session):
    result = session.measure("slow to set up", cases.sleepy_setup, seconds=0.5)
    assert result.seconds < 0.5


def test_processor_time_is_not_wall_time(cases, session):
    result = session.measure("idle", cases.sleep, seconds=0.3)
    assert result.seconds >= 0.3
    assert result.cpu_seconds < 0.1


def test_each_run_is_a_fresh_process(cases, session):
    first, second = (session.measure("pid", cases.where) for _ in range(2))
    assert first.figures["pid"] != second.figures["pid"]


def test_best_of_several_runs(cases, session):
    result = session.measure("thrice", cases.sleep, repeat=3, seconds=0.01)
    assert len(result.all_seconds) == 3
    assert result.seconds == min(result.all_seconds)


def test_time_limit(cases, session):
    result = session.measure("too slow", cases.sleep, time_limit=0.5, seconds=3600)
    assert result.status == "over the time limit"
    assert session.n_failed == 1


def test_an_error_is_reported_and_the_others_go_on(cases, session):
    result = session.measure("wrong", cases.fail)
    assert result.status == "failed"
    assert "ZeroDivisionError" in result.error
    assert session.measure("right", cases.where).done
    assert session.n_failed == 1


def test_a_killed_case_is_reported(cases, session):
    assert session.measure("killed", cases.die).status == "died (SIGKILL)"


def test_figures_are_kept_also_when_stopped(cases, tmp_path):
    session = Session("trial", quick=True, results=tmp_path)

    def stopped():
        with session:
            session.prepare("(an input)", cases.where)
            session.measure("done", cases.allocate, megabytes=1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    kept = json.loads(session.path.read_text())
    assert session.path.name.startswith("trial-quick-")
    assert [case["case"] for case in kept["cases"]] == ["done"]
    assert kept["cases"][0]["arguments"] == {"megabytes": 1}
    assert kept["quick"] is True
    assert kept["machine"]["cores"] >= 1
    assert set(kept["versions"]) == set(_session.PACKAGES)

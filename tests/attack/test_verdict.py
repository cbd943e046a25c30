"""The judge itself: what is a documented error, what is a valid result, and which case crashed."""

import resource
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import check_array

import pluribus
from attack import commands, faults, files, hostile, jobs
from attack.arguments import VALUES, takes_functions
from attack.cases import run_case
from attack.pool import Case, Schedule, Verdict, Worker, run_all, spread
from attack.record import Record
from attack.relations import canonical
from attack.scene import Scene
from attack.targets import LEFT_OUT, calls
from attack.verdict import fault_of, faults_in_labels, faults_in_membership, faults_in_uncertainty, place_of
from pluribus import Constraints, Ensemble
from pluribus import validate as indices
from pluribus.constrained import ConstrainedCoClustering


def error_of(call):
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


def patterns_that_fit_nowhere():
    patterns = np.array([[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0]]), np.eye(3, dtype=int)
    known = Constraints(4, cannot_link=[(0, 1), (2, 3)])
    for seed in range(10):
        model = ConstrainedCoClustering(2, n_init=1, random_state=seed, on_infeasible="raise", verbose=False)
        model.fit(np.ones((4, 3)), constraints=known, patterns=patterns)


@pytest.mark.parametrize(
    "call",
    [
        lambda: Ensemble(5),
        lambda: Constraints(0),
        lambda: check_array("x"),
        lambda: check_array([["x"]]),
        lambda: Ensemble.read("nothing.csv"),
        lambda: patterns_that_fit_nowhere(),
        lambda: pluribus.cluster(np.eye(4), 2, on_note=hostile.failing, verbose=False),
    ],
)
def test_documented_errors(call):
    assert fault_of(error_of(call)) is None


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda: pd.DataFrame({"a": [1]}).astype({"a": "no type"}), "TypeError from inside"),
        (lambda: np.zeros(2)[5], "IndexError is not a documented error"),
        (lambda: Ensemble([[0, 1]]).one_hot("no type"), "TypeError"),
        (lambda: pd.Series(["x"]).astype(float), "ValueError from inside"),
        (lambda: next(iter([]), (_ for _ in ()).throw(RuntimeError("no"))), "RuntimeError is not a documented error"),
    ],
)
def test_other_errors(call, fault):
    assert fault in fault_of(error_of(call))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_errors_of_threads_have_a_place(n_jobs):
    how = {"criteria": ["description_length"], "n_jobs": n_jobs, "verbose": False}
    error = error_of(lambda: indices.choose_partition([[0, 1], [0, 0]], np.eye(2), **how))
    assert fault_of(error) is None
    assert place_of(error).startswith("pluribus/validate/")


def test_functions_of_the_user_fail_as_they_are():
    targets = calls()
    assert takes_functions(targets["pipeline.cluster"], "on_note")
    assert not takes_functions(targets["pipeline.cluster"], "k")
    assert takes_functions(targets["generate.Generator"], "clusterers") is False
    with pytest.raises(hostile.UsersError):
        pluribus.cluster(np.eye(4), 2, on_note=hostile.failing, verbose=False)


def test_a_table_of_patterns_has_several():
    for number in range(200):
        table = VALUES["constrained.concepts/X"](Scene(np.random.default_rng(number), plain=number % 2 == 0))
        assert len(np.unique(table, axis=1).T) >= min(2, *table.shape)


def test_results():
    assert faults_in_labels(np.array([0, 1, -1]), 2, 3, empty_clusters=False) == []
    assert "labels for 4 objects" in faults_in_labels(np.array([0, 1, -1]), 2, 4, empty_clusters=False)[0]
    assert "for 1 clusters" in faults_in_labels(np.array([0, 1]), 1, 2, empty_clusters=False)[0]
    assert "of which 1 have objects" in faults_in_labels(np.array([1, 1]), 2, 2, empty_clusters=False)[0]
    assert faults_in_membership(np.array([[0.5, 0.4]]))
    assert faults_in_membership(np.array([[np.nan, 1.0]]))
    assert faults_in_uncertainty(np.array([1.1]))
    assert canonical({"a": np.arange(3), "seconds": 1}) == canonical({"a": np.arange(3), "seconds": 2})
    assert canonical(np.arange(3)) != canonical(np.arange(3.0))


def test_what_is_left_out_exists():
    for name in LEFT_OUT:
        value = pluribus
        for part in name.split("."):
            value = getattr(value, part)
        assert name not in calls()


def test_a_new_public_function_is_a_target(monkeypatch):
    monkeypatch.setattr(pluribus.compare, "new_index", lambda a, b: float(len(set(a)) + 0 * a[5]), raising=False)
    monkeypatch.setattr(pluribus.compare, "__all__", [*pluribus.compare.__all__, "new_index"])
    calls.cache_clear()
    try:
        verdicts = [run_case("compare.new_index", number, 0).verdict for number in range(20)]
    finally:
        calls.cache_clear()
    assert verdicts[0] == "result"
    assert "finding" in verdicts


def test_a_case_is_the_same_again():
    for name in ("consensus.EvidenceAccumulation", "constraints.Constraints", "compare.rand_index"):
        for number in range(5):
            first, second = run_case(name, number, 3), run_case(name, number, 3)
            assert first._replace(seconds=0) == second._replace(seconds=0)


@pytest.mark.parametrize(
    ("number", "problem"), [(signal.SIGSEGV, "crashed (SIGSEGV)"), (signal.SIGXCPU, "processor time")]
)
def test_a_crash_belongs_to_its_case(number, problem):
    worker = Worker(0, checked=False)
    script = f"import os; input(); os.kill(os.getpid(), {int(number)})"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    worker.process = subprocess.Popen([sys.executable, "-c", script], **pipes)
    verdict = worker.run(Case("a.b", 7))
    assert verdict.verdict == "finding"
    assert problem in verdict.problem
    assert worker.process is None
    worker.close()


def test_an_unknown_target_is_a_finding():
    (verdict,) = run_all([Case("no.target", 0)], 0, workers=1, checked=False)
    assert "the attack itself fails" in verdict.problem


def test_cases_are_spread_and_time_is_shared():
    assert [str(case) for case in spread(["a", "b"], 3)] == ["a/0", "b/0", "a/1"]
    schedule = Schedule(["a", "b"], 60)
    chosen = []
    for case in schedule:
        chosen.append(case.target)
        schedule.took(Verdict(case, "result", "", "", "", "", 1.0 if case.target == "a" else 0.1))
        if len(chosen) == 10:
            break
    assert chosen.count("b") > chosen.count("a")


def test_findings_are_counted_once():
    record = Record(5)
    verdict = Verdict(Case("a.b", 7), "finding", "IndexError is not a documented error: 7", "a.py:f", "T", "x = 1", 0.1)
    assert record.add(verdict)
    assert not record.add(verdict._replace(problem="IndexError is not a documented error: 8"))
    (finding,) = record.as_json(60)["findings"]
    assert finding["times"] == 2
    assert finding["replay"] == 'python -m attack --seed 5 --replay "a.b/7"'
    assert "2 findings" in record.summary()


def test_payloads_in_pages():
    assert files.runs_a_payload("<p><img src=x onerror=attack()></p>")
    assert files.runs_a_payload("<script>attack()</script>")
    assert not files.runs_a_payload(
        "<p>&lt;img src=x onerror=attack()&gt;</p><script>let a = '<img onerror=attack()>'</script>"
    )


def test_a_changed_file_is_noticed(monkeypatch):
    class Overwrites:
        exit_code, exception, output = 0, None, ""

        def invoke(self, app, arguments, **options):
            from pathlib import Path

            Path(arguments[1]).write_text("gone")
            return self

    monkeypatch.setattr(commands, "CliRunner", Overwrites)
    assert "files of the user are changed or gone" in commands.run_case("cli.cluster", 0, 0).problem


def test_a_job_has_its_own_limits_and_is_killed_if_it_does_not_end(monkeypatch):
    before = resource.getrlimit(resource.RLIMIT_CPU)
    show = "import resource as r; print(r.getrlimit(r.RLIMIT_CPU)[0], r.getrlimit(r.RLIMIT_FSIZE)[0])"
    resource.setrlimit(resource.RLIMIT_CPU, (10**6, before[1]))
    try:
        code, output = jobs.run([sys.executable, "-c", show], {resource.RLIMIT_FSIZE: 4096})
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, before)
    assert (code, output.split()) == (0, [str(resource.RLIM_INFINITY), "4096"])
    monkeypatch.setattr(jobs, "PATIENCE", 0.1)
    endless = jobs.start([sys.executable, "-c", "while True: pass"])
    with pytest.raises(subprocess.TimeoutExpired):
        jobs.ended(endless)
    assert endless.returncode == -signal.SIGKILL


def test_the_compiler_may_end_a_process_that_has_no_memory():
    aborted = "numbers scaled\nLLVM ERROR: out of memory\nAllocation failed\n"
    assert faults._short_of_memory(-signal.SIGABRT, aborted)
    assert not faults._short_of_memory(-signal.SIGSEGV, aborted)
    assert not faults._short_of_memory(-signal.SIGABRT, "free(): invalid pointer")

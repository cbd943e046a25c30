"""The benchmark of sizes: its tables of data, and what it makes of measurements that are made up."""

import argparse
import io

import numpy as np
import pytest
from rich.console import Console

from benchmarks import answers_size
from benchmarks._session import Result


class Measured:
    """A session whose cases take as long as they have rows."""

    def __init__(self, quick):
        self.quick, self.cases = quick, []

    def measure(self, case, function, *, n, **how):
        assert function is answers_size.clustered
        self.cases.append((case, how))
        figures = {"ari": 0.5, "n_clusters": 7}
        return Result(case, "done", seconds=1, cpu_seconds=n / 1e5, peak_mb=400, above_baseline_mb=20, figures=figures)


@pytest.mark.parametrize("quick", [False, True])
def test_tables_and_growth(quick):
    session, shown = Measured(quick), io.StringIO()
    console = Console(file=shown, width=200)
    for part in answers_size.run(session, argparse.Namespace()):
        console.print(part)
    text = shown.getvalue()
    assert "CPU time grows with n to the power of 1.00" in text
    assert ("1,000,000 rows: 10 s, 400 MB" in text) != quick
    assert {how.get("dtype") for _, how in session.cases} >= {"float16", "float32", "float64"}
    assert {how.get("consensus") for _, how in session.cases} == {None, "eac"}
    assert len({case for case, _ in session.cases}) == len(session.cases)


def test_groups_are_as_far_apart_as_is_said():
    X, y = answers_size.groups(20_000, 6, 3, 8.0)
    centers = np.array([X[y == g].mean(axis=0) for g in range(6)])
    distances = np.linalg.norm(centers[:, None] - centers, axis=2) + 1e9 * np.eye(6)
    assert np.median(distances.min(axis=1)) == pytest.approx(8, abs=0.2)


@pytest.mark.parametrize("table", [(3, 2, 8.0), "moons", "rings"])
def test_a_case_runs(table):
    task = answers_size.clustered(300, table, k_given=True, consensus="eac", dtype="float32")
    figures = task.score(task.work())
    assert figures["n_clusters"] == (3 if isinstance(table, tuple) else 2 * answers_size.PAIRS)

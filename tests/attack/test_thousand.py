"""A thousand cases of the standing attack, the same every time. `make attack` runs new ones."""

from pathlib import Path

import pytest

from attack.every import quick_names
from attack.pool import run_all, spread
from attack.record import Record, signature

SEED = 0
KERNELS = ("partitions.", "evidence.", "constraints.")  # their kernels compile in seconds; `make attack` checks all
OPEN = set((Path(__file__).parent / "open_findings.txt").read_text(encoding="utf-8").splitlines()[3:])


def attacked(targets, count, *, checked):
    """What is wrong, each with a line to replay it."""
    record, found = Record(SEED), {}
    for verdict in run_all(spread(targets, count), SEED, workers=1, checked=checked):
        record.add(verdict)
        if verdict.verdict == "finding":
            found.setdefault("  ".join(signature(verdict)), f"{verdict.case}: {verdict.problem}")
    assert record.n_cases == count
    return record, found


def test_eight_hundred_cases_over_all_targets():
    targets = quick_names()
    record, found = attacked(targets, 800, checked=False)
    new = {place: said for place, said in found.items() if place not in OPEN}
    assert not new, f"python -m attack --seed {SEED} --replay TARGET/NUMBER shows each"
    assert not OPEN - set(found), "these are mended: remove their lines from open_findings.txt"
    assert set(record.by_target) == set(targets)


def test_two_hundred_cases_with_kernels_that_check_their_bounds():
    targets = [name for name in quick_names() if name.startswith(KERNELS)]
    record, found = attacked(targets, 200, checked=True)
    assert not found
    assert record.verdicts["result"] > 50


@pytest.mark.slow
def test_every_fault_once():
    from attack.faults import JOBS

    _, found = attacked(list(JOBS), len(JOBS), checked=False)
    assert not found

"""A thousand cases of the standing attack, the same every time. `make attack` runs new ones."""

import pytest

from attack.every import quick_names
from attack.pool import run_all, spread
from attack.record import Record

SEED = 0
KERNELS = ("partitions.", "evidence.", "constraints.")  # their kernels compile in seconds; `make attack` checks all


def attacked(targets, count, *, checked):
    """What became of the cases, none of which may be a finding: ``--seed 0 --replay TARGET/NUMBER`` shows one."""
    record, found = Record(SEED), []
    for verdict in run_all(spread(targets, count), SEED, workers=1, checked=checked):
        if record.add(verdict):
            found.append(f"{verdict.case}: {verdict.problem}")
    assert not found
    assert record.n_cases == count
    return record


def test_eight_hundred_cases_over_all_targets():
    targets = quick_names()
    assert set(attacked(targets, 800, checked=False).by_target) == set(targets)


def test_two_hundred_cases_with_kernels_that_check_their_bounds():
    targets = [name for name in quick_names() if name.startswith(KERNELS)]
    assert attacked(targets, 200, checked=True).verdicts["result"] > 50


@pytest.mark.slow
def test_every_fault_once():
    from attack.faults import JOBS

    attacked(list(JOBS), len(JOBS), checked=False)

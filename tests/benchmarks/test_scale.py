"""What the growth benchmark makes of its measurements, by measurements that are made up."""

import numpy as np
import pytest
from rich.console import Console

from benchmarks import scale
from benchmarks._session import Result

SINGLE, COARSE_SINGLE = "eac, single link; fine k-means", "eac, single link; coarse k-means, r = 20"
SIZES = (*scale.SIZES, scale.LARGEST)


def result(case, seconds, cpu, mb=500.0):
    return Result(case, "done", seconds=seconds, cpu_seconds=cpu, peak_mb=mb)


@pytest.fixture
def found():
    """Single link that grows with n, HBGF with n^1.3, and a peer that dies."""
    measured = {}
    for n in scale.SIZES:
        measured[SINGLE, n] = result(SINGLE, n / 1e4, n / 1e4)
        measured["hbgf; coarse k-means", n] = result("hbgf", 200.0, (n / 1e4) ** 1.3)
        measured["generate", n] = result("generate", n / 1e4, 1.0)
        measured["cluster", n] = result("cluster", 1.5 * n / 1e4, 1.0)
    measured["peer", 10_000] = Result("peer", "died (SIGKILL)")
    measured[COARSE_SINGLE, scale.LARGEST] = result(COARSE_SINGLE, 300.0, 500.0, 9000.0)
    return measured


def test_exponent_is_that_of_cpu_time(found):
    one, other = found["hbgf; coarse k-means", 10_000], found["hbgf; coarse k-means", 100_000]
    assert scale.exponent(one, other, 10) == pytest.approx(1.3)
    assert np.isnan(scale.exponent(None, other, 10))
    assert np.isnan(scale.exponent(found["peer", 10_000], other, 10))


def test_members_are_part_of_the_name():
    assert scale.case("eac, single link", scale.FINE) == SINGLE
    assert scale.case("eac, single link", scale.COARSE, scale.R_LARGEST) == COARSE_SINGLE
    names = [scale.case(name, kind) for name, kind, _, _ in scale.METHODS]
    largest = [scale.case(name, kind, scale.R_LARGEST) for name, kind, _, _ in scale.AT_LARGEST]
    assert len({*names, *largest}) == len(names) + len(largest)
    assert {name for name, _ in scale.ASKED} <= {*names, "cluster"}


def test_table(found):
    console = Console(width=250)
    with console.capture() as shown:
        console.print(scale._table(found, SIZES))
    text = shown.get()
    assert "exponent of CPU time, 10,000 to 100,000" in text
    assert "to 10,000,000" not in text
    rows = {cells[1].strip(): cells[2:-1] for line in text.splitlines() if len(cells := line.split("│")) > 2}
    assert [cell.strip() for cell in rows[SINGLE][-2:]] == ["1.00", "1.00"]
    assert rows[SINGLE][3].strip() == ""
    assert "9000 MB" in rows[COARSE_SINGLE][3]
    assert rows["peer"][0].strip() == "died (SIGKILL)"


def test_verdicts(found):
    said = list(scale._verdicts(found, scale.SIZES))
    assert f"{SINGLE}, n = 1,000,000: asked 180 s and 4000 MB: met." in said
    assert "hbgf; coarse k-means, n = 1,000,000: asked 180 s and 4000 MB: MISSED." in said
    assert "cluster, n = 1,000,000: asked 600 s and 6000 MB: met." in said
    assert any("consensus is to take less: met" in line for line in said)
    assert f"At 10,000,000 in 15 minutes and 16 GB: {COARSE_SINGLE}. Asked: at least one." in said
    assert "Exponent of CPU time of at most 1.15: MISSED by hbgf; coarse k-means (1.30)." in said


def test_drawing_has_a_curve_for_each_case_and_a_dot_where_there_is_one_size(found):
    drawn = scale._drawn(found, SIZES)
    assert drawn.count("<polyline") == 5  # all but the peer, of which there is no time
    assert drawn.count("<circle") == 1
    assert all(f">{name}<" in drawn for name in (SINGLE, COARSE_SINGLE, "cluster"))
    assert "nan" not in drawn

"""What the comparison with installed packages makes of their times."""

import pytest

from benchmarks import consensus_speed
from benchmarks._session import Result


def case(name, seconds, ari, status="done"):
    return Result(name, status, seconds=seconds, figures={"ari": ari})


MINE = {
    name: case(f"ours, {name}", seconds, 0.9)
    for name, seconds in {"cspa": 1.0, "hgpa": 2.0, "mcla": 0.5, "eac": 0.1}.items()
}


def test_every_method_of_theirs_has_one_of_ours():
    from pluribus.consensus import names

    assert set(consensus_speed.SAME.values()) <= set(names())


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        (
            [case("ensembleclustering, cspa", 30.0, 0.8)],
            ["median 30 × faster", ": met)", "any of theirs: none", "theirs: none."],
        ),
        (
            [case("ensembleclustering, cspa", 1.5, 0.95)],
            ["MISSED", "hgpa than ensembleclustering, cspa", "theirs: cspa than"],
        ),
        (
            [case("ensembleclustering, mcla", float("nan"), 0.0, "over the time limit")],  # counts with the limit
            ["median 400 × faster"],
        ),
        ([case("ensembleclustering, cspa", float("nan"), 0.0, "failed")], ["nothing to compare with"]),
    ],
)
def test_verdict(theirs, said):
    verdict = consensus_speed._verdict(MINE, theirs, time_limit=200)
    for words in said:
        assert words in verdict


def test_a_peer_that_crashed_has_no_time():
    crashed = case("ensembleclustering, hgpa", float("nan"), 0.0, "failed")
    late = case("openensembles, linkage", float("nan"), 0.0, "over the time limit")
    table = consensus_speed._same_method(MINE, [crashed, late], time_limit=200)
    assert list(table.columns[-1].cells) == ["", "> 2e+03 ×"]

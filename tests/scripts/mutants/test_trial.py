"""Verdicts on a repository with one room: a file whose test is thorough, one whose test is not, one without."""

import hashlib
import json

import pytest

from scripts.mutants.__main__ import main
from scripts.mutants.changes import changes
from scripts.mutants.record import Record
from scripts.mutants.sample import Mutant, by_line, by_name, sample
from scripts.mutants.trial import Copy, Verdict

FILES = {
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--import-mode=importlib'\nmarkers = ['slow']\n",
    "pluribus/__init__.py": "",
    "pluribus/votes/__init__.py": "",
    "pluribus/votes/count.py": "def more(a, b):\n    return a > b\n",
    "pluribus/votes/guess.py": "def more(a, b):\n    return a > b\n",
    "pluribus/votes/alone.py": "def more(a, b):\n    return a > b\n",
    "pluribus/votes/wait.py": "def last(n):\n    while n > 0:\n        n -= 1\n    return n\n",
    "pluribus/other/flaw.py": "FLAW = 5\n",
    "pluribus/_kernels/__init__.py": "",
    "pluribus/_kernels/sums/half.py": "def half(n):\n    return n / 2\n",
    "pluribus/votes/share.py": "from pluribus._kernels.sums.half import half\n\n\ndef share(n):\n    return half(n)\n",
    "tests/votes/test_share.py": "from pluribus.votes.share import share\n\ndef test_half():\n    assert share(6) == 3",
    "tests/votes/test_count.py": "from pluribus.votes.count import more\n\ndef test_more():\n    assert not more(1, 1)",
    "tests/votes/test_guess.py": "from pluribus.votes.guess import more\n\ndef test_more():\n    assert more(2, 1)\n",
    "tests/votes/test_wait.py": "from pluribus.votes.wait import last\n\ndef test_last():\n    assert last(3) == 0\n",
    "tests/other/test_flaw.py": "from pluribus.other.flaw import FLAW\n\ndef test_flaw():\n    assert FLAW == 4\n",
}
KILLED, SURVIVED = "pluribus/votes/count.py:2/1", "pluribus/votes/guess.py:2/1"  # > to >=


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # starts faster
    root = tmp_path / "repository"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def copy(repository, tmp_path):
    return Copy(repository, tmp_path / "work", seconds=20, gigabytes=2)


def digest(root):
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return [(str(path), hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files]


def test_killed_and_survived(repository, copy):
    before, copied = digest(repository), digest(copy.root)
    killed = copy.judge(by_name(repository, KILLED))
    assert (killed.verdict, killed.by) == ("killed", "tests/votes/test_count.py::test_more")
    survived = copy.judge(by_name(repository, SURVIVED))
    assert (survived.verdict, survived.by) == ("survived", "")
    assert copy.judge(by_name(repository, KILLED)).verdict == "killed"  # again: nothing is left of the others
    assert digest(repository) == before
    assert [line for line in digest(copy.root) if "__pycache__" not in line[0]] == copied


def test_a_kernel_is_judged_by_the_tests_of_those_that_use_it(repository, copy):
    verdict = copy.judge(by_name(repository, "pluribus/_kernels/sums/half.py:2/0"))  # / to *
    assert (verdict.verdict, verdict.by) == ("killed", "tests/votes/test_share.py::test_half")


def test_an_endless_loop_is_timed_out(repository, copy):
    copy.seconds = 3
    verdict = copy.judge(by_name(repository, "pluribus/votes/wait.py:3/0"))  # -= to +=
    assert (verdict.verdict, verdict.by) == ("timed out", "SIGXCPU")


def test_tests_that_fail_anyway_do_not_judge(repository, copy):
    assert copy.judge(by_name(repository, "pluribus/other/flaw.py:1/0")).verdict == "unjudged"


def test_too_much_memory_is_killed(repository, copy):
    copy.gigabytes = 1e-6
    assert copy.run(["tests/votes/test_count.py"]) in (0, -9)  # it may end before anybody looks
    path = copy.root / "tests/votes/test_count.py"
    path.write_text("import time\n\ndef test_long():\n    time.sleep(20)\n")
    assert copy.run(["tests/votes/test_count.py"]) == -9


def test_no_test_at_all_lets_it_survive(repository, copy):
    for path in (copy.root / "tests/votes").glob("*.py"):
        path.unlink()
    assert copy.judge(by_name(repository, "pluribus/votes/alone.py:2/1")).verdict == "survived"


def test_a_sample_is_one_mutant_of_each_line_with_the_rooms_in_turn(repository):
    mutants = list(sample(repository, 3))
    assert mutants == list(sample(repository, 3)) != list(sample(repository, 4))
    assert {mutant.room for mutant in mutants[:3]} == {"votes", "other", "_kernels"}
    assert sorted((mutant.file, mutant.line) for mutant in mutants) == sorted(
        (file, line) for file in FILES if file.startswith("pluribus") for line in by_line(repository, file)
    )
    drawn = {str(mutant) for seed in range(30) for mutant in sample(repository, seed, ["votes/count"])}
    assert drawn == {"pluribus/votes/count.py:2/0", KILLED}
    assert all(by_name(repository, str(mutant)) == mutant for mutant in mutants)


@pytest.mark.parametrize("name", ["pluribus/votes/none.py:2/0", "pluribus/votes/count.py:1/0", f"{KILLED}0", "count"])
def test_a_name_of_no_mutant(repository, name, capsys):
    with pytest.raises(ValueError, match="names no mutant"):
        by_name(repository, name)
    assert main(["--replay", name], repository) == 2
    assert "names no mutant" in capsys.readouterr().out


def test_the_command_replays_one(repository, capsys):
    assert main(["--replay", KILLED], repository) == 0
    assert f"killed     {KILLED}  > to >=  tests/votes/test_count.py::test_more" in capsys.readouterr().out


def test_the_command_runs_a_sample_and_keeps_a_record(repository, tmp_path, capsys):
    record, before = tmp_path / "record.json", digest(repository)
    arguments = ["--only", "votes/count", "--only", "pluribus/votes/guess", "--seed", "1", "--record", str(record)]
    assert main([*arguments, "--workers", "2"], repository) == 0
    assert digest(repository) == before
    told, kept = capsys.readouterr().out, json.loads(record.read_text())
    assert "seed 1" in told
    assert kept["seed"] == 1
    assert kept["mutants"] == 2
    assert kept["verdicts"] == {"killed": 1, "survived": 1} or kept["verdicts"] == {"killed": 2}
    for trial in kept["trials"]:
        assert trial["replay"].endswith(trial["mutant"])
    assert main([*arguments, "--minutes", "0"], repository) == 0
    assert json.loads(record.read_text())["mutants"] == 0


def test_the_score_counts_what_was_judged():
    record = Record(0, "abc")
    assert record.as_json(60)["score"] is None
    verdicts = {"killed": 2, "timed out": 1, "survived": 1, "unjudged": 5}
    change = changes("x = 1\n")[0]
    for verdict, times in verdicts.items():
        for line in range(times):
            record.add(Verdict(Mutant("pluribus/a/b.py", line, 0, change), verdict, "", 1.0))
    record.add(Verdict(Mutant("pluribus/top.py", 1, 0, change), "survived", "", 1.0))
    kept = record.as_json(60)
    assert kept["rooms"]["a"] == {**verdicts, "score": 0.75}
    assert kept["rooms"]["pluribus"] == {"survived": 1, "score": 0.0}
    assert kept["score"] == 3 / 5
    assert kept["minutes"] == 1
    assert [str(one.mutant) for one in record.survivors()] == ["pluribus/a/b.py:0/0", "pluribus/top.py:1/0"]

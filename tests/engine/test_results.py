"""Result directories: no file of the user's is replaced or removed, at whatever moment a job ends."""

import json
import os
import subprocess
import sys

import pytest

from pluribus._engine import ResultDirectory
from pluribus._engine.results import OWN


def write(path, text="result", name="labels.csv", **options):
    with ResultDirectory(path, **options).opened() as directory, directory.files([name]) as made:
        made[name].write_text(text)


def fail(path, keeping=()):
    with ResultDirectory(path).opened() as directory:
        directory.work.mkdir()
        for name in keeping:
            (directory.work / name).write_text("kept")
        raise ZeroDivisionError


def test_own_results_are_replaced_and_others_are_not(tmp_path):
    out = tmp_path / "out"
    write(out, "one")
    write(out, "two")
    assert (out / "labels.csv").read_text() == "two"
    (out / "labels.csv").write_text("edited")
    with pytest.raises(ValueError, match="not a result of pluribus, or was changed"):
        write(out, "three")
    assert (out / "labels.csv").read_text() == "edited"
    write(out, "four", overwrite=True)
    assert (out / "labels.csv").read_text() == "four"
    (out / "mine.csv").write_text("mine")
    with pytest.raises(ValueError, match="mine.csv is not a result"):
        write(out, name="mine.csv")


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("link", [False, True])
def test_what_is_read_is_never_replaced(tmp_path, overwrite, link):
    source = tmp_path / "labels.csv"
    source.write_text("opinions")
    reads = [source]
    if link:
        (tmp_path / "link.csv").symlink_to(source)
        reads = [tmp_path / "link.csv"]
    with pytest.raises(ValueError, match="is read by this job"):
        write(tmp_path, reads=reads, overwrite=overwrite)
    assert source.read_text() == "opinions"


def test_all_targets_are_checked_before_any_is_written(tmp_path):
    (tmp_path / "b.csv").mkdir()
    with (
        pytest.raises(ValueError, match="is a directory"),
        ResultDirectory(tmp_path).opened() as directory,
        directory.files(["a.csv", "b.csv"]),
    ):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.csv"]


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    def slow():
        with ResultDirectory(tmp_path).opened() as directory, directory.files(["a.csv"]) as made:
            made["a.csv"].write_text("ours")
            (tmp_path / "a.csv").write_text("theirs")

    with pytest.raises(ValueError, match="not a result"):
        slow()
    assert (tmp_path / "a.csv").read_text() == "theirs"


def test_nothing_is_left_of_a_job_that_fails(tmp_path):
    with pytest.raises(ZeroDivisionError):
        fail(tmp_path / "a" / "out")
    assert not (tmp_path / "a" / "out").exists()
    with pytest.raises(ZeroDivisionError):
        fail(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]


def test_work_that_was_kept_stays_until_it_is_done(tmp_path):
    with pytest.raises(ZeroDivisionError):
        fail(tmp_path / "out", keeping=["task-0.npz"])
    with ResultDirectory(tmp_path / "out").opened() as directory:
        assert (directory.work / "task-0.npz").exists()
        directory.remove_work()
        assert not directory.work.exists()


@pytest.mark.parametrize("content", [None, "{}", "no"])
def test_a_folder_of_that_name_that_is_not_ours_is_refused(tmp_path, content):
    own = tmp_path / OWN
    own.mkdir()
    (own / "alice.txt").write_text("x")
    if content is not None:
        (own / "owner.json").write_text(content)
    with pytest.raises(ValueError, match="was not made by pluribus"):
        write(tmp_path)
    assert (own / "alice.txt").read_text() == "x"


def test_links_are_not_followed(tmp_path):
    """A link in the place of the work in progress is removed, what it points to is not."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "alice.txt").write_text("x")
    write(tmp_path / "out")
    for name in ("work", "new"):
        (tmp_path / "out" / OWN / name).symlink_to(elsewhere)
    with ResultDirectory(tmp_path / "out").opened() as directory:
        directory.remove_work()
    assert (elsewhere / "alice.txt").read_text() == "x"


def test_one_job_at_a_time(tmp_path):
    with ResultDirectory(tmp_path).opened(), pytest.raises(ValueError, match="another job is writing"):
        write(tmp_path)
    write(tmp_path)


KILLED = """
import os, sys
from pathlib import Path
from pluribus._engine import ResultDirectory
moves = 0
replace = os.replace
def killed(a, b):
    global moves
    moves += 1
    if moves > int(sys.argv[2]):
        os._exit(9)
    replace(a, b)
os.replace = killed
with ResultDirectory(Path(sys.argv[1])).opened() as directory, directory.files(["a.csv", "b.csv"]) as made:
    for name in made:
        made[name].write_text("new " + name)
"""


@pytest.mark.parametrize("moves", range(4))
def test_a_job_that_is_killed_can_be_done_again(tmp_path, moves):
    """Whenever it dies, its files count as results, no temporary file is left, and the next job goes through."""
    out = tmp_path / "out"
    with ResultDirectory(out).opened() as directory, directory.files(["a.csv", "b.csv"]) as made:
        for name in made:
            made[name].write_text("old " + name)
    done = subprocess.run([sys.executable, "-c", KILLED, str(out), str(moves)], check=False)
    assert done.returncode == 9
    with ResultDirectory(out).opened() as directory:
        assert not (directory.own / "new").exists()
        with directory.files(["a.csv", "b.csv"]) as made:
            for name in made:
                made[name].write_text("newest")
    assert (out / "a.csv").read_text() == (out / "b.csv").read_text() == "newest"
    assert set(os.listdir(out)) == {OWN, "a.csv", "b.csv"}


@pytest.mark.parametrize("listed", ["no", "[1]", '{"a.csv": 5}'])
def test_a_damaged_list_makes_nothing_ours(tmp_path, listed):
    write(tmp_path, name="a.csv")
    (tmp_path / OWN / "files.json").write_text(listed)
    with pytest.raises(ValueError, match="not a result"):
        write(tmp_path, name="a.csv")


def test_the_list_has_no_more_than_the_last_digests(tmp_path):
    for text in ("one", "two", "three"):
        write(tmp_path, text)
    assert len(json.loads((tmp_path / OWN / "files.json").read_text())["labels.csv"]) == 1

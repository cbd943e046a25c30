"""What a process leaves behind when it is killed while it writes is removed by the next one."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from helpers import PATIENCE, started, wait_until
from pluribus._engine import TaskStore, atomic_path, files

STUCK = """
import signal, sys, time
from pluribus._engine import atomic_path

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # tests may run under nohup, which ignores it
with atomic_path(sys.argv[1]) as temporary:
    temporary.write_text("half")
    time.sleep(3600)
"""

# Where a file system cannot make files without a name, they have one for a moment.
STUCK_LABELS = """
import os, sys, tempfile, time
from pluribus._engine import TaskStore, scratch_file

tempfile._O_TMPFILE_WORKS = False
tempfile._os.unlink = lambda path: time.sleep(3600)
scratch_file("labels", TaskStore(sys.argv[1], "job").directory)
"""


def hidden(folder):
    return [path for path in folder.iterdir() if path.name.startswith(".")]


def stopped(code, argument, folder, stop=signal.SIGKILL):
    """Run code until it has written a temporary file, and stop it."""
    with started([sys.executable, "-c", code, str(argument)], stderr=subprocess.DEVNULL) as job:
        wait_until(lambda: hidden(folder), job)
        job.send_signal(stop)
        job.wait(PATIENCE)


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_the_next_writer_of_the_same_file_removes_them(tmp_path, stop):
    target = tmp_path / "labels [1].csv"
    stopped(STUCK, target, tmp_path, stop)
    (left,) = hidden(tmp_path)
    assert left.suffix == ".csv"
    with atomic_path(tmp_path / "other.csv") as temporary:
        temporary.write_text("other")
    assert hidden(tmp_path) == [left]
    with atomic_path(target) as temporary:
        assert hidden(tmp_path) == []
        temporary.write_text("whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels [1].csv", "other.csv"]


@pytest.mark.parametrize("code", [STUCK, STUCK_LABELS])
def test_a_job_that_continues_removes_them(tmp_path, code):
    TaskStore(tmp_path, "job").put("0", x=np.zeros(1))
    stopped(code, tmp_path / "task-1.npz" if code is STUCK else tmp_path, tmp_path)
    assert len(hidden(tmp_path)) == 1
    TaskStore(tmp_path, "job")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["job.json", "task-0.npz"]


def test_those_of_a_process_that_is_alive_stay(tmp_path):
    target = tmp_path / "labels.csv"
    with started([sys.executable, "-c", STUCK, str(target)], stderr=subprocess.DEVNULL) as job:
        wait_until(lambda: hidden(tmp_path), job)
        with atomic_path(target) as temporary:
            temporary.write_text("whole")
        TaskStore(tmp_path, "job")
        assert len(hidden(tmp_path)) == 1


def test_those_of_another_machine_stay_for_a_day(tmp_path, monkeypatch):
    target = tmp_path / "labels.csv"
    stopped(STUCK, target, tmp_path)
    (left,) = hidden(tmp_path)
    monkeypatch.setattr(files, "_machine", lambda: "0" * 8)
    files.remove_leftovers(tmp_path)
    assert left.exists()
    os.utime(left, (time.time() - 90_000,) * 2)
    files.remove_leftovers(tmp_path)
    assert not left.exists()


def test_files_and_folders_of_the_user_stay(tmp_path):
    stopped(STUCK, tmp_path / "labels.csv", tmp_path)
    (left,) = hidden(tmp_path)
    (tmp_path / left.name.replace("-tmp", "-temp")).touch()
    (tmp_path / left.name.removeprefix(".")).touch()
    (tmp_path / f"{left.name}.old.csv").touch()
    (tmp_path / left.name.replace(".csv", "")).mkdir()
    (tmp_path / left.name.replace(".csv", ".txt")).symlink_to(tmp_path / ".gone")
    before = set(tmp_path.iterdir())
    files.remove_leftovers(tmp_path)
    assert before - set(tmp_path.iterdir()) == {left}


def test_long_names(tmp_path):
    target = tmp_path / ("ä" * 120 + ".csv")
    with atomic_path(target) as temporary:
        temporary.write_text("whole")
    assert list(tmp_path.iterdir()) == [target]


def test_a_directory_that_is_not_there(tmp_path):
    def write():
        with atomic_path(tmp_path / "none" / "labels.csv") as temporary:
            temporary.write_text("whole")

    with pytest.raises(FileNotFoundError):
        write()

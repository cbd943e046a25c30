"""The cache of compiled kernels that tests/conftest.py sets up."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernel_cache import keep_kernels

KERNEL = """
from numba import njit

@njit(cache=True)
def twice(x):
    return 2 * x

print(twice(21))
"""


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """Makes a folder of kernels, as in a fresh clone, and returns it and the cache folder that it gets."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def make(name, source=KERNEL, near="", far=""):
        kernels = tmp_path / name / "_kernels"
        for file, text in {"points/twice": source, "near/a": near, "far/a": far, "apart/a": ""}.items():
            path = kernels / f"{file}.py"
            path.parent.mkdir(parents=True)
            path.write_text(text)
        monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
        keep_kernels(kernels)
        return kernels, os.environ.get("NUMBA_CACHE_DIR")

    return make


def said_by(kernels):
    """What numba says of its cache when it runs a kernel."""
    environment = {**os.environ, "NUMBA_DEBUG_CACHE": "1"}
    command = [sys.executable, kernels / "points" / "twice.py"]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert "42" in said
    return said


def test_clones_share_what_one_has_compiled(clone):
    assert "data saved to" in said_by(clone("first")[0])
    said = said_by(clone("second")[0])
    assert "data loaded from" in said
    assert "data saved to" not in said


def places(cache):
    """Where the code of each folder of kernels is kept."""
    return {link.name.split("_")[0]: link.resolve() for link in Path(cache).iterdir()}


def test_an_edit_is_noticed_by_all_that_import_it(clone):
    """Here `far` imports from `near`, and `near` from `points`."""
    first, again, edited = (
        places(clone(name, source, near="from x._kernels.points.twice import twice", far="import x._kernels.near.a")[1])
        for name, source in (("first", KERNEL), ("again", KERNEL), ("edited", KERNEL.replace("2 * x", "x + x")))
    )
    assert first == again
    assert set(first) == {"points", "near", "far", "apart"}
    assert {folder for folder in first if first[folder] == edited[folder]} == {"apart"}


def test_code_that_nobody_used_for_long_is_deleted(clone):
    old, used = clone("old", KERNEL + "#")[1], clone("used")[1]
    forgotten = {old, places(old)["points"]}
    for folder in forgotten:
        os.utime(folder, (0, 0))
    clone("another")
    assert not any(map(os.path.exists, forgotten))
    assert all(map(os.path.exists, {used, *places(used).values()}))


def test_where_nothing_can_be_written_numba_decides(clone, tmp_path):
    (tmp_path / "cache").touch()
    assert clone("first")[1] is None


def test_the_users_choice_stays(clone, monkeypatch, tmp_path):
    kernels, _ = clone("first")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    keep_kernels(kernels)
    assert os.environ["NUMBA_CACHE_DIR"] == str(tmp_path)

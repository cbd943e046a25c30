"""The cache of compiled kernels that tests/conftest.py sets up."""

import os
import subprocess
import sys

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

    def make(name, source=KERNEL):
        kernels = tmp_path / name / "_kernels"
        (kernels / "points").mkdir(parents=True)
        (kernels / "points" / "twice.py").write_text(source)
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


def test_an_edited_kernel_gets_another_folder(clone):
    assert clone("first")[1] == clone("second")[1]
    assert clone("edited", KERNEL.replace("2 * x", "x + x"))[1] != clone("third")[1]


def test_code_that_nobody_used_for_long_is_deleted(clone):
    old, used = clone("old", KERNEL + "#")[1], clone("used")[1]
    os.utime(old, (0, 0))
    clone("another")
    assert not os.path.exists(old)
    assert os.path.exists(used)


def test_where_nothing_can_be_written_numba_decides(clone, tmp_path):
    (tmp_path / "cache").touch()
    assert clone("first")[1] is None


def test_the_users_choice_stays(clone, monkeypatch, tmp_path):
    kernels, _ = clone("first")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    keep_kernels(kernels)
    assert os.environ["NUMBA_CACHE_DIR"] == str(tmp_path)

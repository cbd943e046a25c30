"""The library can be imported by a user without a home or an entry in the password file, who may write nowhere."""

import os
import subprocess
import sys

import pytest

ROOMS = """
import importlib, pluribus
from pathlib import Path

for room in (*pluribus._ROOMS, "cli._app"):
    importlib.import_module(f"pluribus.{room}")
try:
    print(Path.home())
except RuntimeError:
    print("no home")
"""
USE = """
print(pluribus.consensus.EvidenceAccumulation(2).fit([[0, 0, 0, 1, 1], [0, 0, 0, 1, 1]]).labels_.tolist())
"""
# As if the user had no entry, and all directories were read-only.
NO_ENTRY = """
import os, pwd

def getpwuid(uid):
    raise KeyError(f"getpwuid(): uid not found: {uid}")

pwd.getpwuid, access = getpwuid, os.access
os.access = lambda path, mode, **how: mode != os.W_OK and access(path, mode, **how)
"""
# Home directories and permissions to write follow the real user; the effective one can still read all directories.
ANOTHER_USER = """
import os
os.setregid(54321, -1)
os.setreuid(54321, -1)
"""
only_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user"
)
no_entry = pytest.mark.parametrize(
    "user", [pytest.param(NO_ENTRY, id="simulated"), pytest.param(ANOTHER_USER, id="another user", marks=only_root)]
)


def printed(code, folder):
    """What code prints in an environment with nothing but a directory for temporary files."""
    environment = {"TMPDIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_home(tmp_path):
    assert printed(ROOMS, tmp_path)


@no_entry
def test_without_home_and_entry(tmp_path, user):
    assert printed(user + ROOMS, tmp_path) == "no home\n"


@pytest.mark.slow
@no_entry
def test_kernels_are_compiled_there(tmp_path, user):
    assert printed(user + ROOMS + USE, tmp_path) == "no home\n[0, 0, 0, 1, 1]\n"

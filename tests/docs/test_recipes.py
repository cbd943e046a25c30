"""The recipes of CONTRIBUTING that contain code, followed to the letter in a copy of the repository."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r'^```(python|diff|md) title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
MOST_EDITS = 5
COPIED = ["pluribus", "scripts", "docs/methods", "pyproject.toml", "CHANGELOG.md", "README.md"]

CONSENSUS = """
from pathlib import Path
import docs_hooks
from pluribus import EnsembleClusterer, consensus
from pluribus.consensus._internal import bytes_needed

assert "ivc" in consensus.names()
labels = [[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]
assert consensus.by_name("IVC")(2, random_state=0, verbose=False).fit(labels).labels_.tolist() == [0, 0, 0, 1, 1]
(run,) = consensus.compare_methods(labels, 2, methods=["ivc"], verbose=False).completed
assert run.name == "ivc"
assert bytes_needed("ivc", 100, 10) == 100 * (200 + 24 * 10)
model = EnsembleClusterer(consensus="ivc", n_clusters=2, random_state=0, verbose=False)
assert model.fit([[float(i % 2 * 50 + i)] for i in range(24)]).labels_.tolist() == [0, 1] * 12
table = docs_hooks.method_table("consensus", docs_hooks.pages_in(Path("docs/methods")))
assert "[`ivc`](ivc.md) | `IterativeVoting`" in table and "2 s, n |" in table
"""
CONSTRAINED = """
from pathlib import Path
import docs_hooks
from pluribus import Constraints, constrained

assert "spectral-learning" in constrained.names()
known = Constraints(5, must_link=[(1, 2)], cannot_link=[(2, 3)])
model = constrained.by_name("spectral-learning")(2, n_neighbors=1, random_state=0)
assert model.fit([[0], [1], [4], [5], [6]], constraints=known).labels_.tolist() == [0, 0, 0, 1, 1]
table = docs_hooks.method_table("constrained", docs_hooks.pages_in(Path("docs/methods")))
assert "[`spectral-learning`](spectral-learning.md) | `SpectralLearning`" in table
"""


def insert(text: str, change: str) -> str:
    """Insert the lines of a diff that begin with a plus after the lines that stand before them there."""
    lines, at = text.splitlines(), 0
    for line in change.splitlines():
        if line.startswith("+"):
            lines.insert(at, line[1:])
        else:
            at = lines.index(line[1:], at)
        at += 1
    return "\n".join(lines) + "\n"


def follow(section: str, root: Path) -> list[Path]:
    """Make the edits of a section of the guide, and return the files."""
    recipe = re.search(rf"^## {section}\n(.*?)(?=^## )", GUIDE, re.MULTILINE | re.DOTALL)[1]
    files = []
    for kind, name, text in BLOCK.findall(recipe):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(insert(path.read_text(encoding="utf-8"), text) if kind == "diff" else text, encoding="utf-8")
        files.append(path)
    assert len(files) == len(set(files)) <= MOST_EDITS
    return files


@pytest.mark.parametrize(
    ("section", "check"), [("Add a consensus function", CONSENSUS), ("Add a constrained method", CONSTRAINED)]
)
def test_following_a_recipe_adds_a_method(section, check, tmp_path):
    for name in COPIED:
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    method, room, test, *_ = follow(section, tmp_path)
    python = [str(file) for file in (method, room, test)]
    runs = [
        [sys.executable, "-c", check],
        [sys.executable, "-m", "ruff", "check", "--no-cache", *python],
        [sys.executable, "-m", "ruff", "format", "--check", "--no-cache", *python],
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test), str(method)],
    ]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(tmp_path / "scripts")]),
        "NUMBA_DISABLE_JIT": "1",  # a few objects do not repay compiling
    }
    pipe, together = subprocess.PIPE, subprocess.STDOUT
    started = [subprocess.Popen(run, cwd=tmp_path, env=environment, stdout=pipe, stderr=together) for run in runs]
    printed = [process.communicate()[0].decode() for process in started]
    assert not any(process.returncode for process in started), "\n".join(printed)

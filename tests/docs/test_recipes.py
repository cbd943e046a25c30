"""The recipes of CONTRIBUTING that contain code, followed to the letter in a copy of the repository."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r'^```(python|diff|md) title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
RECIPES = ["Add a consensus function", "Add a constrained method"]
MOST_EDITS = 5
COPIED = ["pluribus", "scripts", "docs/methods", "pyproject.toml", "CHANGELOG.md", "README.md"]

CHECK = """
from pathlib import Path
import docs_hooks
from pluribus import Constraints, EnsembleClusterer, consensus, constrained
from pluribus.consensus._internal import bytes_needed

pages = docs_hooks.pages_in(Path("docs/methods"))

assert "ivc" in consensus.names()
labels = [[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]
assert consensus.by_name("IVC")(2, random_state=0, verbose=False).fit(labels).labels_.tolist() == [0, 0, 0, 1, 1]
(run,) = consensus.compare_methods(labels, 2, methods=["ivc"], verbose=False).completed
assert run.name == "ivc"
assert bytes_needed("ivc", 100, 10) == 100 * (200 + 24 * 10)
model = EnsembleClusterer(consensus="ivc", n_clusters=2, random_state=0, verbose=False)
assert model.fit([[float(i % 2 * 50 + i)] for i in range(24)]).labels_.tolist() == [0, 1] * 12
table = docs_hooks.method_table("consensus", pages)
assert "[`ivc`](ivc.md) | `IterativeVoting`" in table and "2 s, n |" in table

assert "spectral-learning" in constrained.names()
known = Constraints(5, must_link=[(1, 2)], cannot_link=[(2, 3)])
model = constrained.by_name("spectral-learning")(2, n_neighbors=1, random_state=0)
assert model.fit([[0], [1], [4], [5], [6]], constraints=known).labels_.tolist() == [0, 0, 0, 1, 1]
table = docs_hooks.method_table("constrained", pages)
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


def test_following_the_recipes_adds_two_methods(tmp_path):
    for name in COPIED:
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    files = [file for section in RECIPES for file in follow(section, tmp_path)]
    python = [str(file) for file in files if file.suffix == ".py"]
    tested = [file for file in python if not file.endswith("__init__.py")]  # new tests, and the doctests of the methods
    runs = [
        [sys.executable, "-c", CHECK],
        [sys.executable, "-m", "ruff", "check", "--no-cache", *python],
        [sys.executable, "-m", "ruff", "format", "--check", "--no-cache", *python],
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tested],
    ]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(tmp_path / "scripts")]),
        "NUMBA_DISABLE_JIT": "1",  # a few objects do not repay compiling
    }
    pipe, together = subprocess.PIPE, subprocess.STDOUT
    started = [subprocess.Popen(run, cwd=tmp_path, env=environment, stdout=pipe, stderr=together) for run in runs]
    printed = [process.communicate()[0].decode() for process in started]
    assert not any(process.returncode for process in started), "\n".join(printed)

"""Run the tests of what changed since the last commit: `make check`.

For a changed module these are its doctests, the test file that mirrors it, and the test files of the modules of the
same room that import it. Few kernels have tests of their own, so a kernel has those of the modules that use it, in any
room. `make test` runs all tests.
"""

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "pluribus"
_KERNELS = "_kernels"
_MOST_OF_USERS = 12  # test files of the modules that use a kernel


def changed_files(root: Path) -> list[Path]:
    """Files that differ from HEAD or that git does not track, and that exist, relative to the root."""
    listings = (
        ["git", "diff", "--name-only", "--no-renames", "-z", "HEAD"],
        ["git", "ls-files", "--others", "--exclude-standard", "-z"],
    )
    names = {
        name
        for listing in listings
        for name in subprocess.run(listing, cwd=root, check=True, capture_output=True, text=True).stdout.split("\0")
    }
    return [Path(name) for name in sorted(names) if (root / name).is_file()]


def chosen_tests(changed: Iterable[Path], root: Path) -> list[str]:
    """What pytest is to run for these files."""
    found = set()
    for file in changed:
        if file.suffix != ".py":
            continue
        if file.parts[0] == "tests":
            found |= {file} if file.name.startswith("test_") else _tests_in(file.parent, root)
        elif file.parts[0] == PACKAGE:
            found |= {file} | _mirror(file, root)  # the module itself, for its doctests
            if file.parts[1] == _KERNELS:
                found |= _tests_of_users(file, root)
            else:
                for importer in _importers(file, root):
                    found |= _mirror(importer, root)
        else:  # benchmarks and scripts
            found |= _mirror(file, root)
    # Tests first: pytest imports a module on its own if it meets the module before anything else has imported it.
    return sorted((path.as_posix() for path in found), key=lambda name: (not name.startswith("tests/"), name))


def _mirror(module: Path, root: Path) -> set[Path]:
    """tests/room/family/test_method.py for pluribus/room/family/method.py; else the tests in the nearest folder."""
    parts = module.parts[1:] if module.parts[0] == PACKAGE else module.parts
    *folders, name = [part.removeprefix("_") for part in parts]
    folder = Path("tests", *folders)
    test = folder / f"test_{name}"
    if (root / test).is_file():
        return {test}
    while not (root / folder).is_dir():
        folder = folder.parent
    return _tests_in(folder, root)


def _tests_in(folder: Path, root: Path) -> set[Path]:
    """Test files that lie in a folder itself, not in those below."""
    return {path.relative_to(root) for path in (root / folder).glob("test_*.py")}


def _tests_of_users(kernel: Path, root: Path) -> set[Path]:
    """Test files of the modules that use a kernel, themselves or through other kernels; the nearest first."""
    nearest: list[Path] = []
    layer, seen = {kernel}, {kernel}
    while layer and len(nearest) < _MOST_OF_USERS:
        importers = set().union(*(_importers(module, root) for module in layer)) - seen
        layer = {module for module in importers if module.parts[1] == _KERNELS}
        seen |= importers
        tests = [sorted(_mirror(module, root)) for module in sorted(importers - layer)]
        nearest += [test for mirrored in sorted(tests, key=len) for test in mirrored if test not in nearest]
    return set(nearest[:_MOST_OF_USERS])


def _importers(module: Path, root: Path) -> set[Path]:
    """Modules of the same room, or for a kernel of any room, that import it; an __init__ only names what is in it."""
    folder, stem = module.parent, module.stem
    if stem == "__init__" or len(module.parts) < 3:
        return set()
    package = re.escape(".".join(folder.parts))
    says = re.compile(
        rf"^\s*(from {package}\.{stem} import|from {package} import .*\b{stem}\b|import {package}\.{stem}\b)", re.M
    )
    package_or_room = module.parts[:1] if module.parts[1] == _KERNELS else module.parts[:2]
    return {
        path.relative_to(root)
        for path in root.joinpath(*package_or_room).rglob("*.py")
        if path.name != "__init__.py" and says.search(path.read_text(encoding="utf-8"))
    }


def main() -> int:
    """Run them, and return pytest's exit status."""
    tests = chosen_tests(changed_files(ROOT), ROOT)
    if not tests:
        print("No module or test has changed since the last commit.")
        return 0
    print(f"Tests of what changed: {' '.join(tests)}", flush=True)
    workers = ["-n", "2", "--dist", "worksteal"] if len(tests) > 2 else []
    status = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "not slow", *workers, *tests], cwd=ROOT
    ).returncode
    return 0 if status == 5 else status  # 5: nothing to run in what changed


if __name__ == "__main__":
    sys.exit(main())

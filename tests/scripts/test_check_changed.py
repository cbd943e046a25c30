import subprocess
from pathlib import Path

import pytest

from check_changed import ROOT, changed_files, chosen_tests

FILES = {
    "pluribus/__init__.py": "",
    "pluribus/votes/__init__.py": "from pluribus.votes.few.plain import Plain",
    "pluribus/votes/_shared/count.py": "",
    "pluribus/votes/few/plain.py": "from pluribus.votes import x\nfrom pluribus.votes._shared.count import a, b",
    "pluribus/votes/few/ranked.py": "def f():\n    from pluribus.votes.few import _rank",
    "pluribus/votes/few/_rank.py": "",
    "pluribus/_engine/run.py": "",
    "pluribus/other/room.py": "from pluribus.votes.few.plain import Plain",
    "pluribus/_kernels/__init__.py": "",
    "pluribus/_kernels/sums/add.py": "",
    "pluribus/_kernels/sums/means.py": "from pluribus._kernels.sums.add import add",
    "pluribus/_kernels/alone.py": "",
    "pluribus/votes/few/_sums.py": "from pluribus._kernels.sums.add import add",
    "pluribus/_engine/store.py": "def f():\n    from pluribus._kernels.sums import means",
    "scripts/tidy.py": "",
    "docs/guide.md": "",
    "tests/conftest.py": "",
    "tests/test_import.py": "",
    "tests/votes/test_every_vote.py": "",
    "tests/votes/conftest.py": "",
    "tests/votes/few/test_plain.py": "",
    "tests/votes/few/test_ranked.py": "",
    "tests/engine/test_run.py": "",
    "tests/engine/test_store.py": "",
    "tests/kernels/sums/test_add.py": "",
    "tests/scripts/test_tidy.py": "",
}


@pytest.fixture
def repository(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("pluribus/votes/few/plain.py", ["tests/votes/few/test_plain.py"]),
        ("pluribus/_engine/run.py", ["tests/engine/test_run.py"]),
        # No test file of its own: those that lie nearest, which are those of the methods that use it.
        ("pluribus/votes/few/_rank.py", ["tests/votes/few/test_plain.py", "tests/votes/few/test_ranked.py"]),
        ("pluribus/votes/_shared/count.py", ["tests/votes/few/test_plain.py", "tests/votes/test_every_vote.py"]),
        ("pluribus/votes/__init__.py", ["tests/votes/test_every_vote.py"]),
        ("pluribus/__init__.py", ["tests/test_import.py"]),
        # Tests of those that use a kernel: here the helper of the votes, and the store by way of another kernel.
        (
            "pluribus/_kernels/sums/add.py",
            [
                "tests/engine/test_store.py",
                "tests/kernels/sums/test_add.py",
                "tests/votes/few/test_plain.py",
                "tests/votes/few/test_ranked.py",
            ],
        ),
        ("pluribus/_kernels/sums/means.py", ["tests/engine/test_store.py", "tests/kernels/sums/test_add.py"]),
        ("pluribus/_kernels/alone.py", []),
        ("tests/votes/few/test_plain.py", ["tests/votes/few/test_plain.py"]),
        ("tests/votes/conftest.py", ["tests/votes/test_every_vote.py"]),
        ("scripts/tidy.py", ["tests/scripts/test_tidy.py"]),
        ("docs/guide.md", []),
    ],
)
def test_tests_of_a_file(repository, changed, tests):
    doctests = [changed] if changed.startswith("pluribus") else []
    assert chosen_tests([Path(changed)], repository) == tests + doctests


def test_a_kernel_has_a_dozen_tests_of_those_that_use_it_and_the_nearest_first(repository):
    for i in range(20):
        name = f"use_{i:02}"
        (repository / f"pluribus/other/{name}.py").write_text("from pluribus._kernels.sums.means import mean")
        (repository / "tests/other").mkdir(exist_ok=True)
        (repository / f"tests/other/test_{name}.py").touch()
    # The helper that imports the kernel itself has two test files, and leaves ten places to the others.
    tests = chosen_tests([Path("pluribus/_kernels/sums/add.py")], repository)
    assert tests[-3:] == [
        "tests/votes/few/test_plain.py",
        "tests/votes/few/test_ranked.py",
        "pluribus/_kernels/sums/add.py",
    ]
    assert [name for name in tests if "other" in name] == [f"tests/other/test_use_{i:02}.py" for i in range(9)]
    assert len(tests) == 14  # its own, twelve of those that use it, and its doctests


def test_every_kernel_here_has_tests():
    kernels = [path.relative_to(ROOT) for path in (ROOT / "pluribus/_kernels").glob("*/*.py")]
    for kernel in kernels:
        if kernel.name != "__init__.py":
            assert any(name.startswith("tests/") for name in chosen_tests([kernel], ROOT)), kernel


def test_changed_files_are_edited_or_new(repository):
    def git(*arguments):
        identity = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=repository, check=True, capture_output=True)

    git("init")
    (repository / ".gitignore").write_text("ignored.py")
    git("add", ".")
    git("commit", "-m", "start")
    assert changed_files(repository) == []
    (repository / "scripts/tidy.py").write_text("x = 1")
    (repository / "pluribus/other/room.py").write_text("y = 1")
    git("add", "pluribus/other/room.py")
    (repository / "pluribus/_engine/run.py").unlink()
    for name in ("ignored.py", "new name.py"):
        (repository / name).touch()
    assert changed_files(repository) == [Path("new name.py"), Path("pluribus/other/room.py"), Path("scripts/tidy.py")]


def test_every_module_here_has_a_place_in_the_mirror():
    modules = [path.relative_to(ROOT) for path in (ROOT / "pluribus").glob("*/*/*.py")]
    assert len(modules) > 50
    assert all((ROOT / test).is_file() for test in chosen_tests(modules[::7], ROOT))

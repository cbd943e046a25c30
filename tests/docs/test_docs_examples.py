"""The examples of the README and the docs: each page is run from top to bottom, in one empty directory.

- ``csv title="NAME"`` is written to that file.
- ``python`` is run, in one namespace for each page. Values behind ``print(...)  # value`` must be what is printed.
- ``console`` holds commands: each line ``$ pluribus …`` is run and must succeed.
- ``text`` right after one of these must be what it printed (``...`` stands for anything).

What is only to be read (``sh``, ``text`` elsewhere) is left alone.
"""

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from pluribus.cli._app import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SLOW = {"docs/dask.md"}  # starts a cluster; tests/pipeline/test_dask_engine.py compares the same labels
FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?[^\n]*\n(.*?)^```$', re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^print\(.*\) {2,}# (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    kind: str
    title: str
    text: str
    line: int
    follows: bool  # nothing but blank lines since the block before


def blocks(page):
    text, end, found = page.read_text(encoding="utf-8"), 0, []
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        follows = bool(found) and not text[end : match.start()].strip()
        found.append(Block(match[1], match[2] or "", match[3], line, follows))
        end = match.end()
    return found


def named(page):
    return str(page.relative_to(ROOT))


def run_python(block, page, names):
    source = "\n" * (block.line - 1) + block.text  # so that a traceback shows the line of the page
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(source, str(page), "exec"), names)
    return printed.getvalue()


def run_doctest(block, page, names):
    example = doctest.DocTestParser().get_doctest(block.text, names, named(page), str(page), block.line)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    report = io.StringIO()
    runner.run(example, out=report.write, clear_globs=False)
    names |= example.globs
    assert not runner.failures, report.getvalue()


def run_console(block, page):
    printed = ""
    for line in block.text.splitlines():
        if line.startswith("$ pluribus "):
            arguments = shlex.split(line, comments=True)[2:]
            result = CliRunner().invoke(app, arguments)
            assert result.exit_code == 0, f"{named(page)}: {line}\n{result.output}"
            printed += result.output
    return printed


def check_printed(wanted, printed, page, block):
    if not doctest.OutputChecker().check_output(wanted, printed, FLAGS):
        pytest.fail(f"{named(page)}, line {block.line}, shows\n{wanted}\nbut this was printed:\n{printed}")


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (named(page) in SLOW)) for page in PAGES if blocks(page)],
    ids=named,
)
def test_examples_run_and_print_what_they_show(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names = {"__name__": "__main__"}
    printed = None  # by the block before
    for block in blocks(page):
        if block.kind == "text" and block.follows and printed is not None:
            check_printed(block.text, printed, page, block)
        printed = None
        if block.kind == "csv" and block.title:
            Path(block.title).write_text(block.text, encoding="utf-8")
        elif block.kind == "python" and block.text.startswith(">>> "):
            run_doctest(block, page, names)
        elif block.kind == "python":
            printed = run_python(block, page, names)
            shown = SHOWN.findall(block.text)
            if shown:
                check_printed("\n".join(shown) + "\n", printed, page, block)
        elif block.kind == "console":
            printed = run_console(block, page)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"], ids=named)
def test_links_lead_to_files(page):
    targets = [target for target in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target]
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert not missing


def test_the_command_line_page_names_every_option():
    page = (ROOT / "docs" / "api" / "cli.md").read_text(encoding="utf-8")
    for name, command in typer.main.get_command(app).commands.items():
        section = re.search(rf"^## `pluribus {name}`\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
        assert section, f"docs/api/cli.md has no section on pluribus {name}"
        options = {option for parameter in command.params for option in parameter.opts if option.startswith("--")}
        documented = set(re.findall(r"^\| `(--[\w-]+)", section[1], re.MULTILINE))
        assert documented == options - {"--help"}, name

"""The parts of the documentation that follow from the code and from the pages: tables of methods, and navigation.

A page in ``docs/methods`` names its classes in its front matter, ``classes: [EvidenceAccumulation]``. A comment
``<!-- methods of pluribus.consensus -->`` becomes a table with a row for each class of that room: its names, what it
does, what it suits and, if it has a ``cost``, its time. The pages in ``docs/methods`` and ``docs/api`` are added to the
navigation, so that a new page needs no edit of ``mkdocs.yml``.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

from mkdocs.exceptions import PluginError
from mkdocs.utils.meta import get_data

from pluribus._engine import Registry

SECTIONS = {  # of the navigation, by room
    "consensus": "Methods",
    "constrained": "Methods under constraints",
    "increments": "Methods on increments",
    "relational": "Methods for linked objects",
    "alternative": "Alternative partitions",
    "similarity": "Learned similarities",
}
TABLE = re.compile(r"<!-- methods of pluribus\.(\w+) -->")
ROLE = re.compile(r":\w+:`~?(?:\w+\.)*(\w+)`")


class Page(NamedTuple):
    """A page in ``docs/methods`` or ``docs/api``."""

    name: str
    title: str
    classes: list[str]


def on_config(config: Any) -> Any:
    """Add the pages of the methods and of the API to the navigation."""
    docs = Path(config.docs_dir)
    fill_navigation(config.nav, pages_in(docs / "methods"), pages_in(docs / "api"))
    return config


def on_page_markdown(markdown: str, *, config: Any, **_: Any) -> str:
    """Write the tables of methods."""
    return TABLE.sub(lambda match: method_table(match[1], pages_in(Path(config.docs_dir) / "methods")), markdown)


def pages_in(folder: Path) -> list[Page]:
    """The pages in a folder, except its index, by title."""
    pages = []
    for path in folder.glob("*.md"):
        text, meta = get_data(path.read_text(encoding="utf-8"))
        title = text.lstrip().partition("\n")[0].removeprefix("# ")
        pages.append(Page(path.name, title, meta.get("classes", [])))
    return sorted((page for page in pages if page.name != "index.md"), key=lambda page: page.title.lower())


def fill_navigation(nav: list[Any], methods: list[Page], api: list[Page]) -> None:
    """Add the pages that are not listed yet: methods to the section of their room, those without classes last."""
    listed = set(_listed(nav))
    sections = {title: items for part in nav if isinstance(part, dict) for title, items in part.items()}
    for room, section in SECTIONS.items():
        if section not in sections:
            continue
        known = {entry.method.__name__ for entry in Registry(f"pluribus.{room}").entries()}
        sections[section] += [f"methods/{page.name}" for page in methods if known.intersection(page.classes)]
    others = [f"methods/{page.name}" for page in methods if not page.classes]
    sections[SECTIONS["consensus"]] += [page for page in others if page not in listed]
    sections["API"] += [f"api/{page.name}" for page in api if f"api/{page.name}" not in listed]


def _listed(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [page for item in (nav.values() if isinstance(nav, dict) else nav) for page in _listed(item)]


def method_table(room: str, pages: list[Page]) -> str:
    """A Markdown table of the methods of a room, with links from ``docs/methods``."""
    page_of = {name: page.name for page in pages for name in page.classes}
    entries = Registry(f"pluribus.{room}").entries()
    methods: list[Any] = list(dict.fromkeys(entry.method for entry in entries))
    columns = ["name", "class", "what it does", "suits"]
    if any(hasattr(method, "cost") for method in methods):
        columns.append("time")
    rows = [columns, ["---"] * len(columns)]
    for method in methods:
        if method.__name__ not in page_of:
            raise PluginError(
                f"No page in docs/methods documents {method.__name__}: write one that begins with '---', "
                f"'classes: [{method.__name__}]' and '---'."
            )
        summary = method.__doc__.strip().partition("\n")[0]
        names = ", ".join(f"`{name}`" for name in method.known_as)
        cells = [f"[{names}]({page_of[method.__name__]})", f"`{method.__name__}`", summary, method.suits, _time(method)]
        rows.append([_markdown(cell) for cell in cells[: len(columns)]])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _time(method: Any) -> str:
    """Seconds at the reference size and their growth; by name, if names differ."""
    cost = getattr(method, "cost", None)
    if not isinstance(cost, dict):
        return "" if cost is None else f"{cost.seconds:g} s, {cost.growth}"
    times: dict[str, list[str]] = {}
    for name, own in cost.items():
        times.setdefault(f"{own.seconds:g} s, {own.growth}", []).append(f"`{name}`")
    return "; ".join(f"{', '.join(names)}: {time}" for time, names in times.items())


def _markdown(cell: str) -> str:
    """A cell of a table from the text of a docstring."""
    return ROLE.sub(r"`\1`", cell).replace("``", "`").replace("|", "\\|")

"""What all pages have in common: one HTML file, which needs nothing from the network and asks nothing of it."""

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from pluribus._engine import atomic_path
from pluribus.report._shared.flow_words import shortened
from pluribus.report._shared.palette import color_of
from pluribus.report._shared.specification import Figure
from pluribus.report._shared.words import count, index_title, percent

_TEMPLATES = Path(__file__).parent / "templates"


def draw_page(template: str, figures: Mapping[str, Figure], *, scripts: Sequence[str] = (), **content: Any) -> str:
    """A page from its template: ``figures`` by name for the browser to draw, ``scripts`` of ours that it needs too."""
    texts = [_plotly(), *(_read(name) for name in ("report.js", *scripts))]
    return (
        _environment()
        .get_template(template)
        .render(
            figures=figures,
            figure_data=as_json(figures),
            style=Markup(_read("style.css")),  # our own file
            scripts=[Markup(text) for text in texts],  # our own files and Plotly's
            script_hashes=[_csp_hash(text) for text in texts],
            **content,
        )
    )


def write_page(page: str, path: str | os.PathLike[str]) -> Path:
    """Write a page; the file is there whole or not at all."""
    path = Path(path)
    with atomic_path(path) as temporary:
        temporary.write_text(page, encoding="utf-8", errors="replace")
    return path


def as_json(value: object) -> Markup:
    """JSON that may stand inside a script element, whatever text is in it.

    Examples
    --------
    >>> from pluribus.report._shared.page import as_json
    >>> print(as_json(["</script>"]))
    ["\\u003c/script\\u003e"]
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # no character of HTML is left


def number(value: float) -> str:
    """A number for reading: four digits that count.

    Examples
    --------
    >>> from pluribus.report._shared.page import number
    >>> number(1234567.0), number(13.0449), number(0.00012345)
    ('1,235,000', '13.04', '0.0001234')
    """
    if value and 1e-4 <= abs(value) < 1e15:
        value = float(f"{value:.4g}")
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:.4g}"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "number": number, "mean": np.mean, "shortened": shortened}
    environment.filters["titled"] = index_title
    environment.globals |= {"count": count, "color_of": color_of}
    return environment


def _read(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    return get_plotlyjs().replace("</script", r"<\/script")


def _csp_hash(script: str) -> str:
    """How the page's security policy names a script that may run: no other will, whatever the data hold."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

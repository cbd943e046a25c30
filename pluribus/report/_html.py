"""Drawing the summary: one HTML file, which needs nothing from the network and asks nothing of it."""

import base64
import hashlib
import json
import os
from functools import cache
from pathlib import Path

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from pluribus._engine import atomic_path
from pluribus.report._case import Case
from pluribus.report._figures import figures
from pluribus.report._flow_figures import flow_data, flow_facts, flow_note
from pluribus.report._flow_words import shortened
from pluribus.report._palette import color_of
from pluribus.report._summarize import summarize
from pluribus.report._summary import Summary
from pluribus.report._words import ambiguity_around, count, describe, longest_lifetimes, percent

_TEMPLATES = Path(__file__).parent / "templates"
_CARDS = 60  # of the largest clusters; the labels have them all
_MEMBER_ROWS = 300  # of the table of members


def write_report(case: Case, path: str | os.PathLike[str]) -> Path:
    """Write the report of a case to one HTML file that opens offline.

    The file is there whole or not at all. It holds samples of the objects, not all of them, so that it stays small.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Case, write_report
    >>> labels = np.array([0, 0, 1, 1])
    >>> case = Case("t", Ensemble([labels] * 2), labels, np.eye(2)[labels], np.zeros(4), np.array(list("abcd")))
    >>> write_report(case, tempfile.mkdtemp() + "/report.html").name
    'report.html'
    """
    path = Path(path)
    page = render(summarize(case))
    with atomic_path(path) as temporary:
        temporary.write_text(page, encoding="utf-8", errors="replace")
    return path


def render(summary: Summary) -> str:
    """The HTML page of a summary.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Case, render, summarize
    >>> labels = np.array([0, 0, 1, 1])
    >>> case = Case("<t>", Ensemble([labels] * 2), labels, np.eye(2)[labels], np.zeros(4), np.array(list("abcd")))
    >>> "<h1>&lt;t&gt;</h1>" in render(summarize(case))
    True
    """
    drawn = figures(summary)
    scripts = [_plotly(), _read("report.js"), _read("flows.js")]
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            summary=summary,
            wording=describe(summary),
            cards=summary.clusters[:_CARDS],
            figures=drawn,
            figure_data=as_json(drawn),
            flow_data=as_json(flow_data(summary.flows)),
            member_rows=_MEMBER_ROWS,
            style=Markup(_read("style.css")),  # our own file
            scripts=[Markup(script) for script in scripts],  # our own files and Plotly's
            script_hashes=[_csp_hash(script) for script in scripts],
        )
    )


def as_json(value: object) -> Markup:
    """JSON that may stand inside a script element, whatever text is in it.

    Examples
    --------
    >>> from pluribus.report._html import as_json
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
    >>> from pluribus.report._html import number
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
    words = {"count": count, "longest_lifetimes": longest_lifetimes, "ambiguity_around": ambiguity_around}
    environment.globals |= words | {"color_of": color_of, "flow_facts": flow_facts, "flow_note": flow_note}
    return environment


def _read(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    return get_plotlyjs().replace("</script", r"<\/script")


def _csp_hash(script: str) -> str:
    """How the page's security policy names a script that may run: no other will, whatever the data hold."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

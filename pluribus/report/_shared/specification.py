"""What all Plotly specifications have in common: margins, axes, numbers and the user's text."""

import html
from typing import Any

import numpy as np

from pluribus._engine import list_of

Figure = dict[str, Any]

_WHOLE = 2.0**53  # numbers from here on have no digits after the point, and rounding them may overflow


def on_one_line(text: object, longest: int) -> str:
    """The user's text on one line; of a long one, beginning and end, where it may differ from others.

    Examples
    --------
    >>> from pluribus.report._shared.specification import on_one_line
    >>> on_one_line("a  very long label 7", 12)
    'a very…bel 7'
    """
    line = " ".join(str(text).split())
    if len(line) <= longest:
        return line
    end = (longest - 1) // 2
    return f"{line[: longest - 1 - end]}…{line[-end:]}"


def plain(text: object, longest: int = 60) -> str:
    """The user's text for Plotly, which reads some HTML in labels: on one line, not too long, escaped.

    Examples
    --------
    >>> from pluribus.report._shared.specification import plain
    >>> plain("<b>a</b>")
    '&lt;b&gt;a&lt;/b&gt;'
    """
    return html.escape(on_one_line(text, longest), quote=False)


def one_name_each(argument: str, given: Any, n: int, things: str) -> list[Any]:
    """The names that a user gives for n things; raises if there are more or fewer.

    Examples
    --------
    >>> from pluribus.report._shared.specification import one_name_each
    >>> one_name_each("ids", ("a", "b"), 2, "rows")
    ['a', 'b']
    """
    names = list_of(argument, given, "names")
    if len(names) != n:
        raise ValueError(f"{argument} has {len(names)} names, but there are {n} {things}: give one for each.")
    return names


def specification(data: list[Figure], height: int, *, square: bool = False, **layout: Any) -> Figure:
    """A figure of these traces; ``layout`` adds to what all have."""
    base = {"height": height, "margin": {"l": 56, "r": 16, "t": 16, "b": 48}, "showlegend": False}
    return {"data": data, "layout": base | layout, "square": square}


def axis_of(title: str | None = None, **settings: Any) -> Figure:
    """An axis as all figures have it."""
    axis: Figure = {"fixedrange": True, "zeroline": False, "automargin": True}
    if title:
        axis["title"] = {"text": title, "standoff": 10}
    return axis | settings


def rounded(values: np.ndarray, digits: int) -> list:
    """Rounded plain numbers, with None for what is not a number.

    Examples
    --------
    >>> from pluribus.report._shared.specification import rounded
    >>> rounded([0.123456, float("nan"), 1e308], 4)
    [0.1235, None, 1e+308]
    """
    values = np.asarray(values, dtype=np.float64)
    whole = np.abs(values) >= _WHOLE
    near = np.where(whole, values, np.round(np.where(whole, 0.0, values), digits))
    return [value if np.isfinite(value) else None for value in near.tolist()]

"""The page of resolved references: who is who, the doubtful merges first."""

import os
from pathlib import Path

import numpy as np

from pluribus.report._shared.links import FAINT, lines
from pluribus.report._shared.page import draw_page, write_page
from pluribus.report._shared.palette import COLORS, MUTED
from pluribus.report._shared.specification import Figure, axis_of, plain, rounded, specification
from pluribus.report.entities.entities import Entities, EntitySummary, summarize_entities

_POINTS = 2000  # of the path that are drawn


def write_entities(case: Entities, path: str | os.PathLike[str]) -> Path:
    """Write the page of resolved references to one HTML file that opens offline.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from pluribus.relational import resolve
    >>> from pluribus.report._internal import Entities, write_entities
    >>> found = resolve(pd.DataFrame({"name": ["Ann Lee", "Anne Lee", "Bob Ray"]}), verbose=False)
    >>> write_entities(Entities("people.csv", found), tempfile.mkdtemp() + "/report.html").name
    'report.html'
    """
    summary = summarize_entities(case.resolution)
    figures = {"sizes": _sizes(summary)}
    if len(summary.path):
        figures["path"] = _path(summary, case.resolution.threshold)
    if len(summary.map.rows):
        figures["map"] = _map(summary, case)
    page = draw_page("resolve.html.j2", figures, case=case, summary=summary, threshold=case.resolution.threshold)
    return write_page(page, path)


def _sizes(summary: EntitySummary) -> Figure:
    size, times = np.unique(summary.sizes, return_counts=True)
    bars: Figure = {
        "type": "bar",
        "x": [str(value) for value in size],
        "y": times.tolist(),
        "marker": {"color": COLORS[0]},
        "hovertemplate": "%{x} references: %{y:,} entities<extra></extra>",
    }
    return specification(
        [bars], 240, bargap=0.15, xaxis=axis_of("references of an entity", type="category"), yaxis=axis_of("entities")
    )


def _path(summary: EntitySummary, threshold: float) -> Figure:
    places = np.unique(np.linspace(0, len(summary.path) - 1, _POINTS).round().astype(int))
    line: Figure = {
        "type": "scatter",
        "mode": "lines",
        "x": (places + 1).tolist(),
        "y": rounded(summary.path[places], 4),
        "line": {"color": COLORS[0], "width": 2, "shape": "hv"},
        "hovertemplate": "merge %{x:,}: %{y:.3f}<extra></extra>",
    }
    dotted = {"color": MUTED, "width": 1, "dash": "dot"}
    shape = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": threshold, "y1": threshold, "line": dotted}
    return specification(
        [line],
        260,
        shapes=[shape],
        xaxis=axis_of("merges", rangemode="tozero"),
        yaxis=axis_of("lowest similarity so far", rangemode="tozero"),
    )


def _map(summary: EntitySummary, case: Entities) -> Figure:
    drawn, resolution = summary.map, case.resolution
    dotted, solid = {"color": MUTED, "width": 1, "dash": "dot"}, {"color": COLORS[0], "width": 1.5}
    styles = ((drawn.together, {"color": FAINT, "width": 0.8}), (drawn.refused, dotted), (drawn.within, solid))
    drawn_lines = [lines(drawn.x, drawn.y, ends, style, 3) for ends, style in styles]
    names = [plain(" · ".join(map(str, resolution.frame.iloc[row].dropna())), 60) for row in drawn.rows]
    points: Figure = {
        "type": "scatter",
        "mode": "markers",
        "x": rounded(drawn.x, 3),
        "y": rounded(drawn.y, 3),
        "marker": {
            "size": 9,
            "color": [COLORS[int(entity) % len(COLORS)] for entity in resolution.entities[drawn.rows]],
            "line": {"width": 1, "color": "#fff"},
        },
        "customdata": [
            f"{plain(resolution.ids[row], 30)}: {name}<br>entity {resolution.entities[row]}"
            for row, name in zip(drawn.rows, names, strict=True)
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    hidden = {"visible": False, "fixedrange": True}
    return specification([*drawn_lines, points], 520, xaxis=hidden, yaxis=hidden | {"scaleanchor": "x"})

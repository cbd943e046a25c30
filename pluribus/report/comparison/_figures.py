"""The figures of a comparison, as Plotly specifications."""

from itertools import pairwise
from typing import Any

import numpy as np

from pluribus.report._shared.palette import COLORS, EVIDENCE_SCALE, MUTED, color_of, symbol_of
from pluribus.report._shared.specification import Figure, axis_of, plain, rounded, specification
from pluribus.report.comparison.comparison import ComparisonSummary, Crossing, DifferenceMap

_WRITTEN = 12  # clusters of a side up to which the numbers stand in the cells


def comparison_figures(summary: ComparisonSummary) -> dict[str, Figure]:
    """All figures of the page by name."""
    drawn = {"crossing": _crossing(summary.crossing)}
    if summary.map is not None:
        drawn["map"] = _map(summary.map)
    drawn["disagreement"] = _histogram(summary)
    return drawn


def _crossing(table: Crossing) -> Figure:
    counts, (sizes_a, sizes_b) = table.counts, table.sizes
    rows, columns = counts.shape
    share = 100 * counts / np.maximum(sizes_a, 1)[:, None]
    written = max(rows, columns) <= _WRITTEN
    names_a, names_b = ([plain(name, 18) for name in names] for names in table.names)
    hover = [
        [
            f"A: {names_a[i]}<br>B: {names_b[j]}<br>{counts[i, j]:,} objects<br>"
            f"{share[i, j]:.0f}% of A's cluster, {100 * counts[i, j] / max(sizes_b[j], 1):.0f}% of B's"
            for j in range(columns)
        ]
        for i in range(rows)
    ]
    image = {
        "type": "heatmap",
        "z": [rounded(row, 1) for row in share],
        "zmin": 0,
        "zmax": 100,
        "colorscale": EVIDENCE_SCALE,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "customdata": hover,
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    if written:
        image["text"] = [[f"{value:,}" if value else "" for value in row] for row in counts.tolist()]
        image["texttemplate"] = "%{text}"
    axis = axis_of(showgrid=False, ticks="")
    return specification(
        [image],
        130 + max(34 if rows <= _WRITTEN else 20, 6) * rows,
        margin={"l": 80, "r": 8, "t": 76, "b": 8},
        xaxis=axis
        | {"side": "top", "tickvals": list(range(columns)), "ticktext": names_b, "title": {"text": "clusters of B"}}
        | {"tickangle": 0 if columns <= 8 and max(map(len, names_b)) <= 8 else -45},
        yaxis=axis
        | {"autorange": "reversed", "tickvals": list(range(rows)), "ticktext": names_a}
        | {"title": {"text": "clusters of A", "standoff": 12}},
    )


def _map(view: DifferenceMap) -> Figure:
    extent = max(float(np.ptp(view.x)), float(np.ptp(view.y)), 1e-12)
    digits = int(np.clip(4 - np.ceil(np.log10(extent)), 0, 12))
    compared = np.all(view.color >= 0, axis=1)
    alike, different = compared & ~view.moved, compared & view.moved
    numbers = np.unique(view.color[view.color >= 0]).tolist()
    listed = len(numbers) <= 2 * len(COLORS)
    traces: list[tuple[str, Any, Figure]] = [("in one only", ~compared, {"size": 6, "opacity": 0.5})]
    for number in numbers if listed else []:
        look = {"size": 7, "opacity": 0.5, "line": {"width": 0}}
        traces.append((plain(view.names[number], 24), alike & (view.color[:, 0] == number), look))
    if not listed:
        traces.append(("alike", alike, {"size": 7, "opacity": 0.5, "line": {"width": 0}}))
    traces.append((f"different ({different.sum():,})", different, {"size": 11, "opacity": 0.95}))
    data = []
    for name, chosen, look in traces:
        here = np.flatnonzero(chosen)
        if len(here):
            ringed = name.startswith("different (")
            data.append(_points(view, here, digits, ringed) | {"name": name})
            data[-1]["marker"] |= look
    # Clusters of B that match none of A show in rings only.
    for number in numbers if listed else []:
        if not (view.color[:, 0] == number).any():
            ring = {"symbol": f"{symbol_of(number)}-open", "size": 9, "color": color_of(number), "line": {"width": 3}}
            data.append(
                {"type": "scatter", "mode": "markers", "x": [None], "y": [None], "marker": ring}
                | {"name": f"{plain(view.names[number], 24)} (ring)"}
            )
    return specification(
        data,
        580,
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "itemsizing": "constant"},
        hovermode="closest",
        xaxis=axis_of(view.axes[0], fixedrange=False),
        yaxis=axis_of(view.axes[1], fixedrange=False),
    )


def _points(view: DifferenceMap, here: np.ndarray, digits: int, ringed: bool) -> Figure:
    """Objects in the color of their cluster of A, or of B for those that are in none of A."""
    colors = view.color[here]
    fill = np.where(colors[:, 0] >= 0, colors[:, 0], colors[:, 1]).tolist()
    marker: Figure = {"color": [color_of(c) for c in fill], "symbol": [symbol_of(c) for c in fill]}
    if ringed:
        marker["line"] = {"width": 3, "color": [color_of(c) for c in colors[:, 1].tolist()]}
    return {
        "type": "scatter",
        "mode": "markers",
        "x": rounded(view.x[here], digits),
        "y": rounded(view.y[here], digits),
        "customdata": [
            [plain(view.ids[i]), *(plain(label, 30) or "none" for label in view.labels[i])]
            + ["–" if np.isnan(view.share[i]) else f"{100 * view.share[i]:.0f}%"]
            for i in here
        ],
        "marker": marker,
        "hovertemplate": "<b>%{customdata[0]}</b><br>A: %{customdata[1]}<br>B: %{customdata[2]}<br>"
        "treated differently with %{customdata[3]} of the others<extra></extra>",
    }


def _histogram(summary: ComparisonSummary) -> Figure:
    edges = 100 * summary.edges
    bars = {
        "type": "bar",
        "x": rounded((edges[:-1] + edges[1:]) / 2, 3),
        "y": summary.histogram.tolist(),
        "customdata": [f"{low:.3g} to {high:.3g}%" for low, high in pairwise(edges.tolist())],
        "marker": {"color": np.where(np.arange(len(edges) - 1) == 0, MUTED, COLORS[0]).tolist()},
        "hovertemplate": "%{customdata} of the others<br>%{y:,} objects<extra></extra>",
    }
    return specification(
        [bars],
        260,
        bargap=0.08,
        xaxis=axis_of("share of the other objects that are treated differently", ticksuffix="%", showgrid=False),
        yaxis=axis_of("objects", rangemode="tozero"),
    )

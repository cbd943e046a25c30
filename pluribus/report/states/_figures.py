"""The figures of the states of a signal, as Plotly specifications."""

import numpy as np

from pluribus.report._shared.palette import COLORS, EVIDENCE_SCALE, MUTED, color_of
from pluribus.report._shared.specification import Figure, axis_of, plain, rounded, specification
from pluribus.report.states.summary import StatesSummary

_RIBBON = 0.1  # share of the height


def states_figures(summary: StatesSummary) -> dict[str, Figure]:
    """All figures of the page by name."""
    return {"signal": _signal(summary), "evidence": _evidence(summary), "drift": _drift(summary)}


def _time_axis(summary: StatesSummary, **settings: object) -> Figure:
    kind = {"type": "date"} if summary.dated else {}
    return axis_of("time" if summary.timed else "row", **kind, **settings)


def _signal(summary: StatesSummary) -> Figure:
    traces: list[Figure] = []
    for number, (name, (places, values)) in enumerate(summary.lines.items()):
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": plain(name, 24),
                "x": rounded(places, 4),
                "y": rounded(values, 4),
                "line": {"width": 1.2, "color": COLORS[number % len(COLORS)]},
                "hovertemplate": f"{plain(name, 24)}: %{{y:.3g}}<extra></extra>",
            }
        )
    ribbon = [
        {
            "type": "rect",
            "xref": "x",
            "yref": "paper",
            "x0": stretch.low,
            "x1": stretch.high,
            "y0": 1.02,
            "y1": 1.02 + _RIBBON,
            "line": {"width": 0},
            "fillcolor": color_of(stretch.state),
        }
        for stretch in summary.stretches
    ]
    shade = [
        {**shape, "y0": 0, "y1": 1, "opacity": 0.25, "layer": "below", "fillcolor": MUTED}
        for shape, stretch in zip(ribbon, summary.stretches, strict=True)
        if stretch.state < 0
    ]
    return specification(
        traces,
        420,
        shapes=ribbon + shade,
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top"},
        margin={"l": 56, "r": 16, "t": 60, "b": 48},
        xaxis=_time_axis(summary, showgrid=False),
        yaxis=axis_of("scaled value"),
    )


def _evidence(summary: StatesSummary) -> Figure:
    places = rounded(summary.evidence_places, 4)
    image = {
        "type": "heatmap",
        "x": places,
        "y": places,
        "z": [rounded(row, 3) for row in summary.evidence],
        "zmin": 0,
        "zmax": 1,
        "colorscale": EVIDENCE_SCALE,
        "showscale": False,
        "hovertemplate": "%{z:.0%} of the members put %{x} and %{y} together<extra></extra>",
    }
    return specification(
        [image],
        520,
        square=True,
        xaxis=_time_axis(summary, showgrid=False),
        yaxis=_time_axis(summary, showgrid=False) | {"autorange": "reversed"},
    )


def _drift(summary: StatesSummary) -> Figure:
    counts, edges = np.histogram(summary.surrogates, bins=24)
    bars = {
        "type": "bar",
        "x": rounded((edges[1:] + edges[:-1]) / 2, 4),
        "y": counts.tolist(),
        "marker": {"color": MUTED},
        "hovertemplate": "%{y:,} drifting signals<extra></extra>",
    }
    line = {"color": COLORS[5], "width": 2}
    own = summary.statistic
    shape = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": own, "x1": own, "line": line}
    low, high = min(float(edges[0]), own), max(float(edges[-1]), own)
    room = 0.05 * (high - low) or 0.05
    return specification(
        [bars],
        240,
        shapes=[shape],
        bargap=0.05,
        xaxis=axis_of("how clean the states look", range=[low - room, high + room]),
        yaxis=axis_of("drifting signals", rangemode="tozero"),
    )

"""Figures of agreement: of the members with the result, of the methods with each other."""

import numpy as np

from pluribus.report._shared.palette import COLORS
from pluribus.report._shared.specification import Figure, axis_of, plain, rounded, specification
from pluribus.report.result.summary import MemberAgreement, MethodTable

_NAMED_MEMBERS = 30
_AGREEMENT_SCALE = [[0, "#F3F5F7"], [0.5, "#C3DAEA"], [0.8, "#78B0D5"], [0.95, "#2478B0"], [1, "#0A2E50"]]


def member_figure(members: MemberAgreement) -> Figure:
    """How well each member agrees with the result: a line for each, or by number of clusters if there are many."""
    order = np.argsort(members.ari, kind="stable")
    hover = "%{customdata[0]}<br>%{customdata[1]} clusters<br>adjusted Rand index %{x:.2f}<extra></extra>"
    points = {
        "type": "scatter",
        "mode": "markers",
        "x": rounded(members.ari[order], 3),
        "customdata": [[plain(members.names[p]), int(members.k[p])] for p in order],
        "marker": {"color": COLORS[0], "size": 9, "opacity": 0.75, "line": {"width": 0.5, "color": "#FFFFFF"}},
        "hovertemplate": hover,
    }
    low = min(0.0, float(members.ari.min()) - 0.03)
    xaxis = axis_of("adjusted Rand index with the result", range=[low, 1.03])
    if len(order) <= _NAMED_MEMBERS:
        names = [f"{plain(members.names[p], 22)} · k={members.k[p]}" for p in order]
        points["y"] = list(range(len(order)))
        yaxis = axis_of(tickvals=points["y"], ticktext=names, range=[-0.6, len(order) - 0.4])
        return specification([points], 110 + 24 * len(order), xaxis=xaxis, yaxis=yaxis)
    points["y"] = members.k[order].tolist()
    return specification([points], 360, xaxis=xaxis, yaxis=axis_of("clusters of the member", rangemode="tozero"))


def method_figure(methods: MethodTable) -> Figure:
    """Adjusted Rand indices between the partitions of the methods, as a heat map with its numbers."""
    names = [plain(row.name, 20) for row in methods.rows if not row.problem]
    m = len(names)
    image = {
        "type": "heatmap",
        "x": names,
        "y": names,
        "z": [rounded(row, 3) for row in methods.agreement],
        "zmin": 0,
        "zmax": 1,
        "colorscale": _AGREEMENT_SCALE,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "text": [[_short(value) for value in row] for row in methods.agreement],
        "texttemplate": "%{text}",
        "hovertemplate": "%{y} and %{x}<br>adjusted Rand index %{z:.3f}<extra></extra>",
    }
    axis = axis_of(showgrid=False, ticks="", type="category")
    return specification(
        [image],
        140 + 34 * m,
        margin={"l": 80, "r": 8, "t": 70, "b": 8},
        xaxis=axis | {"side": "top", "tickangle": -45},
        yaxis=axis | {"autorange": "reversed"},
    )


def _short(value: float) -> str:
    """Two digits for a narrow cell: .94, and 1 only if it is."""
    return "1" if value >= 1 else f"{min(value, 0.99):.2f}".replace("0.", ".")

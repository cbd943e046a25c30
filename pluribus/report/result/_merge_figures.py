"""Drawing the merges: the top of the tree with the test of each merge, and increments beside the fitted curves."""

import numpy as np

from pluribus.report._shared.palette import MUTED, color_of, name_of
from pluribus.report._shared.specification import Figure, axis_of, plain, rounded, specification
from pluribus.report.result._merges import ClusterIncrements, MergeView


def merge_figures(view: MergeView) -> dict[str, Figure]:
    """By name: "merges" (if there are any), and "increments-0" and so on for the clusters."""
    drawn = {f"increments-{one.cluster}": _increments(one) for one in view.increments}
    return ({"merges": _tree(view)} if view.steps else {}) | drawn


def _tree(view: MergeView) -> Figure:
    data: list[Figure] = []
    for step in view.steps:
        joined = step.cluster < 0
        color = MUTED if joined else color_of(step.cluster)
        line = {"color": color, "width": 1.5, "dash": "dot" if joined else "solid"}
        x = [step.left, step.left, step.right, step.right]
        y = [step.from_left, step.height, step.height, step.from_right]
        lines = {"type": "scatter", "mode": "lines", "x": x, "y": rounded(np.array(y), 6), "line": line}
        data.append(lines | {"hoverinfo": "skip", "showlegend": False})
    for joined, name, symbol in ((False, "merged", "circle"), (True, "not merged", "x")):
        chosen = [step for step in view.steps if (step.cluster < 0) == joined]
        if chosen:
            data.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": name,
                    "x": [(step.left + step.right) / 2 for step in chosen],
                    "y": rounded(np.array([step.height for step in chosen]), 6),
                    "customdata": [plain(step.words, 160) for step in chosen],
                    "marker": {
                        "size": 9,
                        "symbol": symbol,
                        "color": [MUTED if joined else color_of(step.cluster) for step in chosen],
                    },
                    "hovertemplate": f"{view.heights} %{{y}}<br>%{{customdata}}<extra></extra>",
                }
            )
    leaves = view.leaves
    axis = axis_of(
        "objects below",
        tickvals=[leaf.place for leaf in leaves],
        ticktext=[f"{leaf.size:,}" for leaf in leaves],
        showgrid=False,
        tickangle=-90 if len(leaves) > 15 else 0,
    )
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    height = axis_of(view.heights, rangemode="tozero")
    return specification(data, 420, showlegend=True, legend=legend, xaxis=axis, yaxis=height, hovermode="closest")


def _increments(view: ClusterIncrements) -> Figure:
    centers = (view.edges[:-1] + view.edges[1:]) / 2
    bars = {
        "type": "bar",
        "name": "increments",
        "x": rounded(centers, 8),
        "y": rounded(view.density, 8),
        "width": float(view.edges[1] - view.edges[0]),
        "marker": {"color": color_of(view.cluster), "opacity": 0.45},
        "hoverinfo": "skip",
    }
    curve = {
        "type": "scatter",
        "mode": "lines",
        "name": "fitted",
        "x": rounded(view.curve[0], 8),
        "y": rounded(view.curve[1], 8),
        "line": {"color": color_of(view.cluster), "width": 2},
        "hoverinfo": "skip",
    }
    title = {"text": f"{name_of(view.cluster)}, mean {view.mean:.3g}", "x": 0.02, "font": {"size": 13}}
    margin = {"l": 44, "r": 8, "t": 30, "b": 40}
    xaxis, yaxis = axis_of("increment", showgrid=False), axis_of(rangemode="tozero")
    return specification([bars, curve], 220, bargap=0, title=title, margin=margin, xaxis=xaxis, yaxis=yaxis)

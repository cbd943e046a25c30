"""The figures as Plotly specifications: plain dictionaries of data and layout, drawn in the browser.

Colors of text and grid are set there too, to follow the reader's light or dark theme.
"""

import numpy as np

from pluribus.report._shared.links import FAINT, lines
from pluribus.report._shared.palette import COLORS, EVIDENCE_SCALE, MUTED, color_of, name_of, symbol_of
from pluribus.report._shared.specification import Figure, axis_of, plain, rounded, specification
from pluribus.report.result._agreement_figures import member_figure, method_figure
from pluribus.report.result._ladder_figures import score_figure
from pluribus.report.result._merge_figures import merge_figures
from pluribus.report.result.summary import Cuts, HeatMap, Lifetimes, ObjectMap, PairEvidence, Summary

_LABELED_CLUSTERS = 40
_MAP_HEIGHT = 480  # so that it is on the first screen


def figures(summary: Summary) -> dict[str, Figure]:
    """All figures of a report by name; those without data are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Case, summarize
    >>> from pluribus.report.result._figures import figures
    >>> labels = np.array([0, 0, 1, 1])
    >>> case = Case("t", Ensemble([labels] * 2), labels, np.eye(2)[labels], np.zeros(4), np.array(list("abcd")))
    >>> list(figures(summarize(case)))
    ['pairs', 'heat', 'map', 'members']
    """
    drawn = {}
    if summary.ladder is not None:
        drawn["scores"] = score_figure(summary.ladder)
    if summary.lifetimes is not None:
        drawn["lifetimes"] = _lifetimes(summary.lifetimes)
    if summary.cuts is not None:
        drawn["cuts"] = _cuts(summary.cuts)
    if summary.pairs is not None:
        drawn["pairs"] = _pairs(summary.pairs)
    drawn["heat"] = _heat(summary.heat)
    drawn["map"] = _map(summary.map, summary.n_clusters)
    if summary.n_clusters != 1:
        drawn["members"] = member_figure(summary.members)
    if summary.methods is not None and len(summary.methods.agreement) > 1:
        drawn["methods"] = method_figure(summary.methods)
    if summary.k_indices is not None:
        drawn |= summary.k_indices.figures(summary.n_clusters)
    if summary.merges is not None:
        drawn |= merge_figures(summary.merges)
    return drawn


def _lifetimes(lifetimes: Lifetimes) -> Figure:
    chosen = lifetimes.k == lifetimes.chosen
    few = len(chosen) <= 10
    ticks = lifetimes.k[chosen | few | (lifetimes.k % 2 == 0)].tolist()
    bars = {
        "type": "bar",
        "x": lifetimes.k.tolist(),
        "y": rounded(lifetimes.value, 4),
        "marker": {"color": np.where(chosen, COLORS[0], MUTED).tolist()},
        "hovertemplate": "k = %{x}<br>lifetime %{y:.3f}<extra></extra>",
    }
    return specification(
        [bars],
        260,
        bargap=0.35,
        xaxis=axis_of("number of clusters k", tickvals=ticks, showgrid=False, tickangle=0),
        yaxis=axis_of("lifetime", rangemode="tozero"),
    )


def _cuts(cuts: Cuts) -> Figure:
    k = [str(value) for value in cuts.k]
    data: list[Figure] = []
    for is_chosen, color in ((False, MUTED), (True, COLORS[0])):
        here = np.flatnonzero((cuts.k == cuts.chosen) == is_chosen)
        x = [k[j] for j in here]
        low, q1, median, q3, high = (rounded(q, 3) for q in cuts.quantiles[here].T)
        box = {"type": "box", "x": x, "lowerfence": low, "q1": q1, "median": median, "q3": q3, "upperfence": high}
        data.append(box | {"line": {"color": color, "width": 1.5}, "width": 0.5, "hoverinfo": "y"})
        data.append(
            {
                "type": "bar",
                "x": x,
                "y": rounded(cuts.ambiguous[here] * 100, 1),
                "yaxis": "y2",
                "width": 0.5,
                "marker": {"color": color},
                "hovertemplate": "k = %{x}<br>%{y}% ambiguous<extra></extra>",
            }
        )
    return specification(
        data,
        420,
        barmode="overlay",
        xaxis=axis_of(
            "number of clusters k",
            type="category",
            categoryorder="array",
            categoryarray=k,
            showgrid=False,
            anchor="y2",
            tickangle=0,
        ),
        yaxis=axis_of("margin", domain=[0.42, 1]),
        yaxis2=axis_of("ambiguous", domain=[0, 0.3], ticksuffix="%", rangemode="tozero", nticks=4),
    )


def _pairs(pairs: PairEvidence) -> Figure:
    centers = (pairs.edges[:-1] + pairs.edges[1:]) / 2
    ranges = [f"{a:.2f} to {b:.2f}" for a, b in zip(pairs.edges[:-1], pairs.edges[1:], strict=True)]
    data = [
        {
            "type": "bar",
            "name": name,
            "x": rounded(centers, 3),
            "y": rounded(share * 100, 2),
            "customdata": ranges,
            "marker": {"color": color},
            "hovertemplate": f"{name}<br>evidence %{{customdata}}<br>%{{y:.1f}}% of these pairs<extra></extra>",
        }
        for name, share, color in (
            ("same cluster", pairs.same, COLORS[0]),
            ("different clusters", pairs.different, COLORS[1]),
        )
    ]
    return specification(
        data,
        300,
        barmode="group",
        bargap=0.12,
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        xaxis=axis_of("evidence that two objects belong together", range=[0, 1], dtick=0.2, showgrid=False),
        yaxis=axis_of("share of the pairs", ticksuffix="%", rangemode="tozero"),
    )


def _heat(heat: HeatMap) -> Figure:
    m = len(heat.labels)
    starts = np.flatnonzero(np.diff(heat.labels, prepend=-2))
    stops = np.append(starts[1:], m)
    shapes, ticks, names = [], [], []
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        cluster = int(heat.labels[start])
        strip = {"type": "rect", "fillcolor": color_of(cluster), "line": {"width": 0}}
        along = {"x0": start - 0.5, "x1": stop - 0.5, "xref": "x", "yref": "paper", "ysizemode": "pixel"}
        down = {"y0": start - 0.5, "y1": stop - 0.5, "yref": "y", "xref": "paper", "xsizemode": "pixel"}
        along |= {"yanchor": 1, "y0": 5, "y1": 15}
        down |= {"xanchor": 0, "x0": -15, "x1": -5}
        shapes += [strip | along, strip | down]
        if stop - start >= m / 25:
            ticks.append((start + stop - 1) / 2)
            names.append(str(cluster) if cluster >= 0 else "–")
    z = [[None if value < 0 else value for value in row] for row in heat.percent.tolist()]
    axis = axis_of(
        tickvals=ticks,
        ticktext=names,
        ticks="",
        ticklabelstandoff=18,
        tickangle=0,
        showgrid=False,
        range=[-0.5, m - 0.5],
    )
    image = {
        "type": "heatmap",
        "z": z,
        "zmin": 0,
        "zmax": 100,
        "colorscale": EVIDENCE_SCALE,
        "colorbar": {
            "orientation": "h",
            "y": -0.02,
            "yanchor": "top",
            "x": 0.5,
            "len": 0.5,
            "thickness": 8,
            "outlinewidth": 0,
            "tickvals": [0, 25, 50, 75, 100],
            "ticktext": ["0", "¼", "½", "¾", "1"],
            "tickangle": 0,
        },
        "hovertemplate": "%{text}<br>together in %{z}%<extra></extra>",
    }
    figure = specification(
        [image],
        640,
        square=True,
        shapes=shapes,
        margin={"l": 44, "r": 8, "t": 44, "b": 52},
        xaxis=axis | {"side": "top"},
        yaxis=axis | {"range": [m - 0.5, -0.5]},
    )
    # The browser puts the names of the pairs together: m names here instead of m × m.
    figure["pairs"] = [f"{plain(i, 30)} ({name_of(c)})" for i, c in zip(heat.ids, heat.labels.tolist(), strict=True)]
    return figure


def _map(view: ObjectMap, n_clusters: int) -> Figure:
    extent = max(float(np.ptp(view.x)), float(np.ptp(view.y)), 1e-12)
    digits = int(np.clip(4 - np.ceil(np.log10(extent)), 0, 12))
    # Size follows uncertainty; below 0.2 the scale is not stretched, so that near-certain stays small.
    size = 7 + 10 * view.uncertainty / max(0.2, float(np.max(view.uncertainty, initial=0)))
    data: list[Figure] = []
    annotations = []
    for cluster in sorted(np.unique(view.labels).tolist(), key=lambda c: (c < 0, c)):
        here = np.flatnonzero(view.labels == cluster)
        x, y = view.x[here], view.y[here]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name_of(cluster),
                "x": rounded(x, digits),
                "y": rounded(y, digits),
                "customdata": [
                    [plain(view.ids[i]), round(float(view.uncertainty[i]), 2), name_of(int(view.next_best[i]))]
                    if view.next_best[i] >= 0
                    else [plain(view.ids[i]), round(float(view.uncertainty[i]), 2), "none"]
                    for i in here
                ],
                "marker": {
                    "size": rounded(size[here], 1),
                    "color": color_of(cluster),
                    "symbol": symbol_of(cluster),
                    "opacity": 0.75,
                    "line": {"width": 0.5, "color": "#FFFFFF"},
                },
                "hovertemplate": f"<b>%{{customdata[0]}}</b><br>{name_of(cluster)}<br>"
                "uncertainty %{customdata[1]}<br>next best: %{customdata[2]}<extra></extra>",
            }
        )
        if cluster >= 0 and n_clusters <= _LABELED_CLUSTERS:
            at = {"x": round(float(np.median(x)), digits), "y": round(float(np.median(y)), digits)}
            annotations.append(at | {"text": f"<b>{cluster}</b>", "showarrow": False, "borderpad": 2})
    return specification(
        [*_links(view, digits), *data],
        _MAP_HEIGHT,
        annotations=annotations,
        showlegend=1 < len(data) <= 2 * len(COLORS),
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "itemsizing": "constant"},
        hovermode="closest",
        xaxis=axis_of(view.axes[0], fixedrange=False, visible=view.basis != "links"),
        yaxis=axis_of(view.axes[1], fixedrange=False, visible=view.basis != "links"),
    )


def _links(view: ObjectMap, digits: int) -> list[Figure]:
    """The links inside clusters, and those between them."""
    if view.links is None:
        return []
    inside = view.labels[view.links[:, 0]] == view.labels[view.links[:, 1]]
    return [
        lines(view.x, view.y, view.links[~inside], {"color": FAINT, "width": 0.8, "dash": "dot"}, digits),
        lines(view.x, view.y, view.links[inside], {"color": FAINT, "width": 0.8}, digits),
    ]

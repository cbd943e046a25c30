"""The figures of candidates and of numbers of clusters: an index by candidate or by k, and silhouettes."""

import numpy as np

from pluribus.report._shared.index_figures import _HEIGHT, _points, _small, index_by_k
from pluribus.report._shared.palette import MUTED, color_of
from pluribus.report._shared.specification import Figure, axis_of, plain, rounded, specification
from pluribus.report.validation.validation import Index, Silhouettes, ValidationSummary

_NAMED = 12  # candidates whose names stand under the axis


def validation_figures(summary: ValidationSummary) -> dict[str, Figure]:
    """All figures of the page by name."""
    names = list(summary.candidates)
    chosen = np.array([name == summary.chosen for name in names])
    drawn = {
        f"index-{index.criterion.name}": index_by_k(index, summary.n_clusters, chosen, names)
        if summary.by_k
        else _index_by_candidate(index, names, chosen)
        for index in summary.indices
    }
    return drawn | {f"silhouettes-{place}": _knives(found) for place, found in enumerate(summary.silhouettes)}


def _index_by_candidate(index: Index, names: list[str], chosen: np.ndarray) -> Figure:
    order = np.arange(len(names))
    points = _points(index, order, chosen, names) | {"x": order.tolist(), "mode": "markers"}
    named = len(names) <= _NAMED
    xaxis = axis_of(
        None if named else "candidates, best first",
        tickvals=order.tolist() if named else [],
        ticktext=[plain(name, 14) for name in names] if named else [],
        showgrid=False,
        tickangle=-35 if len(names) > 2 else 0,
        range=[-0.6, len(names) - 0.4],
    )
    return _small([points], xaxis)


def _knives(found: Silhouettes) -> Figure:
    """The objects of each cluster side by side, the highest silhouettes at the left."""
    data, ticks, start = [], [], 0
    gap = max(2, sum(map(len, found.values)) // 60)
    for cluster, values in enumerate(found.values):
        x = np.arange(start, start + len(values))
        data.append(
            {
                "type": "bar",
                "x": x.tolist(),
                "y": rounded(values, 3),
                "marker": {"color": color_of(cluster), "line": {"width": 0}},
                "hovertemplate": f"cluster {plain(found.clusters[cluster], 30)}<br>%{{y:.2f}}<extra></extra>",
            }
        )
        ticks.append(float(x.mean()))
        start += len(values) + gap
    few = len(ticks) <= _NAMED
    xaxis = axis_of(
        tickvals=ticks if few else [],
        ticktext=[plain(name, 10) for name in found.clusters] if few else [],
        showgrid=False,
        tickangle=0 if len(ticks) <= 6 else -35,
    )
    low = min(0.0, *(float(values.min()) for values in found.values))
    mean = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": round(found.mean, 4), "y1": round(found.mean, 4)}
    return specification(
        data,
        _HEIGHT,
        margin={"l": 40, "r": 8, "t": 8, "b": 30},
        bargap=0,
        shapes=[mean | {"line": {"color": MUTED, "width": 1, "dash": "dot"}}],
        xaxis=xaxis,
        yaxis=axis_of(range=[low - 0.03, 1.0], nticks=5, zeroline=True),
    )

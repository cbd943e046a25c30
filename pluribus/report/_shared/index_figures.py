"""An index by the number of clusters, or by candidate."""

from collections.abc import Sequence

import numpy as np

from pluribus.report._shared.palette import COLORS, MUTED
from pluribus.report._shared.specification import Figure, axis_of, plain, rounded, specification
from pluribus.report.validation.validation import Index

_HEIGHT = 200


def index_by_k(index: Index, k: np.ndarray, chosen: np.ndarray, names: Sequence[str]) -> Figure:
    """An index by the number of clusters; a line if there is one candidate for each."""
    order = np.lexsort((chosen, k))  # the chosen one on top
    line = len(np.unique(k)) == len(k)
    points = _points(index, order, chosen, names)
    points |= {"x": k[order].tolist(), "mode": "lines+markers" if line else "markers"}
    if line:
        points["line"] = {"color": MUTED, "width": 1.5}
    ticks = np.unique(k)
    if len(ticks) > 12:
        ticks = ticks[:: -(-len(ticks) // 10)]
    xaxis = axis_of("number of clusters", tickvals=ticks.tolist(), showgrid=False, tickangle=0)
    return _small([points], xaxis)


def _points(index: Index, order: np.ndarray, chosen: np.ndarray, names: Sequence[str]) -> Figure:
    value = index.value[order]
    points: Figure = {
        "type": "scatter",
        "y": rounded(value, 6),
        "customdata": [plain(names[place], 40) for place in order],
        "marker": {
            "color": np.where(chosen[order], COLORS[0], MUTED).tolist(),
            "size": np.where(index.best[order], 12, 8).tolist(),
            "opacity": 1,
        },
        "hovertemplate": "%{customdata}<br>%{y:.4g}<extra></extra>",
    }
    high, low = index.high[order] - value, value - index.low[order]
    bounded = np.isfinite(high) & np.isfinite(low)
    if bounded.any():
        ends = {"array": rounded(np.where(bounded, high, 0), 6), "arrayminus": rounded(np.where(bounded, low, 0), 6)}
        points["error_y"] = {"type": "data", "color": MUTED, "thickness": 1, "width": 3} | ends
    return points


def _small(data: list[Figure], xaxis: Figure) -> Figure:
    margin = {"l": 44, "r": 8, "t": 8, "b": 40}
    return specification(data, _HEIGHT, margin=margin, xaxis=xaxis, yaxis=axis_of(nticks=5), hovermode="closest")

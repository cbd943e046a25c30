"""The figure of several alternatives to a known partition."""

from typing import Any

from plotly.graph_objects import Figure as PlotlyFigure

from pluribus.alternative import Alternatives
from pluribus.report._shared.palette import COLORS, MUTED
from pluribus.report._shared.specification import axis_of, plain, specification


def plot_alternatives(found: Alternatives) -> Any:
    """Quality against novelty: every partition that was found, and a line through those that no other beats.

    Examples
    --------
    >>> from pluribus.alternative import alternatives
    >>> from pluribus.report import plot_alternatives
    >>> X = [[0, 0], [0, 3], [10, 0], [10, 3]] * 5
    >>> found = alternatives(X, [0, 0, 1, 1] * 5, 2, methods=["residual-kmeans"], random_state=0, verbose=False)
    >>> [trace.name for trace in plot_alternatives(found).data]
    ['front', 'residual-kmeans', 'kmeans, nothing known']
    """
    if not isinstance(found, Alternatives):
        raise TypeError(f"found is of type {type(found).__name__}: give the result of alternative.alternatives.")
    front: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines",
        "name": "front",
        "x": [one.novelty for one in found.front],
        "y": [one.quality for one in found.front],
        "line": {"color": MUTED, "shape": "vh"},
        "hoverinfo": "skip",
    }
    traces = [front]
    for place, method in enumerate(dict.fromkeys(one.method for one in found.found)):
        own = [one for one in found.found if one.method == method]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": plain(method),
                "x": [one.novelty for one in own],
                "y": [one.quality for one in own],
                "marker": {"color": COLORS[place % len(COLORS)], "size": 10},
                "hovertemplate": "novelty %{x:.2f}, quality %{y:.2f}<extra>%{fullData.name}</extra>",
            }
        )
    drawn = specification(
        traces,
        420,
        showlegend=True,
        xaxis=axis_of("novelty: 1 - normalized mutual information with the known partition"),
        yaxis=axis_of("quality: share of the variance between clusters"),
    )
    return PlotlyFigure(data=drawn["data"], layout=drawn["layout"])

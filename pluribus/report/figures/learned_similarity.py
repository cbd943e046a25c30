"""What a learned metric weighs, and the pairs that it does not keep apart."""

from typing import Any

import numpy as np

from pluribus.report._shared.palette import COLORS, MUTED
from pluribus.report._shared.specification import Figure, axis_of, one_name_each, plain, rounded, specification
from pluribus.similarity import CannotLinkMetric

_FEATURES = 30  # with the largest weights
_PAIRS = 1000  # the closest ones
_BAR = 22  # pixels
_GAP = 0.12  # between the two parts, as a share of the width


def plot_metric(model: CannotLinkMetric, feature_names: Any = None) -> Any:
    """Draw what a metric weighs, and which of its pairs are closer than they should be.

    On the left are the 30 features with the largest weights, the diagonal of A: the squared distance of two rows that
    differ by 1 in this feature alone. On the right is the squared distance of each pair, the closest first, at most
    1,000. Pairs to the left of the line at 1 are violated: they are known to be different, and the metric does not keep
    them apart, because that is worth more than C. Look at them first, as they may be mistakes. A metric in the space of
    a kernel has no weights of features, and the left part is missing.

    Parameters
    ----------
    model : fitted CannotLinkMetric
    feature_names : sequence of length d, optional
        By default the names of the data frame that the model was fitted to, or x0, x1, …

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from pluribus.report import plot_metric
    >>> from pluribus.similarity import CannotLinkMetric
    >>> metric = CannotLinkMetric().fit([[0, 0], [1, 0], [0, 2]], constraints=[(0, 1), (0, 2)])
    >>> figure = plot_metric(metric, ["height", "width"])
    >>> figure.data[0].customdata, figure.data[0].x
    (('width', 'height'), (0.25, 1.0))
    """
    import plotly.graph_objects as go

    figure = metric_figure(model, feature_names)
    return go.Figure(data=figure["data"], layout=figure["layout"])


def metric_figure(model: CannotLinkMetric, feature_names: Any = None) -> Figure:
    """The specification of the figure."""
    if not hasattr(model, "margins_"):
        raise ValueError(
            f"{type(model).__name__} has no margins_: give a fitted metric, such as "
            "CannotLinkMetric().fit(X, constraints=pairs)."
        )
    pairs = _pairs(model)
    line = {"type": "line", "xref": "x2", "yref": "paper", "x0": 1, "x1": 1, "y0": 0, "y1": 1}
    shapes = [line | {"line": {"color": MUTED, "width": 1, "dash": "dot"}}]
    right = axis_of("squared distance of a pair", rangemode="tozero", anchor="y2")
    order = axis_of("pairs, the closest first", anchor="x2", autorange="reversed", showticklabels=False, showgrid=False)
    weights = _weights(model)
    if weights is None:
        return specification([pairs], 420, shapes=shapes, xaxis2=right | {"domain": [0, 1]}, yaxis2=order)
    if feature_names is None:
        feature_names = getattr(model, "feature_names_in_", [f"x{feature}" for feature in range(len(weights))])
    names = one_name_each("feature_names", feature_names, len(weights), "features")
    top = np.argsort(-weights, kind="stable")[:_FEATURES]
    shown = top[weights[top] > 0][::-1]
    bars: Figure = {
        "type": "bar",
        "orientation": "h",
        "x": rounded(weights[shown], 6),
        "y": list(range(len(shown))),
        "marker": {"color": COLORS[0]},
        "customdata": [plain(names[feature], 40) for feature in shown],
        "hovertemplate": "%{customdata}: %{x:.4g}<extra></extra>",
    }
    left = axis_of(f"weight ({np.count_nonzero(weights):,} of {len(weights):,} features have one)", rangemode="tozero")
    features = axis_of(
        tickvals=list(range(len(shown))), ticktext=[plain(names[feature], 24) for feature in shown], showgrid=False
    )
    middle = (1 + _GAP) / 2
    return specification(
        [bars, pairs],
        max(120 + _BAR * len(shown), 360),
        shapes=shapes,
        xaxis=left | {"domain": [0, middle - _GAP]},
        yaxis=features,
        xaxis2=right | {"domain": [middle, 1]},
        yaxis2=order,
    )


def _weights(model: CannotLinkMetric) -> np.ndarray | None:
    """The diagonal of A; None for a kernel."""
    if hasattr(model, "w_"):
        return model.w_
    return np.asarray(model.A_.diagonal()) if hasattr(model, "A_") else None


def _pairs(model: CannotLinkMetric) -> Figure:
    closest = np.argsort(model.margins_, kind="stable")[:_PAIRS]
    margins = model.margins_[closest]
    violated = margins < 1 - model.tol
    return {
        "type": "scatter",
        "mode": "markers",
        "x": rounded(margins, 4),
        "y": list(range(len(closest))),
        "xaxis": "x2",
        "yaxis": "y2",
        "marker": {"size": 7, "color": np.where(violated, COLORS[5], COLORS[0]).tolist()},
        "customdata": [f"rows {i} and {j}" for i, j in model.pairs_[closest].tolist()],
        "hovertemplate": "%{customdata}<br>squared distance %{x:.3g}<extra></extra>",
    }

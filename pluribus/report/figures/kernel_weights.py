"""The weights that a model gives its kernels."""

from typing import Any

import numpy as np

from pluribus.report._shared.palette import COLORS
from pluribus.report._shared.specification import Figure, axis_of, one_name_each, plain, rounded, specification

_KERNELS = 60  # with the largest weights
_BAR = 24  # pixels


def plot_kernel_weights(model: Any, kernel_names: Any = None) -> Any:
    """Draw the weight of each kernel, the largest first, at most 60.

    Parameters
    ----------
    model : fitted OnlineMultipleKernel or MultipleKernelKMeans
    kernel_names : sequence of length M, optional
        By default the model's own names.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from pluribus.report import plot_kernel_weights
    >>> from pluribus.similarity import OnlineMultipleKernel
    >>> model = OnlineMultipleKernel("linear", verbose=False, random_state=0)
    >>> blocks = [[[1, 0], [1, 0.1], [0, 1], [0.1, 1]], [[1, 1], [1, 2], [1, 1], [1, 2]]]
    >>> figure = plot_kernel_weights(model.fit(blocks, [0, 0, 1, 1]), ["shape", "color"])
    >>> figure.data[0].customdata
    ('shape', 'color')
    """
    import plotly.graph_objects as go

    figure = weights_figure(model, kernel_names)
    return go.Figure(data=figure["data"], layout=figure["layout"])


def weights_figure(model: Any, kernel_names: Any = None) -> Figure:
    """The specification of the figure."""
    weights = getattr(model, "kernel_weights_", None)
    if weights is None:
        raise ValueError(
            f"{type(model).__name__} has no kernel_weights_: give a fitted OnlineMultipleKernel or "
            "MultipleKernelKMeans."
        )
    given = model.kernel_names_ if kernel_names is None else kernel_names
    names = one_name_each("kernel_names", given, len(weights), "kernels")
    order = np.argsort(-weights, kind="stable")[:_KERNELS]
    places = list(range(len(order)))
    bars: Figure = {
        "type": "bar",
        "orientation": "h",
        "x": rounded(weights[order], 4),
        "y": places,
        "marker": {"color": COLORS[0]},
        "customdata": [plain(names[m], 40) for m in order],
        "hovertemplate": "%{customdata}: %{x:.3f}<extra></extra>",
    }
    ticks = axis_of(
        tickvals=places, ticktext=[plain(names[m], 24) for m in order], autorange="reversed", showgrid=False
    )
    height = 90 + _BAR * max(len(order), 1)
    return specification([bars], height, xaxis=axis_of("weight of the kernel", rangemode="tozero"), yaxis=ticks)

"""The pairs that a classifier was fitted to: how clearly it keeps each, and which it violates."""

from typing import Any

import numpy as np

from pluribus.report._shared.palette import COLORS
from pluribus.report._shared.specification import Figure, axis_of, one_name_each, plain, rounded, specification
from pluribus.similarity import PairwiseKernelClassifier

_PAIRS = 1000  # those with the smallest margins
_KINDS = (("must-links", True, "circle"), ("cannot-links", False, "diamond"))


def plot_pairs(model: PairwiseKernelClassifier, ids: Any = None) -> Any:
    """Draw how clearly a classifier keeps each pair, and which pairs it violates.

    Each point is a pair, those with the smallest margin first, at most 1,000. Must-links are circles, cannot-links
    diamonds. Pairs to the left of the line at 0 are violated: the predictions of their rows contradict them. Look at
    these first: the pair may be a mistake, or the rows may need a label. Pairs close to the line are barely kept.

    Parameters
    ----------
    model : fitted PairwiseKernelClassifier
        It must have been fitted with pairs.
    ids : sequence of length n, optional
        The names of the rows, for the text at each point; by default their numbers.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from pluribus import Constraints
    >>> from pluribus.report import plot_pairs
    >>> from pluribus.similarity import PairwiseKernelClassifier
    >>> known = Constraints(4, must_link=[(0, 1), (1, 2)])
    >>> model = PairwiseKernelClassifier(gamma=0.2).fit([[0], [1], [2], [3]], ["a", None, "b", "b"], constraints=known)
    >>> for trace in plot_pairs(model).data:
    ...     print(trace.name, trace.customdata)
    must-links, violated (1) ('rows 0 and 1',)
    must-links, kept (1) ('rows 1 and 2',)
    """
    import plotly.graph_objects as go

    figure = pairs_figure(model, ids)
    return go.Figure(data=figure["data"], layout=figure["layout"])


def pairs_figure(model: PairwiseKernelClassifier, ids: Any = None) -> Figure:
    """The specification of the figure."""
    if not hasattr(model, "pair_margin_"):
        raise ValueError(
            f"{type(model).__name__} has no pair_margin_: give a fitted classifier, such as "
            "PairwiseKernelClassifier().fit(X, y, constraints=pairs)."
        )
    if not len(model.pairs_):
        raise ValueError("The classifier was fitted without pairs: there is nothing to draw. Give constraints to fit.")
    names = _row_names(ids, model.n_samples_fit_)
    order = np.argsort(model.pair_margin_, kind="stable")[:_PAIRS]
    margin, same, is_violated = model.pair_margin_[order], model.pair_same_[order], model.pair_violated_[order]
    data = []
    for outcome, violated, color in (("violated", True, COLORS[5]), ("kept", False, COLORS[0])):
        for kind, is_same, symbol in _KINDS:
            shown = np.flatnonzero((is_violated == violated) & (same == is_same))
            if len(shown):
                data.append(
                    {
                        "type": "scatter",
                        "mode": "markers",
                        "name": f"{kind}, {outcome} ({len(shown):,})",
                        "x": rounded(margin[shown], 4),
                        "y": shown.tolist(),
                        "marker": {"size": 8, "color": color, "symbol": symbol},
                        "customdata": [
                            f"{names(i)} and {names(j, False)}" for i, j in model.pairs_[order[shown]].tolist()
                        ],
                        "hovertemplate": "%{customdata}<br>margin %{x:.3g}<extra></extra>",
                    }
                )
    n_violated = int(model.pair_violated_.sum())
    title = f"margin of a pair ({n_violated:,} of {len(model.pairs_):,} are violated)"
    line = {"type": "line", "xref": "x", "yref": "paper", "x0": 0, "x1": 0, "y0": 0, "y1": 1}
    return specification(
        data,
        420,
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        shapes=[line | {"line": {"width": 1, "dash": "dot"}}],
        xaxis=axis_of(title),
        yaxis=axis_of("pairs, the smallest margin first", autorange="reversed", showticklabels=False, showgrid=False),
    )


def _row_names(ids: Any, n: int) -> Any:
    """A function that names rows: of a number, "rows 3" for the first of two and "5" for the second."""
    if ids is None:
        return lambda row, first=True: f"rows {row}" if first else f"{row}"
    given = one_name_each("ids", ids, n, "rows")
    return lambda row, first=True: plain(given[row], 30)

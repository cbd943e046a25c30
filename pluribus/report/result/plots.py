"""The figures of a result, one at a time, as notebooks show them."""

from functools import cached_property
from typing import Any

import numpy as np

from pluribus.pipeline import Clustering
from pluribus.report._shared.palette import EVIDENCE_SCALE, color_of, name_of
from pluribus.report._shared.specification import Figure, axis_of, plain, rounded, specification
from pluribus.report.result._figures import figures
from pluribus.report.result.summarize import summarize
from pluribus.report.result.summary import Summary

_TRAITS = 20  # features in a figure of profiles


class Plots:
    """The figures of a result: ``result.plot.map()`` and the others return Plotly figures.

    Examples
    --------
    >>> import pluribus
    >>> result = pluribus.combine([[0, 0, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1]], verbose=False)
    >>> type(result.plot.map()).__name__
    'Figure'
    """

    def __init__(self, result: Clustering) -> None:
        self._result = result

    def map(self) -> Any:
        """The objects in two dimensions, by principal components; size shows uncertainty."""
        return _drawn(self._figures["map"])

    def evidence(self) -> Any:
        """How often each two objects are in one cluster of the ensemble, in the order of the dendrogram."""
        return _drawn(self._figures["heat"])

    def k(self) -> Any:
        """How strongly the evidence suggests each number of clusters; without that, the indices by number."""
        drawn = self._figures
        chosen = drawn.get("scores") or drawn.get("lifetimes") or drawn.get("cuts")
        if chosen is None:
            chosen = next((figure for name, figure in drawn.items() if name.startswith("k-")), None)
        if chosen is None:
            raise ValueError(
                f"k was given and {self._result.method} has no dendrogram: there is nothing that compares numbers of "
                "clusters. Leave k out to have them compared."
            )
        return _drawn(chosen)

    def sizes(self) -> Any:
        """The size of each cluster, and its mean uncertainty."""
        return _drawn(_sizes(self._summary))

    def profiles(self) -> Any:
        """What sets each cluster apart: features in which it differs from the rest, in standard deviations."""
        if not self._summary.has_features:
            raise ValueError(
                "This result has no features to profile: it was combined from labels alone, or its rows were read in "
                "parts. Give pluribus.cluster a table that fits into memory."
            )
        return _drawn(_profiles(self._summary))

    @cached_property
    def _summary(self) -> Summary:
        return summarize(self._result)

    @cached_property
    def _figures(self) -> dict[str, Figure]:
        return figures(self._summary)


def _drawn(figure: Figure) -> Any:
    """A Plotly figure of a specification."""
    import plotly.graph_objects as go

    return go.Figure(data=figure["data"], layout=figure["layout"])


def _sizes(summary: Summary) -> Figure:
    bars = {
        "type": "bar",
        "x": [str(cluster.number) for cluster in summary.clusters],
        "y": [cluster.size for cluster in summary.clusters],
        "customdata": [[round(cluster.share * 100, 1), round(cluster.uncertainty, 3)] for cluster in summary.clusters],
        "marker": {"color": [color_of(cluster.number) for cluster in summary.clusters]},
        "hovertemplate": "cluster %{x}<br>%{y:,} objects (%{customdata[0]}%)<br>mean uncertainty %{customdata[1]}"
        "<extra></extra>",
    }
    xaxis = axis_of("cluster", type="category", showgrid=False)
    return specification([bars], 320, xaxis=xaxis, yaxis=axis_of("objects", rangemode="tozero"))


def _profiles(summary: Summary) -> Figure:
    """A heat map: clusters by the features that set any of them apart."""
    differences: dict[str, dict[int, float]] = {}
    for cluster in summary.clusters:
        for trait in cluster.traits:
            feature = trait.feature if trait.category is None else f"{trait.feature} = {trait.category}"
            differences.setdefault(feature, {})[cluster.number] = trait.difference
    ranked = sorted(differences, key=lambda feature: -max(abs(value) for value in differences[feature].values()))
    shown = ranked[:_TRAITS]
    rows = [[differences[f].get(c.number, 0.0) for c in summary.clusters] for f in shown]
    values = np.array(rows).reshape(len(shown), len(summary.clusters))
    most = float(np.abs(values).max(initial=1.0))
    image = {
        "type": "heatmap",
        "x": [name_of(cluster.number) for cluster in summary.clusters],
        "y": [plain(feature, 40) for feature in shown],
        "z": [rounded(row, 2) for row in values],
        "zmin": -most,
        "zmax": most,
        "colorscale": _DIVERGING,
        "hovertemplate": "%{x}<br>%{y}<br>%{z:+.2f} standard deviations<extra></extra>",
    }
    yaxis = axis_of(autorange="reversed", showgrid=False)
    return specification([image], 120 + 24 * max(len(shown), 4), xaxis=axis_of(showgrid=False), yaxis=yaxis)


_DIVERGING = [[0, "#D55E00"], [0.5, "#F3F5F7"], [1, EVIDENCE_SCALE[3][1]]]

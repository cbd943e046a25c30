"""The page of a table that was made anonymous."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pluribus.anonymize import AnonymityReport
from pluribus.report._shared.page import draw_page, write_page
from pluribus.report._shared.palette import COLORS, MUTED
from pluribus.report._shared.specification import Figure, axis_of, plain, rounded, specification

_BARS = 60  # of a histogram
_TICKS = 20  # values that are all named under the axis
_COLUMNS = 60  # in the figure; the table has them all


@dataclass(frozen=True)
class Anonymity:
    """A published table, for its page.

    Attributes
    ----------
    title : str
    report : AnonymityReport
    notes : sequence of str
    parameters, versions : mapping
    """

    title: str
    report: AnonymityReport
    notes: Sequence[str] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def headline(self) -> str:
        """What was reached, in a few words."""
        report = self.report
        return (
            f"each row is like at least {report.class_sizes.min() - 1:,} others; {report.information_loss:.1f}% of the "
            "information is lost"
        )


def write_anonymity(case: Anonymity, path: str | os.PathLike[str]) -> Path:
    """Write the page of an anonymous table to one HTML file that opens offline.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from pluribus.anonymize import Anonymizer
    >>> from pluribus.report._internal import Anonymity, write_anonymity
    >>> model = Anonymizer(k=2)
    >>> _ = model.fit_transform(pd.DataFrame({"age": [20, 21, 60, 61]}))
    >>> write_anonymity(Anonymity("people.csv", model.report_), tempfile.mkdtemp() + "/report.html").name
    'report.html'
    """
    return write_page(draw_page("anonymize.html.j2", _figures(case.report), case=case, report=case.report), path)


def _figures(report: AnonymityReport) -> dict[str, Figure]:
    drawn = {
        "sizes": _histogram(report.class_sizes, "rows of a class", report.k),
        "columns": _columns(report),
    }
    if len(report.search) > 1:
        drawn["search"] = _search(report)
    if report.diversity is not None:
        titles = {
            "distinct": "different values",
            "entropy": "effective number of values",
            "recursive": "most frequent against rare",
        }
        found = report.diversity.of_classes
        drawn["diversity"] = _histogram(found[np.isfinite(found)], titles[report.diversity.kind], None)
    return drawn


def _histogram(values: np.ndarray, title: str, least: int | None) -> Figure:
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) > _BARS:
        counts, edges = np.histogram(values, bins=_BARS)
        distinct = (edges[1:] + edges[:-1]) / 2
    bars: Figure = {
        "type": "bar",
        "x": rounded(distinct, 4),
        "y": counts.tolist(),
        "marker": {"color": COLORS[0]},
        "hovertemplate": "%{x:.4g}: %{y:,} classes<extra></extra>",
    }
    shapes = []
    if least is not None:
        line = {"color": MUTED, "width": 1, "dash": "dot"}
        shapes = [
            {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": least - 0.5, "x1": least - 0.5, "line": line}
        ]
    xaxis = axis_of(title, nticks=12)
    if len(distinct) <= _TICKS and (distinct == np.rint(distinct)).all():
        xaxis["tickvals"] = distinct.tolist()
    return specification([bars], 240, shapes=shapes, bargap=0.15, xaxis=xaxis, yaxis=axis_of("classes"))


def _columns(report: AnonymityReport) -> Figure:
    varied = [column for column in report.columns if np.isfinite(column.loss)]
    shown = sorted(varied, key=lambda column: -column.loss)[:_COLUMNS][::-1]
    bars: Figure = {
        "type": "bar",
        "orientation": "h",
        "x": rounded(np.array([column.loss for column in shown]), 3),
        "y": list(range(len(shown))),
        "marker": {"color": COLORS[0]},
        "customdata": [plain(column.name, 40) for column in shown],
        "hovertemplate": "%{customdata}: %{x:.1f}%<extra></extra>",
    }
    names = axis_of(
        tickvals=list(range(len(shown))), ticktext=[plain(column.name, 24) for column in shown], showgrid=False
    )
    height = 90 + 24 * max(len(shown), 1)
    return specification([bars], height, xaxis=axis_of("information lost, in percent", rangemode="tozero"), yaxis=names)


def _search(report: AnonymityReport) -> Figure:
    steps = report.search
    line: Figure = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": list(range(1, len(steps) + 1)),
        "y": rounded(100 * np.array([step.loss for step in steps]), 4),
        "line": {"color": MUTED, "width": 1.5},
        "marker": {"color": COLORS[0], "size": 9},
        "customdata": [f"{step.name}, {step.n_groups:,} groups" for step in steps],
        "hovertemplate": "%{customdata}<br>%{y:.2f}%<extra></extra>",
    }
    ticks = axis_of("step of the search", tickvals=list(range(1, len(steps) + 1)), showgrid=False)
    return specification([line], 240, xaxis=ticks, yaxis=axis_of("information lost, in percent", rangemode="tozero"))

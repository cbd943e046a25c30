"""Drawing the summary: one HTML file, which needs nothing from the network and asks nothing of it."""

import os
from pathlib import Path

from pluribus.pipeline import Clustering
from pluribus.report._shared.page import as_json, draw_page, write_page
from pluribus.report._shared.words import ambiguity_around, describe, in_a_line, longest_lifetimes
from pluribus.report.result._figures import figures
from pluribus.report.result._flow_figures import flow_data, flow_facts, flow_note
from pluribus.report.result._ladder_figures import ladder_data
from pluribus.report.result.case import Case
from pluribus.report.result.summarize import summarize
from pluribus.report.result.summary import Summary

_CARDS = 60  # of the largest clusters; the labels have them all
_LINES = 12  # of clusters on the first screen
_MEMBER_ROWS = 300  # of the table of members


def write_report(case: Case | Clustering, path: str | os.PathLike[str]) -> Path:
    """Write the report of a result, or of a case, to one HTML file that opens offline.

    The file is there whole or not at all. It holds samples of the objects, not all of them, so that it stays small.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Case, write_report
    >>> labels = np.array([0, 0, 1, 1])
    >>> case = Case("t", Ensemble([labels] * 2), labels, np.eye(2)[labels], np.zeros(4), np.array(list("abcd")))
    >>> write_report(case, tempfile.mkdtemp() + "/report.html").name
    'report.html'
    """
    return write_page(render(summarize(case)), path)


def render(summary: Summary) -> str:
    """The HTML page of a summary.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Case, render, summarize
    >>> labels = np.array([0, 0, 1, 1])
    >>> case = Case("<t>", Ensemble([labels] * 2), labels, np.eye(2)[labels], np.zeros(4), np.array(list("abcd")))
    >>> "<h1>&lt;t&gt;</h1>" in render(summarize(case))
    True
    """
    return draw_page(
        "report.html.j2",
        figures(summary),
        scripts=("flows.js", "ladder.js"),
        summary=summary,
        wording=describe(summary),
        cards=summary.clusters[:_CARDS],
        flow_data=as_json(flow_data(summary.flows)),
        ladder_data=as_json(ladder_data(summary.ladder, summary.map.labels)),
        first_lines=[(cluster, in_a_line(cluster)) for cluster in summary.clusters[:_LINES]],
        flow_facts=flow_facts,
        flow_note=flow_note,
        longest_lifetimes=longest_lifetimes,
        ambiguity_around=ambiguity_around,
        member_rows=_MEMBER_ROWS,
    )

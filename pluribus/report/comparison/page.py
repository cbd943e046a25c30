"""The page of a comparison."""

import os
from pathlib import Path

from pluribus.report._shared.page import draw_page, write_page
from pluribus.report.comparison._figures import comparison_figures
from pluribus.report.comparison.comparison import Comparison, ComparisonSummary, summarize_comparison
from pluribus.report.comparison.measures import MEASURES
from pluribus.report.comparison.words import describe_comparison


def write_comparison(case: Comparison, path: str | os.PathLike[str]) -> Path:
    """Write the page of a comparison to one HTML file that opens offline.

    Examples
    --------
    >>> import tempfile
    >>> from pluribus import Ensemble
    >>> from pluribus.compare import compare_partitions
    >>> from pluribus.report import Comparison, write_comparison
    >>> a, b = [0, 0, 1, 1], [0, 0, 1, 2]
    >>> case = Comparison("four objects", Ensemble([a, b]), compare_partitions(a, b))
    >>> write_comparison(case, tempfile.mkdtemp() + "/compare.html").name
    'compare.html'
    """
    return write_page(render_comparison(summarize_comparison(case)), path)


def render_comparison(summary: ComparisonSummary) -> str:
    """The HTML page."""
    return draw_page(
        "compare.html.j2",
        comparison_figures(summary),
        summary=summary,
        wording=describe_comparison(summary),
        measures=MEASURES,
    )

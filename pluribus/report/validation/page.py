"""The page of candidates for a partition."""

import os
from pathlib import Path

from pluribus.report._shared.flow_words import shortened
from pluribus.report._shared.page import draw_page, write_page
from pluribus.report.validation._figures import validation_figures
from pluribus.report.validation.validation import Validation, ValidationSummary, summarize_validation


def write_validation(case: Validation, path: str | os.PathLike[str]) -> Path:
    """Write the page of candidates to one HTML file that opens offline.

    Examples
    --------
    >>> import tempfile
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Validation, write_validation
    >>> from pluribus.validate import choose_partition
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> candidates = Ensemble([[0, 1, 0, 1, 0, 1], [0, 0, 0, 1, 1, 1]], names=["turns", "halves"])
    >>> case = Validation("six", candidates, choose_partition(candidates, X), X=X)
    >>> write_validation(case, tempfile.mkdtemp() + "/validate.html").name
    'validate.html'
    """
    return write_page(render_validation(summarize_validation(case)), path)


def render_validation(summary: ValidationSummary) -> str:
    """The HTML page."""
    return draw_page(
        "validate.html.j2", validation_figures(summary), summary=summary, headline=validation_headline(summary)
    )


def validation_headline(summary: ValidationSummary) -> str:
    """Which one, in a few words."""
    name = shortened(summary.chosen, 60)
    if len(summary.candidates) == 1:
        return f"{name} is the only candidate"
    for_it = sum(bool(index.best[0]) for index in summary.deciding)
    share = "all" if for_it == len(summary.deciding) else f"{for_it} of {len(summary.deciding)}"
    if not for_it or (summary.votes[1:] >= summary.votes[0] - 1e-9).any():
        return f"{name}, but it is a close call"
    return f"{name} is best by {share} {'index' if len(summary.deciding) == 1 else 'indices'}"

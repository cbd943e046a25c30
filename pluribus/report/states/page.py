"""The page of the states of a signal."""

import os
from pathlib import Path

from pluribus.pipeline import States
from pluribus.report._shared.page import draw_page, write_page
from pluribus.report.states._figures import states_figures
from pluribus.report.states.summary import StatesSummary, summarize_states


def write_states(case: States, path: str | os.PathLike[str]) -> Path:
    """Write the page of the states of a signal to one HTML file that opens offline.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import pluribus
    >>> from pluribus.report import write_states
    >>> signal = np.repeat([0.0, 4.0], 40)[:, None] + np.random.default_rng(0).normal(size=(80, 2))
    >>> found = pluribus.states(signal, surrogates=19, verbose=False)
    >>> write_states(found, tempfile.mkdtemp() + "/states.html").name
    'states.html'
    """
    return write_page(render_states(summarize_states(case)), path)


def render_states(summary: StatesSummary) -> str:
    """The HTML page."""
    return draw_page("states.html.j2", states_figures(summary), summary=summary)

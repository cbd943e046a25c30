"""The pages: self-contained HTML files on a result, on two partitions, on candidates for one, on states.

The report on a result says how many clusters, how sure, and where it is ambiguous.
"""

from pluribus.report.comparison.comparison import Comparison, ComparisonSummary, summarize_comparison
from pluribus.report.comparison.page import write_comparison
from pluribus.report.figures.alternatives import plot_alternatives
from pluribus.report.figures.coclusters import plot_coclusters
from pluribus.report.figures.kernel_weights import plot_kernel_weights
from pluribus.report.figures.learned_similarity import plot_metric
from pluribus.report.figures.pairs import plot_pairs
from pluribus.report.result.case import Case
from pluribus.report.result.page import render, write_report
from pluribus.report.result.plots import Plots
from pluribus.report.result.summarize import summarize
from pluribus.report.result.summary import Summary
from pluribus.report.states.page import write_states
from pluribus.report.states.summary import StatesSummary, summarize_states
from pluribus.report.validation.page import write_validation
from pluribus.report.validation.validation import Validation, ValidationSummary, summarize_validation

__all__ = [
    "Case",
    "Comparison",
    "ComparisonSummary",
    "Plots",
    "StatesSummary",
    "Summary",
    "Validation",
    "ValidationSummary",
    "plot_alternatives",
    "plot_coclusters",
    "plot_kernel_weights",
    "plot_metric",
    "plot_pairs",
    "render",
    "summarize",
    "summarize_comparison",
    "summarize_states",
    "summarize_validation",
    "write_comparison",
    "write_report",
    "write_states",
    "write_validation",
]

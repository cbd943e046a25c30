"""The pages: self-contained HTML files on a result, on two partitions, on candidates for one.

The report on a result says how many clusters, how sure, and where it is ambiguous.
"""

from pluribus.report._anonymity import Anonymity, write_anonymity
from pluribus.report._case import Case
from pluribus.report._comparison import Comparison, ComparisonSummary, summarize_comparison
from pluribus.report._comparison_page import write_comparison
from pluribus.report._comparison_words import describe_comparison
from pluribus.report._html import render, write_report
from pluribus.report._k_indices import KIndices, k_indices
from pluribus.report._measures import MEASURES, SHORT, SHORT_SPATIAL
from pluribus.report._summarize import summarize
from pluribus.report._summary import Summary
from pluribus.report._validation import Validation, ValidationSummary, summarize_validation
from pluribus.report._validation_page import write_validation
from pluribus.report._words import index_title

__all__ = [
    "MEASURES",
    "SHORT",
    "SHORT_SPATIAL",
    "Anonymity",
    "Case",
    "Comparison",
    "ComparisonSummary",
    "KIndices",
    "Summary",
    "Validation",
    "ValidationSummary",
    "describe_comparison",
    "index_title",
    "k_indices",
    "render",
    "summarize",
    "summarize_comparison",
    "summarize_validation",
    "write_anonymity",
    "write_comparison",
    "write_report",
    "write_validation",
]

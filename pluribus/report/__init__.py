"""The report: one self-contained HTML file that says how many clusters, how sure, and where it is ambiguous."""

from pluribus.report._case import Case
from pluribus.report._html import render, write_report
from pluribus.report._summarize import summarize
from pluribus.report._summary import Summary

__all__ = ["Case", "Summary", "render", "summarize", "write_report"]

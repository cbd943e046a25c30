"""Learned similarities: a metric from cannot-links, a classifier from labels and pairs, and weights of many kernels.

Each has its protocol in a module of its own. They differ in their number of runs; here a run of one with more runs is
the mean over its share of them.
"""

import numpy as np

from benchmarks.reproduce import _similarity_kernels, _similarity_metric, _similarity_pairwise
from benchmarks.reproduce._published import Published

PAPER = (
    "Oyama and Tanaka, and Yan, Zhang, Yang and Hauptmann, chapters 15 and 17 of Constrained Clustering, CRC Press "
    f"2008; {_similarity_kernels.PAPER}"
)
PARTS = (_similarity_metric, _similarity_pairwise, _similarity_kernels)


def tables(quick: bool) -> list[Published]:
    return [table for part in PARTS for table in part.tables(quick)]


def n_runs(quick: bool) -> int:
    return min(part.n_runs(quick) for part in PARTS)


def score(table: str, row: str, run: int, quick: bool) -> dict[str, float]:
    part = next(part for part in PARTS if table in part.TABLES)
    scores = [part.score(table, row, own, quick) for own in range(run, part.n_runs(quick), n_runs(quick))]
    return {method: float(np.mean([found[method] for found in scores])) for method in scores[0]}

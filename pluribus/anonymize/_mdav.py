"""First groups of at least k similar rows: MDAV, in blocks if there are many rows."""

from collections.abc import Iterator

import numpy as np

from pluribus._engine import run_tasks
from pluribus._kernels.assignment.microaggregation import mdav, optimal_runs

_BLOCK = 4096  # rows: MDAV takes time that grows with their square


def optimal_groups(values: np.ndarray, k: int) -> np.ndarray:
    """The groups of at least k values with the least squared error, for one column.

    References
    ----------
    S. L. Hansen, S. Mukherjee, "A polynomial algorithm for optimal univariate microaggregation", IEEE Transactions on
    Knowledge and Data Engineering 15(4), 2003.
    """
    order = np.argsort(values, kind="stable")
    labels, sorted_labels = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    optimal_runs(values[order].astype(np.float64), k, sorted_labels)
    labels[order] = sorted_labels
    return labels


def mdav_groups(X: np.ndarray, k: int, *, n_jobs: int | None = None, verbose: bool = True) -> np.ndarray:
    """Groups of k to 2k - 1 rows around the row farthest from the mean, and around the row farthest from this one.

    If there are more than a few thousand rows, they are first divided at medians into blocks.

    References
    ----------
    J. Domingo-Ferrer, J. M. Mateo-Sanz, "Practical data-oriented microaggregation for statistical disclosure control",
    IEEE Transactions on Knowledge and Data Engineering 14(1), 2002.
    """

    def grouped(rows: np.ndarray) -> tuple[np.ndarray, int]:
        labels = np.empty(len(rows), np.int64)
        return labels, mdav(np.ascontiguousarray(X[rows]), k, labels)

    blocks = list(halves(X, max(_BLOCK, 8 * k), np.random.default_rng(0), along="widest"))
    of_blocks = run_tasks(grouped, blocks, n_jobs=n_jobs, description="first groups", verbose=verbose)
    labels, first = np.empty(len(X), np.int64), 0
    for rows, (inside, n_groups) in zip(blocks, of_blocks, strict=True):
        labels[rows] = first + inside
        first += n_groups
    return labels


def halves(points: np.ndarray, largest: int, random: np.random.Generator, *, along: str) -> Iterator[np.ndarray]:
    """Neighborhoods of at most ``largest`` points: halves at the median of the widest column, or of a random one."""
    todo = [np.arange(len(points))]
    while todo:
        rows = todo.pop()
        if len(rows) <= largest:
            yield np.sort(rows)
            continue
        inside = points[rows]
        spread = inside.var(axis=0)
        if along == "widest":
            values = inside[:, spread.argmax()]
        else:
            values = inside @ (np.sqrt(spread) * random.standard_normal(len(spread)))
        order = np.argpartition(values, len(rows) // 2)
        todo += [rows[order[len(rows) // 2 :]], rows[order[: len(rows) // 2]]]

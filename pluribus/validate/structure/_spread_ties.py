"""Values that occur many times, spread over the room of each: counts, grades and categories are no clusters."""

from operator import itemgetter

import numpy as np


def spread_ties(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """X with the repeated values of its coarse columns spread; gaps that are wider on one side stay.

    In a column with at most n / 2 distinct values, each value that occurs more than once gets a random number within
    half of the smaller gap to the distinct values next to it. Adjacent columns that stand for the values of one
    category, of which each row has one, are spread together: over the part of their simplex that is nearest to the
    corner of the row. Each by itself, they would leave gaps between the corners. Constant columns are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.validate.structure._spread_ties import spread_ties
    >>> spread_ties(np.array([[0.0, 0, 1, 1, 1, 5]]).T, np.random.default_rng(0)).ravel().round(2).tolist()
    [0.14, -0.23, 0.54, 0.52, 1.31, 5.0]
    """
    X = X[:, X.min(axis=0) < X.max(axis=0)]  # a value of a category that does not occur is no column of it
    blocks = _categories(X)
    in_blocks = {j for block in blocks for j in block}
    columns = {j: _spread(column, rng) for j, column in enumerate(X.T) if j not in in_blocks}
    for block in blocks:
        columns.update(zip(block, _spread_category(X[:, block.start : block.stop], rng).T, strict=True))
    kept = [column for _, column in sorted(columns.items(), key=itemgetter(0))]
    return np.stack(kept, axis=1) if kept else np.empty((len(X), 0))


def _spread(column: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One column, which is not constant."""
    values, place, counts = np.unique(column, return_inverse=True, return_counts=True)
    spread = np.zeros(len(column))
    if len(values) <= len(column) / 2:
        gaps = np.diff(values)
        half = np.minimum(np.append(gaps, np.inf), np.append(np.inf, gaps)) / 2
        width = np.where(counts > 1, half, 0)[place]
        spread = rng.uniform(-1, 1, len(column)) * width
    return column + spread


def _categories(X: np.ndarray) -> list[range]:
    """Runs of columns with two values each, of which every row has the higher one in exactly one column."""
    low, high = X.min(axis=0), X.max(axis=0)
    blocks: list[range] = []
    start, taken = 0, np.zeros(len(X), bool)  # rows that have the higher value in a column from `start` on
    for j, column in enumerate(X.T):
        is_high = column == high[j]
        if not (is_high | (column == low[j])).all():
            start, taken = j + 1, np.zeros(len(X), bool)
            continue
        while taken[is_high].any():
            taken &= X[:, start] != high[start]
            start += 1
        taken |= is_high
        if taken.all():
            blocks.append(range(start, j + 1))
            start, taken = j + 1, np.zeros(len(X), bool)
    return blocks


def _spread_category(columns: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The columns of a category, each row at a random place of the simplex that is nearest to its own corner."""
    low, high = columns.min(axis=0), columns.max(axis=0)
    rows, own = np.arange(len(columns)), (columns == high).argmax(axis=1)
    places = rng.dirichlet(np.ones(columns.shape[1]), len(columns))
    greatest = places.argmax(axis=1)
    places[rows, own], places[rows, greatest] = places[rows, greatest], places[rows, own]
    return low + (high - low) * places

"""Numbers that occur many times, spread over the room that belongs to each: counts and grades are no clusters."""

import numpy as np


def spread_ties(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """X with the repeated values of its coarse columns spread; gaps that are wider on one side stay.

    In a column with at most n / 2 distinct values, each value that occurs more than once gets a random number within
    half of the smaller gap to the distinct values next to it. Constant columns are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.validate.structure._spread_ties import spread_ties
    >>> spread_ties(np.array([[0.0, 0, 1, 1, 1, 5]]).T, np.random.default_rng(0)).ravel().round(2).tolist()
    [0.14, -0.23, 0.54, 0.52, 1.31, 5.0]
    """
    columns = []
    for column in X.T:
        values, place, counts = np.unique(column, return_inverse=True, return_counts=True)
        if len(values) == 1:
            continue
        spread = np.zeros(len(column))
        if len(values) <= len(column) / 2:
            gaps = np.diff(values)
            half = np.minimum(np.append(gaps, np.inf), np.append(np.inf, gaps)) / 2
            width = np.where(counts > 1, half, 0)[place]
            spread = rng.uniform(-1, 1, len(column)) * width
        columns.append(column + spread)
    return np.stack(columns, axis=1) if columns else np.empty((len(X), 0))

"""The part of the data that a member uses: some rows, some features, or a random projection of them."""

from typing import Any, NamedTuple

import numpy as np
import sklearn


class Features(NamedTuple):
    """The features of a member: all or some, unchanged or projected onto random directions."""

    columns: np.ndarray | None
    directions: np.ndarray | None

    def of(self, X: Any) -> Any:
        """Return these features of the rows of `X`."""
        seen = X if self.columns is None else X[:, self.columns]
        return seen if self.directions is None else seen @ self.directions.T

    def in_blocks_of(self, X: Any) -> Any:
        """Return the same for a clusterer that asks for blocks of rows: an array is not copied whole."""
        if self.columns is None or self.directions is not None or not isinstance(X, np.ndarray):
            return self.of(X)
        return SomeColumns(X, self.columns)


class SomeColumns:
    """Some columns of an array, copied for the rows that are asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.generate._perturbation import SomeColumns
    >>> SomeColumns(np.arange(12).reshape(4, 3), np.array([0, 2]))[1:3].tolist()
    [[3, 5], [6, 8]]
    """

    def __init__(self, X: np.ndarray, columns: np.ndarray) -> None:
        self.X, self.columns = X, columns
        self.shape = (X.shape[0], len(columns))

    def __getitem__(self, rows: Any) -> np.ndarray:
        return self.X[rows][:, self.columns]


class View(NamedTuple):
    """The part of an n × d table that one member clusters; `rows` and `features` are counts."""

    rows: int
    features: int
    projection: int | None
    round_seed: int
    place: int
    seed: int

    def sampled_rows(self, n: int) -> np.ndarray | None:
        """Return the rows of the member, in order, or None for all.

        Rows are dealt like cards: the members of one round take their rows in turn from one shuffled deck, and start
        again at its end. Each member is a simple random sample, and a round covers all rows.
        """
        if self.rows == n:
            return None
        deck = np.random.default_rng([1, self.round_seed]).permutation(n)
        start = self.place * self.rows
        return np.sort(deck.take(np.arange(start, start + self.rows), mode="wrap"))

    def seen_features(self, d: int, dtype: Any) -> Features:
        """Draw the features of the member out of `d`."""
        columns = directions = None
        if self.features < d:
            rng = np.random.default_rng([2, self.seed])
            columns = np.sort(rng.choice(d, self.features, replace=False))
        if self.projection is not None:
            projection = sklearn.random_projection.GaussianRandomProjection(self.projection, random_state=self.seed)
            directions = projection.fit(np.zeros((1, self.features), dtype=dtype)).components_
        return Features(columns, directions)


def members_per_round(n: int, rows: int) -> int:
    """Return the number of samples of `rows` rows that cover all `n`."""
    return -(-n // rows)

"""What a member sees of the data: some rows, some features, or a random projection of them."""

from typing import Any, NamedTuple

import numpy as np
import sklearn


class View(NamedTuple):
    """The part of an n × d table that one member clusters; `rows` and `features` are counts."""

    rows: int
    features: int
    projection: int | None
    round_seed: int
    place: int
    seed: int

    def sampled_rows(self, n: int) -> np.ndarray | None:
        """Return the rows that are clustered, in order, or None for all.

        Rows are dealt like cards: the members of one round share a shuffled deck and take their rows from it in
        turn, starting over at its end. Each member is a simple random sample, and a round leaves out no row.
        """
        if self.rows == n:
            return None
        deck = np.random.default_rng([1, self.round_seed]).permutation(n)
        start = self.place * self.rows
        return np.sort(deck.take(np.arange(start, start + self.rows), mode="wrap"))

    def of(self, X: Any, rows: np.ndarray | None) -> Any:
        """Return what the member sees of `X`."""
        seen = X if rows is None else X[rows]
        if self.features < X.shape[1]:
            rng = np.random.default_rng([2, self.seed])
            seen = seen[:, np.sort(rng.choice(X.shape[1], self.features, replace=False))]
        if self.projection is not None:
            seen = sklearn.random_projection.GaussianRandomProjection(
                self.projection, random_state=self.seed
            ).fit_transform(seen)
        return seen


def members_per_round(n: int, rows: int) -> int:
    """Return how many samples of `rows` rows it takes to cover all `n`."""
    return -(-n // rows)

"""The labels and pairs of one decision function, by their places among the points that it is fitted to."""

from typing import NamedTuple

import numpy as np
from scipy import sparse


class Terms(NamedTuple):
    """What one decision function f should say: the sign of f at labeled points, and the relation of f at pairs.

    ``exclusive`` is for one class against the rest: a cannot-link then only says that not both points are of the class.
    With two classes it says that they are of different ones.
    """

    n_points: int
    labeled: np.ndarray  # places of the labeled points
    sign: np.ndarray  # +1 or -1 for each
    weight: np.ndarray
    one: np.ndarray  # places of the two points of each pair
    other: np.ndarray
    same: np.ndarray  # whether the pair is a must-link
    pair_weight: np.ndarray
    exclusive: bool

    def label_rows(self) -> sparse.csr_array:
        """The matrix that takes f at all points to y_i f_i."""
        return _rows(self.n_points, [(self.labeled, self.sign)])

    def agreement_rows(self) -> sparse.csr_array:
        """The matrix that takes f to f_i - c f_j for pairs that say whether two signs are equal."""
        which = self.equations
        c = np.where(self.same[which], 1.0, -1.0)
        return _rows(self.n_points, [(self.one[which], np.ones(len(c))), (self.other[which], -c)])

    def exclusion_rows(self) -> sparse.csr_array:
        """The matrix that takes f to -f_i - f_j for pairs that say that not both are positive."""
        which = ~self.equations
        minus = -np.ones(int(which.sum()))
        return _rows(self.n_points, [(self.one[which], minus), (self.other[which], minus)])

    @property
    def equations(self) -> np.ndarray:
        """Which pairs say whether two signs are equal."""
        return self.same if self.exclusive else np.ones(len(self.same), dtype=bool)

    def without_pairs(self) -> "Terms":
        """The labels alone."""
        return self._replace(pair_weight=np.zeros_like(self.pair_weight))


def _rows(n_points: int, entries: list[tuple[np.ndarray, np.ndarray]]) -> sparse.csr_array:
    """A sparse matrix whose rows have one entry from each (places, values)."""
    n_rows = len(entries[0][0])
    columns = np.stack([places for places, _ in entries], axis=1).ravel()
    values = np.stack([values for _, values in entries], axis=1).ravel().astype(np.float64)
    pointers = np.arange(n_rows + 1) * len(entries)
    return sparse.csr_array((values, columns, pointers), shape=(n_rows, n_points))

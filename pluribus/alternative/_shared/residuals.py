"""Rows minus the mean of their group, without a dense copy of a sparse matrix."""

from typing import Any

import numpy as np
from scipy import sparse

_BLOCK = 65_536  # rows at a time


class Residuals:
    """What the groups leave unexplained: each row minus the mean of its group.

    Rows without a group have the mean of all rows subtracted, which is what can be expected of them.

    Parameters
    ----------
    X : (n, d), dense or csr
    groups : (n,), -1 = none
    n_groups : int

    Attributes
    ----------
    means : (n_groups + 1, d)
        Of the groups, and of all rows.
    group : (n,)
        The row of ``means`` that each row of X has subtracted.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.alternative._shared.residuals import Residuals
    >>> Residuals(np.array([[0.0], [2.0], [10.0]]), np.array([0, 0, 1]), 2).matrix().tolist()
    [[-1.0], [1.0], [0.0]]
    """

    def __init__(self, X: Any, groups: np.ndarray, n_groups: int) -> None:
        self.X = X
        self.group = np.where(groups < 0, n_groups, groups)
        sizes = np.bincount(self.group, minlength=n_groups + 1)
        sums = sum_rows(X, self.group, n_groups + 1)
        self.means = sums / np.maximum(sizes, 1)[:, None]
        self.means[n_groups] = sums.sum(axis=0) / X.shape[0]

    @property
    def dtype(self) -> np.dtype:
        """The floating point type of the rows."""
        return self.X.dtype

    def matrix(self) -> np.ndarray:
        """All residuals as a dense array."""
        return self.rows(slice(None))

    def rows(self, index: Any) -> np.ndarray:
        """Some residuals as a dense array."""
        rows = self.X[index]
        rows = rows.toarray() if sparse.issparse(rows) else rows
        return rows - self.means[self.group[index]].astype(self.dtype)

    def dot(self, directions: np.ndarray) -> np.ndarray:
        """The products of the residuals with k vectors, given as (k, d): (n, k)."""
        toward = directions.T.astype(self.dtype)
        shift = (self.means @ directions.T).astype(self.dtype)
        out = np.empty((self.X.shape[0], len(directions)), dtype=self.dtype)
        for start in range(0, len(out), _BLOCK):
            block = slice(start, start + _BLOCK)
            out[block] = self.X[block] @ toward
            out[block] -= shift[self.group[block]]
        return out

    def sums(self, labels: np.ndarray, n_labels: int) -> np.ndarray:
        """The sum of the residuals with each label, (n_labels, d)."""
        cells = labels.astype(np.int64) * len(self.means) + self.group
        counts = np.bincount(cells, minlength=n_labels * len(self.means)).reshape(n_labels, -1)
        return sum_rows(self.X, labels, n_labels) - counts @ self.means

    def squared_norms(self) -> np.ndarray:
        """The squared length of each residual."""
        own = (self.means**2).sum(axis=1)[self.group]
        out = np.empty(self.X.shape[0])
        for start in range(0, len(out), _BLOCK):
            block = slice(start, start + _BLOCK)
            rows, group = self.X[block], self.group[block]
            if sparse.issparse(rows):
                row_of, value = np.repeat(np.arange(len(group)), np.diff(rows.indptr)), rows.data.astype(np.float64)
                beyond = value * (value - 2 * self.means[group[row_of], rows.indices])  # x² - 2 x m, 0 where x is 0
                out[block] = np.bincount(row_of, beyond, minlength=len(group)) + own[block]
            else:
                out[block] = ((rows - self.means[group]) ** 2).sum(axis=1)
        return np.maximum(out, 0)


class ProjectedResiduals(Residuals):
    """Residuals without the directions in which the means of the groups differ.

    Attributes
    ----------
    removed : (r, d)
        An orthonormal basis of these directions.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.alternative._shared.residuals import ProjectedResiduals
    >>> X = np.array([[0.0, 0], [1, 1], [5, 0], [6, 1]])
    >>> ProjectedResiduals(X, np.array([0, 0, 1, 1]), 2).matrix().tolist()
    [[0.0, -0.5], [0.0, 0.5], [0.0, -0.5], [0.0, 0.5]]
    """

    def __init__(self, X: Any, groups: np.ndarray, n_groups: int) -> None:
        super().__init__(X, groups, n_groups)
        apart = self.means[:n_groups] - self.means[n_groups]
        _, sizes, directions = np.linalg.svd(apart, full_matrices=False)
        self.removed = directions[sizes > 1e-9 * max(sizes[0], np.abs(self.means).max())]

    def rows(self, index: Any) -> np.ndarray:
        """Some residuals as a dense array."""
        return self._without(super().rows(index))

    def sums(self, labels: np.ndarray, n_labels: int) -> np.ndarray:
        """The sum of the residuals with each label, (n_labels, d)."""
        return self._without(super().sums(labels, n_labels))

    def dot(self, directions: np.ndarray) -> np.ndarray:
        """The products of the residuals with k vectors, given as (k, d): (n, k)."""
        return super().dot(self._without(directions))

    def squared_norms(self) -> np.ndarray:
        """The squared length of each residual."""
        along = super().dot(self.removed).astype(np.float64)
        return np.maximum(super().squared_norms() - (along**2).sum(axis=1), 0)

    def _without(self, rows: np.ndarray) -> np.ndarray:
        removed = self.removed.astype(rows.dtype)
        return rows - (rows @ removed.T) @ removed


def sum_rows(X: Any, labels: np.ndarray, n_labels: int) -> np.ndarray:
    """The sum of the rows with each label in double precision, (n_labels, d)."""
    total = np.zeros((n_labels, X.shape[1]))
    for start in range(0, X.shape[0], _BLOCK):
        block = X[start : start + _BLOCK]
        m = block.shape[0]
        own = sparse.csr_array((np.ones(m), (labels[start : start + m], np.arange(m))), shape=(n_labels, m))
        part = own @ block
        total += part.toarray() if sparse.issparse(part) else part
    return total

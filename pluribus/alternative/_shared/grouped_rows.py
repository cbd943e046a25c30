"""Rows in known groups, and sums over them by group and feature.

A slot is a feature within a group. Tables of slots have a row for each of them: group after group if X is dense, and
only those that occur if X is sparse, so that memory grows with the nonzeros and not with groups × features.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse


class GroupedRows:
    """Rows X, each in one of the groups 0, 1, …; the groups need not be sorted."""

    def __init__(self, X: Any, groups: np.ndarray, n_groups: int) -> None:
        self.n, self.n_features = X.shape
        self.groups, self.n_groups = groups, n_groups
        self._sparse = sparse.issparse(X)
        if self._sparse:
            keys = np.repeat(groups.astype(np.int64), np.diff(X.indptr)) * self.n_features + X.indices
            self.keys, slots = np.unique(keys, return_inverse=True)
            self.X = sparse.csr_array((X.data, slots.astype(np.int32), X.indptr), shape=(self.n, len(self.keys)))
            self._X_T = self.X.T.tocsr()
        else:
            self.keys = np.arange(n_groups * self.n_features)
            self.X = X
            order = np.argsort(groups, kind="stable")
            cuts = np.searchsorted(groups[order], np.arange(n_groups + 1))
            in_order = n_groups == 1 or bool((np.diff(groups) >= 0).all())
            self._blocks = [slice(a, b) if in_order else order[a:b] for a, b in pairwise(cuts)]
        self.feature_of, self.group_of = self.keys % self.n_features, self.keys // self.n_features
        self._by_group = _one_hot(groups, n_groups)
        self._slots_by_group = _one_hot(self.group_of, n_groups)
        self._slots_by_feature = _one_hot(self.feature_of, self.n_features)

    def masses(self, weights: np.ndarray) -> np.ndarray:
        """Σ over the rows of a group, weight times feature: (n, m) -> (slots, m)."""
        if self._sparse:
            return self._X_T @ weights
        out = np.empty((self.n_groups, self.n_features, weights.shape[1]))
        for group, rows in enumerate(self._blocks):
            np.matmul(self.X[rows].T, weights[rows], out=out[group])
        return out.reshape(-1, weights.shape[1])

    def scores(self, table: np.ndarray) -> np.ndarray:
        """Each row times the table of its group: (slots, m) -> (n, m)."""
        if self._sparse:
            return self.X @ table
        tables = table.reshape(self.n_groups, self.n_features, -1)
        out = np.empty((self.n, table.shape[1]))
        for group, rows in enumerate(self._blocks):
            out[rows] = self.X[rows] @ tables[group]
        return out

    def group_weights(self, weights: np.ndarray) -> np.ndarray:
        """Σ over the rows of each group: (n, m) -> (groups, m)."""
        return self._by_group @ weights

    def by_group(self, table: np.ndarray) -> np.ndarray:
        """Σ over the slots of each group: (slots, m) -> (groups, m)."""
        return self._slots_by_group @ table

    def by_feature(self, table: np.ndarray) -> np.ndarray:
        """Σ over the slots of each feature: (slots, m) -> (features, m)."""
        return self._slots_by_feature @ table

    def entries(self) -> "Entries":
        """The rows one by one, with slots as columns."""
        if self._sparse:
            starts = self.X.indptr[:-1]
            return Entries(self.X.indices, starts, self.X.data, starts, np.diff(self.X.indptr))
        d = self.n_features
        slots, starts = np.arange(len(self.keys)), np.arange(self.n) * d
        return Entries(slots, self.groups.astype(np.int64) * d, self.X.ravel(), starts, np.full(self.n, d))


class Entries(NamedTuple):
    """Row x has ``size[x]`` entries: its slots from ``slot_start[x]`` on, its values from ``value_start[x]`` on.

    Dense rows of one group share their slots.
    """

    slots: np.ndarray
    slot_start: np.ndarray
    values: np.ndarray
    value_start: np.ndarray
    size: np.ndarray


def _one_hot(codes: np.ndarray, n_codes: int) -> sparse.csr_array:
    return sparse.csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=(n_codes, len(codes)))

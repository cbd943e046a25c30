"""The objective of ACCCS, J = (1 - beta) ACC + beta CS, and its ascent."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import sklearn
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.exceptions import ConvergenceWarning

from pluribus._kernels.assignment.label_moves import climb, consistency, improve_labels, kick
from pluribus.constraints import Closure, Constraints
from pluribus.partitions import Ensemble

_SWEEPS, _ROUNDS = 5, 50
_CLIMB = 2e9  # operations of one sweep of single moves; larger problems have none
_KICKS, _KICKED = 10, 3  # random disturbances of a start at most, and moves of each
_KICKING = 1e7  # operations of one sweep of single moves, times the number of disturbances


class Problem(NamedTuple):
    """J as a function of the clusters of the L chunklets."""

    closure: Closure
    k: int
    share: float  # beta, or 0 without preferences
    acc_weight: float  # the factor of ACC in J
    preferences: sparse.csr_array  # (L, L) the gain of each pair if together
    constant: float  # of CS
    one_hot: sparse.csr_array  # (n, q)
    rows: sparse.csr_array  # (L, q) objects of each chunklet in each cluster
    partition_of: np.ndarray  # (q,)
    n_seen: np.ndarray  # (r,)
    weights: np.ndarray  # (r,)

    @classmethod
    def of(cls, ensemble: Ensemble, constraints: Constraints, k: int, beta: float, *, normalize_acc: bool) -> "Problem":
        closure = constraints.closure()
        must, cannot = constraints.must_weight, constraints.cannot_weight
        total = must[np.isfinite(must)].sum() + cannot[np.isfinite(cannot)].sum()
        share = beta if total > 0 else 0.0
        scale = share / total if total > 0 else 0.0
        one_hot = sparse.csr_array(ensemble.one_hot())
        together = closure.chunk_of[constraints.must_link[np.isfinite(must)]].reshape(-1, 2)
        soft_must, soft_cannot = must[np.isfinite(must)], cannot[np.isfinite(cannot)]
        apart = closure.chunk_of[constraints.cannot_link[np.isfinite(cannot)]].reshape(-1, 2)
        # satisfied weight = must-links that are together + all cannot-links - those that are together
        inside = soft_must[together[:, 0] == together[:, 1]].sum() - soft_cannot[apart[:, 0] == apart[:, 1]].sum()
        return cls(
            closure,
            k,
            share,
            (1 - share) / (1 - 1 / k if normalize_acc and k > 1 else 1),
            sparse.csr_array(closure.coupling * scale),
            float(scale * (inside + soft_cannot.sum())),
            one_hot,
            sparse.csr_array(closure.chunk_indicator @ one_hot),
            np.repeat(np.arange(ensemble.n_partitions), ensemble.n_clusters),
            (ensemble.labels >= 0).sum(axis=0).astype(np.float64),
            ensemble.weights,
        )

    def start(self, seed: int, feasible: np.ndarray, X: Any = None, *, random: bool) -> np.ndarray:
        """k-means on the labels or features, or random; objects with cannot-links follow a feasible partition."""
        if random:
            drawn = np.random.default_rng(seed).integers(0, self.k, len(feasible))
        else:
            scaled = X
            if X is None:
                scaled = self.one_hot @ sparse.diags_array(np.sqrt(self.weights)[self.partition_of])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                drawn = sklearn.cluster.KMeans(self.k, n_init=1, init="random", random_state=seed).fit_predict(scaled)
        table = np.zeros((self.k, self.k))
        np.add.at(table, (feasible, drawn), 1)
        renamed = linear_sum_assignment(-table)[1][feasible]
        bound = np.diff(self.closure.cannot_graph.indptr)[self.closure.chunk_of] > 0
        return np.where(bound, renamed, drawn)

    def units_of(self, labels: np.ndarray) -> np.ndarray:
        """The most frequent label of each chunklet."""
        return (self.closure.chunk_indicator @ np.eye(self.k)[labels]).argmax(axis=1)

    def ascend(self, labels: np.ndarray, seed: int) -> tuple[np.ndarray, list[float]]:
        """Labels of the chunklets that no step improves, and the path of J."""
        units = self.units_of(labels)
        path = [self.objective(units)]
        hard, soft = self.closure.cannot_graph, self.preferences
        bound = np.flatnonzero((np.diff(hard.indptr) > 0) | (np.diff(soft.indptr) > 0))
        hard_ptr, hard_to, soft_ptr, soft_to = map(_long, (hard.indptr, hard.indices, soft.indptr, soft.indices))
        for _ in range(_ROUNDS):
            U = self._fit_of(units)
            new = U.argmax(axis=1)
            new[bound] = units[bound]
            improve_labels(U, bound, hard_ptr, hard_to, soft_ptr, soft_to, soft.data, new, _SWEEPS)
            value = self.objective(new)
            if value <= path[-1] + 1e-12:
                break
            units = new
            path.append(value)
        work = len(units) * self.k**2 * self.rows.shape[1]
        if work <= _CLIMB:
            new = self._climbed(units)
            if (new != units).any():
                units = new
                path.append(self.objective(units))
        rng = np.random.default_rng(seed)
        for _ in range(min(_KICKS, int(_KICKING / work))):
            new = units.copy()
            kick(rng.integers(0, len(new), _KICKED), rng.integers(0, self.k, _KICKED), hard_ptr, hard_to, new)
            new = self._climbed(new)
            value = self.objective(new)
            if value > path[-1] + 1e-12:
                units = new
                path.append(value)
        return units, path

    def _climbed(self, units: np.ndarray) -> np.ndarray:
        """The labels after all single moves that raise J."""
        hard, soft = self.closure.cannot_graph, self.preferences
        M, s = self._tables(units)
        units = units.copy()
        climb(
            M,
            s,
            self.partition_of,
            self.n_seen,
            self.weights,
            _long(self.rows.indptr),
            _long(self.rows.indices),
            self.rows.data,
            _long(hard.indptr),
            _long(hard.indices),
            _long(soft.indptr),
            _long(soft.indices),
            soft.data,
            1 - self.acc_weight,
            units,
        )
        return units

    def parts(self, units: np.ndarray) -> tuple[float, float]:
        """ACC and CS."""
        M, s = self._tables(units)
        acc = consistency(M, s, self.partition_of, self.n_seen, self.weights)
        return acc, self._preferred(units) / self.share if self.share else 1.0

    def objective(self, units: np.ndarray) -> float:
        """J."""
        M, s = self._tables(units)
        acc = consistency(M, s, self.partition_of, self.n_seen, self.weights)
        return float(self.acc_weight * acc + (self._preferred(units) if self.share else 0.0))

    def _preferred(self, units: np.ndarray) -> float:
        pairs = self.preferences.tocoo()
        return self.constant + float(pairs.data[units[pairs.row] == units[pairs.col]].sum() / 2)

    def _tables(self, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Objects of each cluster in each cluster of the ensemble, and in each partition."""
        L = len(units)
        placed = sparse.csr_array((np.ones(L), (units, np.arange(L))), shape=(self.k, L))
        M = (placed @ self.rows).toarray()
        s = np.column_stack([np.bincount(self.partition_of, row, minlength=len(self.weights)) for row in M]).T
        return M, np.ascontiguousarray(s)

    def _fit_of(self, units: np.ndarray) -> np.ndarray:
        """The share of each chunklet in ACC for each cluster, with the clusters of the ensemble where they fit best."""
        M, s = self._tables(units)
        room = (1 - s / np.maximum(self.n_seen, 1))[:, self.partition_of]
        owner = (M * room).argmax(axis=0)
        q = len(owner)
        each = (self.weights / self.weights.sum() / np.maximum(self.n_seen, 1))[self.partition_of]
        value = self.acc_weight * each * room[owner, np.arange(q)]
        return self.rows @ sparse.csr_array((value, (np.arange(q), owner)), shape=(q, self.k)).toarray()


def _long(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int64)

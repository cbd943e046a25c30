"""Moves of objects that repair a greedy linkage under cannot-links."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from pluribus._kernels.assignment.label_moves import improve_labels
from pluribus.consensus._shared.constrained_linkages import Goal, Linked, evidence_changes, link
from pluribus.constraints import Closure, Constraints
from pluribus.evidence import mean_evidence
from pluribus.partitions import Ensemble

_ROUNDS, _SWEEPS = 20, 5


def link_and_repair(ensemble: Ensemble, constraints: Constraints, goal: Goal, *, verbose: bool) -> Linked:
    """Average link into k clusters, repaired by moves if it contradicts the constraints.

    If the linkage without hard constraints satisfies all of them, its clusters are the result: constraints that confirm
    the evidence do not change it. Otherwise early merges may go wrong. A chunklet of dissimilar objects, or an object
    among objects that it must be apart from, takes its neighbors along to the cluster it is forced into, and displaces
    others there. Therefore each object then moves to the cluster of highest mean evidence, and objects in conflict with
    it swap places. The moves start from three partitions: that of the greedy linkage, and those of average link without
    constraints and with must-links only, made feasible.
    """
    unbound = goal._replace(witness=None)
    plain = link(ensemble, _preferences(constraints), "average", unbound, verbose=verbose)
    obeys = constraints.violations(plain.labels).n_hard == 0
    closure = constraints.closure()
    if obeys and closure.n_chunks == ensemble.n_objects:
        return plain
    greedy = link(ensemble, constraints, "average", goal, verbose=verbose)
    if obeys:
        return greedy._replace(labels=plain.labels)
    if goal.witness is None or greedy.labels.max() >= goal.n_clusters:
        return greedy
    problem = _Problem(ensemble, closure, sparse.csr_array(evidence_changes(ensemble, constraints)), goal.n_clusters)
    free = link(ensemble, _preferences(constraints, closure.chunk_of), "average", unbound, verbose=verbose)
    starts = (
        greedy.labels,
        problem.repaired(plain.labels, greedy.labels),
        problem.repaired(free.labels, goal.witness),
    )
    ends = [problem.ascend(start) for start in starts]
    full = [labels for labels in ends if len(np.unique(labels)) == goal.n_clusters]  # the first is
    return greedy._replace(labels=max(full, key=problem.objective))


def _preferences(constraints: Constraints, groups: np.ndarray | None = None) -> Constraints:
    """The soft pairs, and these groups."""
    must, cannot = np.isfinite(constraints.must_weight), np.isfinite(constraints.cannot_weight)
    return Constraints(
        constraints.n_objects,
        must_link=constraints.must_link[must],
        cannot_link=constraints.cannot_link[cannot],
        must_weight=constraints.must_weight[must],
        cannot_weight=constraints.cannot_weight[cannot],
        groups=groups,
    )


class _Problem(NamedTuple):
    """The evidence, the constraints and the number of clusters."""

    ensemble: Ensemble
    closure: Closure
    changes: sparse.csr_array  # (n, n) what preferences add to the evidence of pairs
    k: int

    def repaired(self, labels: np.ndarray, feasible: np.ndarray) -> np.ndarray:
        """The labels, except that objects with cannot-links have those of a feasible partition."""
        table = np.zeros((self.k, self.k))
        np.add.at(table, (feasible, labels), 1)
        renamed = linear_sum_assignment(-table)[1][feasible]
        bound = np.diff(self.closure.cannot_graph.indptr)[self.closure.chunk_of] > 0
        return np.where(bound, renamed, labels)

    def ascend(self, labels: np.ndarray) -> np.ndarray:
        """Move objects until none moves, the rounds are over, or a cluster would be empty."""
        closure, hard = self.closure, self.closure.cannot_graph
        indicator = closure.chunk_indicator
        # for both objects of a pair, in a cluster of mean size
        soft = sparse.csr_array(indicator @ self.changes @ indicator.T) * (2 * self.k / len(labels))
        soft.setdiag(0)
        soft.eliminate_zeros()
        bound = np.flatnonzero((np.diff(hard.indptr) > 0) | (np.diff(soft.indptr) > 0))
        units = (indicator @ np.eye(self.k)[labels]).argmax(axis=1)
        for _ in range(_ROUNDS):
            U = indicator @ mean_evidence(self.ensemble, units[closure.chunk_of], self.k)
            new = U.argmax(axis=1)
            new[bound] = units[bound]
            improve_labels(
                U,
                bound,
                hard.indptr.astype(np.int64),
                hard.indices.astype(np.int64),
                soft.indptr.astype(np.int64),
                soft.indices.astype(np.int64),
                soft.data,
                new,
                _SWEEPS,
            )
            if (new == units).all() or len(np.unique(new)) < self.k:
                break
            units = new
        return units[closure.chunk_of]

    def objective(self, labels: np.ndarray) -> float:
        """The share of the evidence of each cluster's objects that is within the cluster, summed over the clusters.

        The mean evidence within clusters, which the moves raise, would prefer a few objects that are always together to
        a cluster that fine partitions split into pieces.
        """
        sizes = np.bincount(labels, minlength=self.k)
        evidence = mean_evidence(self.ensemble, labels, self.k) * sizes + self.changes @ np.eye(self.k)[labels]
        inside = np.bincount(labels, evidence[np.arange(len(labels)), labels], minlength=self.k)
        all_of_it = np.bincount(labels, evidence.sum(axis=1), minlength=self.k)
        return float(np.divide(inside, all_of_it, out=np.zeros(self.k), where=all_of_it > 0).sum())

"""Can allowed labels, sizes and a graph be kept with k clusters, together with the pairs?"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from pluribus.constraints._cluster_contradictions import chunklet_labels
from pluribus.constraints._connected_parts import check_connected
from pluribus.constraints._stated_arrays import Statements
from pluribus.constraints._statements import Indices
from pluribus.constraints.closure import Closure
from pluribus.constraints.feasibility import Feasibility

_LARGEST = 50_000  # variables of the integer program
_OPTIONS = {"node_limit": 5000, "time_limit": 20.0}


def check_clusters(said: Statements, closure: Closure, found: Feasibility, *, allow_empty: bool) -> Feasibility:
    """What is left of the answer for the pairs, once the statements about clusters count too."""
    if found.status == "infeasible" or set(said.kinds) <= {"pairs"}:
        return found
    k = found.k
    if said.names_clusters and len(said.classes) > k:
        reason = (
            f"the known and the allowed labels and sizes name {len(said.classes)} labels, more than k = {k} clusters"
        )
        return Feasibility("infeasible", k, reason, said.one_of_each_class)
    if set(said.kinds) & {"allowed labels", "sizes"}:
        lower, upper = cluster_bounds(said, k)
        problem = Problem.of(said, closure, lower, upper, allow_empty)
        found = _too_many_or_few(said, problem, k) or _placed(said, closure, problem, found)
    if said.about.graph is not None and found.status != "infeasible":
        found = check_connected(said, closure, found, allow_empty=allow_empty)
    return found


def cluster_bounds(said: Statements, k: int) -> tuple[Indices, Indices]:
    """The least and the largest size of each of k clusters, the labels first."""
    common, of_labels = said.about.sizes[0], said.about.sizes[1 : k + 1]
    lower, upper = np.full(k, common[0]), np.full(k, common[1])
    lower[: len(of_labels)] = np.maximum(common[0], of_labels[:, 0])
    upper[: len(of_labels)] = np.minimum(common[1], of_labels[:, 1])
    return lower, upper


class Problem(NamedTuple):
    """Chunklets to place into clusters of bounded size. Those that are equal for this purpose are one type."""

    type_of: Indices  # (L,) of each chunklet
    first: Indices  # (T,) the first chunklet of each type
    sizes: Indices  # (T,) objects in a chunklet
    counts: Indices  # (T,) chunklets
    may: np.ndarray  # (T, k) whether it may be in a cluster
    apart: Indices  # (E, 2) types of one chunklet each that cannot share a cluster
    lower: Indices  # (k,)
    upper: Indices
    needed: np.ndarray  # (k,) whether a cluster must not be empty

    @classmethod
    def of(cls, said: Statements, closure: Closure, lower: Indices, upper: Indices, allow_empty: bool) -> "Problem":
        """Labels are the first clusters; a chunklet with cannot-links is a type of its own."""
        k = len(lower)
        is_bound, pairs = chunklet_labels(said, closure.chunk_of)
        may = np.repeat(~is_bound[:, None], k, axis=1)
        may[tuple(pairs.T)] = True
        linked = np.zeros(closure.n_chunks, np.int64)
        linked[closure.told_apart.ravel()] = 1
        own = np.where(linked > 0, np.arange(1, closure.n_chunks + 1), 0)
        _, first, type_of, counts = np.unique(
            np.column_stack([own, closure.chunk_sizes, np.packbits(may, axis=1)]),
            axis=0,
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        needed = np.full(k, not allow_empty)
        needed[: len(said.classes)] |= said.about.sizes[1 : k + 1, 0] > 0
        type_of = type_of.ravel()
        return cls(
            type_of,
            first,
            closure.chunk_sizes[first],
            counts,
            may[first],
            type_of[closure.told_apart],
            lower,
            upper,
            needed,
        )


def _too_many_or_few(said: Statements, problem: Problem, k: int) -> Feasibility | None:
    """Sums of sizes that cannot be right, whatever the pairs."""
    n, least = said.n_objects, np.where(problem.needed, np.maximum(problem.lower, 1), 0)
    if least.sum() > n:
        reason = f"the minimum sizes of {k} clusters ask for {least.sum()} objects, but there are {n}"
        return Feasibility("infeasible", k, reason)
    if problem.upper.sum() < n:
        reason = f"the maximum sizes of {k} clusters leave room for {problem.upper.sum()} objects, but there are {n}"
        return Feasibility("infeasible", k, reason)
    room = np.where(problem.may, problem.upper, 0).max(axis=1)
    if (tight := np.flatnonzero(problem.sizes > room)).size:
        at = tight[0]
        reason = (
            f"{problem.sizes[at]} objects must be together, but the largest cluster they fit in may have {room[at]}"
        )
        return Feasibility("infeasible", k, reason, _members(problem, at))
    candidates = (problem.may * (problem.sizes * problem.counts)[:, None]).sum(axis=0)
    if (short := np.flatnonzero(candidates < least)).size:
        h = short[0]
        whose = f"the label {said.classes[[h]].tolist()[0]!r}" if h < len(said.classes) else "a cluster without a label"
        return Feasibility("infeasible", k, f"{whose} needs {least[h]} objects, but only {candidates[h]} may be in it")
    return None


def _members(problem: Problem, at: int) -> Indices:
    return np.flatnonzero(problem.type_of == at)[:1]


def _placed(said: Statements, closure: Closure, problem: Problem, found: Feasibility) -> Feasibility:
    """Place the chunklets by an integer program: how many of each type are in each cluster."""
    n_types, k = problem.may.shape
    n_counts = n_types * k
    if n_counts + len(problem.apart) * k > _LARGEST:
        reason = "there are too many kinds of objects to search for clusters that keep the sizes and the allowed labels"
        return Feasibility("unknown", k, reason)
    used = np.where(problem.needed, 1, 0)
    each_once = sparse.kron(sparse.eye_array(n_types), np.ones((1, k)))
    filled = sparse.kron(problem.sizes[None, :].astype(float), sparse.eye_array(k))

    def with_used(counts: Any, of_used: Any) -> sparse.csr_array:
        return sparse.hstack([counts, of_used]).tocsr()

    none = sparse.csr_array((n_types, k))
    constraints = [
        LinearConstraint(with_used(each_once, none), problem.counts, problem.counts),
        LinearConstraint(with_used(filled, -sparse.diags_array(np.maximum(problem.lower, 1).astype(float))), 0, np.inf),
        LinearConstraint(with_used(filled, -sparse.diags_array(problem.upper.astype(float))), -np.inf, 0),
    ]
    if len(problem.apart):
        e = len(problem.apart)
        ends = sparse.coo_array(
            (np.ones(2 * e), (np.repeat(np.arange(e), 2), problem.apart.ravel())), shape=(e, n_types)
        )
        pairs = sparse.kron(ends, sparse.eye_array(k))
        constraints.append(LinearConstraint(with_used(pairs, sparse.csr_array((e * k, k))), 0, 1))
    most = np.where(problem.may, problem.counts[:, None], 0).ravel()
    solution = milp(
        np.zeros(n_counts + k),
        integrality=np.ones(n_counts + k),
        bounds=Bounds(np.concatenate([np.zeros(n_counts), used]), np.concatenate([most, np.ones(k)])),
        constraints=constraints,
        options=_OPTIONS,
    )
    kept = " and the ".join(kind for kind in said.kinds if kind in ("allowed labels", "sizes"))
    if solution.status == 2:
        objects = np.unique(said.about.allowed[:, 0]) if len(said.about.allowed) else None
        return Feasibility("infeasible", k, f"no {k} clusters keep the {kept} and the pairs: this was proven", objects)
    if solution.x is None:
        reason = f"a search for {k} clusters that keep the {kept} and the pairs ended before it found any"
        return Feasibility("unknown", k, f"{reason}. Give fewer cannot-links, or wider sizes")
    labels = _spread(problem, np.rint(solution.x[:n_counts]).astype(np.int64).reshape(n_types, k))
    return replace(
        found, status="feasible", reason=f"clusters that keep the {kept} were found", witness=labels[closure.chunk_of]
    )


def _spread(problem: Problem, counts: Indices) -> Indices:
    """A cluster for each chunklet, so that each cluster has as many of each type as it should."""
    labels = np.empty(len(problem.type_of), np.int64)
    order = np.argsort(problem.type_of, kind="stable")
    labels[order] = np.concatenate([np.repeat(np.arange(counts.shape[1]), row) for row in counts])
    return labels

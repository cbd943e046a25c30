"""What users hand over as signed evidence: a graph, an ensemble, a co-association, constraints."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus.constraints import Closure, Constraints
from pluribus.constraints._internal import as_constraints, refuse_kinds
from pluribus.evidence import CoAssociation
from pluribus.evidence._internal import SignedGraph
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.tables import as_graph

_LARGEST = 1e300  # sum of weights: costs are sums and differences of several such sums


class Signed(NamedTuple):
    """Signed evidence about n objects, checked: a graph of them, or an ensemble."""

    mode: str
    n: int
    graph: SignedGraph | None
    ensemble: Ensemble | None
    constraints: Constraints | None  # None if there are no objects
    ids: np.ndarray
    notes: tuple[str, ...] = ()

    @property
    def closure(self) -> Closure:
        """Objects that must stay together, and which of these must not be together."""
        assert self.constraints is not None
        return self.constraints.closure()


def read_signed(signed: Any, mode: str | None, apart: Any, constraints: Any) -> Signed:
    """Check and convert what was given to ``fit``."""
    if isinstance(signed, Ensemble | CoAssociation | Constraints):
        own = "general" if isinstance(signed, Constraints) else "consensus"
        if mode not in (None, own):
            raise ValueError(f"mode={mode!r} does not fit {type(signed).__name__}, which needs mode={own!r} or None.")
        if apart is not None:
            raise ValueError(f"apart is for graphs; {type(signed).__name__} says itself what is apart.")
        mode = own
    if isinstance(signed, Constraints):
        return _of_constraints(signed, constraints)
    if isinstance(signed, CoAssociation):
        return _of_evidence(signed, constraints)
    if mode == "consensus":
        if apart is not None:
            raise ValueError("apart is for graphs; an ensemble says itself what is apart.")
        return _of_ensemble(as_ensemble(signed), constraints)
    return _of_graph(signed, mode, apart, constraints)


def _of_graph(signed: Any, mode: str | None, apart: Any, constraints: Any) -> Signed:
    graph = as_graph(signed, signed=apart is None, strict=True)
    plus, n = graph.matrix, graph.n_nodes
    minus = sparse.csr_array((n, n))
    notes = graph.notes
    if apart is not None:
        other = as_graph(apart, ids=graph.ids, strict=True)
        minus, notes = other.matrix, (*notes, *other.notes)
    elif (plus.data < 0).any():
        minus = plus.copy()
        minus.data = np.maximum(-minus.data, 0)
        plus = plus.copy()
        plus.data = np.maximum(plus.data, 0)
    if mode is None:
        if not (minus.data > 0).any() and (plus.data > 0).any():
            raise ValueError(
                "All weights are positive, so mode is needed: 'complete' if pairs that are not listed belong apart, "
                "'general' if nothing is known about them (then whatever is connected is one cluster)."
            )
        mode = "general"
    _check_sum(plus.data, minus.data)
    if mode == "complete":
        _check_complete(plus, minus, graph.ids)
    sums = float(plus.data.sum()) / 2, float(minus.data.sum()) / 2
    if mode == "complete":
        problem = SignedGraph.of(2 * plus, np.ones(n), 1.0, sums[0], n * (n - 1) / 2)
    else:
        problem = SignedGraph.of(plus - minus, np.ones(n), 0.0, sums[0], sum(sums))
    known = None if n == 0 else as_constraints(constraints, n)
    return _with_preferences(Signed(mode, n, problem, None, known, graph.ids, notes))


def _check_sum(*weights: np.ndarray) -> None:
    """Refuse weights whose sum would be infinite."""
    with np.errstate(over="ignore"):
        total = sum(float(np.abs(some).sum()) for some in weights)
    if not total < _LARGEST:
        largest = max(float(np.abs(some).max(initial=0)) for some in weights)
        raise ValueError(
            f"The weights are too large: their largest is {largest:g}, and their sum must be below {_LARGEST:g}. Only "
            "ratios of weights matter: divide all of them by the largest."
        )


def _check_complete(plus: sparse.csr_array, minus: sparse.csr_array, ids: np.ndarray) -> None:
    given = (plus - minus).tocoo()
    wrong = np.flatnonzero(given.data != 1)
    if len(wrong):
        one, other = ids[given.row[wrong[0]]], ids[given.col[wrong[0]]]
        raise ValueError(
            f"mode='complete' takes the pairs that belong together, all with weight 1, and the weight of "
            f"({one}, {other}) is {given.data[wrong[0]]:g}. Use mode='general' for weights."
        )


def _of_constraints(signed: Constraints, constraints: Any) -> Signed:
    n = signed.n_objects
    refuse_kinds(signed)
    known = signed if constraints is None else signed.merge(as_constraints(constraints, n))
    empty = SignedGraph.of(sparse.csr_array((n, n)), np.ones(n), 0.0, 0.0, 0.0)
    return _with_preferences(Signed("general", n, empty, None, known, np.arange(n)))


def _of_ensemble(ensemble: Ensemble, constraints: Any) -> Signed:
    n = ensemble.n_objects
    known = as_constraints(constraints, n)
    if known.coupling.nnz:
        raise ValueError(
            "constraints has soft pairs, which an ensemble cannot be weighed against. Give hard ones, or give the "
            "co-association of a small ensemble as a graph."
        )
    ids = np.arange(n) if ensemble.ids is None else ensemble.ids
    return Signed("consensus", n, None, ensemble, known, ids)


def _of_evidence(evidence: CoAssociation, constraints: Any) -> Signed:
    """Each pair has weight c for together and 1 - c for apart, whatever covers it."""
    ensemble = evidence.ensemble
    if ensemble is not None and not ensemble.has_missing and evidence.form != "neighbors":
        weights = ensemble.weights / ensemble.weights.sum()
        return _of_ensemble(Ensemble(ensemble, weights=weights), constraints)
    n = evidence.shape[0]
    matrix = sparse.csr_array(evidence.to_sparse()).astype(np.float64)
    matrix = (matrix - sparse.diags_array(matrix.diagonal())).tocsr()
    matrix.eliminate_zeros()
    problem = SignedGraph.of(2 * matrix, np.ones(n), 1.0, float(matrix.data.sum()) / 2, n * (n - 1) / 2)
    ids = np.arange(n) if ensemble is None or ensemble.ids is None else ensemble.ids
    return _with_preferences(Signed("consensus", n, problem, None, as_constraints(constraints, n), ids))


def _with_preferences(signed: Signed) -> Signed:
    """Soft constraints are signed evidence too: their weights are added."""
    known, graph = signed.constraints, signed.graph
    if known is None or graph is None:
        return signed
    soft, other_soft = np.isfinite(known.must_weight), np.isfinite(known.cannot_weight)
    if not soft.any() and not other_soft.any():
        return signed
    pairs = np.concatenate([known.must_link[soft], known.cannot_link[other_soft]])
    weights = np.concatenate([known.must_weight[soft], -known.cannot_weight[other_soft]])
    _check_sum(weights, graph.data)
    n = signed.n
    ends = np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]])
    added = sparse.coo_array((np.tile(weights, 2), ends), shape=(n, n)).tocsr()
    matrix = sparse.csr_array((graph.data, graph.indices, graph.indptr), shape=(n, n)) + added
    plus = float(known.must_weight[soft].sum())
    total = graph.total + plus + float(known.cannot_weight[other_soft].sum())
    problem = SignedGraph.of(matrix, graph.sizes, graph.background, graph.apart_cost + plus, total)
    return signed._replace(graph=problem)

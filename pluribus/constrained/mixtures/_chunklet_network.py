"""The network of chunklets whose labels depend on each other, and the posteriors of their labels."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components

from pluribus._kernels.graphs.all_different import sum_all_different
from pluribus._kernels.graphs.allowed_labels import exchange_labels, label_in_order
from pluribus._kernels.graphs.approximate_labels import gibbs, mean_field, pass_messages, read_messages
from pluribus._kernels.graphs.elimination import best_labelings, sum_labelings
from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained.mixtures._elimination_plan import plan_elimination
from pluribus.constraints import Closure

HARD = 1000.0  # strength of a hard cannot-link in a mean field, as in its source
_STRONGEST = 1e12  # of all soft pairs together: beyond, the data would be lost in rounding
_MOST_SETS = 14  # of labels: 2^14 sets of them are summed over
_DAMPING = 0.3
_CONVERGED = 1e-6  # change of a message or mean field at which it has converged
_MOST_SWEEPS = 50  # they continue from there in the next iteration of EM
_MOST_EXCHANGES = 10  # passes over all chunklets
_LONGEST_CHAIN = 20  # of exchanges of labels


class Beliefs(NamedTuple):
    """The posteriors of the labels, given the log-potentials of each chunklet."""

    marginals: np.ndarray  # (L, k)
    log_sums: np.ndarray  # (components,), logarithm of the sum over all labelings
    same: np.ndarray  # (E,), probability that the two ends of an edge have the same label
    messages: np.ndarray  # one for each direction of an edge; empty if none are passed


class Sampling(NamedTuple):
    """The length of Gibbs sampling, and its random generator."""

    burn_in: int
    n_sweeps: int
    rng: np.random.Generator


class Network:
    """Chunklets, and the pairs of them that should (positive strength) or should not have the same label.

    The connected components of the network are independent. A component is summed over exactly if possible: by
    elimination if the tables are small (all trees, all small or narrow components), or over sets of labels if all its
    chunklets must differ. The other components are *loopy*: they are approximated by messages, a mean field or Gibbs
    sampling.

    Parameters
    ----------
    closure : Closure
    n_clusters : int
    witness : ndarray of shape (n,) or None
        Labels of the objects that satisfy all hard constraints; None if none are known.
    factor : float
        Multiplies the strength of the soft pairs, after extreme strengths were clipped.

    Attributes
    ----------
    edges : ndarray of shape (E, 2)
    strength : ndarray of shape (E,)
        Added to the logarithm of the probability if both ends have the same label; -inf = hard cannot-link.
    component : ndarray of shape (L,)
        The component of each chunklet, numbered by first appearance.
    """

    def __init__(self, closure: Closure, n_clusters: int, witness: np.ndarray | None, factor: float = 1.0):
        self.n_clusters = n_clusters
        self.witness = None if witness is None else witness[closure.representatives]
        self.order = closure.order
        soft = sparse.triu(closure.coupling, k=1).tocoo()
        strongest = _STRONGEST / max(len(soft.data), 1)
        strength = factor * np.clip(soft.data, -strongest, strongest)
        kept = (strength != 0) & (n_clusters > 1)
        hard = closure.cannot_link
        self.edges = np.concatenate([hard, np.column_stack([soft.row, soft.col])[kept]]).astype(np.int64)
        self.strength = np.concatenate([np.full(len(hard), -np.inf), strength[kept]])
        self.n_hard = len(hard)
        self._graph(closure.n_chunks)
        narrow, self.different = self._split()
        self.plan = plan_elimination(narrow, self)
        self.loopy = self.plan.too_wide

    def _graph(self, n: int) -> None:
        """The edges as symmetric CSR, with the number of each edge and the place of its other direction."""
        ends, n_edges = self.edges, len(self.edges)
        numbered = sparse.coo_array(
            (np.tile(np.arange(1, n_edges + 1), 2), (ends.T.ravel(), ends[:, ::-1].T.ravel())), shape=(n, n)
        ).tocsr()
        numbered.sort_indices()
        self.indptr, self.indices = numbered.indptr.astype(np.int64), numbered.indices.astype(np.int64)
        self.edge = numbered.data.astype(np.int64) - 1
        by_edge = np.argsort(self.edge, kind="stable").reshape(-1, 2)
        self.reverse = np.empty(2 * n_edges, np.int64)
        self.reverse[by_edge[:, 0]], self.reverse[by_edge[:, 1]] = by_edge[:, 1], by_edge[:, 0]
        self.n_components, self.component = connected_components(numbered, directed=False)
        self.sizes = np.bincount(self.component, minlength=self.n_components)

    def _split(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """Components to eliminate (with at least one edge), and those of which all chunklets must differ."""
        n_hard = np.bincount(self.component[self.edges[: self.n_hard, 0]], minlength=self.n_components)
        n_edges = np.bincount(self.component[self.edges[:, 0]], minlength=self.n_components)
        complete = (n_hard == n_edges) & (2 * n_edges == self.sizes * (self.sizes - 1)) & (self.sizes > 2)
        complete &= self.n_clusters <= _MOST_SETS
        members = np.argsort(self.component, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        different = [members[starts[c] : starts[c + 1]] for c in np.flatnonzero(complete)]
        return np.flatnonzero((n_edges > 0) & ~complete), different

    @property
    def _tables(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The arguments of the kernels for elimination."""
        plan = self.plan
        strength = np.append(self.strength, 0.0)[plan.edge]  # edges that elimination added have none
        return plan.component_start, plan.order, plan.scope_start, plan.scope, plan.table_start, strength

    @property
    def coupled(self) -> np.ndarray:
        """Which chunklets have an edge."""
        return self.sizes[self.component] > 1

    def vertices_of(self, components: np.ndarray) -> np.ndarray:
        """The chunklets of these components."""
        wanted = np.zeros(self.n_components, bool)
        wanted[components] = True
        return np.flatnonzero(wanted[self.component])

    def infer(
        self,
        U: np.ndarray,
        loopy: str = "messages",
        *,
        exact: bool = True,
        start: Beliefs | None = None,
        sampling: Sampling | None = None,
    ) -> Beliefs:
        """The posteriors for log-potentials U (L, k).

        Parameters
        ----------
        loopy : {"messages", "mean-field", "gibbs", "ignore"}
            How loopy components are approximated. Sampling gives no log-sum, so that of messages is used. "ignore"
            treats their chunklets as unlinked.
        exact : bool
            Whether the other components are summed over exactly, or approximated too.
        start : Beliefs, optional
            The posteriors from which approximations start.
        sampling : Sampling, optional
            For "gibbs".
        """
        marginals, log_sum = softmax(U)
        log_sums = np.bincount(self.component, weights=log_sum, minlength=self.n_components)
        beliefs = Beliefs(marginals, log_sums, np.zeros(len(self.edges)), np.empty((0, self.n_clusters)))
        if len(self.edges) == 0:
            return beliefs
        approximated = self.loopy if exact else np.flatnonzero(self.sizes > 1)
        if exact or loopy == "gibbs":
            self._infer_exactly(U, beliefs)
        if loopy in ("messages", "gibbs") and len(self.loopy):
            beliefs = self._pass_messages(U, beliefs, start)
        vertices = self.vertices_of(approximated)
        if loopy == "gibbs" and len(vertices) and sampling is not None:
            graph = self.indptr, self.indices, self.strength[self.edge], self.edge
            labels = self.decode(U, marginals)
            gibbs(vertices, *graph, U, labels, marginals, beliefs.same, _LONGEST_CHAIN, *sampling)
        elif loopy == "mean-field":
            if start is not None:
                marginals[vertices] = start.marginals[vertices]
            log_sums[approximated] = 0.0
            graph = self.indptr, self.indices, np.maximum(self.strength, -HARD)[self.edge], self.edge
            of_result = marginals, log_sums, beliefs.same
            mean_field(vertices, self.component, *graph, U, *of_result, _CONVERGED, _MOST_SWEEPS)
        return beliefs

    def _infer_exactly(self, U: np.ndarray, beliefs: Beliefs) -> None:
        plan = self.plan
        log_sums = np.empty(len(plan.components))
        sum_labelings(*self._tables, plan.edge, U, beliefs.marginals, log_sums, beliefs.same)
        beliefs.log_sums[plan.components] = log_sums
        for vertices in self.different:
            beliefs.log_sums[self.component[vertices[0]]] = sum_all_different(vertices, U, beliefs.marginals)

    def _pass_messages(self, U: np.ndarray, beliefs: Beliefs, start: Beliefs | None) -> Beliefs:
        vertices = self.vertices_of(self.loopy)
        messages = np.zeros((len(self.indices), self.n_clusters))
        if start is not None and len(start.messages):
            messages[:] = start.messages
        graph = self.indptr, self.indices, self.strength[self.edge], self.reverse
        pass_messages(vertices, *graph, U, messages, _DAMPING, _CONVERGED, _MOST_SWEEPS)
        beliefs.log_sums[self.loopy] = 0.0
        read_messages(vertices, self.component, *graph, self.edge, U, messages, *beliefs[:3])
        return beliefs._replace(messages=messages)

    def decode(self, U: np.ndarray, marginals: np.ndarray) -> np.ndarray:
        """Labels of the chunklets that satisfy all hard cannot-links.

        Each chunklet gets its most probable label. If these would break a hard cannot-link, the component gets its most
        probable joint labels, or an approximation of them if it is loopy.
        """
        labels = marginals.argmax(axis=1)
        hard = self.edges[: self.n_hard]
        broken = np.zeros(self.n_components, bool)
        broken[self.component[hard[labels[hard[:, 0]] == labels[hard[:, 1]], 0]]] = True
        if not broken.any():
            return labels
        best_labelings(*self._tables, U, broken[self.plan.components], labels)
        for vertices in self.different:
            if broken[self.component[vertices[0]]]:
                labels[vertices] = linear_sum_assignment(-U[vertices])[1]
        for c in self.loopy[broken[self.loopy]]:
            self._repair(np.flatnonzero(self.component == c), U, labels)
        return labels

    def _repair(self, vertices: np.ndarray, U: np.ndarray, labels: np.ndarray) -> None:
        """The best labels, one by one, the most certain chunklets first; then improved by exchanges.

        If this reaches a dead end, the safest order is tried, and then the labels of the witness, renamed.
        """
        graph = self.indptr, self.indices, self.strength[self.edge]
        most_certain = vertices[np.argsort(-np.ptp(np.sort(U[vertices], axis=1)[:, -2:], axis=1), kind="stable")]
        for order in (most_certain, self.order[np.isin(self.order, vertices)]):
            labels[vertices] = -1
            if label_in_order(order, *graph, U, labels):
                break
        else:
            if self.witness is None:
                raise NoFeasibleAssignmentError(
                    f"{len(vertices)} chunklets with cannot-links could not be assigned to {self.n_clusters} clusters; "
                    "a feasible assignment may still exist. Use more clusters, or give the cannot-links finite "
                    "weights, which makes them preferences"
                )
            colors = self.witness[vertices]
            potential = np.zeros((self.n_clusters, self.n_clusters))
            np.add.at(potential, colors, U[vertices])
            labels[vertices] = linear_sum_assignment(-potential)[1][colors]
        exchange_labels(vertices, *graph, U, labels, _LONGEST_CHAIN, _MOST_EXCHANGES)

    def report(self) -> dict[str, int]:
        """The numbers of chunklets that are alone, in components summed over exactly, and in loopy ones."""
        loopy = int(self.sizes[self.loopy].sum())
        coupled = int(self.coupled.sum())
        return {"alone": len(self.component) - coupled, "exact": coupled - loopy, "loopy": loopy}


def softmax(U: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """exp(rows) divided by their sums, and the logarithm of these."""
    top = U.max(axis=1, keepdims=True)
    probability = np.exp(U - top)
    total = probability.sum(axis=1, keepdims=True)
    probability /= total
    return probability, (top + np.log(total))[:, 0]

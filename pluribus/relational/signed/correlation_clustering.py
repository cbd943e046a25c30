"""Correlation clustering: pairs that belong together or apart, and no number of clusters."""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import seeds
from pluribus.constraints import Violations
from pluribus.evidence._internal import (
    SignedGraph,
    default_number_of_starts,
    default_starts,
    ensemble_graph,
    items_under,
    median_partition,
    number_by_appearance,
    packing_bound,
    pivot,
    search,
    settled,
)
from pluribus.partitions._internal import number_by_size
from pluribus.relational.signed._by_components import Solution, grow_all_regions, relax_and_round, solve_all_exactly
from pluribus.relational.signed._input import Signed, read_signed

_SOLVERS = ("auto", "local_search", "pivot", "lp", "region_growing", "exact")
_SMALL = 50  # nodes up to which "auto" solves the relaxation
_LISTED = 5_000  # distinct objects of an ensemble up to which pivots list all pairs


class CorrelationClustering(ClusterMixin, BaseEstimator):
    """Find the partition that disagrees least with pairs that belong together or apart.

    A disagreement is a pair that belongs together and is parted, or belongs apart and is together; it costs the weight
    of the pair. The number of clusters comes out of this objective. The evidence may contradict itself: a classifier's
    log-odds that two records are the same, links of friends and foes, preferences, or the partitions of an ensemble.

    Finding the best partition is NP-hard. ``lower_bound_`` says how far ``cost_`` can be from it at most. If your
    evidence is a distance or a table of features, other methods use it better: this one knows pairs only.

    Parameters
    ----------
    mode : {"general", "complete", "consensus"}, optional
        What pairs that are not listed mean. "general": nothing. "complete": they belong apart, with weight 1; then only
        pairs that belong together are listed, with weight 1. "consensus": the input is an ensemble. By default
        "general" for a graph with negative weights; a graph without them needs a mode.
    solver : {"auto", "local_search", "pivot", "lp", "region_growing", "exact"}
        - "local_search": moves, merges and aggregation from several starts. It has no guarantee, but is the best in
          practice, and takes millions of edges.
        - "pivot": the fastest. In expectation at most 3 times the optimum in complete mode, and twice for an ensemble
          without missing labels; no guarantee in general mode or under constraints.
        - "lp": the linear relaxation, whose value is the lower bound; several roundings of it; local search. Without
          constraints at most 4 times the optimum in complete mode.
        - "region_growing": the relaxation, rounded by balls; at most 4 ln(n + 1) + 1 times the optimum in any mode.
        - "exact": an integer program. Up to some 20 to 40 objects, and more if the evidence is clear.

        "auto" is "lp" if positive pairs connect at most 50 objects, otherwise "local_search".
    n_init : int, optional
        Starts, pivot orders or roundings, of which the best counts; by default 10, or 1 for large inputs.
    max_lp_n : int
        The most objects, connected by positive pairs, for which "lp", "region_growing" and "exact" list all pairs.
    time_limit : float
        Seconds for the relaxation and the integer program. If it is reached, a warning says so, and the lower bound is
        that of what was solved.
    random_state : int, RandomState, Generator or None
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    cost_ : float
        Weight of the disagreements. For an ensemble: the sum of the Mirkin distances to its members, each pair of
        objects counted once.
    agreements_ : float
        Weight of the agreements: the total weight minus the cost.
    lower_bound_ : float
        No partition costs less: the value of the relaxation, or of a packing of bad cycles; for large ensembles it
        follows from the distances between the members.
    gap_ : float
        (cost_ - lower_bound_) / cost_; 0 if the partition is proven to be best.
    solver_ : str
        The solver that was used.
    violations_ : Violations or None
        Constraints that are broken: only soft ones. None if there are no objects.
    ids_ : ndarray of shape (n,)
        The id of each object: the nodes of the graph.
    notes_ : tuple of str
        What was decided in reading the graph.

    References
    ----------
    Immorlica and Wirth, "Correlation clustering", chapter 13 in Basu, Davidson and Wagstaff (eds.), Constrained
    Clustering, 2008. Bansal, Blum and Chawla, Machine Learning 56, 2004. Ailon, Charikar and Newman, JACM 55(5), 2008.
    Charikar, Guruswami and Wirth, JCSS 71(3), 2005. Chawla, Makarychev, Schramm and Yaroslavtsev, STOC 2015. Demaine,
    Emanuel, Fiat and Immorlica, TCS 361, 2006.

    Examples
    --------
    >>> from pluribus.relational import CorrelationClustering
    >>> links = [("ann", "bob", 2.0), ("bob", "eve", 1.5), ("ann", "eve", -1.0), ("eve", "joe", -3.0)]
    >>> model = CorrelationClustering(random_state=0).fit(links)
    >>> model.ids_.tolist(), model.labels_.tolist(), model.cost_, model.lower_bound_
    (['ann', 'bob', 'eve', 'joe'], [0, 0, 0, 1], 1.0, 1.0)
    """

    known_as: ClassVar[dict[str, dict[str, Any]]] = {"correlation": {}}
    suits = "Pairs that belong together or apart, perhaps contradictory, and an unknown number of clusters."

    _parameter_constraints: dict = {
        "mode": [StrOptions({"general", "complete", "consensus"}), None],
        "solver": [StrOptions(set(_SOLVERS))],
        "n_init": [Interval(Integral, 1, None, closed="left"), None],
        "max_lp_n": [Interval(Integral, 1, None, closed="left")],
        "time_limit": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        mode: str | None = None,
        *,
        solver: str = "auto",
        n_init: int | None = None,
        max_lp_n: int = 200,
        time_limit: float = 60.0,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.mode = mode
        self.solver = solver
        self.n_init = n_init
        self.max_lp_n = max_lp_n
        self.time_limit = time_limit
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, signed: Any, y: Any = None, *, apart: Any = None, constraints: Any = None) -> "CorrelationClustering":
        """Find the partition.

        Parameters
        ----------
        signed : graph, Ensemble, CoAssociation or Constraints
            A graph is whatever :func:`pluribus.tables.as_graph` takes: a sparse matrix, an edge list, a file, a
            networkx graph. Positive weights speak for together, negative ones for apart. A CoAssociation has weight c
            for together and 1 - c for apart. Constraints: soft pairs are evidence, hard ones hold.
        y : ignored
        apart : graph, optional
            The weights for apart, if a pair can have both; all weights are then positive.
        constraints : Constraints, optional
            Hard ones hold. Soft ones are further evidence, for graphs only.
        """
        self._validate_params()
        given = read_signed(signed, self.mode, apart, constraints)
        self.ids_, self.notes_ = given.ids, given.notes
        if given.n == 0:
            return self._finish(given, np.empty(0, np.int64), 0.0, 0.0, 0.0, "none")
        if given.graph is None:
            return self._fit_ensemble(given)
        closure = given.closure
        graph = given.graph.contracted(closure.chunk_of).forbidding(closure.cannot_link)
        labels, bound, solver = self._solve(graph, given.mode)
        return self._finish(given, labels[closure.chunk_of], graph.cost(labels), bound, graph.total, solver)

    def _fit_ensemble(self, given: Signed) -> "CorrelationClustering":
        """By counts of labels where local search does it, else by listing the pairs of distinct objects."""
        assert given.ensemble is not None
        item_of, walls = items_under(given.ensemble, given.closure)
        n_items = int(item_of.max()) + 1
        solver = self.solver
        if solver == "auto":
            solver = "lp" if n_items <= _SMALL else "local_search"
        if solver == "local_search":
            n_starts = self.n_init or default_number_of_starts(n_items)
            found = median_partition(
                given.ensemble, seeds(self.random_state, n_starts), item_of=item_of, apart=walls, verbose=self.verbose
            )
            return self._finish(given, found.labels, found.cost, found.lower_bound, found.total, solver)
        most = _LISTED if solver == "pivot" else self.max_lp_n
        if n_items > most:
            raise ValueError(
                f"solver={solver!r} lists all pairs of distinct objects; here are {n_items:,}, and {most:,} is the "
                "most it takes. Use solver='local_search'."
            )
        graph = ensemble_graph(given.ensemble, item_of, walls)
        labels, bound, solver = self._solve(graph, given.mode, solver)
        return self._finish(given, labels[item_of], graph.cost(labels), bound, graph.total, solver)

    def _solve(self, graph: SignedGraph, mode: str, solver: str | None = None) -> tuple[np.ndarray, float, str]:
        """The labels of the nodes, the lower bound, and the solver."""
        solver = solver or self.solver
        if solver == "auto":
            solver = "lp" if graph.n_nodes <= _SMALL else "local_search"
        starts = seeds(self.random_state, self.n_init or default_starts(graph))
        limits = self.max_lp_n, self.time_limit
        if solver in ("local_search", "pivot"):
            if solver == "pivot":
                self._warn_of_pivots(mode, graph)
                labels = pivot(graph, starts, verbose=self.verbose)[0]
            else:
                labels = search(graph, starts, verbose=self.verbose)[0]
            return labels, packing_bound(graph, starts[0]), solver
        if solver == "lp":
            solution, roundings = relax_and_round(graph, *limits, starts, self.verbose)
            labels = search(graph, starts, roundings[:3], verbose=self.verbose)[0]
            solution = solution._replace(labels=labels)
        elif solver == "region_growing":
            solution = grow_all_regions(graph, *limits, starts, self.verbose)
        else:
            solution = self._exact(graph, limits, starts)
        bound = solution.lower_bound
        if not solution.finished:
            bound = max(bound, packing_bound(graph, starts[0]))
        return solution.labels, bound, solver

    def _exact(self, graph: SignedGraph, limits: tuple[int, float], starts: list[int]) -> Solution:
        solution = solve_all_exactly(graph, *limits, self.verbose)
        if solution.finished:
            return solution
        warnings.warn(
            f"The integer program was not solved within time_limit={self.time_limit:g} seconds. The result is that of "
            "local search, with the bound that was proven so far.",
            UserWarning,
            stacklevel=4,
        )
        return solution._replace(labels=search(graph, starts, [solution.labels], verbose=self.verbose)[0])

    @staticmethod
    def _warn_of_pivots(mode: str, graph: SignedGraph) -> None:
        if mode == "general" or graph.has_forbidden:
            why = "in general mode" if mode == "general" else "under cannot-links"
            warnings.warn(
                f"solver='pivot' has no guarantee {why}: the cost can be far from the best. Use solver='local_search'.",
                UserWarning,
                stacklevel=4,
            )

    def _finish(
        self, given: Signed, labels: np.ndarray, cost: float, bound: float, total: float, solver: str
    ) -> "CorrelationClustering":
        labels = number_by_appearance(labels)
        self.n_clusters_ = int(labels.max(initial=-1)) + 1
        self.labels_ = number_by_size(labels, self.n_clusters_)
        bound = settled(bound, cost)
        self.cost_, self.agreements_, self.lower_bound_ = float(cost), float(total - cost), float(bound)
        self.gap_ = (cost - bound) / cost if cost > 0 else 0.0
        self.solver_ = solver
        self.violations_: Violations | None = None
        if given.constraints is not None:
            self.violations_ = given.constraints.violations(self.labels_)
        return self

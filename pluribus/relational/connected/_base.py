"""What the methods for connected clusters share: checks of attributes and graph, starts, bounds, and the result."""

import warnings
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from pluribus.constraints._internal import as_constraints
from pluribus.partitions._internal import order_by_size
from pluribus.relational.connected._space import Growth, Space
from pluribus.tables import as_graph
from pluribus.tables._internal import check_distances, check_scale

METRICS = ("euclidean", "cosine", "precomputed")
PARAMETERS: dict[str, list[Any]] = {
    "n_clusters": [Interval(Integral, 1, None, closed="left")],
    "metric": [StrOptions({*METRICS})],
    "n_init": [Interval(Integral, 1, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state", np.random.Generator],
    "verbose": ["verbose"],
}


class ConnectedMixin(ClusterMixin):
    """``fit(X, graph=edges)``, then ``labels_``: each cluster is connected in the graph."""

    known_as: ClassVar[dict[str, dict[str, Any]]]
    suits: ClassVar[str]
    keeps: ClassVar[tuple[str, ...]] = ("a graph",)  # the kinds of statements that ``fit`` keeps
    n_clusters: int
    metric: str
    labels_: np.ndarray
    n_clusters_: int

    def fit_predict(self, X: Any, y: Any = None, *, graph: Any = None, constraints: Any = None) -> np.ndarray:
        """Cluster X along the graph, and return the cluster of each object; the parameters are those of ``fit``."""
        return self.fit(X, graph=graph, constraints=constraints).labels_

    def _space(self, X: Any, graph: Any, constraints: Any) -> Space:
        """Attributes and graph, checked; raises if they cannot be divided into connected clusters."""
        self._validate_params()
        if isinstance(self.n_clusters, bool):
            raise ValueError(f"n_clusters={self.n_clusters} is not a number: give the number of clusters.")
        if constraints is None and graph is None:
            raise ValueError("graph is missing: give the links between the objects, fit(X, graph=edges).")
        if self.metric == "precomputed":
            X = check_distances(validate_data(self, X, dtype=np.float64))
        else:
            X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C")
            check_scale(X)
        n, k = X.shape[0], int(self.n_clusters)
        if constraints is not None:
            graph = self._stated_graph(constraints, graph, n)
        if k > n:
            raise ValueError(f"n_clusters={k} is more than the n_samples={n} rows of X: use fewer clusters.")
        space = Space(X, self._links(graph, n), self.metric)
        if space.n_components > k:
            raise ValueError(
                f"The graph has {space.n_components} parts that are not linked, so it cannot be divided into "
                f"{k} connected clusters: ask for {space.n_components} clusters or more, add links, or cluster the "
                "largest part alone."
            )
        return space

    def _stated_graph(self, constraints: Any, graph: Any, n: int) -> Any:
        """The graph of the constraints, unless they have none."""
        known = as_constraints(constraints, n, self.keeps)
        if graph is not None and known.graph is not None:
            raise ValueError("there are two graphs, that of the constraints and graph: give one of them.")
        if graph is None and known.graph is None:
            raise ValueError("graph is missing: give the links between the objects, fit(X, graph=edges).")
        return known.graph if graph is None else graph

    @staticmethod
    def _links(graph: Any, n: int) -> Any:
        shape = None if hasattr(graph, "columns") else getattr(graph, "shape", None)  # a data frame is a list of links
        square = shape is not None and len(shape) == 2 and shape[0] == shape[1]
        links = as_graph(graph, ids=None if square else np.arange(n))
        if links.n_nodes != n:
            raise ValueError(f"graph has {links.n_nodes} nodes, but X has {n} rows: give one node for each row.")
        for note in links.notes:
            warnings.warn(note, UserWarning, stacklevel=4)
        return links.matrix

    def _set_result(self, space: Space, growth: Growth, centers: np.ndarray, radii: np.ndarray) -> np.ndarray:
        """Number the clusters from the largest, and return their order: ``order[new] = old``."""
        k = int(self.n_clusters)
        order = order_by_size(growth.labels, k)
        number = np.empty(k, dtype=np.int32)
        number[order] = np.arange(k)
        self.labels_, self.n_clusters_ = number[growth.labels], k
        self.centers_, self.radii_ = centers[order], space.shown(radii[order])
        self.radius_ = float(self.radii_.max())
        self.absorbed_ = space.shown(growth.absorbed)
        return order

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.metric != "precomputed"
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def farthest_first(space: Space, k: int, first: int) -> tuple[np.ndarray, float]:
    """k centers, each the object that the ones before reach last, and the radius within which they reach all.

    Two objects of one optimal cluster reach each other within twice its radius, so half of the radius that the first k
    centers need is a lower bound for any k connected clusters.
    """
    centers = [first]
    reached = space.reach(first)
    while len(centers) < k:
        open_to = reached.copy()
        open_to[centers] = -1  # duplicates of a center are as near as the center itself
        centers.append(int(open_to.argmax()))
        reached = np.minimum(reached, space.reach(centers[-1]))
    return np.array(centers, dtype=np.int64), float(reached.max())


def by_degree(space: Space, k: int, rng: np.random.Generator) -> np.ndarray:
    """k different objects at random, by the number of their links; at least one in each part of the graph."""
    weight = np.where(space.degrees > 0, space.degrees, 1).astype(float)
    chosen = []
    for part in range(space.n_components):
        inside = np.flatnonzero(space.component == part)
        chosen.append(int(rng.choice(inside, p=weight[inside] / weight[inside].sum())))
    weight[chosen] = 0
    others = k - len(chosen)
    if others:
        weight[weight > 0] = np.where(space.degrees[weight > 0] > 0, weight[weight > 0], 1e-12)
        chosen += rng.choice(space.n, others, replace=False, p=weight / weight.sum()).tolist()
    return np.array(chosen, dtype=np.int64)


def warn_of_no_end(max_iter: int) -> None:
    """The centers still moved."""
    warnings.warn(
        f"The centers still moved after max_iter={max_iter} iterations; the best clusters seen are kept. Give a "
        "larger max_iter.",
        ConvergenceWarning,
        stacklevel=3,
    )

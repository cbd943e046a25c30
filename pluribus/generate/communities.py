"""Communities of the neighbor graph by the Leiden algorithm, as a clusterer of members."""

import random
import threading
from importlib import import_module
from importlib.util import find_spec
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from pluribus._engine import fingerprint, seeds
from pluribus._kernels.graphs.row_products import row_products
from pluribus.generate._latest import Latest
from pluribus.tables._internal import check_scale

_GRAPHS: Latest[Any] = Latest(kept=1)  # members of the same rows share their graph; each takes much memory
_RANDOM = threading.Lock()  # igraph has one random generator for the whole process
_ITERATIONS = 2  # of Leiden; further ones change little
# Features up to which a k-d tree is faster: 0.4 against 1.0 s of 20,000 rows at 5 features, 1.9 against 1.1 s at 8.
_FEW_FEATURES = 6


class Communities(ClusterMixin, BaseEstimator):
    """Find communities in the graph of nearest neighbors by the Leiden algorithm.

    Rows are linked to their nearest neighbors, in either direction. The weight of a link is the share of neighbors that
    its two rows have in common (Jaccard). Communities are groups with more weight inside than expected by chance; a
    higher resolution makes them smaller. They may have any shape, and their number follows from the resolution.

    As the clusterer of a :class:`Generator`, each member draws its own resolution:
    ``Generator("communities")`` is ``Generator(Communities())``. Members of the same rows share their graph.

    Needs igraph: ``pip install 'pluribus[graph]'``. The search for neighbors looks at all pairs of rows if there are
    many features: 100,000 rows are practical, a million are not.

    Parameters
    ----------
    resolution : float or (float, float), default=(0.5, 4.0)
        Fixed, or drawn from a range (uniformly in its logarithm).
    n_neighbors : int, default=15
        Links from each row, at most all others.
    objective : {"modularity", "cpm"}, default="modularity"
        "cpm" is the constant Potts model: the resolution is then the density of links, 0 to 1, that communities exceed.
    random_state : int, RandomState, numpy Generator or None, default=None
        The same integer gives the same communities on any number of threads. The random generator of igraph is set
        during the search, and is Python's ``random`` afterwards.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
    n_clusters_ : int
    resolution_ : float
        The resolution that was used.
    quality_ : float
        Modularity of the weighted graph at this resolution, or the quality of the constant Potts model.

    References
    ----------
    Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing well-connected communities", Scientific Reports 9,
    2019.
    Levine et al., "Data-driven phenotypic dissection of AML", Cell 162, 2015 (Jaccard weights).

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from pluribus.generate import Communities, Generator
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> model = Communities(resolution=0.05, random_state=0).fit(X)
    >>> model.n_clusters_, adjusted_rand_score(y, model.labels_)
    (2, 1.0)
    >>> Generator("communities", n_members=10, random_state=0).generate(X).n_partitions
    10
    """

    _parameter_constraints: dict = {
        "resolution": [Interval(Real, 0, None, closed="neither"), tuple, list],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "objective": [StrOptions({"modularity", "cpm"})],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        resolution: float | tuple[float, float] = (0.5, 4.0),
        *,
        n_neighbors: int = 15,
        objective: str = "modularity",
        random_state: Any = None,
    ) -> None:
        self.resolution = resolution
        self.n_neighbors = n_neighbors
        self.objective = objective
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "Communities":
        """Find the communities of the rows of X, an array or a sparse matrix."""
        self._validate_params()
        low, high = resolution_range(self.resolution)
        require_igraph()
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_scale(X)
        seed = seeds(self.random_state, 1)[0]
        self.resolution_ = float(np.exp(np.random.default_rng(seed).uniform(np.log(low), np.log(high))))
        p = min(int(self.n_neighbors), X.shape[0] - 1)
        graph = _GRAPHS.get((fingerprint(X), p), lambda: neighbor_graph(X, p))
        with _RANDOM:
            igraph = import_module("igraph")
            igraph.set_random_number_generator(random.Random(seed))
            try:
                communities = graph.community_leiden(
                    objective_function="modularity" if self.objective == "modularity" else "CPM",
                    weights="weight",
                    resolution=self.resolution_,
                    n_iterations=_ITERATIONS,
                )
            finally:
                igraph.set_random_number_generator(random)
        self.labels_ = np.array(communities.membership, dtype=np.int32)
        self.n_clusters_ = len(communities)
        self.quality_ = float(communities.quality) if graph.ecount() else 0.0
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def require_igraph() -> None:
    """Fail before any work starts if igraph is not installed."""
    if find_spec("igraph") is None:
        raise ImportError("Communities need the package igraph, which is not installed: pip install 'pluribus[graph]'.")


def resolution_range(resolution: Any) -> tuple[float, float]:
    """The lowest and the highest resolution; raises if they are none."""
    bounds = resolution if isinstance(resolution, tuple | list) else (resolution, resolution)
    numbers = [float(bound) for bound in bounds if isinstance(bound, Real) and not isinstance(bound, bool)]
    if len(bounds) != 2 or len(numbers) != 2 or not 0 < numbers[0] <= numbers[1] < np.inf:
        raise ValueError(
            f"resolution={resolution!r}: give a number above 0, or a pair (low, high) with 0 < low <= high."
        )
    return numbers[0], numbers[1]


def neighbor_graph(X: Any, p: int) -> Any:
    """Rows linked to their p nearest others, in either direction; weights are the shares of common neighbors."""
    igraph, n = import_module("igraph"), X.shape[0]
    if p == 0:
        return igraph.Graph(n=n, edge_attrs={"weight": []})
    few = X.shape[1] <= _FEW_FEATURES and not sparse.issparse(X)
    nearest = NearestNeighbors(n_neighbors=p, algorithm="kd_tree" if few else "brute").fit(X).kneighbors_graph()
    near = sparse.csr_array(nearest + sparse.eye_array(n), dtype=np.float64)  # each row is a neighbor of its own
    near.sort_indices()
    links = sparse.triu(near + near.T, k=1).tocoo()
    pairs = np.column_stack([links.row, links.col]).astype(np.int64)
    common = row_products(near.indptr.astype(np.int64), near.indices.astype(np.int64), near.data, pairs)
    weights = common / (2 * (p + 1) - common)
    return igraph.Graph(n=n, edges=pairs, edge_attrs={"weight": weights})

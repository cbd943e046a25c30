"""k-means with the weights of its kernels (MKKM)."""

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from pluribus._engine import seeds, track
from pluribus.constraints import Closure
from pluribus.constraints._internal import as_constraints
from pluribus.partitions._internal import order_by_size
from pluribus.similarity.kernels._centered_kernels import CenteredKernels
from pluribus.similarity.kernels._kernel_set import KernelSet, as_blocks
from pluribus.similarity.kernels._new_rows import combine
from pluribus.similarity.kernels._paired_rows import cluster_rows

_FLOATS = [np.float64, np.float32]
_LEAST = 1e-9  # unexplained share of a kernel


class MultipleKernelKMeans(ClusterMixin, BaseEstimator):
    """Cluster objects, and learn how much each of several kernels should count, without labels (MKKM).

    Kernel k-means of the kernel Σ β_m² K_m, with β on the simplex:

        min over clusters and β of Σ_m β_m² u_m,

    where u_m is the share of kernel m that the clusters do not explain: its variance within clusters divided by its
    variance. For given clusters the best weights are β_m ∝ 1 / u_m: kernels in which the clusters are compact count
    more. For given weights, the clusters are relaxed to the leading eigenvectors of the kernel. The two steps
    alternate, and k-means of the eigenvectors' rows gives the labels.

    Kernels are centered and scaled to the same variance, so that a nearly constant kernel does not win. It rewards
    kernels with clear clusters, whatever these clusters mean: if the kernels disagree on the clusters, state what you
    want by constraints, or learn from labels by :class:`OnlineMultipleKernel`. A kernel of rank k or less, such as a
    linear kernel of few features, is explained by k eigenvectors completely, and takes all the weight.

    Parameters
    ----------
    n_clusters : int, default=8
    kernels : str, callable, or list of these, optional
        As for :class:`OnlineMultipleKernel`.
    normalize : bool, default=True
        Scale each kernel to k(x, x) = 1 before it is centered.
    max_iter : int, default=50
    tol : float, default=1e-6
        Stop when the objective falls by less than this share.
    random_state : int, RandomState, Generator or None
        Where k-means of the eigenvectors starts.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    kernel_weights_ : ndarray of shape (M,)
        Of the kernels as ``kernel`` adds them, with the sum 1.
    kernel_names_ : list of str
    unexplained_ : ndarray of shape (M,)
        u_m, 0 to 1.
    objective_ : ndarray
        After each iteration.
    n_iter_ : int
    violations_ : Violations

    Notes
    -----
    Constraints: objects that must be together are one object with several rows, in the eigenvectors and in k-means, so
    hard must-links, groups and labels always hold. Other pairs change the kernel: a cannot-link subtracts the
    similarity of an object with itself from the pair, and a weight w adds or subtracts tanh(w / 2) of it. k-means of
    the rows never joins what must be apart, and pays for each broken preference.

    References
    ----------
    Huang, Chuang and Chen, "Multiple kernel fuzzy clustering", IEEE Transactions on Fuzzy Systems 20, 2012.
    Kulis, Basu, Dhillon and Mooney, "Semi-supervised graph clustering: a kernel approach", Machine Learning 74, 2009.

    Examples
    --------
    Two groups of features, of which the second is noise:

    >>> import numpy as np
    >>> from pluribus.similarity import MultipleKernelKMeans
    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat([0, 1], [60, 40])
    >>> blocks = [6 * groups[:, None] + rng.normal(size=(100, 2)) + 1, rng.normal(size=(100, 5))]
    >>> model = MultipleKernelKMeans(2, kernels="gaussian", random_state=0, verbose=False).fit(blocks)
    >>> bool((model.labels_ == groups).all())
    True
    >>> model.kernel_weights_.round(2).tolist()
    [0.97, 0.03]
    """

    known_as: dict = {"mkkm": {}}
    suits = "Several candidate kernels or groups of features, and no labels."

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "kernels": [str, callable, list, tuple, None],
        "normalize": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        kernels: Any = None,
        *,
        normalize: bool = True,
        max_iter: int = 50,
        tol: float = 1e-6,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernels = kernels
        self.normalize = normalize
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, constraints: Any = None) -> Self:
        """Cluster the objects, and weight the kernels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or list of M of these
            As for :class:`OnlineMultipleKernel`.
        constraints : Constraints, optional
        """
        self._validate_params()
        k = int(self.n_clusters)
        if as_blocks(X, self.kernels) is None:
            X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS, order="C")
        self._kernels = KernelSet(self.kernels, self.normalize, X)
        n = self._kernels.n
        if n < 2:
            raise ValueError(f"X has n_samples={n}: kernels are weighted by how they tell objects apart; give more.")
        if isinstance(k, bool) or k > n:
            raise ValueError(f"n_clusters={k} must be a number of at most the n_samples={n} objects.")
        constraints = as_constraints(constraints, n)
        feasibility = constraints.check(k, allow_empty=False)
        if feasibility.status != "feasible":
            constraints.ensure_feasible(k, allow_empty=False)  # raises with the proof, or warns
        closure = constraints.closure()
        kernels = CenteredKernels(self._kernels, closure.chunk_of)
        pairs = _pair_similarities(closure)
        beta, path = np.full(len(self._kernels), 1 / len(self._kernels)), []
        for _ in track(range(self.max_iter), "multiple kernel k-means", verbose=self.verbose):
            vectors = kernels.top(beta**2, pairs, k)
            explained = np.array([np.vdot(vectors, kernels.product(m, vectors)) for m in range(len(beta))]) / n
            unexplained = np.maximum(1 - explained, _LEAST)
            beta = (1 / unexplained) / (1 / unexplained).sum()
            path.append(float(beta**2 @ unexplained))
            if len(path) > 1 and path[-2] - path[-1] <= self.tol * path[-2]:
                break
        rows = vectors / np.sqrt(closure.chunk_sizes)[:, None]
        witness = feasibility.witness if feasibility.status == "feasible" else None
        fallback = None if witness is None else witness[closure.representatives]
        labels = cluster_rows(rows, closure, k, fallback, seeds(self.random_state, 1)[0])[closure.chunk_of]
        number = np.argsort(order_by_size(labels, k))
        self.labels_ = number[labels].astype(np.int32)
        self.n_clusters_ = len(np.unique(self.labels_))
        self.violations_ = constraints.violations(self.labels_)
        weights = beta**2 / kernels.traces
        self.kernel_weights_ = weights / weights.sum()
        self.kernel_names_ = self._kernels.names
        self.unexplained_, self.objective_, self.n_iter_ = unexplained, np.array(path), len(path)
        return self

    def kernel(self, X: Any, Y: Any = None, *, diagonals: Any = None) -> np.ndarray:
        """Σ w_m k_m between the rows of X and those of Y, by default X, with w = ``kernel_weights_``.

        Precomputed kernels are given by their values: X is a list of matrices, and there is no Y.
        """
        check_is_fitted(self)
        return combine(self._kernels, self.kernel_weights_, X, Y, diagonals)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernels == "precomputed"
        return tags


def _pair_similarities(closure: Closure) -> sparse.csr_array:
    """What pairs add to the kernel between chunklets."""
    soft = closure.coupling.copy()
    soft.data = np.tanh(soft.data / 2)
    per_chunk = sparse.diags_array(1 / np.sqrt(closure.chunk_sizes))
    return sparse.csr_array(per_chunk @ (soft - closure.cannot_graph) @ per_chunk)

"""Co-clusters that keep the most mutual information of rows and columns (ITCC)."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.base import BaseEstimator

from pluribus._engine import run_tasks, seeds
from pluribus.constrained._shared.base import checked_rows
from pluribus.constrained._shared.parameters import AT_LEAST_ONE, STARTS
from pluribus.constrained.coclusters._co_clusters import (
    CoClusterMixin,
    block_counts,
    mutual_information,
    numbered,
    numbered_by_size,
    one_hot,
)
from pluribus.constrained.coclusters._nonnegative import Filled, spectral_labels

_NEVER = np.log(1e-300)  # of a share of 0: worse than any other, and finite


class InformationCoClustering(CoClusterMixin, BaseEstimator):
    """Cluster the rows and the columns of a table of counts so that the blocks lose little information (ITCC).

    The table, divided by its sum, is a joint distribution of rows and columns. Their mutual information is what a row
    tells about columns. Any pair of partitions loses some of it, and this method minimizes the loss: in turn, each row
    joins the cluster whose distribution over the column clusters is nearest to its own in Kullback-Leibler divergence,
    and each column likewise. The loss never rises. One start is a spectral co-clustering, the others are random.

    Use it for counts, such as words in documents, and for 0/1 tables without constraints. Time and memory are linear in
    the nonzeros. For constraints see :class:`ConstrainedCoClustering`.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of rows.
    n_column_clusters : int, optional
        Clusters of columns; by default as many as of rows.
    n_init : int, default=10
        Number of starts; the result with the smallest loss is kept.
    max_iter : int, default=100
        Iterations of one start.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Cores for the starts; the result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_, row_labels_ : ndarray of shape (m,)
        The cluster of each row, numbered from the largest; -1 for rows that are all zero.
    column_labels_ : ndarray of shape (n,)
        The cluster of each column. With as many clusters as of rows, each has the number of the row cluster that it
        goes with best. -1 for columns that are all zero.
    n_clusters_ : int
    information_loss_ : float
        Mutual information of rows and columns that the blocks do not have, in nats.
    mutual_information_ : float
        That of the blocks.
    tau_ : float
        Symmetric Goodman-Kruskal tau of the blocks, 0 to 1.
    objective_ : ndarray
        The loss after each iteration of the best start.
    n_iter_ : int

    References
    ----------
    Dhillon, Mallela and Modha (2003), Information-theoretic co-clustering, KDD.

    Examples
    --------
    >>> from pluribus.constrained import InformationCoClustering
    >>> table = [[5, 5, 5, 0, 0, 0], [5, 5, 5, 0, 0, 0], [0, 0, 0, 5, 5, 5], [0, 0, 0, 5, 5, 5], [4, 4, 0, 4, 4, 4]]
    >>> model = InformationCoClustering(2, random_state=0).fit(table)
    >>> model.row_labels_.tolist(), model.column_labels_.tolist()
    ([1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0])
    """

    known_as = {"itcc": {}}
    suits = "Counts, such as words in documents: rows and columns together, without constraints."

    _parameter_constraints: dict = {
        "n_clusters": [AT_LEAST_ONE],
        "n_column_clusters": [AT_LEAST_ONE, None],
        **{name: STARTS[name] for name in ("n_init", "max_iter", "random_state", "n_jobs", "verbose")},
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_column_clusters: int | None = None,
        n_init: int = 10,
        max_iter: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_column_clusters = n_column_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> "InformationCoClustering":
        """Cluster the rows and the columns of X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, n)
            Nonnegative.
        y : ignored
        """
        filled = Filled.of(checked_rows(self, X, sparse=True), self)
        shape = self.n_clusters, self._column_clusters(filled.whole.shape[1])
        joint = filled.X / filled.X.sum()
        runs = run_tasks(
            lambda start: _descend(joint, _first(joint, shape, *start), shape, self.max_iter),
            list(enumerate(seeds(self.random_state, self.n_init))),
            n_jobs=self.n_jobs,
            description="ITCC",
            verbose=self.verbose,
        )
        best = min(runs, key=lambda run: run.loss[-1])
        rows = numbered_by_size(best.rows, shape[0])
        columns = _tied(filled.X, rows, best.columns, shape)
        self._set_partitions(
            X=filled.whole, rows=filled.all_rows(rows), columns=filled.all_columns(columns), k=shape[0]
        )
        self.objective_, self.n_iter_ = np.array(best.loss), len(best.loss)
        return self

    def _column_clusters(self, n: int) -> int:
        if self.n_column_clusters is None:
            return min(self.n_clusters, n)
        if isinstance(self.n_column_clusters, bool | np.bool_):
            raise ValueError(
                f"n_column_clusters={self.n_column_clusters} is not a number: give the number of clusters."
            )
        if self.n_column_clusters > n:
            raise ValueError(
                f"n_column_clusters={self.n_column_clusters} is more than the {n} columns of X: use fewer."
            )
        return self.n_column_clusters


class _Run(NamedTuple):
    rows: np.ndarray
    columns: np.ndarray
    loss: list[float]


def _first(joint: sparse.csr_array, shape: tuple[int, int], number: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The partitions to start from: spectral ones in the first start, random ones in the others."""
    if number == 0:
        rows, columns = spectral_labels(joint, shape[0], seed)
        return rows, columns if shape[0] == shape[1] else spectral_labels(joint.T, shape[1], seed)[0]
    random = np.random.default_rng(seed)
    sides = zip(joint.shape, shape, strict=True)
    rows, columns = (random.permutation(np.arange(n) % k) for n, k in sides)
    return rows, columns


def _descend(
    joint: sparse.csr_array, first: tuple[np.ndarray, np.ndarray], shape: tuple[int, int], max_iter: int
) -> _Run:
    """Assign rows and columns in turn until the loss stays."""
    rows, columns = first
    across, total, loss = sparse.csr_array(joint.T), mutual_information(joint), []
    for _ in range(max_iter):
        before = rows, columns
        rows = _assigned(joint, rows, columns, shape)
        columns = _assigned(across, columns, rows, shape[::-1])
        loss.append(max(total - mutual_information(block_counts(joint, rows, columns)), 0.0))
        if np.array_equal(rows, before[0]) and np.array_equal(columns, before[1]):
            break
    return _Run(rows, columns, loss)


def _assigned(joint: sparse.csr_array, labels: np.ndarray, others: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """The cluster of each row with the nearest distribution over the clusters of columns.

    KL(p(y|x) || q(y|x̂)) with q(y|x̂) = p(y|ŷ) p(ŷ|x̂) depends on x̂ by -Σ_ŷ p(ŷ|x) log p(ŷ|x̂) alone.
    """
    k, n_others = shape
    by_other = (joint @ one_hot(others, n_others)).toarray()
    blocks = one_hot(labels, k).T @ by_other
    sizes = blocks.sum(axis=1, keepdims=True)
    share = np.divide(blocks, sizes, out=np.zeros_like(blocks), where=sizes > 0)
    log = np.log(share, out=np.full_like(share, _NEVER), where=share > 0)
    log[sizes[:, 0] == 0] = 2 * _NEVER  # nothing joins an empty cluster
    fit = by_other @ log.T
    own = fit[np.arange(len(labels)), labels]
    best = fit.argmax(axis=1)
    return np.where(fit[np.arange(len(labels)), best] > own + 1e-12 * np.abs(own), best, labels)


def _tied(X: sparse.csr_array, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """The labels of columns: with as many clusters as of rows, tied to these one by one; else by size."""
    if shape[0] != shape[1]:
        return numbered_by_size(columns, shape[1])
    counts = np.zeros(shape)
    found = block_counts(X, rows, columns)
    counts[: found.shape[0], : found.shape[1]] = found
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return numbered(columns, linear_sum_assignment(expected - counts)[1])

"""Co-clusters of a 0/1 table from its local patterns, under constraints (CDK-means)."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from pluribus._engine import check_summable, number_array, run_tasks, seeds
from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained._shared.parameters import AT_LEAST_ONE, STARTS
from pluribus.constrained.coclusters._bi_sets import BiSets, as_bi_sets
from pluribus.constrained.coclusters._boolean import as_boolean
from pluribus.constrained.coclusters._co_clusters import CoClusterMixin, block_counts, numbered, symmetric_tau
from pluribus.constrained.coclusters._concepts import MOST_PATTERNS, mine
from pluribus.constrained.coclusters._errors import CoverageWarning
from pluribus.constrained.coclusters._known import Gaps, Known
from pluribus.constrained.coclusters._pattern_means import PatternClusters, PatternMeans
from pluribus.constraints import Constraints
from pluribus.partitions._internal import normalized_entropy, order_by_size
from pluribus.tables._internal import refuse_annotated

_GAP = [Interval(Integral, 0, None, closed="left"), None]


class ConstrainedCoClustering(CoClusterMixin, BaseEstimator):
    """Cluster the rows and the columns of a 0/1 table together, under constraints (CDK-means).

    Each cluster of rows comes with the cluster of columns that describes it. First all local patterns are found: by
    default the formal concepts, the all-ones rectangles that cannot be extended. Then a k-means groups the patterns.
    Its centroids weigh every row and every column by the share of the patterns that have it, and each row and column
    goes to the centroid in which it weighs most.

    Constraints act on the patterns. A must-link keeps the patterns that have both elements or neither. A cannot-link
    removes those with both, and keeps the two out of one cluster of patterns. An element may be a row or a column:
    pairs of rows, pairs of columns, and pairs of a row and a column. If rows or columns have an order, such as time,
    ``max_row_gap`` favors clusters that are intervals of it, and ``min_row_gap`` clusters that are not.

    Use it for tables of 0 and 1 (baskets, votes, categories, genes that are expressed or not) of up to some thousand
    rows or columns. The number of patterns, not of rows, decides the cost: dense tables have millions. Ask for larger
    ones (``min_rows``, ``min_columns``), or use :class:`InformationCoClustering`, which needs no patterns and takes no
    constraints.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of rows, and of columns; at least 2.
    min_rows, min_columns : int, default=1
        The smallest patterns to look for.
    max_patterns : int, default=1,000,000
        More patterns are an error, before they fill the memory.
    max_row_gap, max_column_gap : int, optional
        The most elements of the order that a pattern may skip between two consecutive members. Small gaps favor
        clusters that are intervals.
    min_row_gap, min_column_gap : int, optional
        The fewest elements that a pattern must skip.
    cyclic : bool, default=False
        The orders are circles: the last element is followed by the first.
    on_infeasible : {"drop", "raise"}, default="drop"
        What to do with a pattern that cannot-links keep out of every cluster: leave it out, or give up the start.
    n_init : int, default=10
        Number of starts. The result with the largest ``tau_`` is kept; with ``max_row_gap`` or ``max_column_gap``, one
        of those with the fewest jumps.
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
        The cluster of each row, numbered from the one with the most rows; -1 if no kept pattern has the row.
    column_labels_ : ndarray of shape (n,)
        The cluster of each column: those of cluster l describe the rows of cluster l. -1 as for rows.
    n_clusters_ : int
    membership_, column_membership_ : ndarray of shape (m, n_clusters), (n, n_clusters)
        The weights of each row or column in the centroids, normalized; equal ones for the label -1.
    uncertainty_, column_uncertainty_ : ndarray of shape (m,), (n,)
        Normalized entropy of the memberships, 0 to 1.
    row_centroids_, column_centroids_ : ndarray of shape (n_clusters, m), (n_clusters, n)
        The share of the patterns of each cluster that have each row or column. Thresholds on them make overlapping
        co-clusters.
    patterns_ : BiSets
        The patterns that agree with the constraints.
    kept_patterns_ : ndarray
        Their positions among those that were found or given.
    pattern_labels_ : ndarray
        The cluster of each kept pattern; -1 if it was left out.
    tau_ : float
        Symmetric Goodman-Kruskal tau of the blocks, 0 to 1: how well rows tell columns and columns tell rows.
    mutual_information_, information_loss_ : float
        Mutual information of the blocks, in nats, and how much less that is than of the table.
    row_jumps_, column_jumps_ : int
        How often the order leaves a cluster and comes back to it: 0 if all clusters are intervals.
    objective_ : ndarray
        The sum of the distances of the patterns to their centroids, in each iteration. It need not fall.
    n_iter_ : int
    n_comparisons_ : int
        Patterns times iterations.
    violations_ : Violations
        Of the constraints on rows: none.

    References
    ----------
    Pensa, Robardet and Boulicaut (2009), Constraint-driven co-clustering of 0/1 data, in Basu, Davidson and Wagstaff
    (eds.), Constrained Clustering, chapter 6.

    Examples
    --------
    >>> from pluribus import Constraints
    >>> from pluribus.constrained import ConstrainedCoClustering
    >>> table = [[1, 0, 1, 1, 0], [0, 1, 0, 0, 1], [1, 0, 1, 1, 0], [0, 0, 1, 1, 0], [1, 1, 0, 0, 1], [0, 1, 0, 0, 1]]
    >>> model = ConstrainedCoClustering(2, random_state=0).fit(table)
    >>> model.row_labels_.tolist(), model.column_labels_.tolist()
    ([0, 1, 0, 0, 1, 1], [0, 1, 0, 0, 1])
    >>> known = Constraints(5, cannot_link=[(0, 2)])
    >>> model = ConstrainedCoClustering(2, random_state=0).fit(table, column_constraints=known)
    >>> model.row_labels_.tolist(), model.column_labels_.tolist()
    ([0, 1, 0, 0, 1, 1], [1, 1, 0, 0, 1])
    """

    known_as = {"cdk-means": {}}
    suits = "Tables of 0 and 1: clusters of rows with the columns that describe them, under constraints on both."

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 2, None, closed="left")],
        "min_rows": [AT_LEAST_ONE],
        "min_columns": [AT_LEAST_ONE],
        "max_patterns": [AT_LEAST_ONE],
        "max_row_gap": _GAP,
        "max_column_gap": _GAP,
        "min_row_gap": _GAP,
        "min_column_gap": _GAP,
        "cyclic": ["boolean"],
        "on_infeasible": [StrOptions({"drop", "raise"})],
        **{name: STARTS[name] for name in ("n_init", "max_iter", "random_state", "n_jobs", "verbose")},
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        min_rows: int = 1,
        min_columns: int = 1,
        max_patterns: int = MOST_PATTERNS,
        max_row_gap: int | None = None,
        max_column_gap: int | None = None,
        min_row_gap: int | None = None,
        min_column_gap: int | None = None,
        cyclic: bool = False,
        on_infeasible: str = "drop",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_rows = min_rows
        self.min_columns = min_columns
        self.max_patterns = max_patterns
        self.max_row_gap = max_row_gap
        self.max_column_gap = max_column_gap
        self.min_row_gap = min_row_gap
        self.min_column_gap = min_column_gap
        self.cyclic = cyclic
        self.on_infeasible = on_infeasible
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        constraints: Constraints | None = None,
        column_constraints: Constraints | None = None,
        mixed_must_link: Any = None,
        mixed_cannot_link: Any = None,
        row_order: Any = None,
        column_order: Any = None,
        patterns: Any = None,
        pattern_weight: Any = None,
    ) -> "ConstrainedCoClustering":
        """Cluster the rows and the columns of X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, n)
            Zeros and ones; :func:`pluribus.tables.boolean_table` makes such a table from numbers and categories.
        y : ignored
        constraints, column_constraints : Constraints, optional
            Hard must-links and cannot-links, groups and labels of the m rows, and of the n columns.
        mixed_must_link, mixed_cannot_link : pairs (row, column), optional
            A row and a column that belong to one co-cluster, or to different ones.
        row_order, column_order : array of shape (m,), (n,), optional
            What to sort by, for gaps and jumps; by default the order of the table. Equal values keep that order.
        patterns : BiSets, or pair of 0/1 matrices of shape (N, m) and (N, n), optional
            The patterns to use, with their rows and their columns; by default the concepts of X.
        pattern_weight : array of shape (N,), optional
            How much each of the given patterns counts.
        """
        table, known, rows, columns = self._checked(
            X, constraints, column_constraints, mixed_must_link, mixed_cannot_link, row_order, column_order
        )
        given = self._patterns(table, known, columns, patterns)
        weights = _checked_weights(pattern_weight, patterns, len(given))
        kept = np.flatnonzero(self._admitted(given, known, rows, columns) & (weights > 0))
        self.patterns_, self.kept_patterns_ = given[kept], kept
        self._check_enough(len(kept), len(given))
        known.check_covered(self.patterns_)
        held = known.held(self.patterns_) if len(known.apart) else (None, None)
        means = PatternMeans(self.patterns_, weights[kept], *held)
        best = self._best_start(means, table, rows, columns)
        self._set_result(table, best, known, rows, columns)
        return self

    def _checked(self, X: Any, constraints: Any, column_constraints: Any, together: Any, apart: Any, *keys: Any) -> Any:
        """The table, what is known about it, and the orders of its rows and columns."""
        self._validate_params()
        refuse_annotated(X)
        table = as_boolean(validate_data(self, X, accept_sparse="csr", dtype="numeric"), "X")
        m, n = table.shape
        gaps = (
            ("row", m, keys[0], self.max_row_gap, self.min_row_gap),
            ("column", n, keys[1], self.max_column_gap, self.min_column_gap),
        )
        rows, columns = (Gaps.of(*given, cyclic=self.cyclic) for given in gaps)
        known = Known((m, n), constraints, column_constraints, together, apart)
        known.check_feasible(self.n_clusters)
        return table, known, rows, columns

    def _patterns(self, table: Any, known: Known, columns: Gaps, patterns: Any) -> BiSets:
        """The patterns as given, or the concepts; columns that must be apart shorten the search for these."""
        if patterns is not None:
            return as_bi_sets(patterns, table.shape)
        never = known.parted_columns()
        least = self.min_rows, self.min_columns
        return mine(table, least, self.max_patterns, never if never.nnz else None, columns, verbose=self.verbose)

    def _admitted(self, patterns: BiSets, known: Known, rows: Gaps, columns: Gaps) -> np.ndarray:
        """Whether each pattern agrees with the constraints."""
        every_column = np.arange(patterns.columns.shape[1])
        in_order = rows.admit(patterns.kinds, patterns.kind_of) & columns.admit(patterns.columns, every_column)
        return in_order & known.admit(patterns)

    def _check_enough(self, n_kept: int, n_given: int) -> None:
        if n_kept < self.n_clusters:
            raise ValueError(
                f"Only {n_kept:,} of {n_given:,} patterns satisfy the constraints, and n_clusters={self.n_clusters} "
                f"needs {self.n_clusters} or more: use fewer clusters, fewer constraints, larger max_row_gap and "
                "max_column_gap, or smaller min_rows and min_columns."
            )

    def _best_start(self, means: PatternMeans, table: Any, rows: Gaps, columns: Gaps) -> PatternClusters:
        """The start with the largest tau; under a largest gap, with the fewest jumps before that."""
        leave_out = self.on_infeasible == "drop"

        def start(seed: int) -> PatternClusters | None:
            first = np.random.default_rng(seed).choice(len(means.weights), self.n_clusters, replace=False)
            return means.run(first, self.max_iter, leave_out=leave_out)

        runs = run_tasks(
            start,
            seeds(self.random_state, self.n_init),
            n_jobs=self.n_jobs,
            description="CDK-means",
            verbose=self.verbose,
        )
        found = [run for run in runs if run is not None]
        if not found:
            raise NoFeasibleAssignmentError(
                f"In each of {self.n_init} starts, cannot-links kept a pattern out of every cluster. Use "
                "on_infeasible='drop' to leave such patterns out, more clusters, or fewer cannot-links."
            )

        def badness(run: PatternClusters) -> tuple[int, float]:
            labels, column_labels = self._labels(run)
            jumps = sum(
                side.jumps(of_side)
                for side, of_side in ((rows, labels), (columns, column_labels))
                if side.most is not None
            )
            return jumps, -symmetric_tau(block_counts(table, labels, column_labels))

        return min(found, key=badness)

    def _labels(self, run: PatternClusters) -> tuple[np.ndarray, np.ndarray]:
        """The cluster in which each row, and each column, weighs most."""
        return _heaviest(run.kinds)[self.patterns_.kind_of], _heaviest(run.columns)

    def _set_result(self, table: Any, run: PatternClusters, known: Known, rows: Gaps, columns: Gaps) -> None:
        """Set the attributes, clusters numbered from the one with the most rows."""
        labels, column_labels = self._labels(run)
        order = order_by_size(labels, self.n_clusters)
        labels, column_labels = numbered(labels, order), numbered(column_labels, order)
        self._set_partitions(table, labels, column_labels, self.n_clusters)
        self.pattern_labels_ = numbered(run.labels, order)
        self.row_centroids_ = run.kinds[np.ix_(order, self.patterns_.kind_of)]
        self.column_centroids_ = run.columns[order]
        self.membership_, self.column_membership_ = _shares(self.row_centroids_), _shares(self.column_centroids_)
        self.uncertainty_ = normalized_entropy(self.membership_)
        self.column_uncertainty_ = normalized_entropy(self.column_membership_)
        self.row_jumps_, self.column_jumps_ = rows.jumps(labels), columns.jumps(column_labels)
        self.objective_, self.n_iter_ = np.array(run.objective), len(run.objective)
        self.n_comparisons_ = len(self.patterns_) * self.n_iter_
        self.violations_ = known.rows.violations(labels)
        _warn(int((run.labels < 0).sum()), int((labels < 0).sum()), int((column_labels < 0).sum()))


def _heaviest(centroids: np.ndarray) -> np.ndarray:
    """The first of the centroids in which each element weighs most; -1 if it weighs nothing."""
    return np.where(centroids.max(axis=0) > 0, centroids.argmax(axis=0), -1)


def _shares(centroids: np.ndarray) -> np.ndarray:
    """The weights of each element, normalized over the clusters."""
    weights, total = centroids.T, centroids.sum(axis=0)[:, None]
    return np.divide(weights, total, out=np.full(weights.shape, 1 / len(centroids)), where=total > 0)


def _checked_weights(weights: Any, patterns: Any, n: int) -> np.ndarray:
    if weights is None:
        return np.ones(n)
    if patterns is None:
        raise ValueError("pattern_weight is for patterns that are given: give patterns too, such as concepts(X).")
    weights = number_array("pattern_weight", weights)
    if weights.shape != (n,) or not (weights >= 0).all():
        raise ValueError(f"pattern_weight must have a number, 0 or more, for each of the {n:,} patterns.")
    check_summable("pattern_weight", weights)
    return weights


def _warn(n_patterns: int, n_rows: int, n_columns: int) -> None:
    if n_patterns:
        warnings.warn(
            f"{n_patterns:,} patterns fit into no cluster under the cannot-links and were left out.",
            CoverageWarning,
            stacklevel=4,
        )
    if n_rows or n_columns:
        warnings.warn(
            f"{n_rows:,} rows and {n_columns:,} columns are in no pattern that agrees with the constraints: they have "
            "the label -1. Smaller min_rows and min_columns, or larger gaps, cover more.",
            CoverageWarning,
            stacklevel=4,
        )

"""The similarity of ordered rows, learned from an ensemble."""

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data

from pluribus._engine import seeds
from pluribus.generate._internal import CUTS, MAX_ROWS, check_widths
from pluribus.partitions import Ensemble
from pluribus.temporal._arguments import texts
from pluribus.temporal._members import GridMembers, co_association
from pluribus.temporal._rows import OrderedRows, numbers_of_clusters

_CLUSTERERS = (*CUTS, "kmeans")


class TemporalEnsemble(BaseEstimator):
    """Learn how similar the rows of a series are, from many clusterings of them.

    Rows that follow each other in time drift from one state to the next. A single clustering misplaces the rows of the
    transition; an ensemble says how often two rows are together. The default is the ensemble of the source: two kinds
    of spectral clustering, each with 28 widths of the kernel and 2 to 6 clusters, 280 members. In the order of time the
    co-association shows states as blocks on the diagonal.

    The order of the rows does not enter: a series and its reverse get the same members.

    Parameters
    ----------
    clusterers : sequence of {"njw", "ncut", "kmeans"}, default=("njw", "ncut")
        Spectral clustering by Ng, Jordan and Weiss, the normalized cut of Shi and Malik, and k-means. Spectral members
        are for up to 5,000 rows, and in practice for some hundreds.
    k_range : sequence of int, default=(2, 3, 4, 5, 6)
        Numbers of clusters; members with more clusters than rows are left out, with a warning.
    sigmas : sequence of float, optional
        Widths of the kernel, by default 0.3, 0.4, … 3.0; the unit is the median distance of a row to its nearest
        neighbor.
    n_members : int, default=40
        Members by k-means, if that is among the clusterers. Numbers of clusters take turns.
    standardize : bool, default=True
        Scale each feature to variance 1. Constant features are left out in any case.
    random_state : int, RandomState, numpy Generator or None, default=None

    Attributes
    ----------
    ensemble_ : Ensemble
    partitions_ : ndarray of shape (n_partitions, n)
        The members, one in each row.
    coassociation_ : ndarray of shape (n, n)
        The share of the members in which two rows are together, in the order of time.
    n_features_in_ : int

    References
    ----------
    Medina and Fred, "Clustering data with temporal evolution: application to electrophysiological signals", CCIS 129,
    2011.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.temporal import TemporalEnsemble
    >>> X = np.repeat([[0.0, 0.0], [5.0, 5.0]], 20, axis=0) + np.random.default_rng(0).normal(size=(40, 2))
    >>> model = TemporalEnsemble(random_state=0).fit(X)
    >>> model.partitions_.shape
    (280, 40)
    >>> bool(model.coassociation_[:20, :20].mean() > 3 * model.coassociation_[:20, 20:].mean())
    True
    """

    _parameter_constraints: dict = {
        "clusterers": [tuple, list],
        "k_range": "no_validation",
        "sigmas": ["array-like", None],
        "n_members": [Interval(Integral, 1, 10_000, closed="both")],
        "standardize": ["boolean"],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        clusterers: Sequence[str] = CUTS,
        *,
        k_range: Sequence[int] = (2, 3, 4, 5, 6),
        sigmas: Sequence[float] | None = None,
        n_members: int = 40,
        standardize: bool = True,
        random_state: Any = None,
    ) -> None:
        self.clusterers = clusterers
        self.k_range = k_range
        self.sigmas = sigmas
        self.n_members = n_members
        self.standardize = standardize
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "TemporalEnsemble":
        """Cluster the rows many times.

        Parameters
        ----------
        X : array of shape (n, p)
            Rows in the order of time; numbers without gaps.
        y : ignored
        """
        self._validate_params()
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        rows = OrderedRows(X, standardize=self.standardize)
        labels = self._members(rows, len(X))(np.arange(len(rows)))
        self.coassociation_ = co_association(labels)[np.ix_(*[np.argsort(rows.order)] * 2)]
        self.ensemble_ = Ensemble(rows.in_time(labels))
        self.partitions_ = self.ensemble_.labels.T
        return self

    def _members(self, rows: OrderedRows, least: int) -> GridMembers:
        """What makes the members of parts of the rows, of which the smallest has this number of rows."""
        clusterers = texts("clusterers", self.clusterers, _CLUSTERERS)
        numbers = numbers_of_clusters("k_range", self.k_range)
        widths = check_widths("sigmas", self.sigmas)
        usable = [k for k in numbers if k <= least]
        if not usable:
            raise ValueError(
                f"k_range starts with {numbers[0]} clusters, more than the {least} rows that members cluster: give "
                "smaller numbers, or more rows."
            )
        if len(usable) < len(numbers):
            warnings.warn(
                f"Members with more than {usable[-1]} clusters are left out: there are {least} rows to cluster.",
                UserWarning,
                stacklevel=3,
            )
        cuts = [cut for cut in CUTS if cut in clusterers]
        if cuts and len(rows) > MAX_ROWS:
            raise ValueError(
                f"X has {len(rows):,} rows, and spectral members are for at most {MAX_ROWS:,}: give "
                "clusterers=('kmeans',), or means of consecutive rows."
            )
        n_kmeans = int(self.n_members) if "kmeans" in clusterers else 0
        return GridMembers(rows, cuts, widths, numbers, n_kmeans, seeds(self.random_state, 1)[0])

"""Consensus by correlation clustering: the median partition."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from pluribus._engine import seeds
from pluribus.consensus._shared.base import ConsensusMixin
from pluribus.consensus._shared.cost import Cost
from pluribus.evidence._internal import default_number_of_starts, median_partition
from pluribus.partitions import as_ensemble


class CorrelationConsensus(ConsensusMixin, BaseEstimator):
    """Find the partition with the fewest disagreements with the members, pair by pair.

    Two partitions disagree on a pair of objects if one puts it together and the other parts it (the Mirkin distance).
    The consensus is the median: the sum of its distances to all members is as small as local search can make it, never
    larger than that of the best member. The objective also decides the number of clusters: two objects tend to be
    together if more than half of the members say so.

    Prefer it if you have no idea of the number of clusters, and the members have about as many as there are. If they
    have many more, few pairs are together in half of them, and the result is as fine as they are: use evidence
    accumulation. For other solvers, an exact result or constraints, see
    :class:`pluribus.relational.CorrelationClustering`.

    Parameters
    ----------
    n_clusters : int, optional
        By default the number with the fewest disagreements.
    n_init : int, optional
        Random starts; by default 10 up to 1,000 distinct objects, otherwise 1.
    random_state : int, RandomState, Generator or None
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
        Mean evidence of each object for each cluster, normalized.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    cost_ : float
        The weighted sum of the Mirkin distances to the members, each pair of objects counted once. Pairs that a member
        does not cover do not count in it.
    lower_bound_ : float
        No partition has a smaller sum, whatever its number of clusters. For large ensembles it is half of the weighted
        sum of the distances between members, divided by the total weight of all but one member.

    References
    ----------
    Gionis, Mannila and Tsaparas, "Clustering aggregation", ACM TKDD 1(1), 2007. Immorlica and Wirth, "Correlation
    clustering", chapter 13 in Basu, Davidson and Wagstaff (eds.), Constrained Clustering, 2008.

    Examples
    --------
    >>> from pluribus.consensus import CorrelationConsensus
    >>> labels = [[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 3]]
    >>> found = CorrelationConsensus(random_state=0, verbose=False).fit(labels)
    >>> found.labels_.tolist(), found.cost_, found.lower_bound_
    ([0, 0, 1, 1, 2, 2], 5.0, 5.0)
    """

    known_as = {"correlation": {}}
    suits = "An unknown number of clusters, and members with about as many clusters as there are."
    cost = Cost(seconds=3, objects=1, label_bytes=24)
    finds_n_clusters = True

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "n_init": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_init: int | None = None,
        random_state: Any = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "CorrelationConsensus":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        k = None if self.n_clusters is None else self._check_n_clusters(ensemble.n_objects)
        n_starts = self.n_init or default_number_of_starts(len(ensemble.unique_rows().counts))
        found = median_partition(ensemble, seeds(self.random_state, n_starts), n_clusters=k, verbose=self.verbose)
        self.cost_, self.lower_bound_ = found.cost, found.lower_bound
        return self._finish(ensemble, found.labels)

"""Consensus by choosing the medoid of the ensemble."""

import warnings
from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus.compare import DISTANCES, distance_matrix
from pluribus.compare._internal import nearest_to_all
from pluribus.consensus._shared.base import ConsensusMixin, check_memberships_fit, normalize_rows, soft_evidence
from pluribus.consensus._shared.cost import Cost
from pluribus.evidence import mean_evidence
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.partitions._internal import encode_labels


class MedoidPartition(ConsensusMixin, BaseEstimator):
    """Choose the partition of the ensemble that is nearest to all others.

    The result is one of the members, so each of its clusters was found by a clusterer. The sum of its distances to the
    others, under any distance of ``pluribus.compare``, is the smallest. For a metric this sum is at most twice that of
    the best possible partition.

    Prefer it if the result must be one of the given partitions, for example to decide which run to publish, or as the
    baseline that other consensus functions should beat. If every member has its own errors, methods that combine
    members are better than a choice among them.

    Parameters
    ----------
    n_clusters : int, optional
        Choose only among the members with this number of clusters; by default among all.
    distance : str or callable
        A name in ``pluribus.compare.DISTANCES``, or a function of two label sequences (integers, -1 = missing), such
        as ``lambda a, b: cc_distance(a, b, X)`` for a distance that uses the features X. Named distances compare two
        members on the objects that both cover. "mirkin", "edit" and "van_dongen" count objects, so a member that covers
        few objects seems near to all; prefer the others if labels are missing. Soft members are compared by their
        clusters of highest membership, because the fuzzy distance of a member to its own copy is not 0.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The labels of the medoid, clusters numbered from the largest. An object without a label joins the cluster of
        highest mean evidence in the whole ensemble.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
        Mean evidence of each object for the objects in each cluster of the medoid, normalized.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    medoid_ : int
        The position of the chosen member, the first on ties. Members of weight 0 are not chosen.
    distances_ : ndarray of shape (r, r)

    References
    ----------
    Hornik, "A CLUE for CLUster Ensembles", Journal of Statistical Software 14(12), 2005 (``cl_medoid``).
    Filkov and Skiena, "Integrating microarray data by consensus clustering", ICTAI 2003 (best of k, and its bound).

    Examples
    --------
    >>> from pluribus.consensus import MedoidPartition
    >>> labels = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]
    >>> medoid = MedoidPartition().fit(labels)
    >>> medoid.medoid_, medoid.labels_.tolist()
    (0, [0, 0, 0, 1, 1, 1])
    >>> MedoidPartition(3).fit(labels).labels_.tolist()
    [0, 0, 0, 1, 1, 2]
    """

    known_as = {"medoid": {}}
    suits = "A result that must be one of the given partitions."
    cost = Cost(seconds=0.5, objects=1, partitions=2)
    finds_n_clusters = True

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "distance": [StrOptions(set(DISTANCES)), callable],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        distance: str | Callable[[Any, Any], float] = "variation_of_information",
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.distance = distance
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "MedoidPartition":
        """Find the medoid of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, or list of label sequences
        y : ignored
        """
        self._validate_params()
        ensemble = as_ensemble(ensemble)
        candidates = self._find_candidates(ensemble)
        hard = ensemble if ensemble.memberships is None else Ensemble(ensemble.labels, names=ensemble.names)
        self.distances_ = distance_matrix(hard, self.distance, verbose=self.verbose)
        return self._take(ensemble, nearest_to_all(self.distances_, ensemble.weights, candidates))

    def _take(self, ensemble: Ensemble, member: int) -> "MedoidPartition":
        """Make a member the result."""
        self.medoid_ = member
        labels, classes = encode_labels(ensemble.labels[:, self.medoid_])
        check_memberships_fit(len(labels), len(classes))
        evidence_of = mean_evidence if ensemble.memberships is None else soft_evidence
        evidence = evidence_of(ensemble, labels, len(classes))
        if (labels < 0).any():
            labels = _complete(labels, evidence)
        return self._finish(ensemble, labels, normalize_rows(evidence))

    def _find_candidates(self, ensemble: Ensemble) -> np.ndarray:
        """The members that may be chosen: those with a weight and the right number of clusters."""
        counted = np.flatnonzero(ensemble.weights)
        if self.n_clusters is None:
            return counted
        n_clusters = np.array([len(np.unique(c[c >= 0])) for c in ensemble.labels[:, counted].T])
        if self.n_clusters not in n_clusters:
            raise ValueError(
                f"No partition has n_clusters={self.n_clusters} clusters, and the medoid is one of the partitions; "
                f"they have {np.unique(n_clusters).tolist()}. Give one of these numbers, or leave out n_clusters."
            )
        return counted[n_clusters == self.n_clusters]


def one_member(ensemble: Ensemble, member: int) -> MedoidPartition:
    """A member as the result, whichever is the medoid; objects without a label join the cluster of highest evidence."""
    return MedoidPartition()._take(ensemble, member)


def _complete(labels: np.ndarray, evidence: np.ndarray) -> np.ndarray:
    """Assign objects without a label to the cluster of highest mean evidence."""
    sizes = np.bincount(labels[labels >= 0], minlength=evidence.shape[1])
    by_size = np.argsort(-sizes, kind="stable")  # the largest of those with equal evidence
    best = by_size[evidence[:, by_size].argmax(axis=1)]
    unknown = (labels < 0) & ~evidence.any(axis=1)
    if unknown.any():
        warnings.warn(
            f"{unknown.sum()} objects are in no cluster of the medoid, and no other partition puts them together with "
            "an object that is. They are assigned to its largest cluster, with uncertainty 1.",
            UserWarning,
            stacklevel=3,
        )
    return np.where(labels < 0, best, labels)

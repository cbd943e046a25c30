"""The base class of all consensus functions."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClusterMixin

from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.separate_groups import admit_doubt, separate_groups, warn_of_doubt
from pluribus.evidence import CoAssociation, MemoryLimitError, mean_evidence
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import normalized_entropy, number_by_size, order_by_size

_MOST_MEMORY = 4 * 2**30  # bytes of memberships


class ConsensusMixin(ClusterMixin):
    """Mixin for estimators that turn an ensemble into one partition: ``fit(ensemble)``, then ``labels_``.

    Examples
    --------
    >>> from pluribus.consensus import ConsensusMixin, EvidenceAccumulation
    >>> issubclass(EvidenceAccumulation, ConsensusMixin)
    True
    """

    known_as: ClassVar[dict[str, dict[str, Any]]]  # the names of the method, and the parameters that each presets
    suits: ClassVar[str]  # what the method is for
    cost: ClassVar[Cost | dict[str, Cost]] = Cost()  # time and memory, for each name if they differ
    needs_data = False  # whether fit(ensemble, X=X) must have the features too
    takes_constraints = False  # whether there is fit(ensemble, constraints=...)
    n_clusters: int | None
    labels_: np.ndarray
    membership_: np.ndarray
    uncertainty_: np.ndarray
    n_clusters_: int

    @property
    def takes_data(self) -> bool:
        """Whether fit(ensemble, X=X) can use the features, but does not need them."""
        return False

    @property
    def finds_n_clusters(self) -> bool:
        """Whether it finds the number of clusters if n_clusters is None."""
        return False

    def _check_installed(self) -> None:
        """Raise ImportError if a package is missing without which it cannot work."""

    def _check_n_clusters(self, n: int) -> int:
        """The number of clusters, for a method that cannot find it."""
        name = type(self).__name__
        if self.n_clusters is None:
            raise ValueError(f"{name} needs n_clusters: it does not find the number of clusters itself.")
        if self.n_clusters > n:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the number of objects, {n}.")
        return int(self.n_clusters)

    def _finish(
        self,
        ensemble: Ensemble | CoAssociation,
        labels: np.ndarray,
        membership: np.ndarray | None = None,
        *,
        by_evidence: bool = False,
        by_data: bool = False,
    ) -> Any:
        """Set the result, clusters numbered from the largest.

        Without ``membership``, memberships are the mean evidence of each object for each cluster, normalized. Where
        clusters were put together without any evidence, such memberships, or those given as ``by_evidence``, say so,
        unless it was done ``by_data``.
        """
        n_clusters = membership.shape[1] if membership is not None else int(labels.max()) + 1
        order = order_by_size(labels, n_clusters)
        self.labels_ = number_by_size(labels, n_clusters)
        self.n_clusters_ = n_clusters
        if membership is not None:
            in_order = bool((order == np.arange(n_clusters)).all())
            self.membership_ = np.ascontiguousarray(membership if in_order else membership[:, order])
        else:
            check_memberships_fit(len(labels), n_clusters)
            self.membership_ = normalize_rows(mean_evidence(ensemble, self.labels_, n_clusters))
        doubtful = (membership is None or by_evidence) and not by_data and n_clusters > 1
        groups = separate_groups(ensemble) if doubtful else None
        if groups is not None and (n_groups := int(groups.max()) + 1) > n_clusters:
            self.membership_ = admit_doubt(self.membership_, self.labels_, groups)
            warn_of_doubt(n_clusters, n_groups)
        self.uncertainty_ = normalized_entropy(self.membership_)
        return self


def check_memberships_fit(n: int, n_clusters: int) -> None:
    """Refuse a number of clusters, found by the method, for which the memberships would not fit into memory."""
    if 8 * n * n_clusters > _MOST_MEMORY:
        raise MemoryLimitError(
            f"The memberships of {n:,} objects in {n_clusters:,} clusters would take "
            f"{8 * n * n_clusters / 1e9:.0f} GB. Give n_clusters, or members with fewer clusters."
        )


def normalize_rows(affinity: np.ndarray, *, in_place: bool = False) -> np.ndarray:
    """Rows divided by their sums; a row of zeros becomes uniform."""
    total = affinity.sum(axis=1, keepdims=True)
    normalized = affinity if in_place else affinity.copy()
    normalized[total[:, 0] <= 0] = 1
    total[total <= 0] = affinity.shape[1]
    normalized /= total
    return normalized


def soft_evidence(ensemble: Ensemble, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """The mean evidence of each object for each cluster, with the memberships of soft partitions (n, n_clusters).

    Objects with the label -1 are in no cluster, but have evidence for each.
    """
    members, covered = ensemble.soft_one_hot(), ensemble.labels >= 0
    indicator = (labels[:, None] == np.arange(n_clusters)).astype(float)
    weights = np.repeat(ensemble.weights, ensemble.n_clusters)
    together = members @ (weights[:, None] * (members.T @ indicator))
    both = covered @ (ensemble.weights[:, None] * (covered.T @ indicator))
    return np.divide(together, both, out=np.zeros_like(together), where=both > 0)

"""Consensus by evidence accumulation under constraints (CEAC)."""

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus.consensus._shared.base import ConsensusMixin
from pluribus.consensus._shared.constrained_linkages import Goal, link
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.repair_moves import link_and_repair
from pluribus.consensus.linkage._printed_complete_link import printed_complete_link
from pluribus.constraints import Constraints
from pluribus.constraints._internal import as_constraints
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble, as_ensemble

_TIE = 1e-9


class ConstrainedEvidenceAccumulation(ConsensusMixin, BaseEstimator):
    """Link the pairs with the most votes of the partitions, under must-links and cannot-links (CEAC).

    The evidence for a pair is the share of the partitions that put both into one cluster, as in
    :class:`EvidenceAccumulation`. Must-links are merged first, and two groups with a cannot-link between them are never
    merged, so hard constraints always hold. A pair with a finite weight w is a preference: it moves the evidence of the
    pair towards 1 (must-link) or 0 (cannot-link) by the share tanh(w / 2), the distance of the odds exp(w) from chance.

    Greedy merging can reach a dead end: too many clusters are left, and all of them must be apart. To avoid this, a
    merge after which ``n_clusters`` clusters could not satisfy the cannot-links is not made. More clusters may be left
    only if the feasibility of the constraints is too hard to decide; then there is a warning.

    With average link and ``n_clusters``, constraints that the result without them satisfies do not change it. Otherwise
    objects are moved after the merges to the cluster of highest mean evidence, because greedy merges displace whole
    groups along with one object. The result of these moves may depend on the order of the objects.

    Pairs of equal evidence (to 37 binary digits) are merged in the order of the objects.

    Prefer it if the constraints are right and clusters may have any shape. If some constraints are wrong, give them
    weights, or use :class:`ConstrainedConsistency`. Without constraints it is ``EvidenceAccumulation``.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters; needed unless ``threshold`` is given.
    linkage : {"auto", "single", "average", "complete"}
        "single" and "complete" are those of the source (CSL, CCL). "auto" is "average" if ``n_clusters`` is given and
        "single" otherwise, as in ``EvidenceAccumulation``. "complete" needs all pairs at once and is for small n; its
        many ties are broken by the mean evidence.
    threshold : float, optional
        Merge up to this dissimilarity, 1 - evidence, instead.
    strict : bool
        False is the complete link as the source prints it: a must-link is a distance of 0, a cannot-link one above all
        others, and neither is enforced. Ties can break must-links, and too few clusters break cannot-links;
        ``violations_`` has them.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
    membership_ : ndarray of shape (n, n_clusters_)
        Mean evidence of each object for each cluster, normalized; constraints change the labels, not the evidence.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    violations_ : Violations
        Broken constraints: soft ones only.
    merges_ : ndarray of shape (m, 4)
        The greedy merges under the constraints, in scipy's format and in their order; the leaves are the chunklets. The
        moves after average link are not included.
    components_ : ndarray of shape (n,)
        The chunklet of each object: the objects that hard constraints join.
    dead_end_ : bool
        Whether more than ``n_clusters`` clusters are left because all of them must be apart.
    linkage_method_ : str
        The linkage that "auto" chose.

    References
    ----------
    Duarte, Fred and Duarte, "Combining data clusterings with instance level constraints", PRIS 2009.
    Klein, Kamvar and Manning, "From instance-level constraints to space-level constraints", ICML 2002.

    Examples
    --------
    >>> from pluribus import Constraints
    >>> from pluribus.consensus import ConstrainedEvidenceAccumulation
    >>> labels = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]
    >>> ceac = ConstrainedEvidenceAccumulation(n_clusters=2, linkage="single")
    >>> ceac.fit(labels).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    >>> ceac.fit(labels, constraints=Constraints(6, cannot_link=[(1, 2)])).labels_.tolist()
    [1, 1, 0, 0, 0, 0]
    """

    known_as = {"ceac": {}}
    suits = "Constraints that are right, and clusters of any shape."
    cost = Cost(seconds=35, objects=2, label_bytes=48)
    takes_constraints = True

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "linkage": [StrOptions({"auto", "single", "average", "complete"})],
        "threshold": [Interval(Real, 0, None, closed="left"), None],
        "strict": ["boolean"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        linkage: str = "auto",
        threshold: float | None = None,
        strict: bool = True,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.threshold = threshold
        self.strict = strict
        self.verbose = verbose

    def fit(
        self, ensemble: Any, y: Any = None, *, constraints: Constraints | None = None
    ) -> "ConstrainedEvidenceAccumulation":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, list of label sequences, or CoAssociation
            Evidence without an ensemble (``CoAssociation.from_matrix``) is linked as a dense matrix, for small n, and
            no objects are moved after average link.
        y : ignored
        constraints : Constraints, optional
            Constraints on the n objects.
        """
        self._validate_params()
        self.linkage_method_ = self._choose_linkage()
        evidence = _counted(ensemble)
        n = evidence.shape[0] if isinstance(evidence, CoAssociation) else evidence.n_objects
        constraints = as_constraints(constraints, n)
        goal = self._goal(n, constraints)
        if not self.strict:
            linked = printed_complete_link(evidence, constraints, self.n_clusters, self.threshold)
        elif self.linkage_method_ == "average" and self.threshold is None and isinstance(evidence, Ensemble):
            linked = link_and_repair(evidence, constraints, goal, verbose=self.verbose)
        else:
            linked = link(evidence, constraints, self.linkage_method_, goal, verbose=self.verbose)
        self.merges_ = linked.merges
        self.components_ = constraints.closure().chunk_of
        self._finish(evidence, linked.labels)
        self.violations_ = constraints.violations(self.labels_)
        self.dead_end_ = self.threshold is None and self.n_clusters_ > goal.n_clusters
        if self.dead_end_:
            warnings.warn(
                f"{self.n_clusters_} clusters are left instead of {goal.n_clusters}, because all of them must be "
                "apart. Ask for more clusters, or leave out some cannot-links.",
                UserWarning,
                stacklevel=2,
            )
        return self

    def _choose_linkage(self) -> str:
        if self.linkage != "auto":
            return self.linkage
        return "average" if self.n_clusters is not None else "single"

    def _goal(self, n: int, constraints: Constraints) -> Goal:
        if not self.strict and self.linkage_method_ != "complete":
            raise ValueError(
                f"strict=False is a form of complete link; got {self.linkage_method_} link, which always satisfies "
                "hard constraints. Give constraints weights if they may be broken."
            )
        if self.threshold is not None:
            if self.n_clusters is not None:
                raise ValueError("n_clusters and threshold are both given: give one of them to stop merging.")
            return Goal(1, 1 - self.threshold - _TIE, None)
        k = self._check_n_clusters(n)
        if not self.strict:
            return Goal(k, 0.0, None)
        feasibility = constraints.check(k, allow_empty=False)
        if feasibility.status != "feasible":
            constraints.ensure_feasible(k, allow_empty=False)  # raises with the proof, or warns
        return Goal(k, 0.0, feasibility.witness)


def _counted(ensemble: Any) -> Ensemble | CoAssociation:
    """The ensemble without its partitions of weight 0, or evidence that has no ensemble."""
    if isinstance(ensemble, CoAssociation):
        if ensemble.ensemble is None:
            return ensemble
        ensemble = ensemble.ensemble
    ensemble = as_ensemble(ensemble)
    return ensemble if ensemble.weights.all() else ensemble.take_partitions(np.flatnonzero(ensemble.weights))

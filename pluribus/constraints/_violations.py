"""Which constraints a partition breaks."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from ._said import Statements
from ._statements import Floats, Indices


@dataclass(frozen=True, eq=False)
class Violations:
    """The constraints that a partition breaks, each named.

    Made by :meth:`Constraints.violations`.

    Attributes
    ----------
    must_link, cannot_link : ndarray of shape (b, 2)
        The broken pairs.
    must_weight, cannot_weight : ndarray of shape (b,)
        Their weights; infinite for hard ones.
    split_groups : tuple
        Groups whose objects lie in several clusters.
    split_labels : tuple
        Known classes whose objects lie in several clusters.
    mixed_labels : tuple of pairs
        Pairs of known classes that share a cluster.
    n_unjudged : int
        Pairs with an object that the partition leaves out (-1): neither kept nor broken.

    Examples
    --------
    >>> from pluribus.constraints import Constraints
    >>> said = Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)], must_weight=[1, 2], cannot_weight=[4])
    >>> broken = said.violations([0, 0, 0])
    >>> broken.count, broken.weight, broken.cannot_link.tolist()
    (1, 4.0, [[0, 2]])
    """

    must_link: Indices
    must_weight: Floats
    cannot_link: Indices
    cannot_weight: Floats
    split_groups: tuple[Hashable, ...]
    split_labels: tuple[Hashable, ...]
    mixed_labels: tuple[tuple[Hashable, Hashable], ...]
    n_unjudged: int

    @property
    def count(self) -> int:
        """How many constraints are broken: pairs, groups, classes split and pairs of classes mixed."""
        named = len(self.split_groups) + len(self.split_labels) + len(self.mixed_labels)
        return len(self.must_link) + len(self.cannot_link) + named

    @property
    def n_hard(self) -> int:
        """How many of them are hard."""
        n_soft = np.isfinite(self.must_weight).sum() + np.isfinite(self.cannot_weight).sum()
        return int(self.count - n_soft)

    @property
    def weight(self) -> float:
        """Total weight of the soft pairs that are broken."""
        return float(sum(w[np.isfinite(w)].sum() for w in (self.must_weight, self.cannot_weight)))

    def __repr__(self) -> str:
        return (
            f"<Violations: {len(self.must_link)} must-links, {len(self.cannot_link)} cannot-links, "
            f"{len(self.split_groups)} groups, {len(self.split_labels)} classes split, "
            f"{len(self.mixed_labels)} pairs of classes mixed; {self.n_hard} hard, soft weight {self.weight:g}>"
        )


def find_violations(said: Statements, clusters: Indices) -> Violations:
    """Compare the ends of each pair, and the clusters that each group and class meets; O(n + pairs)."""
    left, right = clusters[said.must_link].T
    other_left, other_right = clusters[said.cannot_link].T
    judged = (left >= 0) & (right >= 0)
    other_judged = (other_left >= 0) & (other_right >= 0)
    apart = judged & (left != right)
    together = other_judged & (other_left == other_right)
    n_classes, n_clusters = len(said.classes), int(clusters.max(initial=0)) + 1
    group, _ = _meetings(said.groups, clusters, n_clusters)
    met, in_cluster = _meetings(said.labels, clusters, n_clusters)
    split_groups = np.bincount(group, minlength=len(said.group_names)) > 1
    split_classes = np.bincount(met, minlength=n_classes) > 1
    one, other = _mixed(met, in_cluster, n_classes, n_clusters)
    return Violations(
        must_link=said.must_link[apart],
        must_weight=said.must_weight[apart],
        cannot_link=said.cannot_link[together],
        cannot_weight=said.cannot_weight[together],
        split_groups=tuple(said.group_names[split_groups].tolist()),
        split_labels=tuple(said.classes[split_classes].tolist()),
        mixed_labels=tuple(zip(said.classes[one].tolist(), said.classes[other].tolist(), strict=True)),
        n_unjudged=int((~judged).sum() + (~other_judged).sum()),
    )


def _meetings(named: Indices, clusters: Indices, n_clusters: int) -> tuple[Indices, Indices]:
    """The distinct (name, cluster) pairs over the objects that have both."""
    both = (named >= 0) & (clusters >= 0)
    return np.divmod(pd.unique(named[both] * n_clusters + clusters[both]), n_clusters)


def _mixed(met: Indices, cluster: Indices, n_classes: int, n_clusters: int) -> tuple[Indices, Indices]:
    """Pairs of classes that meet in some cluster."""
    incidence = sparse.coo_array((np.ones(len(met)), (met, cluster)), shape=(n_classes, n_clusters)).tocsr()
    shared = sparse.triu(incidence @ incidence.T, k=1).tocoo()
    order = np.lexsort((shared.col, shared.row))
    return shared.row[order], shared.col[order]

"""Which constraints a partition breaks."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from pluribus.constraints._cluster_violations import find_cluster_violations
from pluribus.constraints._stated_arrays import Statements
from pluribus.constraints._statements import Floats, Indices


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
    n_mixed : int
        How many pairs of known classes share a cluster.
    mixed_labels : tuple of pairs
        These pairs, written out only when they are asked for.
    outside : ndarray of int
        Objects that are in the cluster of no label that is allowed for them. Known labels have the clusters of their
        objects; the other labels are matched to clusters so that the fewest objects are outside.
    wrong_sizes : tuple of pairs
        Clusters that are too small or too large, with their sizes.
    disconnected : tuple
        Clusters that are not connected in the graph.
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
    n_mixed: int
    outside: Indices
    wrong_sizes: tuple[tuple[Hashable, int], ...]
    disconnected: tuple[Hashable, ...]
    n_unjudged: int
    _classes_met: "Meetings" = field(repr=False)

    @cached_property
    def mixed_labels(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """Pairs of known classes that share a cluster."""
        names, (one, other) = self._classes_met.names, self._classes_met.mixed()
        return tuple(zip(names[one].tolist(), names[other].tolist(), strict=True))

    @property
    def count(self) -> int:
        """How many constraints are broken: pairs, groups, classes split, pairs of classes mixed, and about clusters."""
        named = len(self.split_groups) + len(self.split_labels) + self.n_mixed
        named += len(self.outside) + len(self.wrong_sizes) + len(self.disconnected)
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
        about = [
            (len(self.outside), "objects outside their allowed labels"),
            (len(self.wrong_sizes), "wrong sizes"),
            (len(self.disconnected), "clusters not connected"),
        ]
        about_clusters = "".join(f", {n} {what}" for n, what in about if n)
        return (
            f"<Violations: {len(self.must_link)} must-links, {len(self.cannot_link)} cannot-links, "
            f"{len(self.split_groups)} groups, {len(self.split_labels)} classes split, "
            f"{self.n_mixed} pairs of classes mixed{about_clusters}; {self.n_hard} hard, soft weight {self.weight:g}>"
        )


def find_violations(said: Statements, clusters: Indices, names: npt.NDArray[Any]) -> Violations:
    """Compare the ends of each pair, and the clusters that each group and class meets; O(n + pairs).

    Clusters are positions in their `names`.
    """
    left, right = clusters[said.must_link].T
    other_left, other_right = clusters[said.cannot_link].T
    judged = (left >= 0) & (right >= 0)
    other_judged = (other_left >= 0) & (other_right >= 0)
    apart = judged & (left != right)
    together = other_judged & (other_left == other_right)
    groups = _meetings(said.groups, clusters, said.group_names)
    classes = _meetings(said.labels, clusters, said.classes)
    return Violations(
        must_link=said.must_link[apart],
        must_weight=said.must_weight[apart],
        cannot_link=said.cannot_link[together],
        cannot_weight=said.cannot_weight[together],
        split_groups=tuple(said.group_names[groups.is_split].tolist()),
        split_labels=tuple(said.classes[classes.is_split].tolist()),
        n_mixed=classes.count_mixed(),
        **find_cluster_violations(said, clusters, names),
        n_unjudged=int((~judged).sum() + (~other_judged).sum()),
        _classes_met=classes,
    )


class Meetings(NamedTuple):
    """Which class (or group) meets which cluster, each pair of them once."""

    names: npt.NDArray[Any]
    met: Indices
    cluster: Indices

    @property
    def is_split(self) -> npt.NDArray[np.bool_]:
        """Whether each class lies in several clusters."""
        return np.bincount(self.met, minlength=len(self.names)) > 1

    def mixed(self) -> tuple[Indices, Indices]:
        """Pairs of classes that meet in some cluster."""
        return _sharing(self.met, self.cluster)

    def count_mixed(self) -> int:
        """The number of these pairs, in linear time but for classes that are split."""
        split = self.is_split[self.met]
        whole = np.bincount(self.cluster[~split], minlength=int(self.cluster.max(initial=0)) + 1)  # in each cluster
        n_both_split = len(_sharing(self.met[split], self.cluster[split])[0])
        return int((whole * (whole - 1) // 2).sum() + whole[self.cluster[split]].sum() + n_both_split)


def _meetings(named: Indices, clusters: Indices, names: npt.NDArray[Any]) -> Meetings:
    """The distinct (name, cluster) pairs over the objects that have both."""
    both = (named >= 0) & (clusters >= 0)
    n_clusters = int(clusters.max(initial=0)) + 1
    return Meetings(names, *np.divmod(pd.unique(named[both] * n_clusters + clusters[both]), n_clusters))


def _sharing(met: Indices, cluster: Indices) -> tuple[Indices, Indices]:
    incidence = sparse.coo_array((np.ones(len(met)), (met, cluster))).tocsr() if len(met) else sparse.csr_array((1, 1))
    shared = sparse.triu(incidence @ incidence.T, k=1).tocoo()
    order = np.lexsort((shared.col, shared.row))
    return shared.row[order], shared.col[order]

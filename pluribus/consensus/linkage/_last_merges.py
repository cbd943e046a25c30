"""The last merges of average link, by the rule on which halves of the ensemble agree."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import sklearn
from scipy import sparse

from pluribus._kernels.labels.co_association import count_by_label
from pluribus._kernels.linkage.merge_groups import AVERAGE, PER_OBJECT, RELATIVE, merge_groups
from pluribus.compare import adjusted_rand_index
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.consensus.linkage._k_stability import FEWEST, NEGLIGIBLE, halves
from pluribus.partitions import Ensemble
from pluribus.tables import Rows
from pluribus.tables._internal import BLOCK

_Sums = tuple[np.ndarray, np.ndarray]  # the weight together, and the weight seen together, between groups
RULES = {"average": AVERAGE, "per object": PER_OBJECT, "relative": RELATIVE}
_WORDS = {
    "average": "by the mean evidence between them (average link)",
    "per object": "by the evidence between them for each object, which lets clusters differ more in size",
    "relative": "by the evidence between them relative to that within them",
}
_GROUPS, _MOST_GROUPS = 60, 1_000  # left by average link, at least and at most
_PER_CLUSTER = 3  # groups at least, so that rules can differ
_SPLITS = 10
_WEAK = 2e-3  # share of the evidence within groups; weaker evidence between them comes from single misplaced objects
_CLEARLY, _LEAST = 0.1, 0.8  # by how much more, and how well, halves must agree on the result of another rule


class LastMerges(NamedTuple):
    """The rule by which the last groups were merged.

    Attributes
    ----------
    rule : {"average", "per object", "relative"}
        The two groups merged next have the highest mean evidence between them; the highest mean evidence times the
        number of their objects; or the highest mean evidence relative to the geometric mean of that within them.
    stability : dict
        For each rule, the mean adjusted Rand index between the results of two halves of the ensemble; empty if only
        average link was possible.
    partitions : tuple of (rule, ndarray of shape (m,))
        The labels of the m linked objects by each rule; empty if only average link was possible.
    """

    rule: str
    stability: dict[str, float]
    partitions: tuple[tuple[str, np.ndarray], ...] = ()

    @property
    def labels(self) -> np.ndarray:
        """Those by the chosen rule."""
        return dict(self.partitions)[self.rule]

    @property
    def sentence(self) -> str:
        """Why this rule."""
        if not self.stability:
            return f"Groups were merged {_WORDS['average']}."
        own, average = self.stability[self.rule], self.stability["average"]
        other = "no other rule is clearly better" if self.rule == "average" else f"average link gets {average:.2f}"
        return (
            f"Groups were merged {_WORDS[self.rule]}: halves of the ensemble agree on the result with an adjusted Rand "
            f"index of {own:.2f}; {other}."
        )


class LastGroups:
    """The groups that average link leaves, and what the members say of each two: they can be merged to any number.

    Attributes
    ----------
    groups : ndarray of shape (m,)
        The group of each linked object.
    """

    def __init__(
        self, groups: np.ndarray, between: "_Between", n_members: int, splits: list[tuple[np.ndarray, np.ndarray]]
    ) -> None:
        self.groups = groups
        self._between, self._splits = between, splits
        self._sums = between.sums(np.arange(n_members))

    @property
    def n_groups(self) -> int:
        """How many there are."""
        return len(self._between.sizes)

    def merged(self, n_clusters: int) -> dict[str, np.ndarray]:
        """The labels of the linked objects by each rule."""
        return {rule: self._between.merge(self._sums, n_clusters, rule)[self.groups] for rule in RULES}

    def by_halves(self, n_clusters: int, rule: str) -> list[tuple[np.ndarray, np.ndarray]]:
        """The labels of the linked objects by one rule, from each half of the members in each split."""

        def merged(sums: _Sums) -> np.ndarray:
            return self._between.merge(sums, n_clusters, rule)[self.groups]

        return [(merged(one), merged(other)) for one, other in self._sums_of_halves]

    @cached_property
    def _sums_of_halves(self) -> list[tuple[_Sums, _Sums]]:
        return [(self._between.sums(one), self._between.sums(other)) for one, other in self._splits]

    def merge(self, n_clusters: int) -> LastMerges:
        """The rule for a number of clusters, and the partition by each rule."""
        chosen = LastMerges("average", {})
        if self.n_groups >= _PER_CLUSTER * n_clusters and self._splits:
            chosen = self._most_stable(n_clusters)
        return chosen._replace(partitions=tuple(self.merged(n_clusters).items()))

    def _most_stable(self, n_clusters: int) -> LastMerges:
        """Average link, unless halves of the ensemble agree clearly more on the result of another rule."""
        stability = {
            rule: float(np.mean([adjusted_rand_index(*both) for both in self.by_halves(n_clusters, rule)]))
            for rule in RULES
        }
        best = max(stability, key=lambda rule: stability[rule])
        clearly = stability[best] >= max(stability["average"] + _CLEARLY, _LEAST)
        return LastMerges(best if clearly else "average", stability)


def last_groups(
    ensemble: Ensemble,
    cluster_weights: np.ndarray,
    tree: np.ndarray,
    n_clusters: int,
    rng: np.random.Generator,
    X: Any = None,
    objects: np.ndarray | None = None,
) -> LastGroups | None:
    """The groups before the last merges; None if there is nothing left to merge, or far too much.

    Parameters
    ----------
    ensemble : Ensemble
    cluster_weights : ndarray of shape (q,)
        The weight of each cluster, times that of its partition.
    tree : ndarray of shape (n - 1, 4)
        Average link of the objects, whose last groups are merged.
    n_clusters : int
        That will be asked for; there are three times as many groups, or 60.
    rng : numpy Generator
        For the splits into halves.
    X : array, csr matrix or Rows, optional
        Features: groups with hardly any evidence between them are merged by their distance.
    objects : ndarray of shape (n,), optional
        The rows of X that the objects are; by default all.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.consensus.linkage._last_merges import last_groups
    >>> from pluribus.consensus._shared.evidence_linkages import average_link
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1], [80, 20])
    >>> ensemble = Ensemble([4 * truth + rng.integers(4, size=100) for _ in range(20)])
    >>> weights = np.ones(ensemble.offsets[-1])
    >>> tree = average_link(ensemble, weights, verbose=False)
    >>> merges = last_groups(ensemble, weights, tree, 2, rng).merge(2)
    >>> np.bincount(2 * truth + merges.labels), merges.rule
    (array([80,  0,  0, 20]), 'average')
    """
    n, r = ensemble.n_objects, len(ensemble)
    n_groups = min(max(_GROUPS, _PER_CLUSTER * n_clusters), n // 2)
    evidence = 1 - tree[:, 2]
    negligible = NEGLIGIBLE * evidence[n - n_groups - 1] if n_groups else 0.0
    n_groups = max(n_groups, int((evidence <= negligible).sum()) + 1)  # average link merged these in arbitrary order
    if not 1 < n_clusters < n_groups <= _MOST_GROUPS:
        return None
    groups = cut_into(tree, n_groups)
    between = _Between(ensemble, cluster_weights, groups)
    if X is not None:
        between.set_distances(_means(X, groups, between.sizes, objects))
    return LastGroups(groups, between, r, halves(r, _SPLITS, rng) if r >= FEWEST else [])


class _Between:
    """Evidence between groups of objects, by members of the ensemble."""

    def __init__(self, ensemble: Ensemble, cluster_weights: np.ndarray, groups: np.ndarray) -> None:
        self.sizes = np.bincount(groups).astype(np.float64)
        counts = count_by_label(ensemble.labels, ensemble.offsets, groups.astype(np.int64), len(self.sizes))
        self.inside, self.covered = counts
        self.cluster_weights, self.weights = cluster_weights, ensemble.weights
        self.member = np.repeat(np.arange(len(ensemble)), ensemble.n_clusters)
        self.weak, self.distances = 0.0, np.zeros((len(self.sizes),) * 2)

    def set_distances(self, means: np.ndarray) -> None:
        """Merge by the increase of the sum of squares (Ward) where the evidence is weak."""
        squared = sklearn.metrics.pairwise.euclidean_distances(means / (np.abs(means).max() or 1.0), squared=True)
        self.distances = squared * np.multiply.outer(self.sizes, self.sizes) / np.add.outer(self.sizes, self.sizes)
        self.weak = _WEAK

    def sums(self, members: np.ndarray) -> _Sums:
        """The weight together, and the weight seen together, of all pairs of objects between groups."""
        columns = np.isin(self.member, members)
        inside, covered = self.inside[columns], self.covered[members]
        together = inside.T @ (self.cluster_weights[columns, None] * inside)
        return together, covered.T @ (self.weights[members, None] * covered)

    def merge(self, sums: _Sums, n_clusters: int, rule: str) -> np.ndarray:
        """The cluster of each group."""
        return merge_groups(*sums, self.weak, self.distances, self.sizes, n_clusters, RULES[rule])


def _means(X: Any, groups: np.ndarray, sizes: np.ndarray, objects: np.ndarray | None) -> np.ndarray:
    """The mean row of each group, relative to the mean of these means."""
    of_row = groups
    if objects is not None:
        of_row = np.full(X.shape[0], -1)
        of_row[objects] = groups
    blocks = X.blocks(BLOCK) if isinstance(X, Rows) else [(0, X)]
    total = np.zeros((len(sizes), X.shape[1]))
    for start, block in blocks:
        here = of_row[start : start + block.shape[0]]
        used = np.flatnonzero(here >= 0)
        chosen = sparse.csr_array((1 / sizes[here[used]], (here[used], used)), shape=(len(sizes), block.shape[0]))
        total += chosen @ block
    return total - total.mean(axis=0)

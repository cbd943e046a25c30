"""How the last groups of objects are merged: by the rule whose result halves of the ensemble find again."""

from typing import Any, NamedTuple

import numpy as np
import sklearn
from scipy import sparse

from pluribus._kernels._co_association import count_by_label
from pluribus._kernels._merge_groups import AVERAGE, PER_OBJECT, RELATIVE, merge_groups
from pluribus.compare import adjusted_rand_index
from pluribus.consensus._dendrogram import cut_into
from pluribus.consensus._reproduced import FAINT
from pluribus.partitions import Ensemble

RULES = {"average": AVERAGE, "per object": PER_OBJECT, "relative": RELATIVE}
_WORDS = {
    "average": "by the mean evidence between them (average link)",
    "per object": "by the evidence between them for each object, which lets clusters differ more in size",
    "relative": "by the evidence between them relative to that within them",
}
_GROUPS = 60  # that average link leaves; they are too fine for the rules to differ much in what they make of them
_PER_CLUSTER = 3  # groups at least, for the rules to have a choice
_FEWEST = 4  # members to be split
_SPLITS = 10
_CLEARLY = 0.1  # by so much another rule must be more stable to take the place of average link


class Merging(NamedTuple):
    """The rule by which the last groups were merged.

    Attributes
    ----------
    rule : {"average", "per object", "relative"}
        What is greatest between the two groups that are merged next: the mean evidence; that times the number of
        their objects; or that relative to the geometric mean of the evidence within the two.
    stability : dict
        For each rule, the mean adjusted Rand index between the results of two halves of the ensemble; empty if there
        was no choice.
    """

    rule: str
    stability: dict[str, float]

    @property
    def sentence(self) -> str:
        """Why this rule."""
        if not self.stability:
            return f"Groups were merged {_WORDS['average']}."
        own, average = self.stability[self.rule], self.stability["average"]
        beside = "no other clearly better" if self.rule == "average" else f"that of average link with {average:.2f}"
        return (
            f"Groups were merged {_WORDS[self.rule]}: halves of the ensemble find the result again with an adjusted "
            f"Rand index of {own:.2f}, {beside}."
        )


def merged(
    ensemble: Ensemble,
    cluster_weights: np.ndarray,
    tree: np.ndarray,
    n_clusters: int,
    rng: np.random.Generator,
    rows: Any = None,
) -> tuple[np.ndarray, Merging]:
    """Labels of the objects, and the rule by which they came about.

    Parameters
    ----------
    ensemble : Ensemble
    cluster_weights : ndarray of shape (q,)
        What being together in each cluster counts.
    tree : ndarray of shape (n - 1, 4)
        Average link of the objects, whose last groups are merged.
    n_clusters : int
    rng : numpy Generator
        For the splits into halves.
    rows : array or csr matrix of shape (n, d), optional
        The objects' features: where there is only faint evidence left between groups, the nearest are merged.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.consensus._merging import merged
    >>> from pluribus.consensus._trees import average_link
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1], [80, 20])
    >>> ensemble = Ensemble([4 * truth + rng.integers(4, size=100) for _ in range(20)])
    >>> weights = np.ones(ensemble.offsets[-1])
    >>> labels, merging = merged(ensemble, weights, average_link(ensemble, weights, verbose=False), 2, rng)
    >>> np.bincount(2 * truth + labels), merging.rule
    (array([80,  0,  0, 20]), 'average')
    """
    n, r = ensemble.n_objects, len(ensemble)
    n_groups = min(_GROUPS, n // 2)
    if n_clusters == 1 or n_groups < _PER_CLUSTER * n_clusters or r < _FEWEST:
        return cut_into(tree, n_clusters), Merging("average", {})
    groups = cut_into(tree, n_groups)
    faint = FAINT * (1 - tree[n - n_groups - 1, 2])
    evidence = _Evidence(ensemble, cluster_weights, groups, rows, faint)
    halves = [np.array_split(rng.permutation(r), 2) for _ in range(_SPLITS)]
    stability = {}
    for name, rule in RULES.items():
        pairs = [[evidence.merge(half, n_clusters, rule)[groups] for half in both] for both in halves]
        stability[name] = float(np.mean([adjusted_rand_index(*pair) for pair in pairs]))
    best = max(stability, key=lambda name: stability[name])
    if stability[best] < stability["average"] + _CLEARLY:
        best = "average"
    return evidence.merge(np.arange(r), n_clusters, RULES[best])[groups], Merging(best, stability)


class _Evidence:
    """Between groups of objects, by members of the ensemble."""

    def __init__(
        self, ensemble: Ensemble, cluster_weights: np.ndarray, groups: np.ndarray, rows: Any, faint: float
    ) -> None:
        self.sizes = np.bincount(groups).astype(np.float64)
        counts = count_by_label(ensemble.labels, ensemble.offsets, groups.astype(np.int64), len(self.sizes))
        self.inside, self.covered = counts
        self.cluster_weights, self.weights = cluster_weights, ensemble.weights
        self.member = np.repeat(np.arange(len(ensemble)), ensemble.n_clusters)
        self.faint = 0.0 if rows is None else faint
        self.apart = np.zeros((len(self.sizes),) * 2) if rows is None else _apart(rows, groups, self.sizes)

    def merge(self, members: np.ndarray, n_clusters: int, rule: int) -> np.ndarray:
        """The cluster of each group by the evidence of some members."""
        some = np.isin(self.member, members)
        inside, covered = self.inside[some], self.covered[members]
        together = inside.T @ (self.cluster_weights[some, None] * inside)
        seen = covered.T @ (self.weights[members, None] * covered)
        return merge_groups(together, seen, self.faint, self.apart, self.sizes, n_clusters, rule)


def _apart(rows: Any, groups: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """By how much the sum of squares would grow if two groups were one."""
    n, k = len(groups), len(sizes)
    means = sparse.csr_array((1 / sizes[groups], (groups, np.arange(n))), shape=(k, n)) @ rows
    squared = sklearn.metrics.pairwise.euclidean_distances(means, squared=True)
    return squared * np.multiply.outer(sizes, sizes) / np.add.outer(sizes, sizes)

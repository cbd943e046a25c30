"""The merges of one run: the clusters at every threshold, precision and recall, and a threshold without labels."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from pluribus._kernels.graphs.joined_after import joined_after
from pluribus._kernels.graphs.path_counts import path_counts
from pluribus._kernels.linkage.dendrogram import groups_after
from pluribus.partitions._internal import encode_labels, number_by_size
from pluribus.relational.entities._inputs import Candidates

_SLACK = 1e-12  # similarities are compared after rounding to this
_DEFAULT = 0.5  # threshold if the path has no gap
_MOST = 3  # times as many candidates in one cluster as at the steadiest threshold: more, and it is not taken


class PrecisionRecallCurve(NamedTuple):
    """Pairwise precision and recall at each threshold, from the highest.

    Attributes
    ----------
    thresholds : ndarray of shape (m,)
        Descending; the first, infinity, stands for the first clusters, before any merge.
    precision, recall, f1 : ndarray of shape (m,)
    """

    thresholds: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    f1: np.ndarray

    @property
    def best(self) -> int:
        """The place of the largest F1, the highest threshold of several."""
        return int(self.f1.argmax())


class Path(NamedTuple):
    """First clusters, and the merges in their order."""

    first: np.ndarray  # (n,) the smallest reference of each reference's first cluster
    similarity: np.ndarray  # (m,)
    ids: np.ndarray  # (m, 3) two clusters, and the merged one, n + its number

    @property
    def lowest(self) -> np.ndarray:
        """The lowest similarity so far: the merges that are made at a threshold are the first of these above it."""
        return np.minimum.accumulate(self.similarity)

    def n_merges_at(self, threshold: float) -> int:
        """The number of merges before the first whose similarity is below the threshold."""
        return int(np.searchsorted(-self.lowest, _SLACK - threshold, side="right"))

    def labels_after(self, n_merges: int) -> np.ndarray:
        """The clusters after the first merges, numbered from the largest."""
        n = len(self.first)
        if n == 0:
            return np.empty(0, np.int64)
        groups = groups_after(self.ids.astype(np.float64), n, n_merges)[self.first]
        groups = np.unique(groups, return_inverse=True)[1]
        return number_by_size(groups, int(groups.max()) + 1)


def threshold_without_labels(path: Path, candidates: Candidates, floor: float) -> float:
    """The steadiest threshold, unless candidates agree best with clusters that hold over three times as many of them.

    Some blocks of candidates may be more similar than others, whatever the entity: names without further columns are
    equal or not, whole records never are. The steadiest stretch can then lie between two kinds of blocks, where most
    candidates are still apart. On made data it holds at least half as many candidates as the best agreement does.
    Blocks whose candidates are equally similar do not count.
    """
    steady = steadiest_stretch(path, floor)
    agreement, together = agreement_within_blocks(path, candidates)
    best = int(agreement[: 1 + path.n_merges_at(floor)].argmax())
    if _MOST * together[path.n_merges_at(steady)] >= together[best]:
        return steady
    return float(np.maximum(path.lowest[best - 1 : best + 1], floor).mean())


def agreement_within_blocks(path: Path, candidates: Candidates) -> tuple[np.ndarray, np.ndarray]:
    """After 0, 1, … merges: how far candidates in one cluster are more similar than the others of their block.

    The correlation between being together and being similar, times a constant. Both are centered within blocks, the
    connected parts of the graph of candidates, so that blocks of equally similar candidates do not count. 0 if it is
    not defined. The second result is the number of candidates in one cluster, without those blocks.
    """
    (pairs, similarity), n, m = candidates, len(path.first), len(path.similarity)
    if m == 0:
        return np.zeros(1), np.zeros(1)
    graph = sparse.coo_array((np.ones(len(pairs)), pairs.T), shape=(n, n))
    block = connected_components(graph, directed=False)[1][pairs[:, 0]]
    size = np.maximum(np.bincount(block, minlength=n), 1)
    above = similarity - (np.bincount(block, similarity, minlength=n) / size)[block]
    joined = joined_after(n, path.first, path.ids[:, :2], pairs)
    order = np.argsort(joined, kind="stable")
    earlier = pd.Series(block[order]).groupby(block[order]).cumcount().to_numpy()
    spread = np.bincount(joined[order], 1 - (2 * earlier + 1) / size[block[order]], minlength=m + 2)[: m + 1].cumsum()
    common = np.bincount(joined, above, minlength=m + 2)[: m + 1].cumsum()
    defined = spread > _SLACK * max(len(pairs), 1)
    agreement = np.where(defined, common / np.sqrt(np.where(defined, spread, 1.0)), 0.0)
    inside = np.append(path.lowest[1:] == path.lowest[:-1], False)[:m]  # more merges at the same threshold follow
    agreement[1:][inside] = 0.0
    differ = (np.bincount(block, above**2, minlength=n) > _SLACK)[block]
    return np.round(agreement, 9), np.bincount(joined[differ], minlength=m + 2)[: m + 1].cumsum()


def steadiest_stretch(path: Path, floor: float) -> float:
    """The middle of the range where the clusters change least with the threshold; the highest of equal ones.

    Among k = √m consecutive merges, of m, the change is the factor by which pairs in one cluster grow, on a logarithmic
    scale, over the range of similarity that the merges span. Merges within entities are similar, merges between
    entities are not and put many pairs together, and in between little happens. The first k - 1 merges are left out:
    few pairs are together yet. Merges are ordered by the lowest similarity so far, down to a floor: below it,
    similarities are small because pairs are missing. 0.5 if fewer than two are left.
    """
    levels = path.lowest[path.lowest >= floor - _SLACK]
    if len(levels) < 2:
        return _DEFAULT
    n, k = len(path.first), min(max(round(np.sqrt(len(levels))), 1), len(levels) - 1)
    together, _ = path_counts(n, path.first, np.zeros(n, np.int64), path.ids[: len(levels), :2])
    growth = np.log(together[1 + k :] / together[1:-k])
    steadiness = np.round((levels[:-k] - levels[k:]) / growth, 9)
    start = min(k - 1, len(steadiness) - 1)
    at = start + int(steadiness[start:].argmax())
    return float((levels[at] + levels[at + k]) / 2)


def curve_of_path(path: Path, truth: Any) -> PrecisionRecallCurve:
    """The curve of the clusterings along a path."""
    entity = _entities(truth, len(path.first))
    together, right = path_counts(len(path.first), path.first, entity, path.ids[:, :2])
    lowest = path.lowest
    last = np.append(lowest[1:] < lowest[:-1], True)[: len(lowest)]  # the last merge at each threshold
    places = np.append(0, np.flatnonzero(last) + 1)
    return _curve(np.append(np.inf, lowest[last]), together[places], right[places], entity)


def curve_of_pairs(pairs: np.ndarray, similarity: np.ndarray, truth: Any, n: int) -> PrecisionRecallCurve:
    """The curve of deciding each pair by itself, without transitive closure."""
    entity = _entities(truth, n)
    known = (entity[pairs] >= 0).all(axis=1)
    order = np.flatnonzero(known)[np.argsort(-similarity[known], kind="stable")]
    similarity, pairs = similarity[order], pairs[order]
    right = np.append(0, np.cumsum(entity[pairs[:, 0]] == entity[pairs[:, 1]]))
    last = np.append(similarity[1:] < similarity[:-1], True)[: len(similarity)]
    places = np.append(0, np.flatnonzero(last) + 1)
    return _curve(np.append(np.inf, similarity[last]), places, right[places], entity)


def _curve(thresholds: np.ndarray, together: np.ndarray, right: np.ndarray, entity: np.ndarray) -> PrecisionRecallCurve:
    sizes = np.bincount(entity[entity >= 0])
    true = (sizes * (sizes - 1) // 2).sum()
    precision = np.where(together > 0, right / np.maximum(together, 1), 1.0)
    recall = right / true if true else np.ones(len(right))
    f1 = np.where(together + true > 0, 2 * right / np.maximum(together + true, 1), 1.0)
    return PrecisionRecallCurve(thresholds, precision, recall, f1)


def _entities(truth: Any, n: int) -> np.ndarray:
    codes = encode_labels(truth, "y_true")[0]
    if len(codes) != n:
        raise ValueError(f"y_true has {len(codes)} labels, but there are {n} references.")
    return codes

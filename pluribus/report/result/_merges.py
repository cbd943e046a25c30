"""The merges of a result and the tests behind them, as numbers and words: the top of the tree, and the increments."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pluribus.increments import IncrementsDistribution
from pluribus.pipeline import MergeRecord

_STEPS = 40  # merges that are drawn: those that come last
_CLUSTERS = 12  # whose increments are drawn
_BINS = 30
_POINTS = 120
_FARTHEST = 6.0  # means, to which histograms reach; larger increments are counted in the last bar


class Step(NamedTuple):
    """A merge as it is drawn: the places and heights of both sides, its own height, and its test in words."""

    left: float
    right: float
    from_left: float
    from_right: float
    height: float
    cluster: int  # -1 where clusters are joined
    words: str


class Leaf(NamedTuple):
    """What the drawn tree starts from: its place and height, how many objects it has, and their cluster."""

    place: float
    height: float
    size: int
    cluster: int


@dataclass(frozen=True, eq=False)
class ClusterIncrements:
    """The increments of a cluster: a histogram as a density, and the curve that was fitted."""

    cluster: int
    n: int
    mean: float
    edges: np.ndarray
    density: np.ndarray
    n_beyond: int
    curve: tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class MergeView:
    """The last merges, and the increments of the largest clusters."""

    steps: tuple[Step, ...]
    leaves: tuple[Leaf, ...]
    n_merges: int
    n_tests: int
    n_rejected: int
    increments: tuple[ClusterIncrements, ...]
    heights: str
    model: str


def merge_view(record: MergeRecord | None, labels: np.ndarray) -> MergeView | None:
    """What the report shows of a record."""
    if record is None:
        return None
    steps, leaves = _top_of_the_tree(record)
    rejected = int((record.tests["node"] < 0).sum())
    drawn = [_increments(record, labels, cluster) for cluster in range(min(len(record.means), _CLUSTERS))]
    return MergeView(
        steps,
        leaves,
        record.n_merges,
        len(record.tests),
        rejected,
        tuple(one for one in drawn if one is not None),
        record.heights,
        record.model,
    )


def _top_of_the_tree(record: MergeRecord) -> tuple[tuple[Step, ...], tuple[Leaf, ...]]:
    m, n_rows = len(record.leaf_labels), len(record.tree)
    first = max(0, n_rows - _STEPS)
    children = record.tree[:, :2].astype(np.int64)
    sizes, clusters = _nodes(record, children)
    height = np.concatenate([np.zeros(m), record.tree[:, 2]])
    top = range(m + first, m + n_rows)
    order = _leaves_in_order(children, m, first)
    place = {node: float(position) for position, node in enumerate(order)}
    leaves = tuple(Leaf(place[node], float(height[node]), int(sizes[node]), int(clusters[node])) for node in order)
    words = _words(record, clusters, children)
    steps = []
    for node in top:
        left, right = children[node - m].tolist()
        place[node] = (place[left] + place[right]) / 2
        made = node - m < record.n_merges
        sides = place[left], place[right], float(height[left]), float(height[right])
        steps.append(Step(*sides, float(height[node]), int(clusters[node]) if made else -1, words[node - m]))
    return tuple(steps), leaves


def _nodes(record: MergeRecord, children: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Objects and cluster of each node; the cluster of a node above clusters is that of its left side."""
    sizes, clusters = record.leaf_sizes.tolist(), record.leaf_labels.tolist()
    for left, right in children.tolist():
        sizes.append(sizes[left] + sizes[right])
        clusters.append(clusters[left])
    return np.array(sizes), np.array(clusters)


def _leaves_in_order(children: np.ndarray, m: int, first: int) -> list[int]:
    """The nodes below the drawn merges from left to right, so that no lines cross."""
    if len(children) == first:
        return list(range(m))
    order, stack = [], [m + len(children) - 1]
    while stack:
        node = stack.pop()
        if node >= m + first:
            left, right = children[node - m].tolist()
            stack += [right, left]
        else:
            order.append(node)
    return order


def _words(record: MergeRecord, clusters: np.ndarray, children: np.ndarray) -> dict[int, str]:
    """For each row of the tree, what its test said; where clusters were not merged, why."""
    words = {}
    tests = record.tests
    by_node = dict(zip(tests["node"].tolist(), range(len(tests)), strict=True))
    refused = tests[tests["node"] < 0]
    sides = list(zip(refused["left"].tolist(), refused["right"].tolist(), refused.index.tolist(), strict=True))
    cluster_of = clusters.tolist()
    m = len(record.leaf_labels)
    for row in range(max(0, len(record.tree) - _STEPS), len(record.tree)):
        if row < record.n_merges:
            place = by_node.get(m + row)
            words[row] = "" if place is None else _said(tests.iloc[place])
        else:
            pair = {cluster_of[node] for node in children[row].tolist()}
            why = [index for left, right, index in sides if pair & {cluster_of[left], cluster_of[right]}]
            words[row] = f"not merged; {_said(refused.loc[why[-1]])}" if why else "not merged"
    return words


def _said(test: object) -> str:
    statistic = float(test["statistic"])  # type: ignore[index]
    outcome = str(test["outcome"])  # type: ignore[index]
    return f"{outcome} ({statistic:.4g})" if np.isfinite(statistic) else outcome


def _increments(record: MergeRecord, labels: np.ndarray, cluster: int) -> ClusterIncrements | None:
    own = record.increments[labels == cluster]
    own = own[np.isfinite(own)]
    mean = float(record.means[cluster])
    if len(own) == 0 or not mean > 0:
        return None
    edges = np.linspace(0, _FARTHEST * mean, _BINS + 1)
    counts, _ = np.histogram(own, edges)
    x = np.linspace(0, _FARTHEST * mean, _POINTS)
    law = IncrementsDistribution(mean, model=record.model)  # type: ignore[arg-type]
    density = counts / (len(own) * (edges[1] - edges[0]))
    return ClusterIncrements(cluster, len(own), mean, edges, density, int((own > edges[-1]).sum()), (x, law.pdf(x)))

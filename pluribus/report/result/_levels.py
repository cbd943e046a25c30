"""The levels of the ladder as a tree: which cluster of a level lies in which of the next coarser one."""

import numpy as np

from pluribus.partitions._internal import contingency_of_codes
from pluribus.pipeline._internal import next_best
from pluribus.report.result.case import Case
from pluribus.report.result.summary import Ladder, Level, LevelCluster

_NAMED = 3  # splits that a sentence names


def ladder_view(case: Case, shown: np.ndarray) -> Ladder | None:
    """The levels from one group to the finest, with the labels of the objects that the map shows; None without any.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.pipeline._internal import KLadder
    >>> from pluribus.pipeline.candidates.k_ladder import Rung
    >>> from pluribus.report import Case
    >>> from pluribus.report.result._levels import ladder_view
    >>> fine, coarse = np.array([0, 0, 1, 1, 2]), np.array([0, 0, 0, 0, 1])
    >>> rungs = (Rung(2, 0.5, 0.9, 1.2, coarse), Rung(3, 0.6, 0.8, 1.1, fine))
    >>> ladder = KLadder(np.array([2, 3]), np.array([0.5, 0.6]), np.array([0.9, 0.8]), rungs, 3, "3 clusters: why.")
    >>> case = Case(
    ...     "t", Ensemble([fine] * 2), fine, np.eye(3)[fine], np.zeros(5), np.array(list("abcde")), ladder=ladder
    ... )
    >>> [level.words for level in ladder_view(case, np.arange(5)).levels]
    ['All objects.', 'All objects split into 2.', '0 splits into 0 and 1.']
    """
    ladder, result = case.ladder, case.n_clusters
    if ladder is None or result == 0:
        return None
    figures = {rung.n_clusters: (rung.score, rung.agreement, rung.separation) for rung in ladder.rungs}
    partitions = {1: np.zeros_like(case.labels)} | {rung.n_clusters: rung.labels for rung in ladder.rungs}
    partitions[result] = case.labels
    levels: list[Level] = []
    above: np.ndarray | None = None
    for k in sorted(partitions):
        labels = partitions[k]
        clusters = _clusters(labels, k, above, levels[-1].clusters if levels else ())
        levels.append(
            Level(
                k,
                *figures.get(k, (np.nan, np.nan, np.nan)),
                is_result=k == result,
                is_next=result > 1 and k == next_best(result, ladder),
                clusters=clusters,
                words=_words(clusters, len(levels)),
                shown=labels[shown],
            )
        )
        above = labels
    return Ladder(tuple(levels), ladder.numbers, ladder.scores, ladder.sentence)


def _clusters(
    labels: np.ndarray, k: int, above: np.ndarray | None, parents: tuple[LevelCluster, ...]
) -> tuple[LevelCluster, ...]:
    """The clusters of a level, each with the coarser one that holds most of it, in the order of these."""
    inside = labels >= 0
    sizes = np.bincount(labels[inside], minlength=k)
    if above is None:
        return tuple(LevelCluster(c, int(size), -1, 0) for c, size in enumerate(sizes))
    both = inside & (above >= 0)
    shared = contingency_of_codes(labels[both], above[both], k, len(parents))
    held_by = shared.argmax(axis=1)
    place = {parent.number: at for at, parent in enumerate(parents)}
    order = sorted(range(k), key=lambda c: (place[int(held_by[c])], c))
    return tuple(LevelCluster(c, int(sizes[c]), int(held_by[c]), int(shared[c, held_by[c]])) for c in order)


def _words(clusters: tuple[LevelCluster, ...], depth: int) -> str:
    """Which clusters of the next coarser level are split."""
    if depth == 0:
        return "All objects."
    if depth == 1:
        return f"All objects split into {len(clusters)}."
    children: dict[int, list[int]] = {}
    for cluster in clusters:
        children.setdefault(cluster.parent, []).append(cluster.number)
    split = [f"{parent} splits into {_listed(found)}" for parent, found in children.items() if len(found) > 1]
    more = [f"{len(split) - _NAMED} more split"] if len(split) > _NAMED else []
    return "; ".join([*split[:_NAMED], *more]) + "."


def _listed(numbers: list[int]) -> str:
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}" if len(numbers) <= 6 else f"{len(numbers)} clusters"

"""A result in one sentence: whether there are clusters, how many, and how clear they are."""

from collections.abc import Sequence

import numpy as np

from pluribus.pipeline.candidates.k_ladder import KLadder

_HALF, _UNSURE = 0.5, 0.9  # an object is ambiguous from this support of another cluster, or this uncertainty on
_BLOCK = 100_000  # rows of memberships that are copied at a time

# Share of the clearly assigned objects, and how well clusters are found again: a Jaccard index of 0.75 is stable, one
# of 0.6 shows a pattern (Hennig, Cluster-wise assessment of cluster stability, 2007).
_CLEAR, _FOUND_AGAIN = 0.98, 0.9
_GRADES = ((0.9, 0.75, "mostly clear"), (0.7, 0.6, "partly ambiguous"))
_WEAK = "weakly separated"
_VERDICTS = ("There are clusters", "It is not decided whether there are clusters", "One group, no evidence of clusters")


def runner_up(labels: np.ndarray, membership: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each object: membership in its own cluster, the next best cluster (-1: none) and the membership there.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.pipeline._headline import runner_up
    >>> own, next_best, other = runner_up(np.array([0, 1]), np.array([[0.7, 0.3], [0, 1]]), 2)
    >>> own, next_best, other
    (array([0.7, 1. ]), array([ 1, -1]), array([0.3, 0. ]))
    """
    n = len(labels)
    own, next_best, other = np.ones(n), np.full(n, -1), np.zeros(n)
    if k < 2:
        return own, next_best, other
    for start in range(0, n, _BLOCK):
        part = slice(start, start + _BLOCK)
        block = np.nan_to_num(np.array(membership[part, :k], dtype=np.float64))
        rows, mine = np.arange(len(block)), np.maximum(labels[part], 0)
        own[part] = block[rows, mine]
        block[rows, mine] = -1
        next_best[part] = block.argmax(axis=1)
        other[part] = block[rows, next_best[part]]
    next_best[other <= 0] = -1
    return own, next_best, other


def is_ambiguous(own: np.ndarray, other: np.ndarray, uncertainty: np.ndarray) -> np.ndarray:
    """Whether another cluster has at least half as much support as an object's own, or nearly all are equally likely.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.pipeline._headline import is_ambiguous
    >>> is_ambiguous(np.array([0.64, 0.7, 0.3]), np.array([0.36, 0.3, 0.1]), np.array([0.94, 0.88, 0.97]))
    array([ True, False,  True])
    """
    return (other > 0) & ((other >= _HALF * own) | (uncertainty >= _UNSURE))


def verdict_reason(sentences: Sequence[str]) -> str:
    """The sentence of the test whether there are clusters, among others; empty if there is none."""
    return next((text for text in sentences if text.startswith(_VERDICTS)), "")


def headline(
    *,
    n_objects: int,
    sizes: np.ndarray,
    n_members: int,
    given: bool,
    verdict: str,
    reason: str,
    share_clear: float,
    reproducibility: np.ndarray | None,
    ladder: KLadder | None,
) -> str:
    """The sentence that the report, the summary and the terminal begin with.

    Parameters
    ----------
    n_objects : int
    sizes : array of shape (n_clusters,)
    n_members : int
        Partitions in the ensemble.
    given : bool
        Whether the number of clusters was given.
    verdict : {"clusters", "undecided", "none", ""}
    reason : str
        The sentence behind the verdict.
    share_clear : float
        Share of the clustered objects that are not ambiguous.
    reproducibility : array of shape (n_clusters,) or None
    ladder : KLadder or None
    """
    k = len(sizes)
    if k == 0:
        return "No object was clustered"
    doubt = "" if given else verdict
    if k == 1:
        if doubt != "none":
            return "One cluster: the result does not divide the objects"
        because = reason.partition(": ")[2].rstrip(".")
        return f"One group: no evidence of clusters among {n_objects:,} objects{f' ({because})' if because else ''}"
    found = f"{k} clusters of {n_objects:,} objects"
    if doubt == "none":
        return f"No evidence of clusters: these {k} divide one group of {n_objects:,} objects"
    if doubt == "undecided":
        clear = "but it is not decided that there are clusters"
    elif n_members == 1:
        clear = "taken from a single partition"
    else:
        clear = _grade(k, sizes, share_clear, reproducibility, ladder, verdict == "clusters" and not given)
    other = next_best(k, ladder)
    return f"{found}, {clear}{'' if other is None else f'; next best: {other}'}"


def next_best(k: int, ladder: KLadder | None) -> int | None:
    """The best level of the ladder with another number of clusters; None if there is none."""
    others = [] if ladder is None else [rung for rung in ladder.rungs if rung.n_clusters != k]
    return max(others, key=lambda rung: rung.score).n_clusters if others else None


def finer_level(k: int, ladder: KLadder | None) -> int | None:
    """The finest level of the ladder with more clusters, each of them significant; None if there is none."""
    finer = [] if ladder is None else [r.n_clusters for r in ladder.rungs if r.n_clusters > k and r.separation >= 1]
    return max(finer, default=None)


def _grade(
    k: int,
    sizes: np.ndarray,
    share_clear: float,
    reproducibility: np.ndarray | None,
    ladder: KLadder | None,
    significant: bool,
) -> str:
    known = np.zeros(k, dtype=bool) if reproducibility is None else ~np.isnan(reproducibility)
    again = np.ones(k) if reproducibility is None else np.where(known, reproducibility, 1.0)
    if share_clear >= _CLEAR and again.min() >= _FOUND_AGAIN:
        if ladder is None:
            return "clearly assigned"
        if significant and known.all() and finer_level(k, ladder) is None:
            return "clearly separated"
    typical = float(np.average(again, weights=np.maximum(sizes, 1)))
    return next((words for clear, stable, words in _GRADES if share_clear >= clear and typical >= stable), _WEAK)

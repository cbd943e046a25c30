"""A comparison in plain words: how alike, which clusters are split, united or torn, how many objects stay together."""

import numpy as np

from pluribus.report._shared.flow_words import shortened
from pluribus.report._shared.words import Wording, count, percent
from pluribus.report.comparison.comparison import ComparisonSummary, Overlaps

_INSIDE = 0.75  # a cluster with this share of its objects in another is a part of it
_PART = 0.1  # of the cluster, or it is too small to be named as a part
_COVERED = 0.8  # parts that hold so much of a cluster are what it was split into
_NAMED = 3
_WORTH = 0.01  # a smaller share of the objects is not worth a sentence


def describe_comparison(summary: ComparisonSummary) -> Wording:
    """Put a comparison into words; A and B are the first and the second partition.

    Examples
    --------
    >>> from pluribus import Ensemble
    >>> from pluribus.report import Comparison, summarize_comparison
    >>> from pluribus.report._internal import describe_comparison
    >>> a, b = [1, 1, 1, 2, 2, 2, 2, 2], [1, 1, 1, 2, 2, 2, 3, 3]
    >>> words = describe_comparison(summarize_comparison(Comparison("t", Ensemble([a, b]), {})))
    >>> words.headline
    'B divides A further'
    >>> words.findings[1]
    "B splits A's cluster 2 into its clusters 2 (3 objects) and 3 (2 objects)."
    """
    return Wording(_headline(summary), tuple(_findings(summary)), tuple(_next_steps(summary)))


def _headline(s: ComparisonSummary) -> str:
    along, back = _inside(s)
    matched = 1 - s.n_moved / s.n_compared
    if s.n_moved == 0:
        return "A and B are the same partition"
    if along == 1:
        return "A divides B further"
    if back == 1:
        return "B divides A further"
    if matched >= 0.95:
        return "A and B are nearly the same"
    if matched >= 0.8:
        return "A and B are alike, with exceptions"
    if along >= 0.9:
        return "A divides B further, with exceptions"
    if back >= 0.9:
        return "B divides A further, with exceptions"
    return "A and B are partly alike" if matched >= 0.6 else "A and B divide the objects differently"


def _inside(s: ComparisonSummary) -> tuple[float, float]:
    """Share of the objects that go with most of their cluster of A into one of B, and the other way round."""
    return tuple(float(s.overlaps.main(side)[1].sum() / s.n_compared) for side in (0, 1))  # type: ignore[return-value]


def _findings(s: ComparisonSummary):
    k_a, k_b = s.n_clusters
    yield (
        f"A has {count(k_a, 'cluster')}, B has {count(k_b, 'cluster')}; {count(s.n_compared, 'object')} "
        f"{'is' if s.n_compared == 1 else 'are'} in both."
    )
    if s.n_moved == 0:
        yield "Only the names of the clusters may differ: every object stays where it is."
        return
    yield from _relations(s)
    matched = 1 - s.n_moved / s.n_compared
    yield (
        f"{percent(matched)} of the objects are in clusters that match one to one; {count(s.n_moved, 'object')} would "
        "have to change cluster to make the two equal."
    )
    pairs = _pairs(s.overlaps)
    if pairs is not None:
        stay, were = pairs
        yield (
            f"Of the pairs of objects that are together in A, {percent(stay)} stay together in B; of those together in "
            f"B, {percent(were)} are together in A."
        )


def _pairs(overlaps: Overlaps) -> tuple[float, float] | None:
    both, in_a, in_b = (
        float((sizes.astype(float) * (sizes - 1)).sum()) for sizes in (overlaps.count, *overlaps.sizes)
    )  # fmt: skip
    return (both / in_a, both / in_b) if in_a and in_b else None


def _relations(s: ComparisonSummary):
    """The largest splits, unions and tears."""
    names = [[shortened(label) for label in labels] for labels in s.labels]
    split, divided = _splits(s.overlaps, 0)
    united, joined = _splits(s.overlaps, 1)
    for number, (whole, parts) in enumerate(split):
        if number == _NAMED:
            yield f"So it does with {count(len(split) - _NAMED, 'more cluster')} of A."
            break
        listed = _listed([f"{names[1][j]} ({count(n, 'object')})" for j, n in parts])
        yield f"B splits A's cluster {names[0][whole]} into its clusters {listed}."
    for number, (whole, parts) in enumerate(united):
        if number == _NAMED:
            yield f"So it does in {count(len(united) - _NAMED, 'more cluster')} of its own."
            break
        listed = _listed([f"{names[0][i]} ({count(n, 'object')})" for i, n in parts])
        yield f"B unites A's clusters {listed} in its cluster {names[1][whole]}."
    torn = _torn(s.overlaps, divided | joined)
    if torn:
        told = [
            f"{names[0][i]} ({_listed([f'{n:,} in {names[1][j]}' for j, n in goals])})" for i, goals in torn[:_NAMED]
        ]
        more = f", and {len(torn) - _NAMED:,} more like that" if len(torn) > _NAMED else ""
        cluster = "cluster" if len(torn) == 1 else "clusters"
        yield f"Torn between clusters of B: A's {cluster} {_listed(told)}{more}."


def _splits(overlaps: Overlaps, side: int) -> tuple[list[tuple[int, list[tuple[int, int]]]], set[int]]:
    """Clusters of a side that are made of several of the other, largest first, with the parts; and the A clusters."""
    own, other = (overlaps.row, overlaps.column) if side == 0 else (overlaps.column, overlaps.row)
    sizes, other_sizes = overlaps.sizes[side], overlaps.sizes[1 - side]
    part = (overlaps.count >= _INSIDE * other_sizes[other]) & (overlaps.count >= _PART * sizes[own])
    number = np.bincount(own[part], minlength=len(sizes))
    held = np.bincount(own[part], overlaps.count[part], minlength=len(sizes))
    wholes = np.flatnonzero((number > 1) & (held >= _COVERED * sizes) & (sizes >= _WORTH * overlaps.n))
    wholes = wholes[np.argsort(-sizes[wholes], kind="stable")]
    told = []
    for whole in wholes[: _NAMED + 1].tolist():
        cells = np.flatnonzero(part & (own == whole))
        cells = cells[np.argsort(-overlaps.count[cells], kind="stable")]
        told.append((whole, list(zip(other[cells].tolist(), overlaps.count[cells].tolist(), strict=True))))
    told += [(whole, []) for whole in wholes[_NAMED + 1 :].tolist()]
    in_a = set(wholes.tolist()) if side == 0 else set(overlaps.row[part & np.isin(own, wholes)].tolist())
    return told, in_a


def _torn(overlaps: Overlaps, explained: set[int]) -> list[tuple[int, list[tuple[int, int]]]]:
    """Clusters of A that are neither kept nor split, with the clusters of B that take the most, largest loss first."""
    most = overlaps.main(0)[1]
    loss = overlaps.sizes[0] - most
    candidates = np.flatnonzero((most < _INSIDE * overlaps.sizes[0]) & (loss >= _WORTH * overlaps.n))
    candidates = candidates[np.argsort(-loss[candidates], kind="stable")]
    told: list[tuple[int, list[tuple[int, int]]]] = []
    for i in (c for c in candidates.tolist() if c not in explained):
        goals: list[tuple[int, int]] = []
        if len(told) < _NAMED:
            cells = np.flatnonzero(overlaps.row == i)
            cells = cells[np.argsort(-overlaps.count[cells], kind="stable")][:_NAMED]
            goals = list(zip(overlaps.column[cells].tolist(), overlaps.count[cells].tolist(), strict=True))
        told.append((i, goals))
    return told


def _next_steps(s: ComparisonSummary):
    if s.n_moved == 0:
        return
    if s.map is None:
        yield "Give the data too (--data): then there is a map of where the two differ, and distances that know space."
    yield "Look at the most disputed objects: they are where it matters which of the two you take."
    if s.n_clusters[0] != s.n_clusters[1]:
        yield "The numbers of clusters differ: trust the adjusted measures rather than those that are not."


def _listed(words: list[str], longest: int = 6) -> str:
    if len(words) > longest:
        return f"{', '.join(words[:longest])} and {len(words) - longest:,} more"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"

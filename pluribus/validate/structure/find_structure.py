"""Is there anything? Three witnesses of clusters, and the levels at which valleys separate groups."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import is_valid_linkage
from sklearn.utils import check_array

from pluribus._engine import check_n_jobs, number_array, real_number, seeds
from pluribus.consensus._internal import cut_into
from pluribus.validate.structure._shadows import least_p_value
from pluribus.validate.structure._spread_ties import spread_ties
from pluribus.validate.structure._valleys import Density, Step, chance_growth, merging_path

Verdict = Literal["clusters", "undecided", "none"]

_FEWEST = 16  # objects: fewer say nothing
_LEAVES = 30  # groups to begin with, at most
_BULKY = 2.3  # dimension above which a straight shadow of one group has one mode
_ALPHA, _WEAK_ALPHA = 0.1, 0.15  # of a median: uniform boxes, the worst case, reach the first in 2 % of the draws
_STABLE, _FALL, _WEAK_FALL = 0.98, np.log(10), 1.4  # halves agree, and the logarithm of the fall of the evidence
_AGREED = 0.5  # agreement of different methods that one group in a filled region does not reach
_DEEPEST = 0.9  # of the threshold for a single valley: the deepest one between groups of a dendrogram stays below it
_WEAKLY = 0.72  # of the deepest chance valley: below, there is not even a hint
_GIVEN_CLUSTERS = 0.75  # of the threshold: if there are clusters, less is asked of each


class Witnesses(NamedTuple):
    """What three tests saw.

    Attributes
    ----------
    saddle : float
        The depth of the valley that separates two groups, over that of the deepest chance valley: from 1 on it says
        "clusters".
    dip : float
        The least p-value of two modes along a split, the median over halves of the rows: up to 0.1 it says "clusters".
        NaN where it was not asked, along curves.
    gap : float
        By which factor the evidence between clusters falls at a number of clusters that halves of the ensemble find
        again with an adjusted Rand index of 0.98 or more; NaN without an ensemble.
    """

    saddle: float
    dip: float
    gap: float


class Level(NamedTuple):
    """A number of groups that valleys of the density separate.

    Attributes
    ----------
    n_clusters : int
    labels : ndarray of shape (n,)
    separation : ndarray of shape (n_clusters,)
        The depth of the valley between each group and those above it, over the threshold for its border and shape: 1
        is just significant. NaN for the highest group, infinite for one without neighbors outside.
    """

    n_clusters: int
    labels: np.ndarray
    separation: np.ndarray


@dataclass(frozen=True, eq=False)
class Structure:
    """Whether there are clusters, and what says so; see ``find_structure``.

    Attributes
    ----------
    verdict : {"clusters", "undecided", "none"}
    witnesses : Witnesses
    levels : tuple of Level
        From two groups on; each comes from the next by merging the group with the shallowest valley into the one behind
        it. Empty if no valley is deep.
    dimension : float
        The lesser of a local and a coarse estimate: about 1 along a curve, more where objects fill a region.
    n_objects : int
        That were looked at.
    """

    verdict: Verdict
    witnesses: Witnesses
    levels: tuple[Level, ...]
    dimension: float
    n_objects: int

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        most = max((level.n_clusters for level in self.levels), default=0)
        up_to = f" Valleys separate up to {most} groups." if most > 2 and self.verdict == "clusters" else ""
        return _SENTENCES[self.verdict] + _because(self) + up_to


_SENTENCES = {
    "clusters": "There are clusters",
    "undecided": "It is not decided whether there are clusters",
    "none": "One group, no evidence of clusters",
}


def _because(structure: Structure) -> str:
    saddle, dip, gap = structure.witnesses
    if np.isnan(saddle):
        return ": there are too few objects to tell." if structure.n_objects < _FEWEST else ": all rows are the same."
    seen = []
    if saddle > 0:
        deep = (
            "without neighbors between them" if np.isinf(saddle) else f"{saddle:.1f} times as deep as chance makes it"
        )
        seen.append(f"the deepest valley of the density is {deep}")
    else:
        seen.append("the density has one peak")
    if not np.isnan(dip):
        seen.append(f"p = {dip:.2g} for two modes along a split")
    if gap > 1:
        seen.append(f"the evidence falls {gap:.1f}-fold between clusters that halves of the ensemble find again")
    return ": " + ", ".join(seen) + "."


def find_structure(
    X: Any,
    tree: Any,
    *,
    lifetimes: Any = None,
    stability: Any = None,
    agreement: float | None = None,
    valley: float | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Structure:
    """Ask whether X has clusters at all: "clusters", "undecided" or "none".

    Three witnesses look. A valley of the density: groups of the dendrogram merge across the shallowest valley first;
    the depth of the last ones is held against what chance makes in one group of that size and shape, which is more
    where few ways lead across. A dip: rows in a projection on the direction that separates the sides of a split have
    two modes. A gap: the evidence falls ten times at a number of clusters that halves of the ensemble find again. One
    witness is enough for "clusters"; "none" is said if none of them has even a hint.

    It is a test against one group of any filled shape: normal, uniform, skewed, with heavy tails, of counts. Long thin
    curves are its weak spot: chance gaps along them look like valleys. Classes that overlap without a valley between
    them are one group to it.

    Parameters
    ----------
    X : array of shape (n, d)
        Features, scaled as for clustering.
    tree : array of shape (n - 1, 4)
        A dendrogram of the rows in scipy's format, of average link.
    lifetimes, stability : array of shape (m,), optional
        For 2, 3, … clusters: the logarithm of the fall of the evidence, and how well halves of the ensemble agree.
    agreement : float, optional
        How well different methods agree on the best partition, 0 to 1. From 0.5 on, it is a hint in a filled region,
        where methods disagree on one group: the verdict is then at least "undecided".
    valley : float, optional
        How deep valleys are around the clusters of other partitions, by ``cluster_separation`` over how much deeper
        chance makes them in a table of more rows: the greatest over partitions of the least over clusters. It counts
        if it is deeper than those between groups of the dendrogram.
    random_state : int, RandomState, Generator or None
        For halves of the rows, and the spread of values that occur many times.
    n_jobs : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.cluster.hierarchy import linkage
    >>> from pluribus.validate import find_structure
    >>> one = np.random.default_rng(0).normal(size=(300, 2))
    >>> two = np.append(one, one + [7, 0], axis=0)
    >>> found = find_structure(two, linkage(two, "average"))
    >>> found.verdict, [level.n_clusters for level in found.levels]
    ('clusters', [2])
    >>> find_structure(one, linkage(one, "average")).verdict
    'none'
    """
    check_n_jobs(n_jobs)
    agreement = None if agreement is None else real_number("agreement", agreement, -1, 1)
    valley = None if valley is None else real_number("valley", valley, -np.inf, np.inf)
    fall = _fall(lifetimes, stability)
    X = check_array(X, dtype=[np.float64, np.float32])
    n = len(X)
    tree = check_array(tree, dtype=np.float64, ensure_min_samples=0, input_name="tree")
    if tree.shape != (n - 1, 4):
        raise ValueError(
            f"tree has the shape {tree.shape}, but X has {n} rows: give a dendrogram of shape ({n - 1}, 4)."
        )
    _check_tree(tree)
    spread_rng, halves_rng = (np.random.default_rng(seed) for seed in seeds(random_state, 2))
    spread = spread_ties(X / (np.abs(X).max() or 1.0), spread_rng)  # in a unit whose squares are numbers
    nothing = Witnesses(np.nan, np.nan, np.nan)
    if not spread.shape[1]:
        return Structure("none", nothing, (), 0.0, n)
    if n < _FEWEST:
        return Structure("undecided", nothing, (), 0.0, n)
    density = Density.of(spread, n_jobs)
    leaves = cut_into(tree, max(2, min(_LEAVES, n // density.n_neighbors)))
    path = merging_path(density, leaves)
    dimension = min(density.local_dimension, density.dimension)
    saddle = max((step.weakest for step in path if step.n_groups > 1), default=0.0)
    saddle = max(saddle / chance_growth(n, density.n_neighbors), -np.inf if valley is None else valley) / _DEEPEST
    dip = least_p_value(spread, tree, halves_rng) if dimension >= _BULKY else np.nan
    strong = saddle >= 1 or dip <= _ALPHA or fall >= _FALL
    agreed = agreement is not None and agreement >= _AGREED and dimension >= _BULKY
    hint = saddle >= _WEAKLY or dip <= _WEAK_ALPHA or fall >= _WEAK_FALL or agreed
    verdict: Verdict = "clusters" if strong else "undecided" if hint else "none"
    levels = tuple(
        Level(step.n_groups, *_from_largest(step)) for step in reversed(path) if step.weakest >= _GIVEN_CLUSTERS
    )
    with np.errstate(over="ignore"):  # evidence may fall to nothing
        gap = float(np.exp(fall))
    return Structure(verdict, Witnesses(saddle, dip, gap), levels, dimension, n)


def _check_tree(tree: np.ndarray) -> None:
    """Refuse what merges clusters that do not exist, or exist no longer; heights do not matter."""
    heights = np.maximum(tree[:, 2:3], 0)
    try:
        if len(tree):
            is_valid_linkage(np.hstack([tree[:, :2], heights, tree[:, 3:]]), throw=True, name="tree")
    except (TypeError, ValueError) as error:
        raise ValueError(f"tree is no dendrogram in scipy's format: {error}") from error


def _fall(lifetimes: Any, stability: Any) -> float:
    """The greatest fall of the evidence at a number that halves find again; NaN if there are no halves."""
    if lifetimes is None or stability is None:
        return np.nan
    lifetimes, stability = number_array("lifetimes", lifetimes), number_array("stability", stability)
    if lifetimes.shape != stability.shape or lifetimes.ndim != 1:
        raise ValueError(
            f"lifetimes of shape {lifetimes.shape}, stability of {stability.shape}: give one each for 2, 3, …"
        )
    if np.isnan(stability).all():
        return np.nan
    found = lifetimes[stability >= _STABLE]
    return float(found.max()) if len(found) else 0.0


def _from_largest(step: Step) -> tuple[np.ndarray, np.ndarray]:
    """Labels and separations, numbered from the largest group."""
    order = np.argsort(-np.bincount(step.groups), kind="stable")
    return np.argsort(order)[step.groups], step.ratio[order]

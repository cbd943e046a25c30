"""Single link that grows from groups of seeds (SSLC)."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import list_of
from pluribus._kernels.linkage.seeded_growth import grow_groups, reach_of_groups
from pluribus.studio._trees import Tree, tree_of_distances, tree_of_features
from pluribus.tables._internal import check_distances, check_features


class Grown(NamedTuple):
    """What grew from the seeds.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        The group of each object.
    confidence : ndarray of shape (n,)
        1 for seeds; else 1 - (longest step to its own group) / (longest step to the nearest other group).
    """

    labels: np.ndarray
    confidence: np.ndarray


def seeded_single_link(
    X: Any = None, groups: Iterable[Sequence[int]] = (), *, D: Any = None, tree: Tree | None = None
) -> Grown:
    """Give every object the seed group that it reaches by the shortest steps.

    Again and again the object that is nearest to any group joins that group. Equal distances are ordered by the numbers
    of the two objects, so the result does not depend on how it is computed: here along one spanning tree, which serves
    all groups and costs a few milliseconds for 100,000 objects once it is there.

    Parameters
    ----------
    X : array of shape (n, d), optional
        Features; distances are Euclidean.
    groups : sequences of indices
        The seeds of each group, without overlap.
    D : array of shape (n, n), optional
        Distances in place of features.
    tree : Tree, optional
        A spanning tree that was made before, in place of both.

    Returns
    -------
    Grown

    References
    ----------
    desJardins, MacGlashan and Ferraioli, "Interactive visual clustering for relational data", in "Constrained
    Clustering", 2009.

    Examples
    --------
    >>> from pluribus.studio import seeded_single_link
    >>> grown = seeded_single_link([[0], [1], [2.5], [4.5], [7], [8]], groups=[[0], [5]])
    >>> grown.labels.tolist(), grown.confidence.round(1).tolist()
    ([0, 0, 0, 0, 1, 1], [1.0, 0.6, 0.4, 0.2, 0.6, 1.0])
    """
    tree = _tree(X, D) if tree is None else tree
    return grow(tree, _seeds(groups, tree.n_objects))


def grow(tree: Tree, group: np.ndarray) -> Grown:
    """Grow groups 0, 1, … along a tree; ``group`` is -1 for objects that are no seeds."""
    labels = grow_groups(tree.first, tree.second, group)
    near, far = reach_of_groups(tree.first, tree.second, tree.length, group)
    confidence = np.zeros(len(group))
    reached = np.isfinite(near) & (far > 0)
    confidence[reached] = np.where(np.isinf(far[reached]), 1.0, 1 - near[reached] / far[reached])
    confidence[group >= 0] = 1.0
    return Grown(labels, confidence)


def _tree(X: Any, D: Any) -> Tree:
    if (X is None) == (D is None):
        raise ValueError("Give either X, the features, or D, the distances.")
    if D is not None:
        return tree_of_distances(check_distances(D))
    return tree_of_features(check_features(X))[0]


def _seeds(groups: Any, n: int) -> np.ndarray:
    """The group of each seed, checked."""
    given = [list_of("groups", group, "indices") for group in list_of("groups", groups, "groups of indices")]
    if not given:
        raise ValueError("groups is empty: give at least one group of seeds.")
    group = np.full(n, -1, np.int64)
    for number, seeds in enumerate(given):
        if not seeds:
            raise ValueError(f"groups[{number}] is empty: every group needs a seed.")
        for i in seeds:
            if isinstance(i, bool) or not isinstance(i, int | np.integer) or not 0 <= i < n:
                raise ValueError(f"groups[{number}] has {i!r}: give indices from 0 to {n - 1}.")
            if group[i] not in (-1, number):
                raise ValueError(f"Object {i} is in groups {group[i]} and {number}: groups must not overlap.")
            group[i] = number
    return group

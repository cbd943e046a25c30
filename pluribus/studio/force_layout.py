"""A map of objects and links by springs and repulsion."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pluribus._engine import real_number, whole_number
from pluribus._kernels.graphs import force_layout as kernel
from pluribus.studio._events import CANVAS


@dataclass(frozen=True)
class ForceLayout:
    """Place linked objects near each other on the map, and all others apart.

    Every two objects repel each other with the force ``repulsion`` / D² at distance D. A link is a spring of the length
    ``length``. If clusters are given, each has a center where its pinned objects are, and a stiffer spring from there
    to each of its objects. Pinned objects stay where they are. The result depends on nothing but the input.

    Use it for up to some 3,000 objects: a step costs n² operations.

    Parameters
    ----------
    repulsion : float
    stiffness, cluster_stiffness : float
        Of the springs of links, and of those to the centers of clusters.
    length : float
        Of a spring at rest.
    gravity : float
        Stiffness of a pull towards the middle of the map. Without links and gravity, objects move to the rim.
    max_iter : int
    tolerance : float
        It stops when no object moves further in a step.

    References
    ----------
    desJardins, MacGlashan and Ferraioli, "Interactive visual clustering for relational data", in "Constrained
    Clustering", 2009. Heer, Card and Landay, "prefuse: a toolkit for interactive information visualization", 2005.

    Examples
    --------
    Two linked objects settle a little further apart than the length of the spring:

    >>> from pluribus.studio import ForceLayout
    >>> places = ForceLayout(tolerance=1e-6, max_iter=2000).settle([[400, 400], [600, 400]], [[0, 1]])
    >>> round(float(places[1, 0] - places[0, 0]), 3)
    62.713
    """

    repulsion: float = 1.0
    stiffness: float = 2e-5
    cluster_stiffness: float = 4e-5
    length: float = 50.0
    gravity: float = 0.0
    max_iter: int = 400
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        for name in ("repulsion", "stiffness", "cluster_stiffness", "length", "gravity", "tolerance"):
            real_number(name, getattr(self, name), 0.0, 1e9)
        whole_number("max_iter", self.max_iter, 0, 10**9)

    def forces(self, positions: Any, edges: Any = (), *, clusters: Any = None, pinned: Any = None) -> np.ndarray:
        """The force on each object, without gravity: array of shape (n, 2). Parameters as of ``settle``.

        Examples
        --------
        >>> from pluribus.studio import ForceLayout
        >>> ForceLayout().forces([[0, 0], [3, 0]]).round(4).tolist()
        [[-0.1111, 0.0], [0.1111, 0.0]]
        """
        places, _, *springs = self._arguments(positions, edges, clusters, pinned)
        return np.stack(kernel.forces(*places, *springs), axis=1)

    def settle(self, positions: Any, edges: Any = (), *, clusters: Any = None, pinned: Any = None) -> np.ndarray:
        """Move the objects from their present places to where the forces balance.

        Parameters
        ----------
        positions : array of shape (n, 2)
            Present places; those off the map (1000 × 800) count as on its rim.
        edges : array of shape (m, 2), optional
            Links, as pairs of indices. Each pair counts once, and an object with itself does not.
        clusters : array of shape (n,), optional
            The cluster of each object, -1 for none. Clusters without pinned objects pull nothing.
        pinned : sequence of indices, optional
            Objects that do not move.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        (x, y), fixed, *springs = self._arguments(positions, edges, clusters, pinned)
        how = (float(self.gravity), *CANVAS, _STEP, self.max_iter, float(self.tolerance))
        settle: Any = kernel.settle  # a compiled function, whose arguments are not known to the type checker
        settle(x, y, fixed, *springs, *how)
        return np.stack([x, y], axis=1)

    def _arguments(self, positions: Any, edges: Any, clusters: Any, pinned: Any) -> tuple[Any, ...]:
        x, y = _places(positions).T.copy()
        n = len(x)
        fixed = np.zeros(n, bool)
        fixed[_indices("pinned", () if pinned is None else pinned, n)] = True
        first, second = _links(edges, n)
        centers, center_of = _centers(x, y, fixed, clusters)
        own = (float(value) for value in (self.cluster_stiffness, self.length, self.repulsion))
        return (x, y), fixed, first, second, float(self.stiffness), center_of, *centers, *own


_STEP = 2000.0  # how far a point moves for each unit of force


def _places(positions: Any) -> np.ndarray:
    try:
        places = np.array(positions, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("positions must be pairs of numbers.") from None
    if places.ndim != 2 or places.shape[1] != 2 or not len(places):
        raise ValueError(f"positions must be pairs of numbers, one for each object; got shape {places.shape}.")
    if not np.isfinite(places).all():
        raise ValueError("positions has NaN or infinite numbers.")
    return np.clip(places, 0, CANVAS)


def _indices(name: str, given: Any, n: int) -> np.ndarray:
    try:
        indices = np.array(given)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be indices from 0 to {n - 1}.") from None
    if indices.size == 0:
        return np.empty(0, np.int64)
    if indices.dtype.kind not in "iu" or indices.min() < 0 or indices.max() >= n:
        raise ValueError(f"{name} must be indices from 0 to {n - 1}.")
    return indices.astype(np.int64)


def _links(edges: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    pairs = _indices("edges", edges, n)
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
        raise ValueError(f"edges must be pairs of indices; got shape {pairs.shape}.")
    pairs = np.unique(np.sort(pairs.reshape(-1, 2), axis=1), axis=0)
    first, second = np.ascontiguousarray(pairs[pairs[:, 0] < pairs[:, 1]].T)
    return first, second


def _centers(
    x: np.ndarray, y: np.ndarray, fixed: np.ndarray, clusters: Any
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """The middle of the pinned objects of each cluster, and the number of the center of each object."""
    n = len(x)
    if clusters is None:
        return (np.empty(0), np.empty(0)), np.full(n, -1, np.int64)
    labels = np.asarray(clusters)
    if labels.shape != (n,) or labels.dtype.kind not in "iu":
        raise ValueError(f"clusters must be {n} whole numbers, one for each object; got shape {labels.shape}.")
    known = np.unique(labels[fixed & (labels >= 0)])
    place = np.searchsorted(known, labels)
    held = np.isin(labels, known)
    center_of = np.where(held, place, -1).astype(np.int64)
    inside = center_of[fixed & held]
    sizes = np.bincount(inside, minlength=len(known))
    center_x, center_y = (np.bincount(inside, v[fixed & held], len(known)) / np.maximum(sizes, 1) for v in (x, y))
    return (center_x, center_y), center_of

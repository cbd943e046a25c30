"""What a session is about and never changes: the objects, their tree, their places on the map, the first partition."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus._engine import list_of
from pluribus.consensus._internal import cut_into
from pluribus.evidence import mean_evidence
from pluribus.partitions import Ensemble
from pluribus.partitions._internal import normalized_entropy
from pluribus.pipeline import Clustering
from pluribus.report._internal import principal_components
from pluribus.studio._events import CANVAS
from pluribus.studio._trees import Tree, tree_of_distances, tree_of_evidence, tree_of_features
from pluribus.studio.force_layout import ForceLayout
from pluribus.tables._internal import check_distances, check_features

_MARGIN = 0.06  # of the canvas that the first map leaves free on each side
_FITTED = 20_000  # rows that determine the axes of the map, at most
MOST_LINKED = 3_000  # objects that links draw to their place on the map
_LINKED_STEPS = 150  # of the layout, at most
MOST_K = 50  # clusters to which the ladder can be cut


class Level(NamedTuple):
    """A partition of all objects: the cluster of each, and how sure that is."""

    labels: np.ndarray
    confidence: np.ndarray


@dataclass(frozen=True, eq=False)
class Ladder:
    """The partitions that a session can start from: one for each number of clusters."""

    first: Level
    linkage: np.ndarray | None
    ensemble: Ensemble

    @property
    def k(self) -> int:
        """The number of clusters of the first partition."""
        return int(self.first.labels.max()) + 1

    @property
    def levels(self) -> tuple[int, ...]:
        """The numbers of clusters that there are."""
        if self.linkage is None:
            return (self.k,)
        return tuple(range(1, min(MOST_K, len(self.first.labels)) + 1))

    def level(self, k: int) -> Level:
        """The partition into k clusters."""
        if k == self.k:
            return self.first
        if self.linkage is None:
            raise ValueError(f"There is no hierarchy to cut into {k} clusters.")
        labels = cut_into(self.linkage, k)
        evidence = mean_evidence(self.ensemble, labels, k)
        total = evidence.sum(axis=1, keepdims=True)
        membership = np.divide(evidence, total, out=np.full_like(evidence, 1 / k), where=total > 0)
        return Level(labels, 1 - normalized_entropy(membership))


@dataclass(frozen=True, eq=False)
class Scene:
    """All that a session looks at.

    Attributes
    ----------
    ids : ndarray of n texts
    tree : Tree
        Along which statements spread.
    positions : float32 array of shape (n, 2)
        On the canvas.
    ladder : Ladder or None
        Partitions to start from; without them, all objects are in one cluster until the user says more.
    features, feature_names, frame, links
        What the objects are made of, if that is known.
    """

    ids: np.ndarray
    tree: Tree
    positions: np.ndarray
    ladder: Ladder | None = None
    features: Any = None
    feature_names: tuple[str, ...] = ()
    frame: pd.DataFrame | None = None
    links: sparse.csr_array | None = None
    title: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def n_objects(self) -> int:
        """How many objects there are."""
        return len(self.ids)

    @cached_property
    def kind_of_features(self) -> str:
        """What the features are: "zeros and ones", "counts" (0 or more), or "numbers"."""
        values = self.features.data if sparse.issparse(self.features) else np.asarray(self.features)
        if (values < 0).any():
            return "numbers"
        return "zeros and ones" if ((values == 0) | (values == 1)).all() else "counts"

    def at(self, positions: Any) -> "Scene":
        """The scene with the objects at other places."""
        places = np.asarray(positions, dtype=np.float32)
        if places.shape != (self.n_objects, 2) or not np.isfinite(places).all():
            raise ValueError(f"positions must be {self.n_objects} pairs of finite numbers; got shape {places.shape}.")
        return replace(self, positions=np.clip(places, 0, CANVAS).astype(np.float32))

    @classmethod
    def of(cls, clustering: Clustering) -> "Scene":
        """The scene of a finished clustering of a table or of labels."""
        noise = clustering.labels < 0
        labels = np.where(noise, np.argmax(clustering.membership, axis=1), clustering.labels).astype(np.int64)
        first = Level(labels, 1 - np.asarray(clustering.uncertainty, dtype=np.float64))
        if clustering.features is not None:
            tree, note = tree_of_features(clustering.features)
            positions = map_of_features(clustering.features)
        else:
            tree, note = tree_of_evidence(clustering.ensemble), ""
            positions = on_canvas(principal_components(*2 * (clustering.ensemble.one_hot(),))[0])
        left = f"{noise.sum():,} objects that were left unclustered (-1) are shown in their most likely cluster."
        if clustering.graph is not None and len(labels) <= MOST_LINKED:
            positions = map_of_links(clustering.graph, positions)
        return cls(
            ids=np.asarray(clustering.ids, dtype=str),
            tree=tree,
            positions=positions,
            ladder=Ladder(first, clustering.linkage, clustering.ensemble),
            features=clustering.features,
            feature_names=clustering.feature_names,
            frame=clustering.frame,
            links=clustering.graph,
            title=clustering.title,
            notes=tuple(text for text in (note, left if noise.any() else "") if text),
        )


def map_of_features(X: Any) -> np.ndarray:
    """Two columns as they are; more by their first two principal components."""
    if X.shape[1] == 2 and not sparse.issparse(X):
        return on_canvas(np.asarray(X))
    fitted = X
    if X.shape[0] > _FITTED:
        fitted = X[np.sort(np.random.default_rng(0).choice(X.shape[0], _FITTED, replace=False))]
    return on_canvas(principal_components(fitted, X)[0])


def map_of_links(links: Any, start: np.ndarray) -> np.ndarray:
    """Where links draw the objects from where they are."""
    edges = np.stack(sparse.triu(links, 1).nonzero(), axis=1)
    return on_canvas(ForceLayout(gravity=1e-6, max_iter=_LINKED_STEPS).settle(start, edges))


def on_canvas(xy: np.ndarray) -> np.ndarray:
    """Coordinates as large as the canvas allows, in their proportion."""
    xy = np.asarray(xy, dtype=np.float64)
    low, high = xy.min(axis=0), xy.max(axis=0)
    free = np.array(CANVAS) * (1 - 2 * _MARGIN)
    span = np.where(high > low, high - low, 1.0)
    scale = (free / span).min() if (high > low).any() else 1.0
    center = np.array(CANVAS) / 2
    return ((xy - (low + high) / 2) * scale + center).astype(np.float32)


def scene_of(clustering: Any, features: Any, distances: Any, ids: Any) -> Scene:
    given = [value for value in (clustering, features, distances) if value is not None]
    if len(given) != 1:
        raise ValueError("Give one of clustering, features and distances.")
    if clustering is not None:
        if not isinstance(clustering, Clustering):
            raise ValueError(f"clustering is a {type(clustering).__name__}: give what pluribus.cluster returns.")
        if ids is not None:
            raise ValueError("The clustering has ids of its own: leave out ids.")
        return Scene.of(clustering)
    if features is not None:
        X = check_features(features)
        tree, note = tree_of_features(X)
        return Scene(_ids(ids, X.shape[0]), tree, map_of_features(X), features=X, notes=(note,) if note else ())
    D = check_distances(distances)
    positions = on_canvas(np.random.default_rng(0).uniform(size=(len(D), 2)))
    return Scene(_ids(ids, len(D)), tree_of_distances(D), positions)


def _ids(ids: Iterable[Any] | None, n: int) -> np.ndarray:
    names = [str(i) for i in range(n)] if ids is None else [str(name) for name in list_of("ids", ids, "names")]
    if n < 2:
        raise ValueError(f"There are {n} objects: give two or more.")
    if len(names) != n or len(set(names)) < n:
        raise ValueError(f"ids must be {n} different texts, one for each object.")
    return np.array(names)

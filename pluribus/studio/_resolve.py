"""What follows from the statements: the cluster of each object, and how sure that is.

With a partition to start from, the surer half of each cluster is its core. Every object that somebody spoke of is a
seed of its own. Cores and seeds grow along the tree. Objects that a core reaches keep the cluster that they had;
objects that a seed of their own cluster reaches first go where the seed goes. A statement about a typical object
therefore moves that object and few others; one about an uncertain object moves the uncertain objects behind it; one
that an object is where it is moves nothing.

Without such a partition, groups of seeds are all there is (seeded single link): pins that are near each other on the
map belong together.
"""

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial import cKDTree

from pluribus._kernels.linkage.seeded_growth import grow_groups
from pluribus.evidence import CoAssociation, mean_evidence
from pluribus.studio._contradictions import Agreed, agree
from pluribus.studio._events import MOST_PARTS
from pluribus.studio._scene import Scene
from pluribus.studio._state import State, Statement
from pluribus.studio.seeded_single_link import grow

VOTERS = 15  # nearest objects on the map that decide which cluster a dropped object joins


def resolve(scene: Scene, state: State) -> State:
    """The state with labels, confidence and conflicts."""
    trust = partial(support, scene)
    if scene.ladder is not None:
        agreed = agree(_essential(state.statements), state.current, trust)
        known = _from_base(scene, state, agreed)
    else:
        agreed = agree(state.statements, state.current, trust, near=_near_pins(state))
        known = _from_seeds(scene, state, agreed)
    return known.changed(conflicts=tuple(agreed.conflicts))


def _essential(statements: Iterable[Statement]) -> list[Statement]:
    """The statements, assignments without the objects that occur in no pair: nothing can contradict these."""
    statements = list(statements)
    paired = {item for statement in statements if statement.kind != "assign" for item in statement.items}
    kept = []
    for statement in statements:
        if statement.kind == "assign":
            items = tuple(item for item in statement.items if item in paired) or statement.items[:1]
            statement = statement._replace(items=items)
        kept.append(statement)
    return kept


def support(scene: Scene, statement: Statement) -> float:
    """How far the evidence agrees with a statement about a pair, 0 to 1; assignments are believed."""
    if statement.kind == "assign" or scene.ladder is None:
        return 1.0
    i, j = statement.items
    together = float(CoAssociation(scene.ladder.ensemble, form="operator").pairs(np.array([i]), np.array([j]))[0])
    return together if statement.kind == "must" else 1 - together


# -- with a partition to start from ----------------------------------------------------------------------------------


def _from_base(scene: Scene, state: State, agreed: Agreed) -> State:
    base = state.base
    seeds, target = _assigned(state)
    for item in agreed.chunk_of:
        seeds[item] = True
    state = _place_chunks(scene, state, agreed, target)
    if not seeds.any():
        return state.changed(labels=base, confidence=state.base_confidence)
    spoken = np.flatnonzero(seeds)
    n_keys = int(base.max()) + 1
    roots = np.where(core_of(base, state.base_confidence, ~seeds), base, -1)
    roots[spoken] = n_keys + np.arange(len(spoken))
    root = grow_groups(scene.tree.first, scene.tree.second, roots)
    leader = np.where(root < n_keys, np.arange(len(base)), spoken[np.maximum(root - n_keys, 0)])
    labels = np.where(base[leader] == base, target[leader], base)  # an object takes along its own cluster only
    confidence = state.base_confidence.copy()
    moved = labels != base
    if moved.any():
        _, numbered = np.unique(np.where(roots >= 0, np.where(seeds, target, base), -1), return_inverse=True)
        grown = grow(scene.tree, numbered - int((roots < 0).any()))
        confidence[moved] = grown.confidence[moved]
    confidence[spoken] = 1.0
    return state.changed(labels=labels, confidence=confidence)


def _assigned(state: State) -> tuple[np.ndarray, np.ndarray]:
    """Which objects were put into a cluster, and the cluster of each object as far as that is said."""
    seeds, target = np.zeros(len(state.base), bool), state.base.copy()
    for statement in state.statements:
        if statement.kind == "assign":
            items = list(statement.items)
            seeds[items] = True
            target[items] = state.current(statement.cluster or 0)
    return seeds, target


def _place_chunks(scene: Scene, state: State, agreed: Agreed, target: np.ndarray) -> State:
    """Put each chunk into a cluster: where it was put, else where its surest objects are, as far as cannot-links allow.

    Changes ``target``; returns the state that knows the keys of new clusters.
    """
    members = agreed.members
    key_of: dict[int, int] = {}
    for chunk, items in members.items():
        key_of[chunk] = agreed.cluster_of.get(chunk, _strongest(target[items], state.base_confidence[items]))
    evidence = None
    for i, j in agreed.apart:
        a, b = agreed.chunk_of[i], agreed.chunk_of[j]
        if key_of[a] != key_of[b]:
            continue
        leaves = a if _hold(a, agreed, members, state) < _hold(b, agreed, members, state) else b
        if evidence is None:  # the same for all of them
            evidence = _Evidence(scene, state)
        forbidden = _keys_apart(leaves, agreed, key_of)
        key_of[leaves], state = evidence.another_cluster(state, members[leaves], forbidden)
    for chunk, items in members.items():
        target[items] = key_of[chunk]
    return state


class _Evidence:
    """How often the members of the ensemble put an object together with those of each cluster."""

    def __init__(self, scene: Scene, state: State) -> None:
        self.keys, numbered = np.unique(state.base, return_inverse=True)
        ensemble = scene.ladder.ensemble  # type: ignore[union-attr]
        self.of = mean_evidence(ensemble, numbered, len(self.keys))

    def another_cluster(self, state: State, items: list[int], forbidden: set[int]) -> tuple[int, State]:
        """The cluster that is not forbidden with the most evidence for some objects; without any, one of their own."""
        total = self.of[items].sum(axis=0)
        total[np.isin(self.keys, list(forbidden))] = 0
        if total.max() > 0:
            return int(self.keys[total.argmax()]), state
        first = min(items)
        key = state.opened.get(first, -1)
        if key < 0 or key in state.merged or key in forbidden:
            (key,), state = state.with_keys(-1 - first)
        return key, state.changed(opened=state.opened | {first: key})


def _strongest(keys: np.ndarray, confidence: np.ndarray) -> int:
    """The cluster with the most confidence in all; of equal ones the lowest key."""
    found, place = np.unique(keys, return_inverse=True)
    return int(found[np.bincount(place, confidence + 1e-9).argmax()])


def _hold(chunk: int, agreed: Agreed, members: dict[int, list[int]], state: State) -> tuple[bool, float, int]:
    """How firmly a chunk is in its cluster: because the user put it there, else by its confidence."""
    items = members[chunk]
    return chunk in agreed.cluster_of, float(state.base_confidence[items].sum()), -min(items)


def _keys_apart(chunk: int, agreed: Agreed, key_of: dict[int, int]) -> set[int]:
    """The clusters that a chunk must not be in."""
    others = set()
    for i, j in agreed.apart:
        a, b = agreed.chunk_of[i], agreed.chunk_of[j]
        if chunk in (a, b):
            others.add(key_of[b if chunk == a else a])
    return others


def core_of(labels: np.ndarray, confidence: np.ndarray, among: np.ndarray) -> np.ndarray:
    """The surer half of each cluster, at least one object, of those that are taken into account."""
    places = np.flatnonzero(among)
    order = places[np.lexsort((-confidence[places], labels[places]))]  # by cluster, the surest first
    sizes = np.bincount(labels[order])
    first = np.concatenate([[0], np.cumsum(sizes)])[labels[order]]
    core = np.zeros(len(labels), bool)
    core[order[np.arange(len(order)) - first < (sizes[labels[order]] + 1) // 2]] = True
    return core


def cluster_at(scene: Scene, state: State, items: list[int], x: float, y: float) -> int:
    """The cluster that objects join if they are dropped here: that of most objects nearby; -1 if there are none."""
    places = placed(scene, state)
    others = np.ones(len(places), bool)
    others[items] = False
    squared = ((places - (x, y)) ** 2).sum(axis=1)
    near = np.flatnonzero(others & (squared < state.reach**2))
    if not len(near):
        return -1
    near = near[np.lexsort((near, squared[near]))[:VOTERS]]
    keys, votes = np.unique(state.labels[near], return_counts=True)
    return int(keys[votes.argmax()])


def placed(scene: Scene, state: State) -> np.ndarray:
    """Where the objects are on the map, pinned ones where the user put them."""
    places = scene.positions.astype(np.float64)
    if state.pins:
        places[list(state.pins)] = list(state.pins.values())
    return places


# -- without one -----------------------------------------------------------------------------------------------------


def _from_seeds(scene: Scene, state: State, agreed: Agreed) -> State:
    n = len(state.base)
    chunks = {chunk: number for number, chunk in enumerate(dict.fromkeys(agreed.chunk_of.values()))}
    stated = {chunks[chunk]: key for chunk, key in agreed.cluster_of.items() if chunk in chunks}
    if len(chunks) < 2:  # nothing before there are two groups to tell apart
        return state.changed(labels=np.full(n, stated.get(0, 0)), confidence=np.zeros(n))
    group = np.full(n, -1, np.int64)
    group[list(agreed.chunk_of)] = [chunks[chunk] for chunk in agreed.chunk_of.values()]
    grown = grow(scene.tree, group)
    before = state.labels if len(state.keys) > 1 else np.full(n, -1)
    labels, state = same_keys(state, grown.labels, before, among=group >= 0, stated=stated)
    return state.changed(labels=labels, confidence=grown.confidence)


def _near_pins(state: State) -> list[tuple[int, int]]:
    """Pins within reach of each other, and each pin with itself: one alone is a seed too."""
    pins = sorted(state.pins)
    if not pins:
        return []
    places = np.array([state.pins[item] for item in pins])
    one, other = cKDTree(places).query_pairs(state.reach, output_type="ndarray").reshape(-1, 2).T
    inside = np.linalg.norm(places[one] - places[other], axis=1) < state.reach  # the tree counts the rim in
    pairs = sorted(zip(one[inside].tolist(), other[inside].tolist(), strict=True))
    return [(item, item) for item in pins] + [(pins[a], pins[b]) for a, b in pairs]


def same_keys(
    state: State,
    labels: np.ndarray,
    before: np.ndarray,
    *,
    among: np.ndarray | None = None,
    stated: Mapping[int, int] | None = None,
) -> tuple[np.ndarray, State]:
    """Labels 0, 1, … by the keys of the clusters before that they share most objects with; new keys for the others."""
    keys = matched_keys(labels, before, among=among, stated=stated)
    new = np.flatnonzero(keys < 0)
    keys[new], state = state.with_keys(*(MOST_PARTS + np.arange(len(new))).tolist())
    return keys[labels], state


def matched_keys(
    labels: np.ndarray,
    before: np.ndarray,
    *,
    among: np.ndarray | None = None,
    stated: Mapping[int, int] | None = None,
) -> np.ndarray:
    """For each label the key of the cluster before that it shares most objects with; -1 for those that are new.

    ``among`` are the objects that count. ``stated`` are keys that some labels have whatever they share.
    """
    k = int(labels.max()) + 1
    keys = np.full(k, -1)
    for label, key in (stated or {}).items():
        keys[label] = key
    free = np.flatnonzero(keys < 0)
    old_keys = np.setdiff1d(before[before >= 0], keys)
    if len(old_keys) and len(free):
        counted = np.isin(before, old_keys) & (True if among is None else among)
        table = np.zeros((k, len(old_keys)), np.int64)
        np.add.at(table, (labels[counted], np.searchsorted(old_keys, before[counted])), 1)
        table = table[free]
        for new, old in zip(*linear_sum_assignment(-table), strict=True):
            if table[new, old]:
                keys[free[new]] = old_keys[old]
    return keys

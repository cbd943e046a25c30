"""What an event does to a state. Each function is a pure function of the scene, the state and the event."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from pluribus._kernels.linkage.seeded_growth import grow_groups
from pluribus.consensus import EvidenceAccumulation
from pluribus.studio._contradictions import agree
from pluribus.studio._engines import TREE, checked_engine, labels_by_engine
from pluribus.studio._events import Event, EventError
from pluribus.studio._resolve import cluster_at, core_of, matched_keys, resolve
from pluribus.studio._scene import Scene
from pluribus.studio._state import State, Statement

_LINKED = 20_000  # objects of a selection that are linked by their evidence; more by k-means
LOOKS = ("move", "assign", "merge", "split", "recluster", "rename")  # events that depend on the labels before them


def first_state(scene: Scene, reach: float) -> State:
    """The state before any event."""
    n = scene.n_objects
    if scene.ladder is None:
        base, confidence = np.zeros(n, np.int64), np.zeros(n)
    else:
        base, confidence = scene.ladder.first
    k = int(base.max()) + 1
    return resolve(scene, State(base, confidence, next_key=k, k=k, reach=reach, labels=base, confidence=confidence))


def apply(scene: Scene, state: State, event: Event, seed: int, *, by_engine: bool = True) -> State:
    """The state after an event; raises EventError if it makes no sense here.

    ``by_engine=False`` leaves the labels to the tree: for states that nobody looks at.
    """
    changed = _VERBS[event.type](scene, state.changed(event=event.seq), event, seed)
    if event.type == "rename":
        return changed  # nothing else follows from a name
    resolved = resolve(scene, changed)
    if resolved.engine == TREE or not by_engine:
        return resolved
    return labels_by_engine(scene, resolved, seed)


def _move(scene: Scene, state: State, event: Event, seed: int) -> State:
    items, x, y = event.args["items"], event.args["x"], event.args["y"]
    state = _without_assignment(state, items, drags_only=False)
    pins = state.pins | dict.fromkeys(items, (x, y))
    if scene.ladder is None:
        key = 0  # which pins are near decides
    else:
        key = event.args["joins"]
        if key < 0:
            (key,), state = state.with_keys(0)
        elif key not in state.keys:
            raise EventError(f"There is no cluster {key} to join.")
    said = Statement(event.seq, "assign", tuple(items), key, "drag")
    statements = state.statements if scene.ladder is None else (*state.statements, said)
    return state.changed(pins=pins, statements=statements)


def _unpin(scene: Scene, state: State, event: Event, seed: int) -> State:
    items = set(event.args["items"])
    state = _without_assignment(state, event.args["items"], drags_only=True)
    return state.changed(pins={item: place for item, place in state.pins.items() if item not in items})


def _link(scene: Scene, state: State, event: Event, seed: int) -> State:
    pair = (event.args["one"], event.args["other"])
    return _stated(state, event, event.args["kind"], pair)


def _answer(scene: Scene, state: State, event: Event, seed: int) -> State:
    pair = (event.args["one"], event.args["other"])
    if event.args["answer"] == "unsure":
        return state.changed(unsure=(*state.unsure, pair))
    return _stated(state, event, "must" if event.args["answer"] == "together" else "cannot", pair)


def _stated(state: State, event: Event, kind: str, pair: tuple[int, int]) -> State:
    """A pair that was stated; what was said of the same pair before is replaced."""
    kept = tuple(s for s in state.statements if s.kind == "assign" or s.items != pair)
    said = Statement(event.seq, kind, pair, None, event.type)
    return state.changed(statements=(*kept, said))


def _group(scene: Scene, state: State, event: Event, seed: int) -> State:
    items = event.args["items"]
    (key,), state = _without_assignment(state, items, drags_only=False).with_keys(0)
    names = state.names | ({key: event.args["name"]} if "name" in event.args else {})
    said = Statement(event.seq, "assign", tuple(items), key, "lasso")
    return state.changed(statements=(*state.statements, said), names=names)


def _assign(scene: Scene, state: State, event: Event, seed: int) -> State:
    if scene.ladder is None:
        raise EventError("Without a first partition, pins make the clusters: move the objects next to a pin of theirs.")
    key, items = _present(state, event.args["cluster"]), event.args["items"]
    state = _without_assignment(state, items, drags_only=False)
    return state.changed(statements=(*state.statements, Statement(event.seq, "assign", tuple(items), key, "lasso")))


def _without_assignment(state: State, items: list[int], *, drags_only: bool) -> State:
    """The state without what was said of the clusters of some objects: the last word counts."""
    gone, kept = set(items), []
    for statement in state.statements:
        if statement.kind == "assign" and (statement.origin == "drag" or not drags_only):
            left = tuple(item for item in statement.items if item not in gone)
            if not left:
                continue
            statement = statement._replace(items=left)
        kept.append(statement)
    return state.changed(statements=tuple(kept))


def _merge(scene: Scene, state: State, event: Event, seed: int) -> State:
    if scene.ladder is None:
        raise EventError("Without a first partition, pins make the clusters: link an object of each cluster instead.")
    into, *others = [_present(state, key) for key in event.args["clusters"]]
    others = [key for key in dict.fromkeys(others) if key != into]
    base = np.where(np.isin(state.labels, others), into, state.labels)  # what the user sees is what is merged
    merged = state.merged | dict.fromkeys(others, into)
    return state.changed(base=base, base_confidence=state.confidence, merged=merged)


def _split(scene: Scene, state: State, event: Event, seed: int) -> State:
    key = _present(state, event.args["cluster"])
    return _reclustered(scene, state, event, np.flatnonzero(state.labels == key), seed, keep=key)


def _recluster(scene: Scene, state: State, event: Event, seed: int) -> State:
    return _reclustered(scene, state, event, np.array(event.args["items"]), seed, keep=None)


def _reclustered(scene: Scene, state: State, event: Event, items: np.ndarray, seed: int, keep: int | None) -> State:
    """New clusters for some objects; the first of them has the key ``keep`` if it is given.

    Objects that the user put into a cluster are said to be in the part that they are in now.
    """
    if scene.ladder is None:
        raise EventError("Without a first partition there is nothing to split: pin objects apart instead.")
    into = event.args["into"]
    if into > len(items):
        raise EventError(f"{len(items):,} objects cannot be split into {into} clusters.")
    part = np.full(len(state.labels), -1)
    part[items] = _partition(scene, items, into, seed)
    for chunk in _linked(state):  # what is together stays together
        inside = [item for item in chunk if part[item] >= 0]
        part[inside] = part[inside[:1]]
    keys, state = state.with_keys(*range(into if keep is None else into - 1))
    keys = keys if keep is None else [keep, *keys]
    base = np.where(part >= 0, np.array(keys)[part], state.labels)  # what the user sees is what is split
    return state.changed(base=base, base_confidence=state.confidence, statements=_in_parts(state, part, keys))


def _linked(state: State) -> Iterable[list[int]]:
    """Objects that belong together by must-links that hold."""
    conflicting = {conflict.statement for conflict in state.conflicts}
    held = [said for said in state.statements if said.kind == "must" and said.id not in conflicting]
    return agree(held, state.current, lambda said: 1.0).members.values()


def _in_parts(state: State, part: np.ndarray, keys: list[int]) -> tuple[Statement, ...]:
    """The statements, assignments of objects that have a new cluster by that cluster."""
    said: list[Statement] = []
    for statement in state.statements:
        if statement.kind != "assign":
            said.append(statement)
            continue
        members: dict[int | None, list[int]] = {}
        for item in statement.items:
            is_there = state.labels[item] == state.current(statement.cluster or 0)
            key = keys[part[item]] if is_there and part[item] >= 0 else statement.cluster
            members.setdefault(key, []).append(item)
        said += [statement._replace(items=tuple(items), cluster=key) for key, items in members.items()]
    return tuple(said)


def _partition(scene: Scene, items: np.ndarray, into: int, seed: int) -> np.ndarray:
    """Clusters of some objects, numbered from the largest."""
    if into == 1:
        return np.zeros(len(items), np.int64)
    if len(items) > _LINKED and scene.features is not None:
        labels = KMeans(into, n_init=3, random_state=seed).fit_predict(scene.features[items])
        order = np.argsort(-np.bincount(labels, minlength=into), kind="stable")
        return np.argsort(order)[labels]
    part = scene.ladder.ensemble.take_objects(items)  # type: ignore[union-attr]
    features = None if scene.features is None else scene.features[items]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # ties: the user sees the parts, and can undo
        model = EvidenceAccumulation(into, missing="zero", verbose=False).fit(part, X=features)
    return np.asarray(model.labels_, dtype=np.int64)


def _rename(scene: Scene, state: State, event: Event, seed: int) -> State:
    return state.changed(names=state.names | {_present(state, event.args["cluster"]): event.args["name"]})


def _k(scene: Scene, state: State, event: Event, seed: int) -> State:
    k = event.args["k"]
    if scene.ladder is None or k not in scene.ladder.levels:
        there = "none" if scene.ladder is None else f"{scene.ladder.levels[0]} to {scene.ladder.levels[-1]}"
        raise EventError(f"There is no partition into {k} clusters; there are {there}.")
    level = scene.ladder.level(k)
    keys = matched_keys(level.labels, state.base)
    new = np.flatnonzero(keys < 0)
    keys[new], state = state.with_keys(*range(len(new)))
    return state.changed(base=keys[level.labels], base_confidence=level.confidence, k=k)


def _reach(scene: Scene, state: State, event: Event, seed: int) -> State:
    return state.changed(reach=event.args["reach"])


def _engine(scene: Scene, state: State, event: Event, seed: int) -> State:
    return state.changed(engine=checked_engine(scene, event.args["engine"]))


def _present(state: State, key: int) -> int:
    """A cluster that has objects."""
    if key not in state.keys:
        raise EventError(f"There is no cluster {key}; there are {', '.join(map(str, state.keys[:20]))}.")
    return key


_VERBS: dict[str, Callable[[Scene, State, Event, int], State]] = {
    "move": _move,
    "unpin": _unpin,
    "link": _link,
    "answer": _answer,
    "group": _group,
    "assign": _assign,
    "merge": _merge,
    "split": _split,
    "recluster": _recluster,
    "rename": _rename,
    "k": _k,
    "reach": _reach,
    "engine": _engine,
}


def would_join(scene: Scene, state: State, items: list[int], x: float, y: float) -> dict[str, Any]:
    """What a drop would do: the clusters that it joins (two are merged), or that it starts a new one."""
    if scene.ladder is not None:
        key = cluster_at(scene, state, items, x, y)
        return {"joins": [] if key < 0 else [key]}
    moving = set(items)
    keys = {
        int(state.labels[pin])
        for pin, (px, py) in state.pins.items()
        if pin not in moving and (px - x) ** 2 + (py - y) ** 2 < state.reach**2
    }
    return {"joins": sorted(keys)}


def basins(scene: Scene, state: State) -> Callable[[int], np.ndarray]:
    """A function of an object: the objects that follow it if it is moved, a preview of what a statement takes along."""
    cores = np.where(core_of(state.labels, state.confidence, np.ones(len(state.labels), bool)), state.labels, -1)

    def basin(item: int) -> np.ndarray:
        roots = cores.copy()
        roots[item] = new = int(state.labels.max()) + 1
        follows = grow_groups(scene.tree.first, scene.tree.second, roots) == new
        return np.flatnonzero(follows & (state.labels == state.labels[item]))

    return basin

"""Clusters by a method of the house under all that the user said, in place of growing along the tree."""

import inspect
import warnings
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from pluribus import consensus, constrained
from pluribus.constraints import Constraints
from pluribus.studio._events import EventError
from pluribus.studio._resolve import same_keys
from pluribus.studio._scene import Scene
from pluribus.studio._state import State

TREE = "tree"


def engines(scene: Scene) -> list[str]:
    """The names of the methods that can follow the user's statements here."""
    names = [TREE]
    if scene.ladder is not None:
        names += [name for name in consensus.names() if _takes_constraints(consensus.by_name(name))]
    if scene.features is not None:
        methods = {name: constrained.by_name(name) for name in constrained.names()}
        names += [name for name, method in methods.items() if _takes_pairs(method) and _suits(method, scene)]
    return names


def _takes_constraints(method: Any) -> bool:
    return "constraints" in inspect.signature(getattr(method, "func", method).fit).parameters


def _takes_pairs(method: Any) -> bool:
    """Whether a method clusters by k and constraints, and by nothing else that the user would have to give."""
    of_class = getattr(method, "func", method)
    keeps_pairs = _takes_constraints(method) and "pairs" in getattr(of_class, "keeps", ("pairs",))
    return keeps_pairs and hasattr(of_class, "fit_predict") and "n_clusters" in of_class().get_params()


def _suits(method: Any, scene: Scene) -> bool:
    """Whether a method takes such features: some need counts, some zeros and ones."""
    of_class = getattr(method, "func", method)
    if issubclass(of_class, constrained.ConstrainedCoClustering):
        return scene.kind_of_features == "zeros and ones"
    return scene.kind_of_features != "numbers" or not get_tags(of_class()).input_tags.positive_only


def checked_engine(scene: Scene, name: str) -> str:
    """The name of an engine, if there is one of this name."""
    known = engines(scene)
    if name.lower() not in known:
        raise EventError(f"There is no engine {name!r:.60} here; there are {', '.join(known)}.")
    return name.lower()


def constraints_of(scene: Scene, state: State) -> Constraints:
    """All that the user said but for conflicts, as constraints for any method: pairs, and the clusters of objects.

    What the engine does not follow is among them: the user said it all the same.
    """
    left_out = {conflict.statement for conflict in state.conflicts}
    held = [statement for statement in state.statements if statement.id not in left_out]
    known = np.full(scene.n_objects, -1, dtype=object)
    for statement in held:
        if statement.kind == "assign":
            known[list(statement.items)] = state.current(statement.cluster or 0)
    if scene.ladder is None:
        for pin in state.pins:
            known[pin] = int(state.labels[pin])
    return Constraints(
        scene.n_objects,
        must_link=[statement.items for statement in held if statement.kind == "must"],
        cannot_link=[statement.items for statement in held if statement.kind == "cannot"],
        labels=known,
    )


def labels_by_engine(scene: Scene, state: State, seed: int) -> State:
    """The state with the clusters that its engine finds, as many as there are now."""
    known, k = constraints_of(scene, state), len(state.keys)
    is_consensus = state.engine in consensus.names()
    make = (consensus if is_consensus else constrained).by_name(state.engine)
    takes = inspect.signature(make).parameters
    how = {name: value for name, value in {"random_state": seed, "verbose": False}.items() if name in takes}
    data = scene.ladder.ensemble if is_consensus and scene.ladder is not None else scene.features
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = make(n_clusters=k, **how).fit(data, constraints=known)
    except ValueError as error:
        raise EventError(f"{state.engine} cannot follow these statements: {error}") from error
    found = np.asarray(model.labels_, dtype=np.int64)
    labels, state = same_keys(state, found, state.labels, stated=_stated_keys(state, found))
    confidence = 1 - model.uncertainty_ if hasattr(model, "uncertainty_") else state.confidence
    return state.changed(labels=labels, confidence=np.asarray(confidence, dtype=np.float64))


def _stated_keys(state: State, labels: np.ndarray) -> dict[int, int]:
    """The keys of the clusters that the user put objects into, for the labels that most of these objects have."""
    left_out = {conflict.statement for conflict in state.conflicts}
    members: dict[int, list[int]] = {}
    for statement in state.statements:
        if statement.kind == "assign" and statement.id not in left_out:
            members.setdefault(state.current(statement.cluster or 0), []).extend(statement.items)
    keys: dict[int, int] = {}
    for key, items in members.items():
        keys.setdefault(int(np.bincount(labels[items]).argmax()), key)
    return keys

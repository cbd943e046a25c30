"""What must stay the same: the result of the same call, of renamed clusters, and of objects in another order."""

import dataclasses
import hashlib
import inspect
from typing import Any

import numpy as np
import pandas as pd
import sklearn.base
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

import pluribus
from attack.arguments import PARTITION
from attack.cases import Call
from attack.scene import Scene
from attack.targets import Target

_OF_THE_MACHINE = ("seconds", "versions", "limit", "sentences")  # the time it took, the memory that is free
_SAMPLES = {"n_pairs", "sample", "sample_size"}  # which objects are drawn depends on their order
_LABELS = PARTITION | {"ensemble", "candidates"}


def broken(call: Call, target: Target, scene: Scene, result: Any) -> list[str]:
    """The relations that do not hold. ``call`` was valid and gave ``result``."""
    if _unseeded(call, target):
        return []
    found = []
    if scene.rng.random() < 0.3 and canonical(call.run()) != canonical(result):
        found.append("the same call gives another result")
    if target.room not in ("compare", "consensus", "validate") or target.kind == "method":
        return found
    if scene.rng.random() < 0.5 and (other := call.changed(lambda name, value: _renamed(name, value, scene))):
        if not _same(result, other.run(), np.arange(scene.n)):
            found.append("the result depends on the names of the clusters")
    elif _any_order(target, scene) and not _SAMPLES & call.arguments.keys():
        order = scene.rng.permutation(scene.n)
        other = call.changed(lambda name, value: _reordered(name, value, order, scene.n))
        if other and not _same(result, other.run(), order):
            found.append("the result depends on the order of the objects")
    return found


def canonical(value: Any) -> Any:
    """Something that is equal for equal results."""
    if isinstance(value, pluribus.Ensemble):
        return canonical([value.labels, value.weights])
    if isinstance(value, sklearn.base.BaseEstimator):
        learned = {name: each for name, each in vars(value).items() if name.endswith("_") and "rank" not in name}
        return canonical({name: each for name, each in learned.items() if isinstance(each, np.ndarray | int | float)})
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return canonical(value.tolist())
        return value.shape, value.dtype.str, hashlib.sha1(np.ascontiguousarray(value).tobytes()).hexdigest()
    if isinstance(value, pd.DataFrame | pd.Series):
        return canonical(value.to_dict()) if isinstance(value, pd.DataFrame) else canonical(value.to_numpy())
    if sparse.issparse(value):
        return canonical(value.toarray())
    if isinstance(value, dict):
        return [(repr(name), canonical(each)) for name, each in value.items() if name not in _OF_THE_MACHINE]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value)]
        return canonical({name: getattr(value, name, None) for name in fields})
    if isinstance(value, tuple | list):
        return [canonical(each) for each in value]
    if isinstance(value, float | np.floating | int | np.integer | str | bool):
        return repr(value)
    return type(value).__name__


def _unseeded(call: Call, target: Target) -> bool:
    """Whether chance decides, and no seed was given."""
    for function, given in ((call.owner, call.parameters), (call.function, call.arguments)):
        parameters = inspect.signature(function).parameters if function else {}
        for name in ("random_state", "seed"):
            if name in parameters and given.get(name, parameters[name].default) is None:
                return True
    return False


def _any_order(target: Target, scene: Scene) -> bool:
    """Whether the order must not matter: where chance or exact ties decide, only if the answer is clear."""
    if target.room == "consensus":
        return scene.clear and target.kind == "estimator"
    chance = "random_state" in inspect.signature(target.owner or target.function).parameters
    return scene.clear or not chance


def _renamed(name: str, value: Any, scene: Scene) -> Any:
    if name not in _LABELS or not isinstance(value, np.ndarray) or value.dtype.kind != "i" or not value.size:
        return value
    columns = value.reshape(len(value), -1)
    names = [np.append(scene.rng.permutation(columns.max() + 2) + 5, -1) for _ in columns.T]
    if value.ndim == 2:
        return np.column_stack([new[column] for new, column in zip(names, columns.T, strict=True)])
    return names[0][value]


def _reordered(name: str, value: Any, order: np.ndarray, n: int) -> Any:
    if not isinstance(value, np.ndarray) or not value.ndim or len(value) != n:
        return value
    square = name in ("distances", "similarity")
    return value[np.ix_(order, order)] if square else value[order]


def _same(result: Any, other: Any, order: np.ndarray) -> bool:
    """Whether two results agree: numbers closely, partitions up to the names of the clusters."""
    if isinstance(result, sklearn.base.BaseEstimator):
        return bool(adjusted_rand_score(result.labels_[order], other.labels_) > 1 - 1e-9)
    if isinstance(result, float):
        return bool(np.isclose(result, other, rtol=1e-6, atol=1e-9, equal_nan=True))
    return True

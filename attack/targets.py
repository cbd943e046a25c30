"""What is attacked: every public callable, found by walking ``__all__`` of every room."""

import dataclasses
import inspect
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Literal, NamedTuple

import sklearn.base

import pluribus

Kind = Literal["function", "class", "estimator", "method"]
FITS = ("fit", "generate", "fit_transform")

# Callables that take no input of a user's.
LEFT_OUT = {
    "alternative.AlternativeMixin": "a base class",
    "alternative.AlternativeMixin.fit_predict": "a base class",
    "consensus.ConsensusMixin": "a base class",
    "constrained.ConstrainedMixin": "a base class",
    "constrained.Condition": "a base class",
    "constraints.Selector": "a protocol",
    "constrained.ConstrainedMixin.fit_predict": "a base class",
    "constraints.Selector.next_pair": "a protocol",
    "tables.Rows": "a base class, made by open_rows",
    "pipeline.Clustering.of": "takes a fitted model and data, both made by the library",
    "tables.Rows.look_through": "takes a Dask cluster",
    "tables.Rows.on": "takes a Dask client",
    "tables.Rows.blocks": "takes numbers that the library draws",
    "tables.Rows.piece": "takes numbers that the library draws",
    "tables.Rows.take": "takes numbers that the library draws",
    "tables.Recipe.features": "takes columns that the library made",
    "consensus.MethodComparison.standing": "takes a row of the same table",
    "report.Case": "holds a result of the library",
    "report.Case.of": "takes a result of the library",
    "report.Comparison": "holds results of the library",
    "report.Comparison.names_of": "takes the number of a side, 0 or 1",
    "report.Validation": "holds results of the library",
    "constraints.Closure": "made by Constraints.closure",
    "validate.Estimate": "a number, made by the indices",
    "validate.NeighborDensity": "a number, made by neighbor_density_index",
    "pipeline.Clustering.studio": "serves a page until it is interrupted",
    "studio.open_studio": "serves a page until it is interrupted",
}
# The studio is attacked in tests/studio: random sequences of events, and malformed requests by the thousand.
ELSEWHERE = ("studio.",)


class Target(NamedTuple):
    """Something to call."""

    name: str
    kind: Kind
    owner: Any  # the class of an estimator or a method
    function: Callable[..., Any]

    @property
    def room(self) -> str:
        """The room that exports it."""
        return self.name.partition(".")[0]

    @property
    def documentation(self) -> str:
        """All that the docstrings of the callable and its class say."""
        texts = [inspect.getdoc(self.function) or "", inspect.getdoc(self.owner) or "" if self.owner else ""]
        return "\n".join(texts)


@cache
def calls() -> dict[str, Target]:
    """All callables by name."""
    found: dict[str, Target] = {}
    for room in sorted(name for name in pluribus.__all__ if inspect.ismodule(getattr(pluribus, name))):
        module = import_module(f"pluribus.{room}")
        for name in module.__all__:
            for target in _targets(f"{room}.{name}", getattr(module, name)):
                if target.name not in LEFT_OUT and not target.name.startswith(ELSEWHERE):
                    found[target.name] = target
    return found


def _targets(name: str, value: Any) -> list[Target]:
    if not inspect.isclass(value):
        return [Target(name, "function", None, value)] if callable(value) else []
    if issubclass(value, BaseException):
        return []
    found = []
    if issubclass(value, sklearn.base.BaseEstimator):
        found.append(Target(name, "estimator", value, getattr(value, _fit_name(value))))
    elif not is_record(value):
        found.append(Target(name, "class", None, value))
    for method, function in inspect.getmembers(value, callable):
        own = getattr(function, "__module__", None) or ""
        if method.startswith("_") or not own.startswith("pluribus") or inspect.isclass(function):
            continue
        if not (issubclass(value, sklearn.base.BaseEstimator) and method == _fit_name(value)):
            found.append(Target(f"{name}.{method}", "method", value, function))
    return found


def _fit_name(estimator: type) -> str:
    return next(name for name in FITS if hasattr(estimator, name))


def is_record(value: type) -> bool:
    """Whether a class only holds what the library found: it checks nothing. Conditions are stated by users."""
    own_check = "__post_init__" in vars(value)
    return issubclass(value, tuple) or (dataclasses.is_dataclass(value) and not own_check)

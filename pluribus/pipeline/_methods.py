"""Methods by name: consensus functions, and methods that cluster data directly."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.base import ClusterMixin

from pluribus import consensus
from pluribus._engine import Registry
from pluribus.consensus._internal import cost_of

ALL = "all"  # in place of a method: every consensus function, compared
DIRECT = {"constrained": "constrained methods", "increments": "methods on increments"}  # rooms, and what they hold


def direct_names() -> list[str]:
    """The names of the methods that cluster data directly, without an ensemble."""
    return [name for room in DIRECT for name in _clusterers(room)]


def direct_method(name: str) -> Callable[..., Any]:
    """The direct method of this name: call it with parameters to make one."""
    room = next(room for room in DIRECT if name in _clusterers(room))
    return Registry(f"pluribus.{room}").make(name)


def _clusterers(room: str) -> list[str]:
    """The methods of a room that cluster: a classifier, for instance, does not."""
    return [entry.name for entry in Registry(f"pluribus.{room}").entries() if issubclass(entry.method, ClusterMixin)]


def is_direct(method: str | None) -> bool:
    """Whether a method clusters data directly, without an ensemble."""
    return method is not None and method.lower() in direct_names()


def checked_method(method: str | None, *, direct: bool = False, every: bool = False) -> str | None:
    """The name of a method as the rooms know it; ``direct``: also of direct methods; ``every``: also "all"."""
    if method is None:
        return None
    known = [*consensus.names(), *([ALL] if every else [])]
    further = direct_names() if direct else []
    name = str(method).lower()
    if name in (*known, *further):
        return name
    without = f"; and without an ensemble {', '.join(further)}" if further else ""
    raise ValueError(f"method={method!r} is unknown: there are {', '.join(known)}{without}.")


class MethodInfo(NamedTuple):
    """A line in the list of methods."""

    kind: str
    name: str
    class_name: str
    suits: str
    cost: str


def method_list() -> list[MethodInfo]:
    """All methods that can be named, with what each is for and what it costs."""
    rows = []
    for room, kind in {"consensus": "consensus functions", **DIRECT}.items():
        for name, method, _ in Registry(f"pluribus.{room}").entries():
            if room == "consensus" or name in _clusterers(room):
                cost = cost_of(name).in_words if room == "consensus" else ""
                rows.append(MethodInfo(kind, name, method.__name__, getattr(method, "suits", ""), cost))
    return rows

"""Methods by name: consensus functions, and methods that cluster data directly."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.base import ClusterMixin

from pluribus import consensus
from pluribus._engine import Registry
from pluribus.consensus._internal import cost_of

ALL = "all"  # in place of a method: every consensus function, compared
AUTO = "auto"  # in place of a method: the best of three linkages and of the clusterings
DIRECT = {"constrained": "constrained methods", "increments": "methods on increments"}  # rooms, and what they hold
LINKED = "relational"  # the room whose methods for connected clusters need a graph
ALTERNATIVE = "alternative"  # the room whose methods need a known partition
# Rooms of which `pluribus methods` lists every name, and what they hold.
_LISTED = {
    "consensus": "consensus functions",
    **DIRECT,
    LINKED: "methods for linked objects",
    ALTERNATIVE: "alternative partitions",
    "similarity": "learned similarities",
}


def direct_names() -> list[str]:
    """The names of the methods that cluster data directly, without an ensemble."""
    return [name for room in DIRECT for name in _clusterers(room)]


def direct_method(name: str) -> Callable[..., Any]:
    """The direct method of this name: call it with parameters to make one."""
    room = next((room for room in (*DIRECT, ALTERNATIVE) if name in _clusterers(room)), LINKED)
    return Registry(f"pluribus.{room}").make(name)


def connected_names() -> list[str]:
    """The names of the methods that make connected clusters of linked rows; they need a graph."""
    entries = Registry(f"pluribus.{LINKED}").entries()
    return [entry.name for entry in entries if "graph" in inspect.signature(vars(entry.method)["fit"]).parameters]


def alternative_names() -> list[str]:
    """The names of the methods that find another partition than a known one."""
    return _clusterers(ALTERNATIVE)


def _clusterers(room: str) -> list[str]:
    """The methods of a room that cluster: a classifier, for instance, does not."""
    return [entry.name for entry in Registry(f"pluribus.{room}").entries() if issubclass(entry.method, ClusterMixin)]


def is_direct(method: str | None) -> bool:
    """Whether a method clusters data directly, without an ensemble."""
    return method is not None and method.lower() in (*direct_names(), *connected_names(), *alternative_names())


def checked_method(method: str | None, *, direct: bool = False, every: bool = False) -> str | None:
    """The name of a method as the rooms know it; ``direct``: also of direct methods; ``every``: also
    "all" and "auto"."""
    if method is None:
        return None
    known = [*consensus.names(), *([ALL, AUTO] if every else [])]
    further = [*direct_names(), *connected_names(), *alternative_names()] if direct else []
    name = str(method).lower()
    if name in (*known, *further):
        return name
    room = next((room for room in _LISTED if direct and name in Registry(f"pluribus.{room}").names()), None)
    if room:
        why = "needs the labels of rows, not only a table" if room in DIRECT else "is not for this call"
        raise ValueError(f"method={method!r} {why}: use it from Python, pluribus.{room}.by_name({name!r}).")
    without = f"; and without an ensemble {', '.join(further)}" if further else ""
    raise ValueError(f"method={method!r} is unknown: there are {', '.join(known)}{without}.")


class MethodInfo(NamedTuple):
    """A line in the list of methods."""

    kind: str
    name: str
    class_name: str
    suits: str
    cost: str
    calls: str


def method_list() -> list[MethodInfo]:
    """All methods that can be named, with what each is for and what it costs."""
    rows = []
    for room, kind in _LISTED.items():
        for name, method, _ in Registry(f"pluribus.{room}").entries():
            cost = cost_of(name).in_words if room == "consensus" else ""
            suits = getattr(method, "suits", "")
            rows.append(MethodInfo(kind, name, method.__name__, suits, cost, _calls(room, name)))
    return rows


def _calls(room: str, name: str) -> str:
    """The calls that take a method by its name."""
    if room == "consensus":
        return "cluster, combine"
    if room == LINKED:
        return "cluster --connected" if name in connected_names() else "Python"
    if room == ALTERNATIVE:
        return "cluster --other-than"
    return "cluster" if room in DIRECT and name in _clusterers(room) else "Python"

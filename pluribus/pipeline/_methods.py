"""Methods by name: consensus functions, and constrained methods that cluster data directly."""

from typing import NamedTuple

from pluribus import consensus, constrained
from pluribus._engine import Registry
from pluribus.consensus._internal import cost_of

ALL = "all"  # in place of a method: every consensus function, compared


def is_single(method: str | None) -> bool:
    """Whether a method clusters data directly, without an ensemble."""
    return method is not None and method.lower() in constrained.names()


def checked_method(method: str | None, *, single: bool = False, every: bool = False) -> str | None:
    """The name of a method as the rooms know it; ``single``: also of constrained methods; ``every``: also "all"."""
    if method is None:
        return None
    known = [*consensus.names(), *([ALL] if every else [])]
    further = constrained.names() if single else []
    name = str(method).lower()
    if name in (*known, *further):
        return name
    direct = f"; and without an ensemble {', '.join(further)}" if further else ""
    raise ValueError(f"method={method!r} is unknown: there are {', '.join(known)}{direct}.")


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
    for kind, room in (("consensus functions", "consensus"), ("constrained methods", "constrained")):
        for name, method, _ in Registry(f"pluribus.{room}").entries():
            cost = cost_of(name).in_words if room == "consensus" else ""
            rows.append(MethodInfo(kind, name, method.__name__, getattr(method, "suits", ""), cost))
    return rows

"""The events of a session: what each may hold, checked before it is kept.

An event is a name and plain arguments: numbers, texts and lists of them. What a browser or a file sends goes through
``checked`` first, which returns it in one canonical form or raises a ValueError.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pluribus._engine import is_one_of, list_of, real_number, whole_number

CANVAS = (1000.0, 800.0)  # width and height of the map: the unit of all coordinates
MOST_PARTS = 50  # of a split
LONGEST_NAME = 80
KINDS = ("must", "cannot")
ANSWERS = ("together", "apart", "unsure")
HEAD_MOVES = ("undo", "redo")


class EventError(ValueError):
    """An event that cannot be taken.

    Examples
    --------
    >>> from pluribus.studio import EventError
    >>> issubclass(EventError, ValueError)
    True
    """


class Event(NamedTuple):
    """One thing that the user did."""

    seq: int
    type: str
    args: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """As it is stored and exported."""
        return {"seq": self.seq, "type": self.type, "args": self.args}


def checked(kind: Any, args: Any, n_objects: int) -> tuple[str, dict[str, Any]]:
    """An event in its canonical form; raises EventError.

    Examples
    --------
    >>> from pluribus.studio._events import checked
    >>> checked("link", {"one": 3, "other": 1, "kind": "must"}, 5)
    ('link', {'one': 1, 'other': 3, 'kind': 'must'})
    """
    if not is_one_of(kind, tuple(_ARGUMENTS)):
        raise EventError(f"There is no event {kind!r:.60}; there are {', '.join(_ARGUMENTS)}.")
    if not isinstance(args, Mapping):
        raise EventError(f"The arguments of {kind!r} are a {type(args).__name__}: give a mapping of names to values.")
    wanted = _ARGUMENTS[kind]
    unknown = [str(name)[:40] for name in args if name not in wanted]
    missing = [name for name in wanted if name not in args and name not in _OPTIONAL]
    if unknown or missing:
        what = f"has no argument {unknown[0]!r}" if unknown else f"needs {missing[0]!r}"
        raise EventError(f"The event {kind!r} {what}; it takes {', '.join(wanted) or 'none'}.")
    clean = {name: wanted[name](name, args[name], n_objects) for name in wanted if name in args}
    if "one" in clean:
        if clean["one"] == clean["other"]:
            raise EventError(f"A pair of object {clean['one']} with itself says nothing.")
        clean["one"], clean["other"] = sorted((clean["one"], clean["other"]))
    return kind, clean


def _item(name: str, value: Any, n: int) -> int:
    return whole_number(name, value, 0, n - 1, error=EventError)


def _items(name: str, value: Any, n: int) -> list[int]:
    given = list_of(name, value, "object numbers", error=EventError)
    if not 1 <= len(given) <= n:
        raise EventError(f"{name} has {len(given):,} objects: give from 1 to {n:,}.")
    return sorted({_item(name, item, n) for item in given})


def _key(name: str, value: Any, n: int) -> int:
    return whole_number(name, value, 0, 2**31 - 1, error=EventError)


def _joined(name: str, value: Any, n: int) -> int:
    """The key of a cluster, or -1 for a new one."""
    return whole_number(name, value, -1, 2**31 - 1, error=EventError)


def _keys(name: str, value: Any, n: int) -> list[int]:
    given = list(dict.fromkeys(_key(name, key, n) for key in list_of(name, value, "clusters", error=EventError)))
    if len(given) < 2:
        raise EventError(f"{name}={value!r:.60}: give two or more clusters.")
    return given


def _text(name: str, value: Any, n: int) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_NAME:
        raise EventError(f"{name}={value!r:.60}: give a text of 1 to {LONGEST_NAME} characters.")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise EventError(f"{name}={value!r:.60} has half a character (a surrogate): give whole ones.")
    return value.strip()


def _among(*words: str) -> Callable[[str, Any, int], str]:
    def check(name: str, value: Any, n: int) -> str:
        if not is_one_of(value, words):
            raise EventError(f"{name}={value!r:.60}: give one of {', '.join(words)}.")
        return value

    return check


def _between(low: float, high: float) -> Callable[[str, Any, int], float]:
    return lambda name, value, n: real_number(name, value, low, high, error=EventError)


def _clamped(most: float) -> Callable[[str, Any, int], float]:
    def check(name: str, value: Any, n: int) -> float:
        return min(max(real_number(name, value, -1e9, 1e9, error=EventError), 0.0), most)

    return check


_ARGUMENTS: dict[str, dict[str, Callable[[str, Any, int], Any]]] = {
    "move": {"items": _items, "x": _clamped(CANVAS[0]), "y": _clamped(CANVAS[1]), "joins": _joined},
    "unpin": {"items": _items},
    "link": {"one": _item, "other": _item, "kind": _among(*KINDS)},
    "unlink": {"statement": lambda name, value, n: whole_number(name, value, 1, 2**53, error=EventError)},
    "group": {"items": _items, "name": _text},
    "assign": {"items": _items, "cluster": _key},
    "merge": {"clusters": _keys},
    "split": {
        "cluster": _key,
        "into": lambda name, value, n: whole_number(name, value, 2, MOST_PARTS, error=EventError),
    },
    "recluster": {
        "items": _items,
        "into": lambda name, value, n: whole_number(name, value, 1, MOST_PARTS, error=EventError),
    },
    "rename": {"cluster": _key, "name": _text},
    "answer": {"one": _item, "other": _item, "answer": _among(*ANSWERS)},
    "k": {"k": lambda name, value, n: whole_number(name, value, 1, n, error=EventError)},
    "reach": {"reach": _between(1.0, 1500.0)},
    "engine": {"engine": _text},
    "undo": {},
    "redo": {},
}
_OPTIONAL = ("name", "joins")  # a group may have no name; what a move joins is noted when it is taken

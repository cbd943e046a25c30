"""The methods of a room by the names the field knows them by."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """One name of one method: the class behind it, and the parameters that the name presets."""

    name: str
    method: type
    presets: dict[str, Any]

    @property
    def summary(self) -> str:
        """The first line of the method's docstring."""
        return (self.method.__doc__ or "").strip().partition("\n")[0]


class Registry:
    """Find the methods of a room by name.

    A class is a method if it has a class attribute ``known_as`` of its own, which maps each of its names to the
    parameters that the name presets, and if the room lists the class in ``__all__``. Nothing is cached: the room is
    still importing when it makes its registry.

    Parameters
    ----------
    room : str
        The room's module, such as "pluribus.constrained".
    kind : str
        A word for its methods, for errors.
    """

    def __init__(self, room: str, kind: str = "method") -> None:
        self.room, self.kind = room, kind

    def entries(self) -> list[Entry]:
        """Every name with its class and presets, sorted by name."""
        room = import_module(self.room)
        public = [getattr(room, name) for name in room.__all__]
        methods: list[Any] = [thing for thing in public if isinstance(thing, type) and "known_as" in vars(thing)]
        entries = [Entry(name, method, presets) for method in methods for name, presets in method.known_as.items()]
        return sorted(entries, key=lambda entry: entry.name)

    def names(self) -> list[str]:
        """All names, sorted."""
        return [entry.name for entry in self.entries()]

    def make(self, name: str) -> Callable[..., Any]:
        """The class of this name, with the name's presets; case does not matter."""
        wanted = name.lower() if isinstance(name, str) else ""
        for entry in self.entries():
            if entry.name == wanted:
                return partial(entry.method, **entry.presets) if entry.presets else entry.method
        raise ValueError(f"No {self.kind} is called {name!r}; there are {', '.join(self.names())}.")

    def name_of(self, estimator: Any) -> str:
        """The name whose class and presets an estimator has; empty if it is not a method of this room.

        If its parameters match none of the presets, the first name of its class.
        """
        names = [entry for entry in self.entries() if entry.method is type(estimator)]
        parameters = estimator.get_params(deep=False) if names else {}
        matching = [entry for entry in names if entry.presets.items() <= parameters.items()]
        return next((entry.name for entry in (*matching, *names)), "")

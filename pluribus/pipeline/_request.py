"""What a user asks for: the options as they were given, and the number of clusters."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any


def stated(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a call, by name: those of the signature without the data and the callback."""
    names = [name for name in inspect.signature(function).parameters if name not in ("data", "labels", "on_note")]
    return {name: given[name] for name in names}


def columns_of(names: Iterable[str]) -> tuple[str, ...]:
    """Names of columns; one name may be given alone."""
    return (names,) if isinstance(names, str) else tuple(names)


def check_k(k: Any, n: int) -> None:
    """Refuse a number of clusters that n objects cannot have."""
    if k is None:
        return
    if isinstance(k, bool) or not isinstance(k, Integral) or int(k) < 1:
        raise ValueError(f"k={k!r}: give a whole number of clusters from 1, or leave it out to find it.")
    if int(k) > n:
        raise ValueError(f"k={k}, but there are only {n} objects: give at most {n}.")

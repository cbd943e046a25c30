"""What a user asks for: the options as they were given, and the number of clusters."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pluribus._engine import list_of


def stated(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a call, by name: those of the signature without the data and the callback."""
    names = [name for name in inspect.signature(function).parameters if name not in ("data", "labels", "on_note")]
    return {name: given[name] for name in names}


def plain(value: Any) -> Any:
    """An option as JSON knows it: files by their names, what is no plain value by its type.

    Examples
    --------
    >>> from pathlib import Path
    >>> plain({"must_link": [("a", "b")], "known_labels": Path("data/known.csv"), "k": 3})
    {'must_link': [['a', 'b']], 'known_labels': 'known.csv', 'k': 3}
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, PathLike):
        return Path(value).name
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(item) for item in value]
    return f"({type(value).__name__})"


def columns_of(names: Iterable[str]) -> tuple[str, ...]:
    """Names of columns; one name may be given alone."""
    return (names,) if isinstance(names, str) else tuple(map(str, list_of("ignore", names, "names of columns")))


def check_k(k: Any, n: int) -> None:
    """Refuse a number of clusters that n objects cannot have."""
    if k is None:
        return
    if isinstance(k, bool) or not isinstance(k, Integral) or int(k) < 1:
        raise ValueError(f"k={k!r}: give a whole number of clusters from 1, or leave it out to find it.")
    if int(k) > n:
        raise ValueError(f"k={k}, but there are only {n} objects: give at most {n}.")

"""Methods on increments by the names the field knows them by.

A class is found if ``pluribus.increments.__all__`` lists it and it has a class attribute ``known_as``: its names, each
with the parameters that the name presets.
"""

from collections.abc import Callable
from typing import Any

from pluribus._engine import Registry

METHODS = Registry("pluribus.increments", "method on increments")


def names() -> list[str]:
    """The names that ``by_name`` knows.

    Examples
    --------
    >>> from pluribus.increments import names
    >>> "sl-did" in names()
    True
    """
    return METHODS.names()


def by_name(name: str) -> Callable[..., Any]:
    """The method of this name: call it with parameters to make one.

    Examples
    --------
    >>> from pluribus.increments import by_name
    >>> by_name("sl-aglo")(isolation=5.0)
    IncrementsHierarchy(isolation=5.0, rule='aglo')
    """
    return METHODS.make(name)

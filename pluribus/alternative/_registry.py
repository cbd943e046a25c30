"""Methods for a second, different partition by the names the field knows them by.

A class is found if ``pluribus.alternative.__all__`` lists it and it has a class attribute ``known_as``: its names, each
with the parameters that the name presets.
"""

from collections.abc import Callable
from typing import Any

from pluribus._engine import Registry

METHODS = Registry("pluribus.alternative", "method for an alternative partition")


def names() -> list[str]:
    """The names that ``by_name`` knows.

    Examples
    --------
    >>> from pluribus import alternative
    >>> isinstance(alternative.names(), list)
    True
    """
    return METHODS.names()


def by_name(name: str) -> Callable[..., Any]:
    """The method of this name: call it with parameters to make one.

    Examples
    --------
    >>> from pluribus import alternative
    >>> try:
    ...     alternative.by_name("unknown")
    ... except ValueError as error:
    ...     print(str(error).partition(";")[0])
    No method for an alternative partition is called 'unknown'
    """
    return METHODS.make(name)

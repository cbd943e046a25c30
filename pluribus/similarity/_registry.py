"""Learned similarities by the names the field knows them by.

A class is found if ``pluribus.similarity.__all__`` lists it and it has a class attribute ``known_as``: its names, each
with the parameters that the name presets.
"""

from collections.abc import Callable
from typing import Any

from pluribus._engine import Registry

METHODS = Registry("pluribus.similarity", "learned similarity")


def names() -> list[str]:
    """The names that ``by_name`` knows.

    Examples
    --------
    >>> from pluribus import similarity
    >>> isinstance(similarity.names(), list)
    True
    """
    return METHODS.names()


def by_name(name: str) -> Callable[..., Any]:
    """The method of this name: call it with parameters to make one.

    Examples
    --------
    >>> from pluribus import similarity
    >>> try:
    ...     similarity.by_name("unknown")
    ... except ValueError as error:
    ...     print(str(error).partition(";")[0])
    No learned similarity is called 'unknown'
    """
    return METHODS.make(name)

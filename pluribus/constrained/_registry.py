"""Methods for data and constraints by the names the field knows them by.

A class is found if ``pluribus.constrained.__all__`` lists it and it has a class attribute ``known_as``: its names, each
with the parameters that the name presets.
"""

from collections.abc import Callable
from typing import Any

from pluribus._engine import Registry

METHODS = Registry("pluribus.constrained", "constrained method")


def names() -> list[str]:
    """The names that ``by_name`` knows.

    Examples
    --------
    >>> from pluribus import constrained
    >>> "cop-kmeans" in constrained.names()
    True
    """
    return METHODS.names()


def by_name(name: str) -> Callable[..., Any]:
    """The method of this name: call it with parameters to make one.

    Examples
    --------
    >>> from pluribus import constrained
    >>> constrained.by_name("COP-KMeans")(n_clusters=3)
    CopKMeans(n_clusters=3)
    """
    return METHODS.make(name)

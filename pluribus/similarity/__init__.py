"""Examples of what is similar and what is not -> a similarity that other methods can use."""

from pluribus.similarity._registry import by_name, names

__all__ = [
    "by_name",
    "names",
]

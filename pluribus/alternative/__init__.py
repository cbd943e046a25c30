"""Data and a partition that is known -> a different one."""

from pluribus.alternative._registry import by_name, names

__all__ = [
    "by_name",
    "names",
]

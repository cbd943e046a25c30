"""Attributes and links between objects -> one partition."""

from pluribus.relational._registry import by_name, names

__all__ = ["by_name", "names"]

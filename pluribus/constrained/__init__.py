"""Data and what you know about it -> one partition. One file for one method."""

from ._base import ConstrainedMixin

__all__ = ["ConstrainedMixin"]

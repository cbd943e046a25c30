"""Data and a partition that is known -> a different one."""

from pluribus.alternative._registry import by_name, names
from pluribus.alternative._shared.base import AlternativeMixin
from pluribus.alternative.ensemble.conditional_ensemble import ConditionalEnsemble

__all__ = [
    "AlternativeMixin",
    "ConditionalEnsemble",
    "by_name",
    "names",
]

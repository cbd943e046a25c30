"""Data and a partition that is known -> a different one."""

from pluribus.alternative._registry import by_name, names
from pluribus.alternative._shared.base import AlternativeMixin
from pluribus.alternative.ensemble.conditional_ensemble import ConditionalEnsemble
from pluribus.alternative.residual.residual_clusterer import ResidualClusterer

__all__ = [
    "AlternativeMixin",
    "ConditionalEnsemble",
    "ResidualClusterer",
    "by_name",
    "names",
]

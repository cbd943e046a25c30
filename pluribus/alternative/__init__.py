"""Data and a partition that is known -> a different one."""

from pluribus.alternative._registry import by_name, names
from pluribus.alternative._shared.base import AlternativeMixin
from pluribus.alternative.bottleneck.conditional_bottleneck import ConditionalBottleneck
from pluribus.alternative.choice.best_alternative import BestAlternative
from pluribus.alternative.ensemble.conditional_ensemble import ConditionalEnsemble
from pluribus.alternative.novelty_front import Alternative, Alternatives, alternatives
from pluribus.alternative.residual.residual_clusterer import ResidualClusterer

__all__ = [
    "Alternative",
    "AlternativeMixin",
    "Alternatives",
    "BestAlternative",
    "ConditionalBottleneck",
    "ConditionalEnsemble",
    "ResidualClusterer",
    "alternatives",
    "by_name",
    "names",
]

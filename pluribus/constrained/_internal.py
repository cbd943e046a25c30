"""What other rooms may use of this one, and users need not know."""

from pluribus.constrained.conditions._admissible import MovingClusters, refine
from pluribus.constrained.conditions._requirements import Requirements

__all__ = ["MovingClusters", "Requirements", "refine"]

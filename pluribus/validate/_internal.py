"""What other rooms may use of this one, and users need not know."""

from pluribus.validate.structure.separation import deepest_valley

__all__ = ["deepest_valley"]

"""What other rooms may use of this one, and users need not know."""

from pluribus.compare.ensembles import nearest_to_all

__all__ = ["nearest_to_all"]

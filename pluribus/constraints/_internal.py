"""What other rooms may use of this one, and users need not know."""

from pluribus.constraints._as_constraints import as_constraints

__all__ = ["as_constraints"]

"""What other rooms may use of this one, and users need not know."""

from pluribus.temporal._majority import majority

__all__ = ["majority"]

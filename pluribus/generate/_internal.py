"""What other rooms may use of this one, and users need not know."""

from pluribus.generate._k_rules import k_range
from pluribus.generate._pool import pool_bytes

__all__ = ["k_range", "pool_bytes"]

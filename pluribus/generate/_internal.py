"""Parts of this room that other rooms may use but users do not need."""

from pluribus.generate._k_rules import k_range
from pluribus.generate._pool import pool_bytes

__all__ = ["k_range", "pool_bytes"]

"""From data to an ensemble: many clusterings of the same rows, different on purpose."""

from ._base import looked_through
from ._generator import Generator
from ._k_rules import k_range
from ._mix import Mix, mix
from ._pool import pool_bytes
from ._presets import preset

__all__ = ["Generator", "Mix", "k_range", "looked_through", "mix", "pool_bytes", "preset"]

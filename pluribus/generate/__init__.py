"""From data to an ensemble: many clusterings of the same rows, different on purpose."""

from ._generator import Generator
from ._k_rules import k_range
from ._mix import Mix, mix
from ._presets import preset

__all__ = ["Generator", "Mix", "k_range", "mix", "preset"]

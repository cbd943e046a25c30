"""Parts of this room that other rooms may use but users do not need."""

from pluribus.generate._k_rules import k_range
from pluribus.generate._pool import pool_bytes
from pluribus.generate._spectral_widths import CUTS, MAX_ROWS, grid_partitions, squared_distances
from pluribus.generate.spectral_grid import check_widths

__all__ = ["CUTS", "MAX_ROWS", "check_widths", "grid_partitions", "k_range", "pool_bytes", "squared_distances"]

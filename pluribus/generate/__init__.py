"""Generation of ensembles: many different clusterings of the same rows."""

from pluribus.generate.communities import Communities
from pluribus.generate.generator import Generator
from pluribus.generate.mix import Mix, mix
from pluribus.generate.presets import preset
from pluribus.generate.spectral_grid import SpectralGrid

__all__ = ["Communities", "Generator", "Mix", "SpectralGrid", "mix", "preset"]

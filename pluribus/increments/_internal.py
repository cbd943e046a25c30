"""What other rooms may use of this one, and users need not know."""

from pluribus.increments._shared.description import Description, describe
from pluribus.increments._shared.dissimilarities import Dissimilarities, FeatureDissimilarities, GivenDissimilarities

__all__ = ["Description", "Dissimilarities", "FeatureDissimilarities", "GivenDissimilarities", "describe"]

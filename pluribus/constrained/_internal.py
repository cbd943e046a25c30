"""What other rooms may use of this one, and users need not know."""

from pluribus.constrained.conditions._admissible import MovingClusters, refine
from pluribus.constrained.conditions._requirements import Requirements
from pluribus.constrained.feedback._term_mixture import Corpus, TermMixture

__all__ = ["Corpus", "MovingClusters", "Requirements", "TermMixture", "refine"]

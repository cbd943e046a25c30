"""Evidence: pairwise similarity of objects from an ensemble."""

from pluribus._engine import MemoryLimitError
from pluribus.evidence.co_association import CoAssociation
from pluribus.evidence.divided_pairs import DividedPairs
from pluribus.evidence.mean_evidence import mean_evidence
from pluribus.evidence.unobserved_pairs import UnobservedPairs, unobserved_pairs

__all__ = [
    "CoAssociation",
    "DividedPairs",
    "MemoryLimitError",
    "UnobservedPairs",
    "mean_evidence",
    "unobserved_pairs",
]

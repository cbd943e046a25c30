"""Evidence: how strongly an ensemble says that two objects belong together."""

from pluribus._engine import MemoryLimitError
from pluribus.evidence._co_association import CoAssociation
from pluribus.evidence._divided_pairs import DividedPairs
from pluribus.evidence._far_nearest import Found as Found  # for the rooms above, not for users
from pluribus.evidence._far_nearest import search_by_cluster as search_by_cluster
from pluribus.evidence._mean_evidence import mean_evidence
from pluribus.evidence._unobserved import UnobservedPairs, unobserved_pairs

__all__ = [
    "CoAssociation",
    "DividedPairs",
    "MemoryLimitError",
    "UnobservedPairs",
    "mean_evidence",
    "unobserved_pairs",
]

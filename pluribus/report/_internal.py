"""What other rooms may use of this one, and users need not know."""

from pluribus.report._shared.object_map import principal_components
from pluribus.report._shared.words import index_title
from pluribus.report.anonymity import Anonymity, write_anonymity
from pluribus.report.comparison.measures import MEASURES, SHORT, SHORT_SPATIAL
from pluribus.report.comparison.words import describe_comparison
from pluribus.report.entities.entities import Entities
from pluribus.report.entities.page import write_entities
from pluribus.report.result.k_indices import KIndices, k_indices

__all__ = [
    "MEASURES",
    "SHORT",
    "SHORT_SPATIAL",
    "Anonymity",
    "Entities",
    "KIndices",
    "describe_comparison",
    "index_title",
    "k_indices",
    "principal_components",
    "write_anonymity",
    "write_entities",
]

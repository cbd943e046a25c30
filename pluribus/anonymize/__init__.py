"""A table -> a table in which nobody can be found."""

from pluribus.anonymize.anonymizer import Anonymizer
from pluribus.anonymize.published import PublishedCheck, check_published
from pluribus.anonymize.report import AnonymityReport

__all__ = ["AnonymityReport", "Anonymizer", "PublishedCheck", "check_published"]

"""Attributes and links between objects -> one partition."""

from pluribus.relational._registry import by_name, names
from pluribus.relational.signed.correlation_clustering import CorrelationClustering

__all__ = ["CorrelationClustering", "by_name", "names"]

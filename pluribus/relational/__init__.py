"""Attributes and links between objects -> one partition."""

from pluribus.relational._registry import by_name, names
from pluribus.relational.connected.connected_k_center import ConnectedKCenter
from pluribus.relational.connected.connected_kmeans import ConnectedKMeans
from pluribus.relational.connected.net_scan import NetScan
from pluribus.relational.signed.correlation_clustering import CorrelationClustering

__all__ = [
    "ConnectedKCenter",
    "ConnectedKMeans",
    "CorrelationClustering",
    "NetScan",
    "by_name",
    "names",
]

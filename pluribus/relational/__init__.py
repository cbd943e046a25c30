"""Attributes and links between objects -> one partition."""

from pluribus.relational._registry import by_name, names
from pluribus.relational.connected.connected_k_center import ConnectedKCenter
from pluribus.relational.connected.connected_kmeans import ConnectedKMeans
from pluribus.relational.connected.net_scan import NetScan
from pluribus.relational.entities._blocking import canopy_pairs, key_pairs, neighborhood_pairs
from pluribus.relational.entities._inputs import Candidates
from pluribus.relational.entities._path import PrecisionRecallCurve
from pluribus.relational.entities.collective_relational import CollectiveRelational, ResolvedName
from pluribus.relational.resolve import Resolution, resolve
from pluribus.relational.signed.correlation_clustering import CorrelationClustering

__all__ = [
    "Candidates",
    "CollectiveRelational",
    "ConnectedKCenter",
    "ConnectedKMeans",
    "CorrelationClustering",
    "NetScan",
    "PrecisionRecallCurve",
    "Resolution",
    "ResolvedName",
    "by_name",
    "canopy_pairs",
    "key_pairs",
    "names",
    "neighborhood_pairs",
    "resolve",
]

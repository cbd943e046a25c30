"""Consensus: an ensemble -> one partition. One file for one method."""

from pluribus.consensus._base import ConsensusMixin
from pluribus.consensus._ensemble_clusterer import EnsembleClusterer
from pluribus.consensus._evidence_accumulation import EvidenceAccumulation
from pluribus.consensus._names import by_name, names
from pluribus.consensus._pairwise_probabilistic import PairwiseProbabilistic

__all__ = [
    "ConsensusMixin",
    "EnsembleClusterer",
    "EvidenceAccumulation",
    "PairwiseProbabilistic",
    "by_name",
    "names",
]

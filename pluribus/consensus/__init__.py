"""Consensus: an ensemble -> one partition. One file for one method."""

from pluribus.consensus._registry import by_name, names
from pluribus.consensus._shared.base import ConsensusMixin
from pluribus.consensus.embedding.embedded_evidence import EmbeddedEvidence
from pluribus.consensus.embedding.lifted_consensus import LiftedConsensus
from pluribus.consensus.graph_cuts.bipartite_partitioning import BipartitePartitioning
from pluribus.consensus.graph_cuts.hypergraph_partitioning import HypergraphPartitioning
from pluribus.consensus.graph_cuts.meta_clustering import MetaClustering
from pluribus.consensus.graph_cuts.propagated_similarities import PropagatedSimilarities
from pluribus.consensus.graph_cuts.similarity_partitioning import SimilarityPartitioning
from pluribus.consensus.linkage.constrained_evidence import ConstrainedEvidenceAccumulation
from pluribus.consensus.linkage.evidence_accumulation import EvidenceAccumulation
from pluribus.consensus.linkage.locally_weighted import LocallyWeightedConsensus
from pluribus.consensus.median.correlation_consensus import CorrelationConsensus
from pluribus.consensus.refine.mark_noise import mark_noise
from pluribus.consensus.refine.with_sizes import with_sizes
from pluribus.consensus.selection.compare_methods import MethodComparison, MethodRun, compare_methods
from pluribus.consensus.selection.select_members import agreement_weights, select_members
from pluribus.consensus.selection.select_partition import Selection, select
from pluribus.consensus.soft.correspondence import correspondence
from pluribus.consensus.soft.dyadic_aspect import DyadicAspect
from pluribus.consensus.soft.mixture import MixtureConsensus
from pluribus.consensus.soft.mutual_information import MutualInformationConsensus
from pluribus.consensus.soft.pairwise_probabilistic import PairwiseProbabilistic
from pluribus.consensus.soft.soft_correspondence import SoftCorrespondence
from pluribus.consensus.soft.spectral_ensemble import SpectralEnsemble
from pluribus.consensus.voting.constrained_consistency import ConstrainedConsistency
from pluribus.consensus.voting.medoid import MedoidPartition
from pluribus.consensus.voting.voting import VotingConsensus

__all__ = [
    "BipartitePartitioning",
    "ConsensusMixin",
    "ConstrainedConsistency",
    "ConstrainedEvidenceAccumulation",
    "CorrelationConsensus",
    "DyadicAspect",
    "EmbeddedEvidence",
    "EvidenceAccumulation",
    "HypergraphPartitioning",
    "LiftedConsensus",
    "LocallyWeightedConsensus",
    "MedoidPartition",
    "MetaClustering",
    "MethodComparison",
    "MethodRun",
    "MixtureConsensus",
    "MutualInformationConsensus",
    "PairwiseProbabilistic",
    "PropagatedSimilarities",
    "Selection",
    "SimilarityPartitioning",
    "SoftCorrespondence",
    "SpectralEnsemble",
    "VotingConsensus",
    "agreement_weights",
    "by_name",
    "compare_methods",
    "correspondence",
    "mark_noise",
    "names",
    "select",
    "select_members",
    "with_sizes",
]

"""Consensus: an ensemble -> one partition. One file for one method."""

from pluribus.consensus._base import ConsensusMixin
from pluribus.consensus._bipartite_partitioning import BipartitePartitioning
from pluribus.consensus._compare_methods import MethodComparison, MethodRun, compare_methods
from pluribus.consensus._constrained_base import enough_clusters
from pluribus.consensus._constrained_consistency import ConstrainedConsistency
from pluribus.consensus._constrained_evidence import ConstrainedEvidenceAccumulation
from pluribus.consensus._correspondence import correspondence
from pluribus.consensus._dyadic_aspect import DyadicAspect
from pluribus.consensus._embedded_evidence import EmbeddedEvidence
from pluribus.consensus._ensemble_clusterer import EnsembleClusterer
from pluribus.consensus._evidence_accumulation import EvidenceAccumulation
from pluribus.consensus._hypergraph_partitioning import HypergraphPartitioning
from pluribus.consensus._lifted_consensus import LiftedConsensus
from pluribus.consensus._locally_weighted import LocallyWeightedConsensus
from pluribus.consensus._medoid import MedoidPartition
from pluribus.consensus._member_selection import agreement_weights, select_members
from pluribus.consensus._meta_clustering import MetaClustering
from pluribus.consensus._mixture import MixtureConsensus
from pluribus.consensus._mutual_information import MutualInformationConsensus
from pluribus.consensus._names import by_name, configured, names
from pluribus.consensus._number_of_clusters import accumulate
from pluribus.consensus._pairwise_probabilistic import PairwiseProbabilistic
from pluribus.consensus._plan import Plan, make_plan, plan_of
from pluribus.consensus._selection import Selection, select
from pluribus.consensus._similarity_partitioning import SimilarityPartitioning
from pluribus.consensus._soft_correspondence import SoftCorrespondence
from pluribus.consensus._suitable import suitable_consensus, suitable_generator
from pluribus.consensus._trees import predict_seconds
from pluribus.consensus._voting import VotingConsensus
from pluribus.consensus._weak_objects import without_weak
from pluribus.consensus._with_sizes import with_sizes

__all__ = [
    "BipartitePartitioning",
    "ConsensusMixin",
    "ConstrainedConsistency",
    "ConstrainedEvidenceAccumulation",
    "DyadicAspect",
    "EmbeddedEvidence",
    "EnsembleClusterer",
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
    "Plan",
    "Selection",
    "SimilarityPartitioning",
    "SoftCorrespondence",
    "VotingConsensus",
    "accumulate",
    "agreement_weights",
    "by_name",
    "compare_methods",
    "configured",
    "correspondence",
    "enough_clusters",
    "make_plan",
    "names",
    "plan_of",
    "predict_seconds",
    "select",
    "select_members",
    "suitable_consensus",
    "suitable_generator",
    "with_sizes",
    "without_weak",
]

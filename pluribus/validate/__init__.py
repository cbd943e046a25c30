"""Validate: a partition against data, evidence or ensemble; how many clusters, and which partition.

Of an ``…_index`` more is better, of a ``…_cost`` less. All take labels first, then what they are held against.
"""

from pluribus.increments import DegenerateIncrementsError
from pluribus.validate.agreement import average_consistency_index, average_mutual_information_index
from pluribus.validate.choose_k import KChoice, choose_k
from pluribus.validate.choose_partition import PartitionChoice, choose_partition
from pluribus.validate.criteria import CRITERIA, Criterion
from pluribus.validate.davies_bouldin import calinski_harabasz_index, davies_bouldin_cost
from pluribus.validate.density import dbcv_index
from pluribus.validate.description_length import description_length_cost, description_lengths
from pluribus.validate.dunn import dunn_index
from pluribus.validate.estimate import Estimate
from pluribus.validate.hubert import hubert_index
from pluribus.validate.maulik_bandyopadhyay import maulik_bandyopadhyay_index
from pluribus.validate.neighbor_density import NeighborDensity, neighbor_density_index
from pluribus.validate.point_symmetry import point_symmetry_cost
from pluribus.validate.s_dbw import s_dbw_cost
from pluribus.validate.sd_validity import sd_cost
from pluribus.validate.silhouette import silhouette_index, silhouettes
from pluribus.validate.stability import (
    ConsensusDistribution,
    Stability,
    ambiguous_pairs_cost,
    consensus_distribution,
    stability,
)
from pluribus.validate.structure.find_structure import Level, Structure, Witnesses, find_structure
from pluribus.validate.structure.separation import cluster_separation
from pluribus.validate.validity_weights import validity_weights
from pluribus.validate.xie_beni import xie_beni_cost

__all__ = [
    "CRITERIA",
    "ConsensusDistribution",
    "Criterion",
    "DegenerateIncrementsError",
    "Estimate",
    "KChoice",
    "Level",
    "NeighborDensity",
    "PartitionChoice",
    "Stability",
    "Structure",
    "Witnesses",
    "ambiguous_pairs_cost",
    "average_consistency_index",
    "average_mutual_information_index",
    "calinski_harabasz_index",
    "choose_k",
    "choose_partition",
    "cluster_separation",
    "consensus_distribution",
    "davies_bouldin_cost",
    "dbcv_index",
    "description_length_cost",
    "description_lengths",
    "dunn_index",
    "find_structure",
    "hubert_index",
    "maulik_bandyopadhyay_index",
    "neighbor_density_index",
    "point_symmetry_cost",
    "s_dbw_cost",
    "sd_cost",
    "silhouette_index",
    "silhouettes",
    "stability",
    "validity_weights",
    "xie_beni_cost",
]

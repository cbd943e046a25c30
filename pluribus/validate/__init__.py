"""Validate: a partition against data, evidence or ensemble."""

from pluribus.validate._agreement import average_consistency_index, average_mutual_information_index
from pluribus.validate._davies_bouldin import calinski_harabasz_index, davies_bouldin_cost
from pluribus.validate._description_length import (
    DegenerateIncrementsError,
    description_length_cost,
    description_lengths,
)
from pluribus.validate._dunn import dunn_index
from pluribus.validate._estimate import Estimate
from pluribus.validate._neighbor_density import NeighborDensity, neighbor_density_index
from pluribus.validate._silhouette import silhouette_index
from pluribus.validate._stability import (
    ConsensusDistribution,
    Stability,
    ambiguous_pairs_cost,
    consensus_distribution,
    stability,
)

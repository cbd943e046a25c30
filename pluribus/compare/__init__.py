"""Compare: partition against partition.

Each function takes two partitions of the same objects and says its direction in its name: of an ``…_index`` more is
alike, of a ``…_distance`` less. Objects that either partition leaves out do not count. A partition is a sequence of
labels, or an n × k matrix of memberships where a fuzzy form is defined. Spatially aware distances take the objects'
features too, ``f(a, b, X)``.
"""

from pluribus.compare.adco import adco_distance, adco_index
from pluribus.compare.compare_partitions import compare_partitions
from pluribus.compare.consistency import agreement_with_members, average_agreement, consistency_index
from pluribus.compare.disagreement import Disagreement, disagreement, mean_disagreement
from pluribus.compare.ensembles import DISTANCES, INDICES, SPATIAL_DISTANCES, distance_matrix, diversity, medoid
from pluribus.compare.information import (
    adjusted_mutual_information_index,
    completeness_index,
    homogeneity_index,
    mutual_information_index,
    normalized_mutual_information_index,
    normalized_variation_of_information_distance,
    v_measure_index,
    variation_of_information_distance,
)
from pluribus.compare.lift import TransportPlan, lift_emd_distance, lift_hausdorff_distance, lift_kernel_distance
from pluribus.compare.mallows import cc_distance
from pluribus.compare.matching import accuracy_index, edit_distance, purity_index, van_dongen_distance
from pluribus.compare.pairs import (
    adjusted_rand_index,
    fowlkes_mallows_index,
    jaccard_distance,
    jaccard_index,
    mirkin_distance,
    rand_distance,
    rand_index,
)
from pluribus.compare.point_transport import cdistance

__all__ = [
    "DISTANCES",
    "INDICES",
    "SPATIAL_DISTANCES",
    "Disagreement",
    "TransportPlan",
    "accuracy_index",
    "adco_distance",
    "adco_index",
    "adjusted_mutual_information_index",
    "adjusted_rand_index",
    "agreement_with_members",
    "average_agreement",
    "cc_distance",
    "cdistance",
    "compare_partitions",
    "completeness_index",
    "consistency_index",
    "disagreement",
    "distance_matrix",
    "diversity",
    "edit_distance",
    "fowlkes_mallows_index",
    "homogeneity_index",
    "jaccard_distance",
    "jaccard_index",
    "lift_emd_distance",
    "lift_hausdorff_distance",
    "lift_kernel_distance",
    "mean_disagreement",
    "medoid",
    "mirkin_distance",
    "mutual_information_index",
    "normalized_mutual_information_index",
    "normalized_variation_of_information_distance",
    "purity_index",
    "rand_distance",
    "rand_index",
    "v_measure_index",
    "van_dongen_distance",
    "variation_of_information_distance",
]

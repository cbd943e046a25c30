"""Compare: partition against partition.

Each function takes two partitions of the same objects and says its direction in its name: of an ``…_index`` more is
alike, of a ``…_distance`` less. Objects that either partition leaves out do not count.
"""

from pluribus.compare._consistency import agreement_with_members, average_agreement, consistency_index
from pluribus.compare._ensembles import DISTANCES, INDICES, distance_matrix, medoid
from pluribus.compare._information import (
    adjusted_mutual_information_index,
    completeness_index,
    homogeneity_index,
    mutual_information_index,
    normalized_mutual_information_index,
    normalized_variation_of_information_distance,
    v_measure_index,
    variation_of_information_distance,
)
from pluribus.compare._matching import accuracy_index, edit_distance, purity_index, van_dongen_distance
from pluribus.compare._pairs import (
    adjusted_rand_index,
    fowlkes_mallows_index,
    jaccard_distance,
    jaccard_index,
    mirkin_distance,
    rand_distance,
    rand_index,
)

__all__ = [
    "DISTANCES",
    "INDICES",
    "accuracy_index",
    "adjusted_mutual_information_index",
    "adjusted_rand_index",
    "agreement_with_members",
    "average_agreement",
    "completeness_index",
    "consistency_index",
    "distance_matrix",
    "edit_distance",
    "fowlkes_mallows_index",
    "homogeneity_index",
    "jaccard_distance",
    "jaccard_index",
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

"""What other rooms may use of this one, and users need not know."""

from pluribus.partitions._files import is_stored
from pluribus.partitions._labels import encode_labels, number_by_size, order_by_size, smallest_int
from pluribus.partitions._lift import KERNELS, bandwidth, check_features, check_kernel, lift_map
from pluribus.partitions._lifted_clusters import FeatureLift
from pluribus.partitions._memberships import check_membership, normalized_entropy
from pluribus.partitions._parse import check_index, code_in_place, columns_of
from pluribus.partitions._sampling import stratified_sample
from pluribus.partitions._size_weights import Pieces, assign_weights, split_weights, weight_bounds
from pluribus.partitions._sizes import size_bounds
from pluribus.partitions.contingency import contingency_of_codes
from pluribus.partitions.ensemble import UniqueRows

__all__ = [
    "KERNELS",
    "FeatureLift",
    "Pieces",
    "UniqueRows",
    "assign_weights",
    "bandwidth",
    "check_features",
    "check_index",
    "check_kernel",
    "check_membership",
    "code_in_place",
    "columns_of",
    "contingency_of_codes",
    "encode_labels",
    "is_stored",
    "lift_map",
    "normalized_entropy",
    "number_by_size",
    "order_by_size",
    "size_bounds",
    "smallest_int",
    "split_weights",
    "stratified_sample",
    "weight_bounds",
]

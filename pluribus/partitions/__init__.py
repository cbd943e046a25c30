"""Partitions and ensembles: labels, memberships, contingency tables, reading and writing them.

Labels that are coded already, as those of an ``Ensemble`` are, need not be coded again to be counted:

>>> import numpy as np
>>> from pluribus.partitions import contingency_of_codes
>>> contingency_of_codes(np.array([0, 0, 1, -1]), np.array([0, 1, 1, 0]), 2, 2)
array([[1, 1],
       [0, 1]])
"""

from pluribus.partitions._contingency import contingency, contingency_of_codes
from pluribus.partitions._ensemble import Ensemble, UniqueRows, as_ensemble
from pluribus.partitions._labels import encode_labels, order_by_size, smallest_int
from pluribus.partitions._memberships import check_membership, harden, normalized_entropy
from pluribus.partitions._parse import code_in_place
from pluribus.partitions._sampling import stratified_sample
from pluribus.partitions._size_weights import Pieces, assign_weights, split_weights, weight_bounds
from pluribus.partitions._sizes import SizedAssignment, SizeError, assign_sizes, size_bounds

__all__ = [
    "Ensemble",
    "Pieces",
    "SizeError",
    "SizedAssignment",
    "UniqueRows",
    "as_ensemble",
    "assign_sizes",
    "assign_weights",
    "check_membership",
    "code_in_place",
    "contingency",
    "contingency_of_codes",
    "encode_labels",
    "harden",
    "normalized_entropy",
    "order_by_size",
    "size_bounds",
    "smallest_int",
    "split_weights",
    "stratified_sample",
    "weight_bounds",
]

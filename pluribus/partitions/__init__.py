"""Partitions and ensembles: labels, memberships, contingency tables, reading and writing them."""

from pluribus.partitions._contingency import contingency
from pluribus.partitions._ensemble import Ensemble, UniqueRows, as_ensemble
from pluribus.partitions._labels import encode_labels, order_by_size
from pluribus.partitions._memberships import check_membership, harden, normalized_entropy

__all__ = [
    "Ensemble",
    "UniqueRows",
    "as_ensemble",
    "check_membership",
    "contingency",
    "encode_labels",
    "harden",
    "normalized_entropy",
    "order_by_size",
]

"""Parts of this room that other rooms may use but users do not need."""

from pluribus.evidence._dask_nearest import NearestObjects, search_by_dask
from pluribus.evidence._normalization import normalized
from pluribus.evidence._signed.bounds import packing_bound, settled
from pluribus.evidence._signed.graph import SignedGraph
from pluribus.evidence._signed.median import (
    Median,
    default_number_of_starts,
    ensemble_graph,
    items_under,
    median_partition,
)
from pluribus.evidence._signed.search import default_starts, number_by_appearance, pivot, search

__all__ = [
    "Median",
    "NearestObjects",
    "SignedGraph",
    "default_number_of_starts",
    "default_starts",
    "ensemble_graph",
    "items_under",
    "median_partition",
    "normalized",
    "number_by_appearance",
    "packing_bound",
    "pivot",
    "search",
    "search_by_dask",
    "settled",
]

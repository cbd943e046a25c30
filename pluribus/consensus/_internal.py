"""Parts of this room that other rooms may use but users do not need."""

from pluribus.consensus._registry import bytes_needed, configured, cost_of, name_of
from pluribus.consensus._shared.accumulate import LargestTriedWarning, accumulate
from pluribus.consensus._shared.base import normalize_rows
from pluribus.consensus._shared.constraints import as_preferences, feasible_n_clusters
from pluribus.consensus._shared.dendrogram import cut_into, lifetimes, longest_lived
from pluribus.consensus._shared.evidence_linkages import EXACT_SECONDS, evidence_tree, predict_seconds, seconds_of_pairs
from pluribus.consensus._shared.extend_labels import extend_labels
from pluribus.consensus.voting.medoid import one_member

__all__ = [
    "EXACT_SECONDS",
    "LargestTriedWarning",
    "accumulate",
    "as_preferences",
    "bytes_needed",
    "configured",
    "cost_of",
    "cut_into",
    "evidence_tree",
    "extend_labels",
    "feasible_n_clusters",
    "lifetimes",
    "longest_lived",
    "name_of",
    "normalize_rows",
    "one_member",
    "predict_seconds",
    "seconds_of_pairs",
]

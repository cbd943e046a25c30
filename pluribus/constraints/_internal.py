"""What other rooms may use of this one, and users need not know."""

from pluribus.constraints._allowed_clusters import allowed_clusters
from pluribus.constraints._as_constraints import as_constraints, refuse_kinds, without_sizes
from pluribus.constraints._statements import parse_names, parse_pairs
from pluribus.constraints.answers import check_answers
from pluribus.constraints.ask import as_reply

__all__ = [
    "allowed_clusters",
    "as_constraints",
    "as_reply",
    "check_answers",
    "parse_names",
    "parse_pairs",
    "refuse_kinds",
    "without_sizes",
]

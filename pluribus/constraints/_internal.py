"""What other rooms may use of this one, and users need not know."""

from pluribus.constraints._as_constraints import as_constraints
from pluribus.constraints._statements import parse_names, parse_pairs
from pluribus.constraints.answers import check_answers
from pluribus.constraints.ask import as_reply

__all__ = ["as_constraints", "as_reply", "check_answers", "parse_names", "parse_pairs"]

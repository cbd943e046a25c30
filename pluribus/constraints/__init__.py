"""What you know: pairs that belong together or apart, groups, known labels; closure, conflicts, feasibility."""

from ._closure import Closure
from ._constraints import Constraints
from ._errors import ConstraintError, ContradictionError, InfeasibleError
from ._feasibility import Feasibility
from ._sampling import disjoint_pairs, random_pairs, teachers
from ._statements import log_odds
from ._violations import Violations

__all__ = [
    "Closure",
    "ConstraintError",
    "Constraints",
    "ContradictionError",
    "Feasibility",
    "InfeasibleError",
    "Violations",
    "disjoint_pairs",
    "log_odds",
    "random_pairs",
    "teachers",
]

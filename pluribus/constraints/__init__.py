"""What you know: pairs that belong together or apart, groups, known labels; closure, conflicts, what to ask next."""

from ._answers import Answer, Answers
from ._as_constraints import as_constraints
from ._asking import Question, Selector, ask, questions
from ._closure import Closure
from ._constraints import Constraints
from ._errors import ConstraintError, ContradictionError, InfeasibleError
from ._feasibility import Feasibility
from ._neighborhoods import FarthestFirst, MinMax
from ._normalized_uncertainty import NormalizedUncertainty
from ._sampling import disjoint_pairs, random_pairs, teachers
from ._statements import log_odds
from ._suspects import suspects
from ._violations import Violations

__all__ = [
    "Answer",
    "Answers",
    "Closure",
    "ConstraintError",
    "Constraints",
    "ContradictionError",
    "FarthestFirst",
    "Feasibility",
    "InfeasibleError",
    "MinMax",
    "NormalizedUncertainty",
    "Question",
    "Selector",
    "Violations",
    "as_constraints",
    "ask",
    "disjoint_pairs",
    "log_odds",
    "questions",
    "random_pairs",
    "suspects",
    "teachers",
]

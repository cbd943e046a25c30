"""What you know: pairs that belong together or apart, groups, known labels; closure, conflicts, what to ask next."""

from pluribus.constraints._statements import log_odds
from pluribus.constraints.answers import Answer, Answers
from pluribus.constraints.ask import Question, Selector, ask, questions
from pluribus.constraints.closure import Closure
from pluribus.constraints.constraints import Constraints
from pluribus.constraints.errors import ConstraintError, ContradictionError, InfeasibleError
from pluribus.constraints.feasibility import Feasibility
from pluribus.constraints.neighborhoods import FarthestFirst, MinMax
from pluribus.constraints.normalized_uncertainty import NormalizedUncertainty
from pluribus.constraints.random_pairs import disjoint_pairs, random_pairs, teachers
from pluribus.constraints.suspects import suspects
from pluribus.constraints.violations import Violations

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
    "ask",
    "disjoint_pairs",
    "log_odds",
    "questions",
    "random_pairs",
    "suspects",
    "teachers",
]

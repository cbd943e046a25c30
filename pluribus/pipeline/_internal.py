"""What other rooms may use of this one, and users need not know."""

from pluribus.pipeline._headline import finer_level, headline, is_ambiguous, next_best, runner_up, verdict_reason
from pluribus.pipeline._k_choice import KOpinion
from pluribus.pipeline._label_files import label_columns
from pluribus.pipeline._methods import method_list
from pluribus.pipeline._result_files import OF_ALL_METHODS, RESULTS, figures_of, write_results
from pluribus.pipeline.candidates.k_ladder import KLadder
from pluribus.pipeline.clustering import RUNNING, SHOWN, membership_columns, table_of, versions

__all__ = [
    "OF_ALL_METHODS",
    "RESULTS",
    "RUNNING",
    "SHOWN",
    "KLadder",
    "KOpinion",
    "figures_of",
    "finer_level",
    "headline",
    "is_ambiguous",
    "label_columns",
    "membership_columns",
    "method_list",
    "next_best",
    "runner_up",
    "table_of",
    "verdict_reason",
    "versions",
    "write_results",
]

"""What other rooms may use of this one, and users need not know."""

from pluribus.pipeline._k_choice import KOpinion
from pluribus.pipeline._label_files import label_columns
from pluribus.pipeline._methods import method_list
from pluribus.pipeline._result_files import OF_ALL_METHODS, RESULTS, figures_of, write_results
from pluribus.pipeline.clustering import RUNNING, SHOWN, membership_columns, versions

__all__ = [
    "OF_ALL_METHODS",
    "RESULTS",
    "RUNNING",
    "SHOWN",
    "KOpinion",
    "figures_of",
    "label_columns",
    "membership_columns",
    "method_list",
    "versions",
    "write_results",
]

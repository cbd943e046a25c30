"""What other rooms may use of this one, and users need not know."""

from pluribus.pipeline._k_choice import KOpinion
from pluribus.pipeline._label_files import label_columns
from pluribus.pipeline._methods import is_single, method_list
from pluribus.pipeline.clustering import RUNNING, versions

__all__ = ["RUNNING", "KOpinion", "is_single", "label_columns", "method_list", "versions"]

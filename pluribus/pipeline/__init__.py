"""A table or labels -> a finished result: defaults, the memory plan, and the whole walk."""

from pluribus.pipeline._defaults import suitable_consensus, suitable_generator
from pluribus.pipeline._plan import Plan, make_plan, plan_of
from pluribus.pipeline.ensemble_clusterer import EnsembleClusterer

__all__ = ["EnsembleClusterer", "Plan", "make_plan", "plan_of", "suitable_consensus", "suitable_generator"]

"""A table or labels -> a finished result: defaults, the memory plan, and the whole walk."""

from pluribus.pipeline._defaults import default_consensus, default_generator
from pluribus.pipeline._plan import Plan, make_plan, plan_of
from pluribus.pipeline.cluster import cluster
from pluribus.pipeline.clustering import Clustering
from pluribus.pipeline.combine import combine
from pluribus.pipeline.ensemble_clusterer import EnsembleClusterer
from pluribus.pipeline.load import ArchiveError, load
from pluribus.pipeline.merge_record import MergeRecord
from pluribus.pipeline.states import States, states

__all__ = [
    "ArchiveError",
    "Clustering",
    "EnsembleClusterer",
    "MergeRecord",
    "Plan",
    "States",
    "cluster",
    "combine",
    "default_consensus",
    "default_generator",
    "load",
    "make_plan",
    "plan_of",
    "states",
]

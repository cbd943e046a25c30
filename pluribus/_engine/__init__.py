"""Where work runs: independent tasks on one core or all, their seeds, progress and what is kept of them."""

from pluribus._engine.arguments import (
    check_summable,
    is_one_of,
    is_sized,
    list_of,
    number_array,
    only_numbers,
    plain_array,
    real_number,
    whole_number,
)
from pluribus._engine.arrays import DAMAGED, ArrayError, ArraySpec, check_claims, holds_text
from pluribus._engine.dask_cluster import DaskCluster, EngineMixin, as_cluster
from pluribus._engine.dask_connection import ClusterLostError, computed
from pluribus._engine.files import atomic_path, scratch_file
from pluribus._engine.fingerprints import fingerprint
from pluribus._engine.memory import (
    MemoryLimitError,
    check_memory,
    free_memory,
    given_limit,
    in_bytes,
    memory_budget,
    memory_limit,
)
from pluribus._engine.progress import track
from pluribus._engine.registry import Registry
from pluribus._engine.results import ResultDirectory
from pluribus._engine.seeding import RandomState, seeds
from pluribus._engine.store import TaskStore
from pluribus._engine.tasks import check_n_jobs, merge_tasks, one_blas_thread, over_blocks, recall, run_tasks

__all__ = [
    "DAMAGED",
    "ArrayError",
    "ArraySpec",
    "ClusterLostError",
    "DaskCluster",
    "EngineMixin",
    "MemoryLimitError",
    "RandomState",
    "Registry",
    "ResultDirectory",
    "TaskStore",
    "as_cluster",
    "atomic_path",
    "check_claims",
    "check_memory",
    "check_n_jobs",
    "check_summable",
    "computed",
    "fingerprint",
    "free_memory",
    "given_limit",
    "holds_text",
    "in_bytes",
    "is_one_of",
    "is_sized",
    "list_of",
    "memory_budget",
    "memory_limit",
    "merge_tasks",
    "number_array",
    "one_blas_thread",
    "only_numbers",
    "over_blocks",
    "plain_array",
    "real_number",
    "recall",
    "run_tasks",
    "scratch_file",
    "seeds",
    "track",
    "whole_number",
]

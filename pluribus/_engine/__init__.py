"""Where work runs: independent tasks on one core or all, their seeds, progress and what is kept of them."""

from ._cluster import DaskCluster, EngineMixin, as_cluster
from ._files import atomic_path
from ._fingerprint import fingerprint
from ._memory import MemoryLimitError, free_memory, given_limit, in_bytes, memory_budget, memory_limit
from ._progress import track
from ._random import RandomState, seeds
from ._store import TaskStore
from ._tasks import merge_tasks, one_blas_thread, over_blocks, run_tasks

__all__ = [
    "DaskCluster",
    "EngineMixin",
    "MemoryLimitError",
    "RandomState",
    "TaskStore",
    "as_cluster",
    "atomic_path",
    "fingerprint",
    "free_memory",
    "given_limit",
    "in_bytes",
    "memory_budget",
    "memory_limit",
    "merge_tasks",
    "one_blas_thread",
    "over_blocks",
    "run_tasks",
    "seeds",
    "track",
]

"""Where work runs: independent tasks on one core or all, their seeds, progress and what is kept of them."""

from ._files import atomic_path
from ._fingerprint import fingerprint
from ._progress import track
from ._random import seeds
from ._store import TaskStore
from ._tasks import one_blas_thread, over_blocks, run_tasks

__all__ = ["TaskStore", "atomic_path", "fingerprint", "one_blas_thread", "over_blocks", "run_tasks", "seeds", "track"]

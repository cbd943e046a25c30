"""Independent tasks on one core or all."""

import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache, reduce
from numbers import Integral
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import ThreadpoolController

from pluribus._engine.arrays import ArraySpec
from pluribus._engine.dask_cluster import DaskCluster
from pluribus._engine.progress import track
from pluribus._engine.store import TaskStore

R = TypeVar("R")

# What the result of a task must look like: an array, or several by name.
Expected: TypeAlias = ArraySpec | Mapping[str, ArraySpec]

# The name under which a store keeps a result that is one array and not a dict of arrays.
_SINGLE = "single_array"


def run_tasks(
    function: Callable[..., R],
    tasks: Iterable[Any] | Mapping[int, Any],
    *,
    shared: Sequence[Any] = (),
    sent: Callable[[Any], Any] | None = None,
    engine: DaskCluster | None = None,
    n_jobs: int | None = None,
    description: str = "",
    verbose: bool = True,
    store: TaskStore | None = None,
    expected: Callable[[Any], Expected] | None = None,
) -> list[R]:
    """Return `[function(sent(task), *shared) for task in tasks]`, computed on `n_jobs` threads or on a Dask cluster.

    Within a task, BLAS and OpenMP get one thread. Their sums depend on how many they have, so this is what
    makes the results the same, bit for bit, for every `n_jobs`; the cores are busy with the tasks already.

    Parameters
    ----------
    function : callable
        Of one task and what is shared. With a `store` it returns an array or a dict of arrays.
    tasks : iterable, or mapping of numbers to tasks
        A task's number, by default its place, is its name in the store.
    shared : sequence
        What all tasks need: a cluster gets it once, not with each task.
    sent : callable, optional
        Makes what the function gets of a task, here, when the task's turn has come; by default the task itself.
    engine : DaskCluster or None
        The cluster whose workers run the tasks; None is this process. See `as_cluster`.
    n_jobs : int or None
        Threads, as joblib understands it: None is 1 (or what `joblib.parallel_config` says), -1 all cores.
    description : str
        What the progress bar says.
    verbose : bool
        False turns the progress bar off.
    store : TaskStore or None
        Keeps each result as soon as it is there; tasks it already has are not run again.
    expected : callable
        What the result of a task must look like; a result in the store that does not is not used. Needed with a store.

    Examples
    --------
    >>> from pluribus._engine import run_tasks
    >>> run_tasks(lambda seed: seed**2, [1, 2, 3], n_jobs=2)
    [1, 4, 9]
    """
    check_n_jobs(n_jobs)
    todo = dict(tasks if isinstance(tasks, Mapping) else enumerate(tasks))
    results = {} if store is None else recall(store, todo, expected)
    missing = [index for index in todo if index not in results]

    def finish(index: int, result: R) -> tuple[int, R]:
        if store is not None:
            _keep(store, index, result)
        return index, result

    def here(index: int) -> tuple[int, R]:
        task = todo[index]
        return finish(index, function(task if sent is None else sent(task), *shared))

    if engine is None:
        finished = _on_threads(here, missing, n_jobs)
    else:
        remote = engine.results(function, {index: todo[index] for index in missing}, shared, sent)
        finished = (finish(index, result) for index, result in remote)
    with closing(finished):
        for index, result in track(finished, description, total=len(missing), verbose=verbose):
            results[index] = result
    return [results[index] for index in todo]


def merge_tasks(
    function: Callable[..., Any],
    tasks: Sequence[Any],
    merge: Callable[[Any, Any], Any],
    *,
    shared: Sequence[Any] = (),
    engine: DaskCluster | None = None,
    n_jobs: int | None = None,
    description: str = "",
    verbose: bool = True,
) -> Any:
    """Return the results of all tasks, merged two by two.

    Parameters
    ----------
    function : callable
        Of a task and what is shared.
    tasks : sequence
    merge : callable
        Of two results; neither their order nor how they are grouped must matter.
    shared, engine, n_jobs, description, verbose
        As for ``run_tasks``.

    Examples
    --------
    >>> from pluribus._engine import merge_tasks
    >>> merge_tasks(lambda task: {task % 3}, range(8), set.union)
    {0, 1, 2}
    """
    check_n_jobs(n_jobs)
    if engine is not None:
        steps = engine.merged(function, tasks, merge, shared)
        with closing(steps):
            return deque(track(steps, description, total=2 * len(tasks) - 1, verbose=verbose), maxlen=1).pop()
    return reduce(
        merge, run_tasks(function, tasks, shared=shared, n_jobs=n_jobs, description=description, verbose=verbose)
    )


def over_blocks(
    function: Callable[[int, int], R], n: int, *, n_jobs: int | None = None, block: int = 16_384
) -> list[R]:
    """Return `function(start, stop)` for each block of rows in 0..n, in order, computed on `n_jobs` threads.

    The blocks do not depend on `n_jobs`, and neither do the results.

    Examples
    --------
    >>> from pluribus._engine import over_blocks
    >>> over_blocks(lambda start, stop: (start, stop), 10, block=4)
    [(0, 4), (4, 8), (8, 10)]
    """
    check_n_jobs(n_jobs)
    starts = range(0, n, block)

    def compute(index: int) -> tuple[int, R]:
        return index, function(starts[index], min(starts[index] + block, n))

    found = dict(_on_threads(compute, range(len(starts)), n_jobs))
    return [found[index] for index in range(len(starts))]


def check_n_jobs(n_jobs: int | None) -> None:
    """Refuse what is not a number of threads.

    Examples
    --------
    >>> from pluribus._engine.tasks import check_n_jobs
    >>> check_n_jobs(2)
    >>> check_n_jobs(0)
    Traceback (most recent call last):
    ValueError: n_jobs=0 is not a number of threads: give 1 or more, -1 for all cores, or None for one.
    """
    if n_jobs is None or (isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool) and n_jobs != 0):
        return
    raise ValueError(
        f"n_jobs={n_jobs!r} is not a number of threads: give 1 or more, -1 for all cores, or None for one."
    )


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Linear algebra on one thread: small problems lose more by waiting for others than they win.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus._engine import one_blas_thread
    >>> with one_blas_thread():
    ...     np.linalg.eigvalsh(np.diag([2.0, 1.0]))
    array([1., 2.])
    """
    with _controller(len(sys.modules)).limit(limits=1, user_api="blas"):
        yield


def _on_threads(function: Callable[[int], R], indices: Sequence[int], n_jobs: int | None) -> Generator[R]:
    """Yield the results as they come, in any order, with one thread of BLAS and OpenMP in each task."""
    controller = _controller(len(sys.modules))

    running = _Running()
    raised: list[tuple[Exception, TracebackType | None, BaseException | None]] = []

    def alone(index: int) -> R:
        # OpenMP's limit holds for the thread that sets it, BLAS's for the whole process: so the first is set
        # here, in the worker, and the second once, around all of them.
        with running, controller.limit(limits=1, user_api="openmp"):
            try:
                return function(index)
            except Exception as error:
                raised.append((error, error.__traceback__, error.__cause__))
                raise

    with one_blas_thread():
        if len(indices) < 2:
            yield from map(alone, indices)
            return
        parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator_unordered")
        try:
            yield from parallel(delayed(alone)(index) for index in indices)
        except Exception as error:
            running.wait()  # a thread that is still at work when the process ends would crash it
            if _no_thread(error):
                raise MemoryError("There is no memory for another thread: use fewer (n_jobs).") from error
            for given, where, cause in raised:  # joblib turns where an error came from, and its cause, into a text
                if given is error:
                    error.__cause__ = cause
                    raise error.with_traceback(where)  # noqa: B904
            raise


def _no_thread(error: BaseException | None) -> bool:
    """Whether a thread could not be started, which the pool follows up by errors of its own."""
    while error is not None:
        if isinstance(error, RuntimeError) and "start new thread" in str(error):
            return True
        error = error.__context__
    return False


class _Running:
    """How many tasks are at work."""

    def __init__(self) -> None:
        self._count = 0
        self._changed = threading.Condition()

    def __enter__(self) -> None:
        with self._changed:
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def wait(self) -> None:
        """Until none is."""
        with self._changed:
            self._changed.wait_for(lambda: self._count == 0)


@lru_cache(maxsize=1)
def _controller(n_modules: int) -> ThreadpoolController:
    """Find the thread pools of the process: again only after an import, which may have brought new ones."""
    return ThreadpoolController()


def recall(store: TaskStore, tasks: Mapping[int, Any], expected: Callable[[Any], Expected] | None) -> dict[int, Any]:
    """Return the results of tasks that a store has, by their numbers (see ``run_tasks``)."""
    if expected is None:
        raise TypeError("a store needs `expected`: results that are read back are checked")
    kept = {index: _recalled(store, index, expected(task)) for index, task in tasks.items()}
    return {index: result for index, result in kept.items() if result is not None}


def _recalled(store: TaskStore, index: int, expected: Expected) -> Any:
    if not isinstance(expected, ArraySpec):
        return store.get(str(index), expected)
    found = store.get(str(index), {_SINGLE: expected})
    return found and found[_SINGLE]


def _keep(store: TaskStore, index: int, result: Any) -> None:
    store.put(str(index), **({_SINGLE: result} if isinstance(result, np.ndarray) else result))

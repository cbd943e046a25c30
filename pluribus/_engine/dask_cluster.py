"""Where tasks run if not in this process: the workers of a Dask cluster that is already there."""

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from threadpoolctl import threadpool_limits

from pluribus._engine.dask_connection import (
    client_at,
    lost,
    next_done,
    result_of,
    threads_of,
    wait_for_a_worker,
    watched,
)

if TYPE_CHECKING:  # an extra: loaded when used
    from distributed import Client

_SENDING, _SLOWEST = 60, 1e7  # seconds to send a value, and bytes a second
_ATTEMPTS = 3  # at a task whose workers, or what they were given, were lost


class Shared:
    """A value that the workers have, so that it need not go with each task; sent again if it is lost with them."""

    def __init__(self, client: "Client", value: Any) -> None:
        self._client, self._value = client, value
        self._send()

    def _send(self) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            wait_for_a_worker(self._client)
            try:
                self.future = self._scattered()
                return
            except OSError:  # a worker has died on the way, or does not answer
                if attempt == _ATTEMPTS:
                    raise
                time.sleep(attempt)

    def _scattered(self) -> Any:
        """As ``Client.scatter``, but within a limit of time.

        The value goes to one worker, and from there to those that need it: sending it to all would wait for ever for
        one that was just killed.
        """
        from dask.sizeof import sizeof

        limit = _SENDING + sizeof(self._value) / _SLOWEST
        scatter = self._client._scatter
        return self._client.sync(scatter, [self._value], hash=False, callback_timeout=limit)[0]

    def renew(self) -> None:
        """Send the value again, if no worker has it any more."""
        if self.future.status != "finished":
            self._send()


class DaskCluster:
    """The workers of a Dask cluster, for ``run_tasks`` and ``merge_tasks``.

    What a task returns is what it would return here: within a task BLAS and OpenMP have one thread, and results come
    back in the order of the tasks. A worker that dies loses nothing but time, its tasks are run again.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: "Client") -> None:
        self.client = client

    def share(self, values: Sequence[Any]) -> list[Shared]:
        """Send values to the cluster, once each; what is there already stays there."""
        return [value if isinstance(value, Shared) else Shared(self.client, value) for value in values]

    def results(
        self,
        function: Callable[..., Any],
        tasks: Mapping[int, Any],
        shared: Sequence[Any],
        sent: Callable[[Any], Any] | None = None,
    ) -> Generator[tuple[int, Any]]:
        """Yield each task's index and result as they come.

        A task is sent shortly before a worker is free for it: what waits takes no memory on the cluster.
        """
        with watched(self.client):
            yield from self._results(function, tasks, shared, sent)

    def _results(
        self,
        function: Callable[..., Any],
        tasks: Mapping[int, Any],
        shared: Sequence[Any],
        sent: Callable[[Any], Any] | None,
    ) -> Generator[tuple[int, Any]]:
        from distributed import CancelledError

        handles = self.share(shared)
        waiting = deque(tasks)
        attempts = dict.fromkeys(tasks, 0)
        at_work: dict[Any, int] = {}
        done: SimpleQueue[Any] = SimpleQueue()
        try:
            while waiting or at_work:
                while waiting and len(at_work) < self._room():
                    index = waiting.popleft()
                    task = tasks[index] if sent is None else sent(tasks[index])
                    future = self._submit(function, task, handles)
                    at_work[future] = index
                    future.add_done_callback(done.put)
                future = next_done(self.client, done)
                index = at_work.pop(future)
                try:
                    result = result_of(self.client, future)
                except CancelledError as error:
                    attempts[index] += 1
                    if attempts[index] == _ATTEMPTS:
                        raise lost(self.client, error) from error
                    for handle in handles:
                        handle.renew()
                    waiting.append(index)
                    continue
                future.release()  # its memory on the cluster
                yield index, result
        finally:
            self._cancel(at_work)

    def merged(
        self,
        function: Callable[..., Any],
        tasks: Sequence[Any],
        merge: Callable[[Any, Any], Any],
        shared: Sequence[Any],
    ) -> Generator[Any]:
        """Yield after each task and each merge of two results, at last all results merged: only this one comes back.

        Tasks are sent as for ``results``, and what is there is merged where it is.
        """
        from distributed import CancelledError

        with watched(self.client):
            handles = self.share(shared)
            for attempt in range(1, _ATTEMPTS + 1):
                try:
                    yield from self._merging(function, tasks, merge, handles)
                    return
                except CancelledError as error:
                    if attempt == _ATTEMPTS:
                        raise lost(self.client, error) from error
                    for handle in handles:
                        handle.renew()

    def _merging(
        self,
        function: Callable[..., Any],
        tasks: Sequence[Any],
        merge: Callable[[Any, Any], Any],
        handles: list[Shared],
    ) -> Generator[Any]:
        waiting = deque(tasks)
        at_work: set[Any] = set()
        single: Any = None  # a result that waits for another
        done: SimpleQueue[Any] = SimpleQueue()

        def follow(future: Any) -> None:
            at_work.add(future)
            future.add_done_callback(done.put)

        try:
            while waiting or at_work:
                while waiting and len(at_work) < self._room():
                    follow(self._submit(function, waiting.popleft(), handles))
                future = next_done(self.client, done)
                at_work.remove(future)
                if future.status != "finished":
                    result_of(self.client, future)  # raises
                if single is None:
                    single = future
                else:
                    follow(self.client.submit(_alone, merge, single, future, pure=False))
                    single = None
                yield result_of(self.client, single) if not (waiting or at_work) else None
        finally:
            self._cancel(at_work)

    def _cancel(self, futures: Iterable[Any]) -> None:
        with suppress(Exception):  # the scheduler may be lost
            self.client.cancel(list(futures))

    @property
    def n_threads(self) -> int:
        """Tasks that can run at a time, by now."""
        return max(1, sum(threads_of(self.client).values()))

    def _room(self) -> int:
        """How many tasks may be at work or about to be: enough that no worker waits for the next one."""
        return max(4, 3 * self.n_threads)

    def _submit(self, function: Callable[..., Any], task: Any, handles: list[Shared]) -> Any:
        import dask

        # Blocks of data go with their tasks: the scheduler can then send them to another worker if one dies.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            return self.client.submit(_alone, function, task, *(handle.future for handle in handles), pure=False)


class EngineMixin:
    """For estimators with a parameter ``engine``, which may be a client: it is neither copied nor saved."""

    def __sklearn_clone__(self) -> Any:
        from sklearn.base import clone  # workers that only run tasks need not load it

        own = self.get_params(deep=False)  # type: ignore[attr-defined]
        return type(self)(**{name: v if name == "engine" else clone(v, safe=False) for name, v in own.items()})

    def __getstate__(self) -> Any:
        state: Any = super().__getstate__()
        state = dict(state)
        if not isinstance(state.get("engine"), str | None):
            state["engine"] = None
        return state


def as_cluster(engine: Any) -> DaskCluster | None:
    """The cluster that ``engine`` names; None for this process.

    Parameters
    ----------
    engine : None, "local", "dask", the address of a scheduler, or a distributed.Client
        "dask" is the client in scope. A client that is opened for an address does not become the client in scope; it
        stays open until the process ends, for the next call.

    Examples
    --------
    >>> from pluribus._engine import as_cluster
    >>> as_cluster("local") is None
    True
    """
    if engine is None or engine == "local" or isinstance(engine, DaskCluster):
        return None if isinstance(engine, str) else engine
    is_client = not isinstance(engine, str) and hasattr(engine, "submit") and hasattr(engine, "scatter")
    if not is_client and (not isinstance(engine, str) or (engine != "dask" and "://" not in engine)):
        raise ValueError(
            f"engine={engine!r} is none: give 'local', 'dask' (the client in scope), the address of a Dask scheduler "
            "such as 'tcp://10.0.0.1:8786', or a distributed.Client."
        )
    client = engine if is_client else client_at(engine)
    if not threads_of(client):
        raise ValueError(f"engine={engine!r}: the Dask cluster has no workers. Start some (`dask worker ADDRESS`).")
    return DaskCluster(client)


def _alone(function: Callable[..., Any], *arguments: Any) -> Any:
    """On a worker: the function, with one thread of BLAS and OpenMP."""
    with _one_blas_thread, threadpool_limits(1, user_api="openmp"):
        return function(*arguments)


class _OneBlasThread:
    """One thread of BLAS while any task is at work: its limit holds for all threads of a worker, not for one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._count == 0:
                self._limits = threadpool_limits(1, user_api="blas")
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0:
                self._limits.restore_original_limits()


_one_blas_thread = _OneBlasThread()

"""Where tasks run if not in this process: the workers of a Dask cluster that is already there."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from threadpoolctl import threadpool_limits

if TYPE_CHECKING:  # an extra: loaded when used
    from distributed import Client

_TIMEOUT = 10  # seconds to wait for a scheduler
_ADVICE = (
    "Start a client first, `client = distributed.Client(...)`, or give the scheduler's address, such as "
    "engine='tcp://10.0.0.1:8786'."
)


class DaskCluster:
    """The workers of a Dask cluster, for ``run_tasks`` and ``merge_tasks``.

    What a task returns is what it would return here: within a task BLAS and OpenMP have one thread, and results come
    back in the order of the tasks. A worker that dies loses nothing but time, Dask runs its tasks again.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: "Client") -> None:
        self.client = client

    def share(self, values: Sequence[Any]) -> list[Any]:
        """Send values to all workers, once each; what is there already stays there.

        All have a copy, so that none is lost with a worker.
        """
        from distributed import Future

        return [
            value if isinstance(value, Future) else self.client.scatter([value], broadcast=True, hash=False)[0]
            for value in values
        ]

    def results(
        self, function: Callable[..., Any], tasks: dict[int, Any], shared: Sequence[Any]
    ) -> Iterator[tuple[int, Any]]:
        """Yield each task's index and result as they come."""
        from distributed import as_completed

        handles = self.share(shared)
        futures = {self._submit(function, task, handles): index for index, task in tasks.items()}
        try:
            for future in as_completed(list(futures)):
                index = futures.pop(future)
                yield index, future.result()
                future.release()  # its memory on the cluster
        finally:
            self.client.cancel(list(futures))

    def merged(
        self,
        function: Callable[..., Any],
        tasks: Sequence[Any],
        merge: Callable[[Any, Any], Any],
        shared: Sequence[Any],
    ) -> Any:
        """The results of all tasks, merged two by two where they are; only the last one comes back."""
        handles = self.share(shared)
        futures = [self._submit(function, task, handles) for task in tasks]
        while len(futures) > 1:
            pairs = zip(futures[::2], futures[1::2], strict=False)
            merges = [self.client.submit(_alone, merge, one, other, pure=False) for one, other in pairs]
            futures = merges + futures[2 * len(merges) :]
        return futures[0].result()

    def _submit(self, function: Callable[..., Any], task: Any, handles: list[Any]) -> Any:
        return self.client.submit(_alone, function, task, *handles, pure=False)


def as_cluster(engine: Any) -> DaskCluster | None:
    """The cluster that ``engine`` names; None for this process.

    Parameters
    ----------
    engine : None, "local", "dask", the address of a scheduler, or a distributed.Client
        "dask" is the client in scope.

    Examples
    --------
    >>> from pluribus._engine import as_cluster
    >>> as_cluster("local") is None
    True
    """
    if engine is None or engine == "local" or isinstance(engine, DaskCluster):
        return None if isinstance(engine, str) else engine
    if not isinstance(engine, str) and hasattr(engine, "submit") and hasattr(engine, "scatter"):
        return DaskCluster(engine)
    if not isinstance(engine, str) or (engine != "dask" and "://" not in engine):
        raise ValueError(
            f"engine={engine!r} is none: give 'local', 'dask' (the client in scope), the address of a Dask scheduler "
            "such as 'tcp://10.0.0.1:8786', or a distributed.Client."
        )
    try:
        import distributed
    except ImportError as error:
        raise ImportError(f"engine={engine!r} needs Dask: install it with `pip install pluribus[dask]`.") from error
    try:
        client = distributed.default_client() if engine == "dask" else distributed.Client(engine, timeout=_TIMEOUT)
    except ValueError:
        raise ValueError(f"engine='dask', but there is no Dask client in scope. {_ADVICE}") from None
    except OSError as error:
        raise ValueError(f"engine={engine!r}: no Dask scheduler answers there ({error}). {_ADVICE}") from None
    if not client.scheduler_info()["workers"]:
        raise ValueError(f"engine={engine!r}: the Dask cluster has no workers. Start some (`dask worker ADDRESS`).")
    return DaskCluster(client)


def _alone(function: Callable[..., Any], *arguments: Any) -> Any:
    """On a worker: the function, with one thread of BLAS and OpenMP."""
    with threadpool_limits(1):
        return function(*arguments)

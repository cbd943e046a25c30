"""The connection to a Dask scheduler: every wait for it has a limit, and ends in an error that says what to do."""

import asyncio
import atexit
import logging
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # an extra: loaded when used
    from distributed import Client

_LOGS = ("distributed.client", "distributed.utils", "tornado.application", "asyncio")  # of a client and its work
TIMEOUT = 10  # seconds to wait for a scheduler when a client is opened
ANSWER = 60  # seconds until a scheduler that does not answer is lost
LOOK = 5  # seconds without news until the scheduler is asked whether it is there
PATIENCE = 300  # seconds to wait for a worker, where all have died

_ADVICE = (
    "Start a client first, `client = distributed.Client(...)`, or give the scheduler's address, such as "
    "engine='tcp://10.0.0.1:8786'."
)


class ClusterLostError(ConnectionError):
    """The scheduler of a Dask cluster does not answer any more, or all its workers are gone."""


# -- opening ---------------------------------------------------------------------------------------------------------

_clients: dict[str, "Client"] = {}  # by address; each is used again, and open until this process ends


def client_at(engine: str) -> "Client":
    """The client in scope for "dask", or one of the scheduler at an address."""
    try:
        import distributed
    except ImportError as error:
        raise ImportError(f"engine={engine!r} needs Dask: install it with `pip install pluribus[dask]`.") from error
    try:
        client = distributed.default_client()
    except ValueError:
        if engine == "dask":
            raise ValueError(f"engine='dask', but there is no Dask client in scope. {_ADVICE}") from None
    else:
        if engine in ("dask", getattr(client.scheduler, "address", None)):
            return client
    if engine in _clients and _clients[engine].status == "running":
        return _clients[engine]
    try:
        _check_scheduler(engine)
        _clients[engine] = client = distributed.Client(engine, timeout=TIMEOUT, set_as_default=False)
    except Exception as error:
        raise ValueError(f"engine={engine!r}: {_no_connection(engine, error)}") from error
    atexit.register(client.close, timeout=1)  # the scheduler may be gone
    return client


def _check_scheduler(address: str) -> None:
    """Ask who is at an address: a client would wait for ever for a server that is no scheduler and says nothing."""
    from distributed import Security, rpc

    if address.startswith("inproc:"):  # in this process, where nothing else answers
        return

    async def asked() -> None:
        how = Security().get_connection_args("client")
        async with rpc(address, timeout=TIMEOUT, connection_args=how) as server:
            who = await server.identity()
        if who.get("type") != "Scheduler":
            raise ValueError(f"a Dask {str(who.get('type')).lower()} answers")

    problems: list[Exception] = []

    def ask() -> None:
        try:
            asyncio.run(asyncio.wait_for(asked(), TIMEOUT))
        except Exception as error:
            problems.append(error)

    thread = threading.Thread(target=ask, daemon=True)  # this one may have a loop of its own, as in a notebook
    thread.start()
    thread.join(2 * TIMEOUT)  # also if names of machines cannot be resolved
    if thread.is_alive() or problems:
        raise problems[0] if problems else TimeoutError


def _no_connection(address: str, error: Exception) -> str:
    """Why there is no connection, and what to do."""
    from distributed.comm import registry

    transport = address.partition("://")[0]
    if transport == "tls" and isinstance(error, TypeError):
        return (
            "tls needs certificates. Open a client with them, `client = distributed.Client(address, "
            "security=distributed.Security(...))`, and give engine=client, or name them in Dask's configuration."
        )
    try:
        registry.get_backend(transport)
        missing = isinstance(error, ImportError | TypeError)  # Dask knows its name only
    except ValueError:
        missing = True
    if missing:
        return (
            f"Dask cannot connect by {transport!r} here. Install the package of this transport, or give the address "
            "of the scheduler that begins with tcp://."
        )
    reason = str(error) or f"no answer in {TIMEOUT} seconds"
    if isinstance(error, MemoryError):  # its first words were taken for a length
        reason = "it is another server"
    return (
        f"no Dask scheduler answers there ({reason}). Check the address, and that the scheduler runs "
        "(`dask scheduler`)."
    )


# -- watching --------------------------------------------------------------------------------------------------------


def threads_of(client: "Client") -> dict[str, int]:
    """The threads of each worker, as the scheduler has them: a client's own list may miss some that came back."""
    scheduler: Any = client.scheduler
    try:
        return client.sync(scheduler.ncores, callback_timeout=ANSWER)
    except Exception as error:
        raise lost(client, error) from error


def wait_for_a_worker(client: "Client") -> None:
    """Wait until the cluster has a worker."""
    deadline = time.monotonic() + PATIENCE
    while not threads_of(client):
        if time.monotonic() > deadline:
            raise ClusterLostError(
                f"All workers of the Dask cluster have died, and none came back in {PATIENCE} seconds. Start workers "
                "(`dask worker ADDRESS`) and repeat the call: with a checkpoint, it continues with what is done."
            )
        time.sleep(0.2)


def next_done(client: "Client", done: "queue.SimpleQueue[Any]") -> Any:
    """The next future that is done, from a queue; the scheduler is asked now and then whether it is still there."""
    while True:
        try:
            return done.get(timeout=LOOK)
        except queue.Empty:
            wait_for_a_worker(client)


def result_of(client: "Client", future: Any) -> Any:
    """The result of a future, or its error; the scheduler is asked now and then whether it is still there."""
    from distributed import KilledWorker

    limit = float(ANSWER)
    while True:
        try:
            return future.result(timeout=limit)
        except TimeoutError:
            if future.status == "error":  # of the task
                raise
            if future.status == "finished":  # a large result may take longer
                limit *= 2
            wait_for_a_worker(client)
        except KilledWorker as error:
            raise MemoryError(
                f"{error.allowed_failures + 1} workers of the Dask cluster died one after the other at the same task, "
                "most likely for lack of memory: give workers more memory or fewer threads. Their logs say more."
            ) from error


def computed(client: "Client", collection: Any) -> Any:
    """The value of a Dask collection, computed by the workers."""
    with watched(client):
        return result_of(client, client.compute(collection))


@contextmanager
def watched(client: "Client") -> Iterator[None]:
    """Say that the cluster is lost, whatever error that causes."""
    try:
        yield
    except ClusterLostError:
        raise
    except Exception as error:
        if client.status == "running":
            raise
        raise lost(client, error) from error


def lost(client: "Client", error: Exception) -> ClusterLostError:
    """The error of a lost scheduler. A client of ours is closed; the next call opens another one."""
    address = getattr(client.scheduler, "address", "of this client")
    for own in [own for own, known in _clients.items() if known is client]:
        del _clients[own]
        _close(client)
    reason = str(error) or type(error).__name__
    return ClusterLostError(
        f"The Dask scheduler {address} does not answer any more ({reason}). Start it and its workers again and repeat "
        "the call: with a checkpoint, it continues with what is done."
    )


def _close(client: "Client") -> None:
    """Close a client that has lost its scheduler, without the tracebacks that it would log.

    Its attempts to connect again are canceled, which it may log long after it is closed.
    """
    for name in _LOGS:
        logging.getLogger(name).addFilter(_not_canceled)
    log = logging.getLogger("distributed.client")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        client.close(timeout=2)
    except Exception:  # nobody is there to say goodbye to
        pass
    finally:
        log.setLevel(level)


def _not_canceled(record: logging.LogRecord) -> bool:
    """Whether a message is about something else than work that was canceled."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))

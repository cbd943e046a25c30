"""Addresses without a scheduler, and schedulers that are lost: an error in a bounded time, and what is done is kept."""

import asyncio
import json
import logging
import os
import signal
import socket
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import dask.array as da
import numpy as np
import pytest

from helpers import started, wait_until
from pluribus._engine import ArraySpec, ClusterLostError, DaskCluster, TaskStore, as_cluster, merge_tasks, run_tasks
from pluribus._engine import dask_connection as connection
from pluribus.generate import Generator
from pluribus.tables._internal import open_data

BOUND = 120  # seconds within which an error must be there, also on a busy machine


def within_bounds(function, *arguments, **options):
    """What a function returns or raises; a failure if it hangs."""
    outcome = []

    def run():
        try:
            outcome.append((function(*arguments, **options), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(BOUND)
    assert outcome, f"no answer in {BOUND} s"
    ((value, error),) = outcome
    if error is not None:
        raise error
    return value


# -- addresses -------------------------------------------------------------------------------------------------------


class Silent(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def web_server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Silent) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()


@contextmanager
def server_that(greet):
    """A server that calls a function for each connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            while True:
                try:
                    greet(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


@contextmanager
def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    yield port


held = []
SERVERS = {
    "nothing": closed_port,
    "silence": lambda: server_that(held.append),
    "hangs up": lambda: server_that(lambda talk: talk.close()),
    "greets": lambda: server_that(lambda talk: (talk.sendall(b"SSH-2.0-OpenSSH_9.2\r\n" * 9), held.append(talk))),
    "web": web_server,
}


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("transport", ["tcp", "ws"])
def test_no_scheduler_at_the_address(monkeypatch, server, transport):
    monkeypatch.setattr(connection, "TIMEOUT", 0.5)
    with SERVERS[server]() as port, pytest.raises(ValueError, match=r"no Dask scheduler answers there \(.+\)\. Check"):
        within_bounds(as_cluster, f"{transport}://127.0.0.1:{port}")
    held.clear()


def test_a_worker_is_no_scheduler(dask_client):
    address = next(iter(dask_client.scheduler_info()["workers"]))
    with pytest.raises(ValueError, match="no Dask scheduler answers there .a Dask worker answers"):
        within_bounds(as_cluster, address)


@pytest.mark.parametrize("transport", ["ucx", "ucxx", "http", "spark"])
def test_transports_that_are_not_there(transport):
    with pytest.raises(ValueError, match=f"cannot connect by '{transport}' here. Install .* begins with tcp://"):
        within_bounds(as_cluster, f"{transport}://127.0.0.1:8786")


def test_tls_without_certificates():
    with pytest.raises(ValueError, match=r"tls needs certificates\. Open a client .*give engine=client"):
        within_bounds(as_cluster, "tls://127.0.0.1:8786")


@pytest.mark.parametrize("address", ["tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:x", "inproc://nowhere/1/2"])
def test_addresses_that_are_none(monkeypatch, address):
    monkeypatch.setattr(connection, "TIMEOUT", 0.5)
    with pytest.raises(ValueError, match="no Dask scheduler answers there"):
        within_bounds(as_cluster, address)


# -- a scheduler that is lost ----------------------------------------------------------------------------------------


@pytest.fixture
def scheduler(tmp_path, monkeypatch):
    """A scheduler and a worker, each a process, and the address."""
    monkeypatch.setattr(connection, "TIMEOUT", 10)
    file = tmp_path / "scheduler.json"
    common = ["--scheduler-file", str(file), "--no-dashboard"]
    with ExitStack() as stack, open(os.devnull, "w") as nowhere:

        def process(kind, *options):
            command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *common, *options]
            return stack.enter_context(started(command, stdout=nowhere, stderr=nowhere))

        job = process("scheduler", "--host", "127.0.0.1", "--port", "0")
        wait_until(lambda: _address(file), job)
        process("worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--death-timeout", "30")
        job.address = _address(file)
        wait_until(lambda: _has_a_worker(job.address), job)
        yield job
        job.send_signal(signal.SIGCONT)


def _address(file):
    try:
        return json.loads(file.read_text())["address"]
    except (OSError, ValueError):
        return None


def _has_a_worker(address):
    try:
        return as_cluster(address)
    except ValueError:
        return None


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(connection, "ANSWER", 10)
    monkeypatch.setattr(connection, "LOOK", 0.5)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "stop",
    [
        pytest.param(signal.SIGKILL, id="killed"),
        pytest.param(signal.SIGSTOP, id="hangs", marks=pytest.mark.slow),
        pytest.param(None, id="client closed", marks=pytest.mark.slow),
    ],
)
def test_what_is_done_is_kept_and_continued(scheduler, tmp_path, monkeypatch, stop):
    def ones(task):
        return np.full(3, task)

    def sent(task):
        if task == 7 and stop is None:
            engine.client.close()  # by somebody else
        elif task == 7:
            scheduler.send_signal(stop)
        return task

    engine = as_cluster(scheduler.address)
    kept = {"store": TaskStore(tmp_path / "store", "job"), "expected": lambda task: ArraySpec("i", (3,))}
    with pytest.raises(
        ClusterLostError, match=r"does not answer any more .*Start it .*with a checkpoint, it continues"
    ):
        within_bounds(run_tasks, ones, range(40), engine=engine, sent=sent, **kept)
    n_kept = len(list((tmp_path / "store").glob("task-*.npz")))
    assert 3 <= n_kept < 40
    ran = []
    results = run_tasks(lambda task: ran.append(task) or ones(task), range(40), **kept)
    assert len(ran) == 40 - n_kept
    np.testing.assert_array_equal(np.array(results)[:, 0], np.arange(40))
    if stop == signal.SIGKILL:
        monkeypatch.setattr(connection, "TIMEOUT", 0.5)
        with pytest.raises(ValueError, match="no Dask scheduler answers there"):  # not a client that is closed
            within_bounds(as_cluster, scheduler.address)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_merging(scheduler, monkeypatch):
    engine = as_cluster(scheduler.address)
    submit, n_sent = engine._submit, []

    def then_stop(*arguments):
        n_sent.append(1)
        if len(n_sent) == 7:
            scheduler.kill()
        return submit(*arguments)

    monkeypatch.setattr(engine, "_submit", then_stop)
    with pytest.raises(ClusterLostError, match="does not answer any more"):
        within_bounds(merge_tasks, abs, range(40), max, engine=engine)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_rows_on_the_cluster(scheduler):
    engine = as_cluster(scheduler.address)
    rows = da.from_array(np.random.default_rng(0).normal(size=(20_000, 2)), chunks=5000)
    opened = within_bounds(open_data, rows, engine, False)
    scheduler.kill()
    with pytest.raises(ClusterLostError, match="does not answer any more"):
        within_bounds(opened.take, np.arange(10))


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_an_ensemble(scheduler, tmp_path, monkeypatch):
    X = np.random.default_rng(0).normal(size=(11_000, 3)).astype(np.float32)
    generator = Generator(n_members=8, n_clusters=20, random_state=0, verbose=False)
    results = DaskCluster.results

    def then_stop(*arguments):
        for place, result in enumerate(results(*arguments)):
            yield result
            if place == 3:
                scheduler.kill()

    with monkeypatch.context() as patch:
        patch.setattr(DaskCluster, "results", then_stop)
        generator.set_params(engine=scheduler.address)
        with pytest.raises(ClusterLostError, match="with a checkpoint, it continues"):
            within_bounds(generator.generate, X, store=tmp_path / "store")
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "store").glob("task-*.npz")}
    assert 4 <= len(kept) < 8
    generator.set_params(engine=None)
    assert generator.generate(X, store=tmp_path / "store") == generator.generate(X)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_workers_that_do_not_come_back(scheduler, monkeypatch):
    monkeypatch.setattr(connection, "PATIENCE", 2)
    engine = as_cluster(scheduler.address)
    with pytest.raises(ClusterLostError, match=r"All workers .* have died, .*Start workers .*with a checkpoint"):
        within_bounds(run_tasks, lambda task: os._exit(1) if task else task, range(2), engine=engine)


def test_a_scheduler_that_is_slow_is_not_lost(dask_client, monkeypatch):
    monkeypatch.setattr(connection, "LOOK", 0.05)
    engine = as_cluster(dask_client)
    assert run_tasks(lambda task: time.sleep(0.3) or task, range(3), engine=engine) == [0, 1, 2]


def test_a_task_that_times_out_is_not_a_lost_cluster(dask_client):
    def late(task):
        raise TimeoutError("of the task")

    with pytest.raises(TimeoutError, match="of the task"):
        within_bounds(run_tasks, late, [0], engine=as_cluster(dask_client))


@pytest.mark.parametrize("name", ["distributed.client", "tornado.application", "asyncio"])
def test_a_lost_client_logs_no_canceled_work(name, caplog, monkeypatch):
    class Lost:
        def close(self, timeout):
            raise OSError("the scheduler is gone")

    connection._close(Lost())
    log = logging.getLogger(name)
    monkeypatch.setattr(log, "propagate", True)  # distributed's loggers have handlers of their own
    for error in (asyncio.CancelledError(), OSError("disk")):
        log.error("connecting", exc_info=error)
    assert [type(record.exc_info[1]) for record in caplog.records] == [OSError]

"""Tasks on a real cluster of two worker processes."""

import functools
import operator
import os
import time

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster

from pluribus._engine import ArraySpec, DaskCluster, TaskStore, as_cluster, dask_connection, merge_tasks, run_tasks


def product(task, matrix):
    return matrix @ np.full(matrix.shape[1], task, dtype=float)


def test_tasks_give_what_they_give_here(dask_client):
    matrix = np.random.default_rng(0).normal(size=(50, 40))
    here = run_tasks(product, range(7), shared=[matrix])
    there = run_tasks(product, range(7), shared=[matrix], engine=as_cluster(dask_client))
    np.testing.assert_array_equal(here, there)


def test_merging_on_the_cluster(dask_client):
    def some(task, step):
        return {task, task + step}

    engine = as_cluster("dask")  # the client in scope
    for tasks in ([3], [1, 2], range(9)):
        expected = merge_tasks(some, tasks, set.union, shared=[20])
        assert merge_tasks(some, tasks, set.union, shared=[20], engine=engine) == expected


def test_store_keeps_what_the_cluster_did(dask_client, tmp_path):
    engine = as_cluster(dask_client)
    kept = {"store": TaskStore(tmp_path, "job"), "expected": lambda task: ArraySpec("f", (4,))}
    first = run_tasks(product, range(3), shared=[np.eye(4)], engine=engine, **kept)
    again = run_tasks(_fail, range(3), shared=[np.eye(4)], engine=engine, **kept)
    np.testing.assert_array_equal(first, again)


def _fail(task, *shared):
    raise RuntimeError(f"task {task} was run again")


def test_error_of_a_task_comes_back(dask_client):
    with pytest.raises(RuntimeError, match="task 0 was run again"):
        run_tasks(_fail, [0], engine=as_cluster(dask_client))


def test_worker_that_dies_loses_nothing(dask_client, tmp_path):
    def die_once(task, flag):
        time.sleep(0.1)
        if task == 3 and not os.path.exists(flag):
            open(flag, "w").close()
            os._exit(1)
        return task**2

    flag = str(tmp_path / "died")
    engine = as_cluster(dask_client)
    assert run_tasks(die_once, range(8), shared=[flag], engine=engine) == [task**2 for task in range(8)]
    assert os.path.exists(flag)


@pytest.mark.slow
def test_what_was_shared_is_sent_again_if_all_workers_die(tmp_path):
    def die_once(task, value, flag):
        if task == 1 and not os.path.exists(flag):
            open(flag, "w").close()
            os._exit(1)
        return task + value

    def flags():
        return [10, str(tmp_path / str(len(list(tmp_path.iterdir()))))]

    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        engine = as_cluster(client)
        assert run_tasks(die_once, range(4), shared=flags(), engine=engine) == [10, 11, 12, 13]
        assert merge_tasks(die_once, range(4), operator.add, shared=flags(), engine=engine) == 46
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.slow
def test_task_that_no_worker_survives():
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        for run in (run_tasks, functools.partial(merge_tasks, merge=operator.add)):
            client.wait_for_workers(1)
            with pytest.raises(MemoryError, match="1 workers of the Dask cluster died"):
                run(os._exit, [1], engine=as_cluster(client))


def test_tasks_are_made_when_their_turn_comes(dask_client):
    made = []

    def sent(task):
        made.append(task)
        return np.full(3, task)

    finished = as_cluster(dask_client).results(np.sum, dict(enumerate(range(40))), [], sent)
    next(finished)
    assert len(made) < 20
    assert len(list(finished)) == 39
    assert run_tasks(np.sum, [1, 2], sent=sent) == [3, 6]


def test_tasks_to_merge_are_sent_when_their_turn_comes(dask_client, monkeypatch):
    engine = as_cluster(dask_client)
    sent, submit = [], engine._submit
    monkeypatch.setattr(engine, "_submit", lambda function, task, handles: sent.append(task) or submit(abs, task, []))
    steps = engine.merged(abs, range(40), operator.add, [])
    next(steps)
    assert len(sent) < 20
    rest = list(steps)
    assert len(rest) == 2 * 40 - 2
    assert rest[-1] == sum(range(40))


def test_error_of_a_task_to_merge_comes_back(dask_client):
    with pytest.raises(RuntimeError, match="task 1 was run again"):
        merge_tasks(_fail, [1], operator.add, engine=as_cluster(dask_client))


def test_client_of_an_address_is_kept_and_not_in_scope(dask_client):
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        one, other = as_cluster(cluster.scheduler_address), as_cluster(cluster.scheduler_address)
        assert one.client is other.client
        assert as_cluster("dask").client is dask_client
        one.client.close()
        again = as_cluster(cluster.scheduler_address)
        assert again.client is not one.client
        again.client.close()


def test_address_of_the_client_in_scope_is_this_client(dask_client):
    assert as_cluster(dask_client.scheduler.address).client is dask_client


def test_no_workers():
    with (
        LocalCluster(n_workers=0, dashboard_address=None, processes=False) as cluster,
        Client(cluster, set_as_default=False) as client,
        pytest.raises(ValueError, match="has no workers"),
    ):
        as_cluster(client)


def test_local_engine_is_this_process():
    assert as_cluster(None) is None
    assert as_cluster("local") is None


def test_cluster_is_itself(dask_client):
    engine = as_cluster(dask_client)
    assert isinstance(engine, DaskCluster)
    assert as_cluster(engine) is engine


@pytest.mark.parametrize("engine", ["spark", 3, ["dask"], "10.0.0.1:8786"])
def test_unknown_engine(engine):
    with pytest.raises(ValueError, match="engine=.* is none: give 'local', 'dask'"):
        as_cluster(engine)


def test_no_scheduler_at_the_address(monkeypatch):
    monkeypatch.setattr(dask_connection, "TIMEOUT", 0.5)
    with pytest.raises(ValueError, match="no Dask scheduler answers there"):
        as_cluster("tcp://127.0.0.1:1")

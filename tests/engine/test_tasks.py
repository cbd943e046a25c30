import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from helpers import PATIENCE, started, wait_until
from pluribus._engine import ArraySpec, TaskStore, over_blocks, run_tasks


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_order_of_results_is_the_order_of_tasks(n_jobs):
    def slow_first(task):
        time.sleep(0.02 * (task == 0))
        return task * 10

    assert run_tasks(slow_first, iter(range(6)), n_jobs=n_jobs) == [0, 10, 20, 30, 40, 50]


# In a process of its own, where more than one thread is what libraries take when they are left alone.
THREADS = """
import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_info

from pluribus._engine import run_tasks

X = np.random.default_rng(0).normal(size=(3000, 8)).astype(np.float32)

def n_threads_here(_=None):
    return {pool["user_api"]: pool["num_threads"] for pool in threadpool_info()}

def centers(seed):
    return KMeans(20, n_init=1, init="random", random_state=seed).fit(X).cluster_centers_

before = n_threads_here()
assert before["openmp"] == 2
for n_jobs in (1, 2):
    for n_tasks in (0, 1, 4):
        for inside in run_tasks(n_threads_here, range(n_tasks), n_jobs=n_jobs):
            assert set(inside.values()) == {1}, (n_jobs, inside)
        assert n_threads_here() == before, n_jobs
    try:
        run_tasks(lambda task: 1 / task, range(2), n_jobs=n_jobs)
    except ZeroDivisionError:
        assert n_threads_here() == before, n_jobs
    else:
        raise AssertionError("an error in a task was lost")
one, two = (run_tasks(centers, range(6), n_jobs=n_jobs) for n_jobs in (1, 2))
np.testing.assert_array_equal(one, two)
"""


def test_one_thread_of_blas_and_openmp_within_a_task_and_so_the_same_centers_for_any_number_of_workers():
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", THREADS], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_store_runs_only_what_is_missing(tmp_path, n_jobs):
    ran = []

    def work(task):
        ran.append(task)
        return np.array([task, task])

    store = TaskStore(tmp_path, "job")
    how = {"n_jobs": n_jobs, "store": store, "expected": lambda task: ArraySpec("i", (2,))}
    first = run_tasks(work, range(4), **how)
    (tmp_path / "task-2.npz").write_bytes(b"half")
    second = run_tasks(work, range(6), **how)
    assert sorted(ran) == [0, 1, 2, 2, 3, 4, 5]
    np.testing.assert_array_equal(second[:4], first)
    np.testing.assert_array_equal(second, [[task, task] for task in range(6)])


def test_store_keeps_dicts_of_arrays(tmp_path):
    store = TaskStore(tmp_path, "job")
    ran = []

    def work(task):
        ran.append(task)
        return {"a": np.zeros(2), "b": np.array(3)}

    expected = {"a": ArraySpec("f", (2,)), "b": ArraySpec("i", ())}
    for _ in range(2):
        (result,) = run_tasks(work, [7], store=store, expected=lambda task: expected)
        assert sorted(result) == ["a", "b"]
    assert ran == [7]


def test_a_result_that_does_not_fit_its_task_is_made_again(tmp_path):
    store = TaskStore(tmp_path, "job")
    store.put("0", single_array=np.zeros(3))
    store.put("1", single_array=np.zeros(3))

    def expected(task):
        return ArraySpec("f", (task,))

    assert [len(result) for result in run_tasks(np.ones, [3, 4], store=store, expected=expected)] == [3, 4]
    assert run_tasks(np.ones, [3, 4], store=store, expected=expected)[0].tolist() == [0, 0, 0]


def test_a_store_needs_to_know_what_results_look_like(tmp_path):
    with pytest.raises(TypeError, match="expected"):
        run_tasks(np.ones, [3], store=TaskStore(tmp_path, "job"))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_keeps_the_tasks_finished_before_it(tmp_path, n_jobs):
    def work(task):
        if task == 3:
            raise ZeroDivisionError("in task 3")
        return np.array(task)

    store = TaskStore(tmp_path, "job")
    with pytest.raises(ZeroDivisionError, match="in task 3"):
        run_tasks(work, range(4), n_jobs=n_jobs, store=store, expected=lambda task: ArraySpec("i", ()))
    assert store.get("0", {"single_array": ArraySpec("i", ())}) is not None


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_over_blocks_covers_the_rows_once(n_jobs):
    rows = over_blocks(lambda start, stop: np.arange(start, stop), 1000, n_jobs=n_jobs, block=64)
    np.testing.assert_array_equal(np.concatenate(rows), np.arange(1000))
    assert over_blocks(lambda start, stop: stop, 0, n_jobs=n_jobs) == []


JOB = """
import sys, time
import numpy as np
from pluribus._engine import ArraySpec, TaskStore, run_tasks

def work(task):
    time.sleep(0.05 if task < 6 else 3600)
    return np.full(1000, task)

store, n_jobs = TaskStore(sys.argv[1], "job"), int(sys.argv[2])
run_tasks(work, range(40), n_jobs=n_jobs, store=store, expected=lambda task: ArraySpec("i", (1000,)))
"""


@pytest.mark.parametrize("n_jobs", ["1", "2"])
@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_a_job_stopped_half_way_keeps_its_finished_tasks(tmp_path, stop, n_jobs):
    with started([sys.executable, "-c", JOB, str(tmp_path), n_jobs], stderr=subprocess.PIPE) as job:
        wait_until(lambda: sum(1 for _ in tmp_path.glob("task-*.npz")) >= 6, job)
        job.send_signal(stop)
        _, errors = job.communicate(timeout=PATIENCE)  # Ctrl-C does not wait for the tasks that sleep
    assert job.returncode != 0
    assert (b"KeyboardInterrupt" in errors) == (stop == signal.SIGINT)

    ran = []

    def resumed(task):
        ran.append(task)
        return np.full(1000, task)

    how = {"store": TaskStore(tmp_path, "job"), "expected": lambda task: ArraySpec("i", (1000,))}
    results = run_tasks(resumed, range(40), **how)
    assert ran == list(range(6, 40))
    np.testing.assert_array_equal(np.array(results)[:, 0], np.arange(40))


def test_an_error_waits_for_the_tasks_that_run():
    finished, both_run = [], threading.Event()

    def task(index):
        if index == 0:
            both_run.wait(PATIENCE)
            raise ValueError("no")
        both_run.set()
        time.sleep(0.3)
        finished.append(index)

    with pytest.raises(ValueError, match="no"):
        run_tasks(task, range(2), n_jobs=2, verbose=False)
    assert finished == [1]


def fails_with_a_cause(task):
    try:
        raise KeyError(task)
    except KeyError as error:
        raise ValueError("of this task") from error


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_tells_where_it_came_from_and_why(n_jobs):
    with pytest.raises(ValueError, match="of this task") as caught:
        run_tasks(fails_with_a_cause, range(4), n_jobs=n_jobs, verbose=False)
    assert caught.traceback[-1].name == "fails_with_a_cause"
    assert isinstance(caught.value.__cause__, KeyError)

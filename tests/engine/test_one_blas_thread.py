"""On a Dask worker: BLAS has one thread while any task is at work, and as many as before afterwards."""

import numpy as np  # noqa: F401 - loads BLAS
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from pluribus._engine.dask_cluster import _alone, _OneBlasThread


def n_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if n_threads() != {2}:
            pytest.skip("BLAS has one thread here, whatever is asked for")
        yield


def test_as_many_threads_afterwards_as_before():
    one = _OneBlasThread()
    with one:
        assert n_threads() == {1}
        with one:  # another task on the same worker
            assert n_threads() == {1}
        assert n_threads() == {1}
    assert n_threads() == {2}
    with one:
        assert n_threads() == {1}
    assert n_threads() == {2}


def test_a_task_has_one_thread_and_returns_its_result():
    assert _alone(lambda *numbers: (sum(numbers), n_threads()), 1, 2) == (3, {1})
    assert n_threads() == {2}

import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import DBSCAN
from sklearn.metrics import adjusted_rand_score, pairwise_distances_argmin

from helpers import started, wait_until
from pluribus._engine import MemoryLimitError
from pluribus.generate import Generator, _centers, _label_matrix, _pool, mix
from pluribus.generate._centers import Assignment
from pluribus.generate._internal import pool_bytes
from pluribus.generate._perturbation import Features
from pluribus.tables import TableError, open_rows
from pluribus.tables._internal import BLOCK
from pluribus.tables._parquet_rows import ParquetRows

N = 2 * BLOCK + 1234


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    return (rng.normal(size=(N, 3)) + 6 * rng.integers(3, size=(N, 1))).astype(np.float32)


@pytest.fixture(scope="module")
def parquet(X, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "X.parquet"
    pd.DataFrame(X.copy(), columns=list("abc")).to_parquet(path, row_group_size=7001)
    return path


GENERATORS = [
    Generator(n_members=4, n_clusters=(20, 90), random_state=0),
    Generator(n_members=3, n_clusters=30, subsample=0.5, subspace=2, random_state=1),
    Generator(n_members=3, n_clusters=30, projection=2, random_state=2),
    mix(
        Generator(n_members=2, n_clusters=10), Generator("mixture", n_clusters=3, subsample=0.2, n_members=6),
        random_state=3,
    ),
]  # fmt: skip


@pytest.mark.parametrize("generator", GENERATORS, ids=["all rows", "views", "projected", "mixed"])
def test_labels_are_the_same_wherever_the_rows_are(generator, X, parquet, tmp_path, monkeypatch):
    monkeypatch.setattr(_label_matrix, "READ_AT_ONCE", 1)  # several groups
    expected = generator.generate(X)
    np.save(tmp_path / "X.npy", X)
    sources = [str(parquet), np.load(tmp_path / "X.npy", mmap_mode="r")]
    if generator is GENERATORS[0]:
        sources += [tmp_path / "X.npy", open_rows(parquet), np.asfortranarray(X), pd.DataFrame(X)]
    for same in sources:
        assert generator.generate(same) == expected
    parallel = clone(generator).set_params(n_jobs=2)
    assert parallel.generate(parquet) == expected
    assert parallel.generate(X) == expected


def test_members_are_good(X):
    ensemble = Generator(n_members=3, n_clusters=3, random_state=0).generate(X)
    truth = np.round(X.mean(axis=1) / 6)
    assert ensemble.labels.dtype == np.int8
    assert max(adjusted_rand_score(truth, labels) for labels in ensemble.labels.T) > 0.95


def test_one_cluster_and_small_files(X, tmp_path):
    assert Generator(n_members=2, n_clusters=1).generate(X).n_clusters.tolist() == [1, 1]
    pd.DataFrame(X.copy()[:500].astype(float), columns=list("abc")).to_parquet(tmp_path / "small.parquet")
    generator = Generator("agglomerative", n_members=2, random_state=0)
    assert generator.generate(tmp_path / "small.parquet") == generator.generate(X[:500].astype(float))


class TestAssignment:
    def every(self):
        return Features(None, None)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("k", [1, 64, 65])
    @pytest.mark.parametrize("d", [1, 24, 25])
    def test_is_that_of_the_nearest_center(self, dtype, k, d):
        rng = np.random.default_rng(k + d)
        block, centers = rng.normal(size=(2000, d)).astype(dtype), rng.normal(size=(k, d)).astype(dtype)
        found = Assignment(self.every(), centers, None).labels(block, 0)
        distances = ((block[:, None].astype(float) - centers.astype(float)) ** 2).sum(axis=2)
        least = distances.min(axis=1)
        np.testing.assert_allclose(distances[np.arange(2000), found], least, rtol=1e-4)
        assert np.mean(found == distances.argmin(axis=1)) > 0.999

    def test_the_lowest_of_equally_near_centers(self):
        centers = np.repeat(np.array([[2.0], [0.0], [5.0]]), 100, axis=0)
        found = Assignment(self.every(), centers, None).labels(np.array([[1.0], [0.1], [9.0]]), 0)
        assert found.tolist() == [0, 100, 200]

    @pytest.mark.parametrize("d", [3, 30])
    def test_far_from_the_origin(self, d):
        rng = np.random.default_rng(0)
        centers = (10_000 + 10 * rng.normal(size=(20, d))).astype(np.float32)
        block = centers[rng.integers(20, size=500)] + rng.normal(size=(500, d)).astype(np.float32)
        exact = pairwise_distances_argmin(block.astype(float), centers.astype(float))
        assert np.mean(Assignment(self.every(), centers, None).labels(block, 0) == exact) > 0.99

    def test_sparse_rows(self):
        matrix = sp.random(300, 40, density=0.1, format="csr", random_state=0)
        centers = np.random.default_rng(0).random((10, 40))
        exact = pairwise_distances_argmin(matrix.toarray(), centers)
        assert np.array_equal(Assignment(self.every(), centers, None).labels(matrix, 0), exact)


def test_sparse_and_dense_agree_at_size(X):
    generator = Generator(n_members=2, n_clusters=3, random_state=0)
    for a, b in zip(generator.generate(X).labels.T, generator.generate(sp.csr_array(X)).labels.T, strict=True):
        assert adjusted_rand_score(a, b) > 0.99


class TestRefused:
    def test_gaps_before_any_work(self, X, tmp_path, monkeypatch):
        frame = pd.DataFrame(X.copy(), columns=list("abc"))
        frame.loc[10_000, "b"] = np.nan
        frame.loc[20_000, "c"] = np.inf
        frame.to_parquet(tmp_path / "gaps.parquet", row_group_size=7001)
        monkeypatch.setattr(_centers, "learn_centers", None)
        with pytest.raises(TableError):
            Generator(n_members=2).generate(tmp_path / "gaps.parquet")
        with pytest.raises(ValueError, match="NaN"):
            Generator(n_members=2).generate(frame)

    def test_what_does_not_fit(self, parquet, monkeypatch):
        monkeypatch.setattr(_pool, "memory_limit", lambda: 200_000)
        with pytest.raises(MemoryLimitError, match=r"DBSCAN needs all rows.*smaller subsample"):
            Generator(DBSCAN(), n_members=2).generate(parquet)
        with pytest.raises(ValueError, match="give fewer clusters"):
            Generator(n_members=4, n_clusters=200).generate(parquet)
        assert Generator(n_members=2, n_clusters=3).generate(parquet).n_partitions == 2


@pytest.fixture
def gatherings(monkeypatch):
    sizes = []

    def counted(rows, numbers, take=ParquetRows.take):
        sizes.append(len(numbers))
        return take(rows, numbers)

    monkeypatch.setattr(ParquetRows, "take", counted)
    return sizes


class TestWaves:
    @pytest.mark.parametrize("generator", GENERATORS, ids=["all rows", "views", "projected", "mixed"])
    def test_members_do_not_depend_on_them(self, generator, X, parquet, gatherings, monkeypatch):
        expected = generator.generate(X)
        width = X.itemsize * X.shape[1] + 8
        rows = open_rows(parquet)
        for share in (1, 0.3, 1e-9):
            monkeypatch.setattr(_pool, "SHARE", share)
            monkeypatch.setattr(_pool, "memory_limit", lambda limit=None: N * width)
            gatherings.clear()
            assert generator.generate(parquet) == expected
            assert max(gatherings) * width <= pool_bytes(rows, generator)
            assert len(gatherings) == {1: 1, 1e-9: len(expected)}.get(share, len(gatherings))
        assert pool_bytes(rows, generator) < N * width

    def test_finished_members_need_no_rows(self, X, parquet, gatherings, tmp_path, monkeypatch):
        monkeypatch.setattr(_pool, "SHARE", 1e-9)
        generator = Generator(n_members=5, n_clusters=(20, 90), random_state=0)
        expected = generator.generate(X)
        assert generator.generate(parquet, store=tmp_path) == expected
        (tmp_path / "task-3.npz").unlink()
        gatherings.clear()
        assert generator.generate(parquet, store=tmp_path) == expected
        assert len(gatherings) == 1
        assert gatherings[0] in range(2000, 9001)

    def test_nothing_is_gathered_of_what_is_in_memory(self, X):
        assert pool_bytes(X, GENERATORS[0]) == pool_bytes(open_rows(X), GENERATORS[0]) == 0


def is_mapped(array):
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False


def test_labels_beyond_the_limit_are_kept_in_a_file(X, tmp_path, monkeypatch):
    generator = Generator(n_members=3, n_clusters=20, subsample=0.7, random_state=0)
    expected = generator.generate(X)
    monkeypatch.setattr(_label_matrix, "MAPPED_ABOVE", 0)
    for store in (None, tmp_path / "store"):
        ensemble = generator.generate(X, store=store)
        assert ensemble == expected
        assert is_mapped(ensemble.labels)
        assert not ensemble.labels.flags.writeable
    # A store with more members does not touch the ensemble that was made before.
    more = Generator(n_members=5, n_clusters=20, subsample=0.7, random_state=0)
    assert more.generate(X, store=tmp_path / "store").n_partitions == 5
    assert ensemble == expected


@pytest.mark.parametrize("share", [0, 1], ids=["file", "memory"])
def test_labels_are_narrowed_in_place(share, X, monkeypatch):
    monkeypatch.setattr(_label_matrix, "MAPPED_ABOVE", share)
    labels = _label_matrix.new_matrix(N, 4, np.dtype(np.int16), None)
    labels[:] = np.random.default_rng(0).integers(100, size=(N, 4))
    expected = labels[:, [0, 3]].astype(np.int8)
    found = _label_matrix.narrowed(labels, [0, 3], np.dtype(np.int8))
    assert np.array_equal(found, expected)
    assert np.shares_memory(found, labels)
    assert is_mapped(found) == (share == 0)


def test_a_member_of_noise_leaves_no_copy(X, monkeypatch):
    monkeypatch.setattr(_label_matrix, "MAPPED_ABOVE", 0)
    both = mix(
        Generator(n_members=2, n_clusters=129), Generator(DBSCAN(eps=1e-9, min_samples=5), n_members=1), random_state=0
    )
    with pytest.warns(UserWarning, match="have only noise"):
        ensemble = both.generate(np.repeat(X[:127], 100, axis=0) + np.arange(12_700)[:, None] * 1e-6)
    assert ensemble.n_partitions == 2
    assert ensemble.labels.dtype == np.min_scalar_type(-ensemble.n_clusters.max())
    assert is_mapped(ensemble.labels)


JOB = """
import itertools, sys, time
from pluribus.generate import Generator, _centers, _label_matrix

_label_matrix.READ_AT_ONCE, _label_matrix.GROUP = 1, 1
labels, calls = _centers.Assignment.labels, itertools.count()

def then_stuck(*args):
    if next(calls) >= 6:
        time.sleep(3600)
    return labels(*args)

_centers.Assignment.labels = then_stuck
Generator(n_members=4, n_clusters=20, random_state=5).generate(sys.argv[1], store=sys.argv[2])
"""


def test_killed_while_assigning_and_resumed(X, parquet, tmp_path, monkeypatch):
    monkeypatch.setattr(_label_matrix, "GROUP", 1)
    store = tmp_path / "store"
    with started([sys.executable, "-c", JOB, str(parquet), str(store)]) as job:
        wait_until((store / "task-rows-0.npz").exists, job)
    assert job.returncode == -signal.SIGKILL
    kept = {path: path.stat().st_mtime_ns for path in store.glob("task-*.npz")}
    assert len(kept) == 5  # the centers of four members, and the labels of one group

    generator = Generator(n_members=4, n_clusters=20, random_state=5)
    assert generator.generate(parquet, store=store) == generator.generate(X)
    assert generator.generate(np.asfortranarray(X), store=store) == generator.generate(X)  # it is the same job
    with pytest.raises(ValueError, match="another job"):
        generator.generate(X + 1, store=store)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    more = Generator(n_members=6, n_clusters=20, random_state=5)
    assert more.generate(parquet, store=store) == more.generate(X)
    assert generator.generate(parquet, store=store) == generator.generate(X)


LEAN = """
import resource, sys
import numpy as np
from pluribus.generate import Generator

def data():  # what the process has for itself, in kB; a mapped file is not
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmData"))

X = np.load(sys.argv[1], mmap_mode="r")
generator = Generator(n_members=2, n_clusters=50, random_state=0, verbose=False)
generator.generate(X[:20_000])
limit = data() * 1024 + X.nbytes // 2
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
try:
    np.array(X)
except MemoryError:
    print("limited")
print(generator.generate(X).n_objects)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs Linux")
def test_a_mapped_table_is_never_copied(tmp_path):
    X = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", dtype=np.float32, shape=(200_000, 40))
    X[:] = np.random.default_rng(0).standard_normal((200_000, 40), dtype=np.float32)
    X.flush()
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    said = subprocess.run(
        [sys.executable, "-c", LEAN, str(tmp_path / "X.npy")], capture_output=True, text=True, env=environment
    )
    assert said.stdout.split() == ["limited", "200000"], said.stderr

"""The whole path on a real cluster of two worker processes: the labels are those of one machine, bit for bit."""

import itertools
import os
import pickle
import signal
import time

import dask
import dask.array as da
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans

from pluribus import EnsembleClusterer
from pluribus._engine import DaskCluster
from pluribus.consensus import EvidenceAccumulation
from pluribus.evidence import _nearest
from pluribus.generate import Generator, _centers, _dask_members, mix
from pluribus.tables import TableError, open_rows
from pluribus.tables._dask_rows import BLOCK

N = BLOCK + 500


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    return (rng.normal(size=(N, 3)) + 9 * rng.integers(3, size=(N, 1))).astype(np.float32)


@pytest.fixture(scope="module")
def parquet(X, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "X.parquet"
    pd.DataFrame(X, columns=list("abc")).to_parquet(path, row_group_size=5000)
    return path


@pytest.fixture(scope="module")
def sources(X, parquet):
    return {
        "array": X,
        "Parquet": parquet,
        "dask array": da.from_array(X, chunks=(5000, 2)),
        "dask data frame": dd.from_pandas(pd.DataFrame(X, columns=list("abc")), npartitions=3),
    }


@pytest.fixture(autouse=True)
def several_blocks(monkeypatch):
    monkeypatch.setattr(_nearest, "EXACT_UP_TO", 0)
    monkeypatch.setattr(_nearest, "ROWS_IN_BLOCK", 6000)


def model(linkage="single", **options):
    return EnsembleClusterer(
        Generator(n_members=6, n_clusters=(20, 40)),
        EvidenceAccumulation(3, linkage=linkage, evidence="neighbors"),
        random_state=0,
        verbose=False,
        **options,
    )


@pytest.fixture(scope="module")
def local(X):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_nearest, "EXACT_UP_TO", 0)
        return {linkage: model(linkage).fit(X) for linkage in ("single", "average")}


@pytest.mark.parametrize("kind", ["array", "Parquet", "dask array", "dask data frame"])
def test_labels_are_those_of_one_machine(dask_client, sources, local, kind):
    fitted = model(engine="dask").fit(sources[kind])
    assert fitted.ensemble_ == local["single"].ensemble_
    np.testing.assert_array_equal(fitted.consensus_.linkage_, local["single"].consensus_.linkage_)
    np.testing.assert_array_equal(fitted.labels_, local["single"].labels_)
    assert fitted.n_clusters_ == 3


def test_average_link_takes_its_pairs_from_the_cluster(dask_client, X, local):
    fitted = model("average", engine=dask_client).fit(X)
    np.testing.assert_array_equal(fitted.consensus_.linkage_, local["average"].consensus_.linkage_)
    assert clone(fitted).engine is dask_client
    saved = pickle.loads(pickle.dumps(fitted))
    assert saved.engine is None
    np.testing.assert_array_equal(saved.predict(X[:50]), local["average"].predict(X[:50]))


def test_members_of_all_kinds(dask_client, X, sources):
    generator = mix(
        Generator(n_members=2, n_clusters=10, subsample=0.9, subspace=2),
        Generator("mixture", n_members=4, n_clusters=3, subsample=0.25, projection=2),
        Generator(KMeans(n_init=1), n_members=2, n_clusters=4),
        random_state=0,
        verbose=False,
    )
    expected = generator.generate(X)
    generator.set_params(engine=dask_client)
    for same in sources.values():
        assert generator.generate(same) == expected
    few = Generator(n_members=3, random_state=0)
    assert clone(few).set_params(engine="dask").generate(X[:500]) == few.generate(X[:500])


def test_standardized_rows(dask_client, X, parquet, sources):
    generator = Generator(n_members=2, n_clusters=10, random_state=0)
    expected = generator.generate(open_rows(X).standardized())
    generator.set_params(engine="dask")
    for same in (X, parquet, sources["dask array"]):
        assert generator.generate(open_rows(same).standardized()) == expected


@pytest.mark.slow  # tests/engine/test_cluster.py kills a worker, too
def test_killed_workers(dask_client, X, local, monkeypatch):
    """A worker is killed after the first of all members, and another when the first block has its pairs."""
    results = DaskCluster.results
    phases, killed = itertools.count(), []

    def and_kill(*arguments):
        phase = next(phases)
        for place, result in enumerate(results(*arguments)):
            if place == 0 and phase in (0, 2):
                while len(dask_client.nthreads()) < 2:
                    time.sleep(0.1)
                pid = next(iter(dask_client.run(os.getpid).values()))
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            yield result

    monkeypatch.setattr(DaskCluster, "results", and_kill)
    fitted = model(engine="dask").fit(X)
    np.testing.assert_array_equal(fitted.labels_, local["single"].labels_)
    assert len(set(killed)) == 2
    assert next(phases) == 4  # members, rows, orders, neighbors of neighbors


def test_a_job_stopped_on_the_cluster_goes_on_anywhere(dask_client, X, parquet, tmp_path, monkeypatch):
    generator = Generator(n_members=3, n_clusters=20, random_state=0)
    expected = generator.generate(X)
    with monkeypatch.context() as patch:
        patch.setattr(_dask_members, "assign", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            clone(generator).set_params(engine="dask").generate(X, store=tmp_path)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("task-*.npz")}
    assert len(kept) == 3
    assert clone(generator).set_params(engine="dask").generate(parquet, store=tmp_path) == expected
    monkeypatch.setattr(_centers, "learn_centers", None)
    monkeypatch.setattr(_centers.Assignment, "labels", None)
    assert generator.generate(X, store=tmp_path) == expected
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


class TestRefused:
    def test_gaps_seen_by_workers(self, dask_client, X, tmp_path):
        gaps = X.copy()
        gaps[7000, 1] = np.nan
        gaps[9000, 1] = np.inf
        with pytest.raises(TableError, match=r"'x1' \(2\); the first is in data row 7,001"):
            model(engine="dask").fit(da.from_array(gaps, chunks=5000))

    def test_a_file_that_workers_do_not_have(self, dask_client, parquet, tmp_path):
        rows = open_rows(parquet)
        rows.path = tmp_path / "elsewhere.parquet"
        with pytest.raises(TableError, match="storage that all machines share"):
            Generator(n_members=2, engine="dask").generate(rows)

    @pytest.mark.parametrize("estimator", [model(), Generator(n_members=2), EvidenceAccumulation(2)])
    def test_unknown_engine_before_any_work(self, X, estimator):
        estimator = clone(estimator).set_params(engine="spark")
        fit = estimator.generate if isinstance(estimator, Generator) else estimator.fit
        with pytest.raises(ValueError, match="engine='spark' is none"):
            fit(X[:100])

    def test_no_client_in_scope(self, X):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(distributed, "default_client", lambda: (_ for _ in ()).throw(ValueError("none")))
            with pytest.raises(ValueError, match="no Dask client in scope"):
                model(engine="dask").fit(X[:100])


def test_dask_rows_without_a_cluster(X, sources):
    generator = Generator(n_members=2, n_clusters=10, random_state=0)
    with dask.config.set(scheduler="threads"):
        assert generator.generate(sources["dask array"]) == generator.generate(X)

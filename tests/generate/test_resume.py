import signal
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin

from helpers import started, wait_until
from pluribus.generate import Generator, mix

X = np.random.default_rng(0).normal(size=(1000, 4))

JOB = """
import itertools, sys, time
import numpy as np
from pluribus.generate import Generator, _members

cluster, calls = _members.cluster, itertools.count()

def then_stuck(*args):
    if next(calls) >= 10:
        time.sleep(3600)
    return cluster(*args)

_members.cluster = then_stuck
X = np.random.default_rng(0).normal(size=(1000, 4))
Generator(n_members=30, subsample=0.8, random_state=5, n_jobs=2).generate(X, store=sys.argv[1])
"""


def finished(store):
    return sum(1 for _ in store.glob("task-*.npz"))


def test_killed_half_way_and_resumed_gives_the_same_ensemble(tmp_path):
    store = tmp_path / "store"
    with started([sys.executable, "-c", JOB, str(store)]) as job:
        wait_until(lambda: finished(store) >= 10, job)
    assert job.returncode == -signal.SIGKILL
    assert finished(store) == 10

    kept = {path: path.stat().st_mtime_ns for path in store.glob("task-*.npz")}
    generator = Generator(n_members=30, subsample=0.8, random_state=5)
    resumed = generator.generate(X, store=store)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert resumed == generator.generate(X)


def test_a_finished_store_takes_more_members(tmp_path):
    few = Generator(n_members=3, random_state=0).generate(X[:500], store=tmp_path)
    many = Generator(n_members=5, random_state=0, n_jobs=2).generate(X[:500], store=tmp_path)
    np.testing.assert_array_equal(many.labels[:, :3], few.labels)
    assert finished(tmp_path) == 5


@pytest.mark.parametrize(
    ("change", "data"),
    [
        ({"random_state": 1}, X[:100]),
        ({"subsample": 0.9}, X[:100]),
        ({"n_clusters": 4}, X[:100]),
        ({"clusterer": "mixture"}, X[:100]),
        ({}, X[:99]),
        ({}, X[:100].astype(np.float32)),
        ({}, sp.csr_array(X[:100])),
    ],
)
def test_a_store_of_another_job_is_refused(tmp_path, change, data):
    Generator(n_members=2, random_state=0).generate(X[:100], store=tmp_path)
    with pytest.raises(ValueError, match="another job"):
        Generator(**{"n_members": 2, "random_state": 0, **change}).generate(data, store=tmp_path)


class Stripes(BaseEstimator, ClusterMixin):
    """Stripes along the first feature."""

    def __init__(self, n_clusters=3, rule=None):
        self.n_clusters = n_clusters
        self.rule = rule

    def fit_predict(self, X, y=None):
        return np.argsort(np.argsort(X[:, 0])) * self.n_clusters // len(X)


def mirrored(self, X, y=None):
    return np.argsort(np.argsort(-X[:, 0])) * self.n_clusters // len(X)


def test_a_store_of_a_clusterer_with_other_code_is_refused(tmp_path, monkeypatch):
    def generator(**parameters):
        return Generator(Stripes(**parameters), n_members=2, n_clusters=4, random_state=0)

    whole = generator().generate(X[:100], store=tmp_path)
    assert generator().generate(X[:100], store=tmp_path) == whole
    for rule in ("other", np.add, lambda x: x):
        with pytest.raises(ValueError, match="another job"):
            generator(rule=rule).generate(X[:100], store=tmp_path)
    monkeypatch.setattr(Stripes, "fit_predict", mirrored)
    with pytest.raises(ValueError, match="another job"):
        generator().generate(X[:100], store=tmp_path)


@pytest.mark.parametrize("make", [Generator, lambda *args, **options: mix(Generator(*args), **options)])
def test_a_job_that_cannot_be_recognized_needs_to_run_without_a_store(tmp_path, make):
    generator = make(Stripes(rule=object()), random_state=0)
    with pytest.raises(ValueError, match=r"cannot be continued.*object has no fingerprint.*leave out the store"):
        generator.generate(X[:100], store=tmp_path / "store")
    assert not (tmp_path / "store").exists()
    assert generator.generate(X[:100]).n_objects == 100


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(0)])
@pytest.mark.parametrize(
    "make", [lambda seed: Generator(random_state=seed), lambda seed: mix(Generator(), random_state=seed)]
)
def test_a_store_needs_a_seed_that_can_be_drawn_again(tmp_path, make, random_state):
    with pytest.raises(ValueError, match="needs an integer"):
        make(random_state).generate(X[:100], store=tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_a_mix_resumes(tmp_path):
    both = mix(Generator(n_members=3), Generator("mixture", n_members=2), random_state=0)
    whole = both.generate(X[:200])
    assert both.generate(X[:200], store=tmp_path) == whole
    (tmp_path / "task-4.npz").unlink()
    (tmp_path / "task-1.npz").write_bytes(b"cut")
    assert both.generate(X[:200], store=tmp_path) == whole
    with pytest.raises(ValueError, match="another job"):
        both.set_params(random_state=1).generate(X[:200], store=tmp_path)

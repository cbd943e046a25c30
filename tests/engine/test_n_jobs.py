"""Every public name that takes n_jobs refuses what is not a number of threads."""

import importlib
import inspect

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import linkage
from sklearn.base import BaseEstimator, is_classifier

import pluribus
from pluribus import Constraints, Ensemble
from pluribus._engine import merge_tasks, over_blocks, run_tasks
from pluribus.generate import Generator

X = np.random.default_rng(0).random(size=(60, 3)) + np.repeat([[0], [8], [16]], 20, axis=0)
LABELS = np.repeat([0, 1, 2], 20)
ENSEMBLE = Ensemble(np.column_stack([np.roll(LABELS, shift) for shift in range(3)]))
PEOPLE = pd.DataFrame({"age": np.arange(60), "city": ["a", "b"] * 30})

# Arguments by name.
ARGUMENTS = {
    "a": LABELS,
    "b": np.roll(LABELS, 3),
    "candidates": {"one": LABELS, "other": np.roll(LABELS, 3)},
    "data": X,
    "ensemble": ENSEMBLE,
    "k": 3,
    "k_range": (2, 4),
    "labels": LABELS,
    "n_clusters": 3,
    "n_members": 4,
    "tree": linkage(X, "average"),
    "verbose": False,
}
WRONG = [0, 1.5, "2", True, np.float64(1)]
# They need no threads for 60 rows, so that n_jobs is not looked at.
UNTHREADED = {"EvidenceAccumulation", "calinski_harabasz_index", "davies_bouldin_cost", "Anonymizer"}


@pytest.mark.parametrize("n_jobs", WRONG)
@pytest.mark.parametrize("n_tasks", [0, 1, 3])
def test_the_engine_refuses_it(n_jobs, n_tasks):
    for run in (
        lambda: run_tasks(abs, range(n_tasks), n_jobs=n_jobs),
        lambda: merge_tasks(abs, range(n_tasks), max, n_jobs=n_jobs),
        lambda: over_blocks(max, n_tasks, n_jobs=n_jobs, block=1),
    ):
        with pytest.raises(ValueError, match=r"n_jobs=.* is not a number of threads: give 1 or more, -1 for all cores"):
            run()


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1, -2, np.int64(2)])
def test_numbers_of_threads(n_jobs):
    assert run_tasks(abs, [1, -2], n_jobs=n_jobs) == [1, 2]


def public_names():
    for room in pluribus._ROOMS:
        module = importlib.import_module(f"pluribus.{room}")
        for name in module.__all__:
            value = getattr(module, name)
            is_error = isinstance(value, type) and issubclass(value, Exception)
            if callable(value) and not is_error and "n_jobs" in inspect.signature(value).parameters:
                yield pytest.param(value, id=f"{room}.{name}")


def call(value, n_jobs):
    """Call a function, or make an estimator and fit it."""
    takes = inspect.signature(value).parameters
    given = {name: argument for name, argument in ARGUMENTS.items() if name in takes} | {"n_jobs": n_jobs}
    if value.__module__.startswith("pluribus.temporal"):
        given.pop("ensemble", None)  # an ensemble over time, which is made from X
    if value.__name__ == "EnsembleClusterer":
        given.pop("candidates")  # a word there
    if "X" in takes and not {"ensemble", "metric"} <= takes.keys():  # a metric between partitions needs no X
        given["X"] = X
    if value.__name__ in ("Mix", "mix"):
        return pluribus.generate.mix(Generator(n_members=3), **given).generate(X)
    made = value(**given)
    if not isinstance(made, BaseEstimator):
        return made
    if hasattr(made, "generate"):
        return made.generate(X)
    if value.__module__.startswith("pluribus.consensus"):
        takes = inspect.signature(made.fit).parameters
        more = {"X": X, "constraints": Constraints(60)}
        return made.fit(ENSEMBLE, **{name: value for name, value in more.items() if name in takes})
    if is_classifier(made) or value.__name__ == "CategorySegmentation":
        return made.fit(X, ENSEMBLE.labels[:, 0])
    if value.__module__.startswith("pluribus.alternative"):
        return made.fit(X, known=LABELS)
    if value.__name__ == "ConstrainedCoClustering":
        return made.fit(np.greater(X, np.median(X, axis=1, keepdims=True)))
    return made.fit_transform(PEOPLE) if hasattr(made, "fit_transform") and "k" in given else made.fit(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", list(public_names()))
def test_every_public_name_refuses_it(value):
    call(value, 2)
    for n_jobs in (0, 1.5, "2") if value.__name__ not in UNTHREADED else ():
        with pytest.raises(ValueError, match="n_jobs"):
            call(value, n_jobs)

"""Weights of rows that are extreme: too large to be summed, or 0 for many rows."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from constrained.shared import CLUSTERERS
from pluribus import EnsembleClusterer, constrained
from pluribus.generate import Generator

rng = np.random.default_rng(0)
GROUPS = np.repeat([0, 1, 2], 20)
X = np.abs(rng.normal(size=(60, 3))) + 40 * np.eye(3)[GROUPS]


def takes_weights(name):
    return "sample_weight" in inspect.signature(constrained.by_name(name)().fit).parameters


WEIGHTED = [name for name in CLUSTERERS if takes_weights(name)]

MIXTURES = ("gmm", "mean-field", "penalized", "ppc-mixture")


def made(name):
    return constrained.by_name(name)(n_clusters=3, random_state=0, verbose=False)


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_that_overflow_are_refused(name):
    with pytest.raises(ValueError, match=r"sample_weight has values as large as 1e\+308.*: scale them"):
        made(name).fit(X, sample_weight=np.full(60, 1e308))


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_weights_that_overflow_in_single_precision(name):
    """Mixtures take weights as relative, and add them up in double precision."""
    X32, large = X.astype(np.float32), np.full(60, 1e38, np.float32)
    if name in MIXTURES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            assert adjusted_rand_score(made(name).fit(X32, sample_weight=large).labels_, GROUPS) == 1
    else:
        with pytest.raises(ValueError, match=r"sample_weight has values as large as 1e\+38.*: scale them"):
            made(name).fit(X32, sample_weight=large)


def test_scores_of_weights_that_overflow():
    for name in ("cop-kmeans", "mpckmeans", "balanced"):
        with pytest.raises(ValueError, match="sample_weight has values as large as"):
            made(name).fit(X).score(X, sample_weight=np.full(60, 1e308))


@pytest.mark.parametrize("name", sorted(set(WEIGHTED) - {"feedback"}))
def test_rows_without_weight_join_the_nearest_cluster(name):
    weight = np.tile([0.0, 1.0], 30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence
        model = made(name).fit(X, sample_weight=weight)
    assert adjusted_rand_score(model.labels_, GROUPS) == 1


def test_rows_without_weight_by_direction():
    model = constrained.BalancedKMeans(3, random_state=0, verbose=False, metric="cosine")
    assert adjusted_rand_score(model.fit(X, sample_weight=np.tile([0.0, 1.0], 30)).labels_, GROUPS) == 1


def test_members_with_weights_that_overflow():
    for job in (Generator(n_members=2, verbose=False).generate, EnsembleClusterer(n_members=2, verbose=False).fit):
        with pytest.raises(ValueError, match=r"sample_weight has values as large as 1e\+308"):
            job(X, sample_weight=np.full(60, 1e308))

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine

from pluribus.anonymize import Anonymizer
from pluribus.anonymize._groups import GroupSearch, error_of, reassign
from pluribus.anonymize._mdav import mdav_groups, optimal_groups


def scaled(X):
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0))


def best_partition(values, k):
    """The least squared error over all partitions into parts of at least k, by looking at all of them."""
    values = np.asarray(values, float)
    best = np.inf
    for found in itertools.product(range(len(values) // k), repeat=len(values)):
        labels = np.array(found)
        sizes = np.bincount(labels)
        if (sizes[sizes > 0] >= k).all():
            best = min(best, sum(((values[labels == g] - values[labels == g].mean()) ** 2).sum() for g in set(labels)))
    return best


@pytest.mark.parametrize(
    ("values", "k", "groups", "error"),
    [
        ([1, 2, 3, 10, 11, 12, 13], 3, [0, 0, 0, 1, 1, 1, 1], 7),
        ([0, 1, 2, 10], 2, [0, 0, 1, 1], 32.5),
        ([1, 2, 3, 4, 5, 6, 20], 3, [0, 0, 0, 0, 1, 1, 1], 145.6667),
    ],
)
def test_the_optimum_of_one_column(values, k, groups, error):
    X = np.array(values, float)[:, None]
    labels = optimal_groups(X[:, 0], k)
    assert labels.tolist() == groups
    assert error_of(X, labels) == pytest.approx(error, abs=1e-4)


@given(st.lists(st.integers(-20, 20), min_size=4, max_size=7), st.integers(2, 3))
@settings(max_examples=20)
def test_no_partition_is_better_than_the_optimum(values, k):
    X = np.array(values, float)[:, None]
    assert error_of(X, optimal_groups(X[:, 0], k)) == pytest.approx(best_partition(values, k))


@given(st.integers(0, 50), st.integers(2, 6))
@settings(max_examples=12)
def test_the_search_never_beats_the_optimum_and_keeps_the_size(seed, k):
    values = np.random.default_rng(seed).normal(size=30)
    X = np.column_stack([values, np.zeros(30)])  # two columns: the search does not know that one says nothing
    search = GroupSearch(X, k, random_state=seed, verbose=False)
    labels = search.run()
    assert np.bincount(labels).min() >= k
    best = error_of(X, optimal_groups(values, k))
    assert best * (1 - 1e-9) <= error_of(X, labels) <= 1.25 * best
    losses = [step.loss for step in search.path]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize(
    ("data", "k", "mdav", "flow"),
    [(load_iris, 5, 6.049, 4.245), (load_iris, 10, 10.992, 7.170), (load_wine, 3, 16.312, 16.312)],
)
def test_the_reference_figures(data, k, mdav, flow):
    table = data(as_frame=True).data
    X = scaled(table.to_numpy())
    start = mdav_groups(X, k)
    refined = reassign(X, start, k, 1e-10)
    assert 100 * error_of(X, start) / (X**2).sum() == pytest.approx(mdav, abs=5e-4)
    assert 100 * error_of(X, refined) / (X**2).sum() == pytest.approx(flow, abs=5e-4)
    model = Anonymizer(k, random_state=0, verbose=False)
    model.fit_transform(table)
    assert model.information_loss_ < flow
    assert model.group_sizes_.min() >= k


def test_many_rows_go_in_neighborhoods_and_cores_do_not_matter():
    X = np.random.default_rng(0).normal(size=(1000, 3))
    labels = [GroupSearch(X, 3, random_state=1, n_jobs=jobs, verbose=False).run() for jobs in (1, 2)]
    assert (labels[0] == labels[1]).all()
    assert np.bincount(labels[0]).min() >= 3
    assert error_of(X, labels[0]) < 0.9 * error_of(X, mdav_groups(X, 3))

"""Seeded-KMeans and Constrained-KMeans: where they start, and what stays."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from constrained.shared import IRIS as X
from constrained.shared import SPECIES as Y
from pluribus.constrained import SeededKMeans
from pluribus.constraints import ConstraintError, Constraints, InfeasibleError


def some_labels(y, share, seed=0):
    return np.where(np.random.default_rng(seed).random(len(y)) < share, y, -1)


@pytest.mark.filterwarnings("ignore:.*fixed=False uses them only as a start")
def test_seeded_is_kmeans_from_the_means_of_the_seeds():
    seeds = some_labels(Y, 0.2)
    start = np.array([X[seeds == c].mean(axis=0) for c in Constraints.from_labels(seeds).classes])
    theirs = KMeans(3, init=start, n_init=1, algorithm="lloyd").fit(X)
    ours = SeededKMeans(3, fixed=False).fit(X, constraints=Constraints.from_labels(seeds))
    assert ours.inertia_ == pytest.approx(theirs.inertia_)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    assert ours.n_iter_ == theirs.n_iter_


def by_the_book(X, seeds, k):
    """Constrained-KMeans, plainly: assign what is free to the nearest center, take means, until nothing changes."""
    centers = np.array([X[seeds == h].mean(axis=0) for h in range(k)])
    labels = None
    while True:
        new = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
        new = np.where(seeds >= 0, seeds, new)
        if labels is not None and (new == labels).all():
            return labels
        labels = new
        centers = np.array([X[labels == h].mean(axis=0) for h in range(k)])


@pytest.mark.parametrize("seed", range(3))
def test_constrained_by_the_book(seed):
    seeds = some_labels(Y, 0.3, seed)
    ours = SeededKMeans(3, tol=0).fit(X, constraints=Constraints.from_labels(seeds))
    assert adjusted_rand_score(ours.labels_, by_the_book(X, seeds, 3)) == 1
    assert ours.violations_.count == 0
    assert (np.diff(ours.objective_) <= 1e-9).all()
    assert ours.objective_[-1] == pytest.approx(ours.inertia_)


def test_wrong_seeds_stay_or_leave():
    wrong = some_labels(Y, 0.4)
    known = np.flatnonzero(wrong >= 0)
    wrong[known[::5]] = (wrong[known[::5]] + 1) % 3
    fixed = SeededKMeans(3).fit(X, constraints=Constraints.from_labels(wrong))
    with pytest.warns(UserWarning, match="are broken, because fixed=False"):
        free = SeededKMeans(3, fixed=False).fit(X, constraints=Constraints.from_labels(wrong))
    assert fixed.violations_.count == 0
    assert free.violations_.count > 0
    assert adjusted_rand_score(Y, free.labels_) > adjusted_rand_score(Y, fixed.labels_)


def test_other_hard_constraints_hold_beside_fixed_seeds():
    data, y = make_blobs(120, centers=4, cluster_std=4, random_state=0)
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 120, (80, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    known = Constraints(120, pairs[same], pairs[~same], labels=some_labels(y, 0.1))
    model = SeededKMeans(4, random_state=0).fit(data, constraints=known)
    assert model.violations_.count == 0


def test_fewer_classes_than_clusters():
    data, y = make_blobs(200, centers=5, cluster_std=0.5, random_state=1)
    seeds = np.where((y < 2) & (np.arange(200) % 4 == 0), y, -1)
    model = SeededKMeans(5, random_state=0).fit(data, constraints=Constraints.from_labels(seeds))
    assert adjusted_rand_score(y, model.labels_) > 0.95


def test_chunklets_serve_as_seeds():
    data, y = make_blobs(90, centers=3, cluster_std=0.5, random_state=2)
    groups = np.where(np.arange(90) % 3 == 0, y, -1)
    model = SeededKMeans(3, n_init=1).fit(data, constraints=Constraints(90, groups=groups))
    assert adjusted_rand_score(y, model.labels_) == 1


def test_one_known_class_keeps_its_cluster():
    data = np.array([[0.0], [1.0], [9.0], [10.0]])
    model = SeededKMeans(2, random_state=0).fit(data, constraints=Constraints(4, labels=["a", None, None, "a"]))
    assert model.labels_[0] == model.labels_[3]
    assert len(set(model.labels_.tolist())) == 2


def test_preferences_are_refused():
    with pytest.raises(ConstraintError, match="SeededKMeans takes hard constraints only"):
        SeededKMeans(2).fit([[1.0], [2.0], [3.0]], constraints=Constraints(3, must_link=[(0, 1)], must_weight=1))


def test_what_only_says_where_to_start_may_be_impossible():
    data = np.random.default_rng(0).normal(size=(30, 2))
    triangle = Constraints(30, cannot_link=[(0, 1), (1, 2), (0, 2)])
    with pytest.warns(UserWarning, match=r"[123] hard constraints are broken, because fixed=False"):
        model = SeededKMeans(2, fixed=False, random_state=0).fit(data, constraints=triangle)
    assert model.violations_.n_hard > 0
    with pytest.raises(InfeasibleError):
        SeededKMeans(2, random_state=0).fit(data, constraints=triangle)

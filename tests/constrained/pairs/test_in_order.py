"""COP-KMeans as published: dead ends, objectives that rise, endless cycles, and an oracle that visits row by row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from pluribus import Constraints
from pluribus.constrained import CopKMeans, NoFeasibleAssignmentError
from pluribus.constraints import ConstraintError

IRIS = load_iris().data


def published(X, must, cannot, centers, max_iter=50):
    """Table 1.1, with the constraints closed and objects compared with those already assigned in the pass."""
    known = Constraints(len(X), must, cannot)
    pairs = [(i, j, kind) for i, j, kind in known.entailed_pairs()]
    partners = {i: [] for i in range(len(X))}
    for i, j, kind in pairs:
        partners[i].append((j, kind))
        partners[j].append((i, kind))
    before, centers = None, np.array(centers, float)
    for _ in range(max_iter):
        labels = [-1] * len(X)
        for i in range(len(X)):
            for h in np.argsort(((X[i] - centers) ** 2).sum(axis=1), kind="stable"):
                told = [(labels[j] == h) == (kind == "must-link") for j, kind in partners[i] if labels[j] >= 0]
                if all(told):
                    labels[i] = int(h)
                    break
            else:
                return None
        if labels == before:
            break
        before = labels
        for h in range(len(centers)):
            if h in labels:
                centers[h] = X[np.array(labels) == h].mean(axis=0)
    return labels


def in_order(k, **how):
    return CopKMeans(k, assignment="in-order", verbose=False, **how)


def test_a_dead_end_that_the_joint_assignment_avoids():
    X, known = [[0.0], [10], [4]], Constraints(3, cannot_link=[(0, 2), (1, 2)])
    with pytest.raises(NoFeasibleAssignmentError, match=r"all 1 starts failed: object 2 cannot join any cluster"):
        in_order(2, init=[[0], [10]]).fit(X, constraints=known)
    assert CopKMeans(2, init=[[0], [10]]).fit(X, constraints=known).inertia_ == 50
    assert in_order(2, n_init=3, random_state=0).fit(X, constraints=Constraints(3)).n_dead_ends_ == 0


def test_the_objective_can_rise():
    # After the first pass the means have an inertia of 42, but the second pass leaves these clusters.
    X, known = [[4.0], [10], [2], [13]], Constraints(4, cannot_link=[(0, 2)])
    model = in_order(2, init=[[4], [2]], tol=0).fit(X, constraints=known)
    assert model.inertia_ == pytest.approx(64.6667, abs=1e-4)
    assert model.objective_.tolist() == pytest.approx([117, 70, 64.6667], abs=1e-4)
    assert CopKMeans(2, init=[[4], [2]]).fit(X, constraints=known).inertia_ == pytest.approx(42)


def test_an_endless_cycle_ends():
    X, known = [[0.0], [7], [12], [1]], Constraints(4, cannot_link=[(0, 3), (1, 2)])
    model = in_order(2, init=[[7], [1]], tol=0, max_iter=20).fit(X, constraints=known)
    assert model.n_iter_ == 20
    assert model.violations_.count == 0


def test_without_constraints_it_is_kmeans():
    plain = KMeans(3, init=IRIS[[0, 50, 100]], n_init=1, tol=0).fit(IRIS)
    model = in_order(3, init=IRIS[[0, 50, 100]], tol=0).fit(IRIS)
    assert model.inertia_ == pytest.approx(plain.inertia_)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000))
def test_is_the_published_algorithm(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(8, 2)).round(2) * 3
    must, cannot = random.integers(0, 8, (1, 2)), random.integers(0, 8, (4, 2))
    cannot = cannot[cannot[:, 0] != cannot[:, 1]]
    try:
        known = Constraints(8, must, cannot)
        known.ensure_feasible(3, allow_empty=False)
    except ConstraintError:
        return
    expected = published(X, must, cannot, X[:3])
    model = in_order(3, init=X[:3], tol=0, max_iter=50)
    if expected is None:
        with pytest.raises(NoFeasibleAssignmentError):
            model.fit(X, constraints=known)
        return
    found = model.fit(X, constraints=known)
    if found.n_iter_ < 50:  # no cycle
        same = {(a, b) for a, b in zip(expected, found.labels_.tolist(), strict=True)}
        assert len(same) == len({a for a, _ in same}) == len({b for _, b in same})
    rows = sparse.csr_array(X)
    assert (model.fit(rows, constraints=known).labels_ == found.labels_).all()


def test_lost_starts_are_counted():
    random = np.random.default_rng(0)
    X = random.normal(size=(20, 2))
    known = Constraints(20, cannot_link=random.permutation(20).reshape(-1, 2)[:9].tolist() + [(0, 5), (5, 9), (0, 9)])
    model = in_order(3, n_init=10, random_state=0).fit(X, constraints=known)
    assert 0 <= model.n_dead_ends_ < 10
    assert model.violations_.count == 0

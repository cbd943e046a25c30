"""Weights of clusters that are given or of free objects, and densities that sharpen."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from constrained.shared import linked_data
from pluribus import Constraints
from pluribus.constrained import ConstrainedGaussianMixture, MeanFieldMixture, PenalizedMixture
from pluribus.constrained.mixtures._linked_data import Estimates

X, y = load_iris(return_X_y=True)
QUIET = dict(random_state=0, verbose=False, n_init=2)


@pytest.mark.parametrize("method", [ConstrainedGaussianMixture, PenalizedMixture, MeanFieldMixture])
def test_fixed_weights_stay(method):
    known = Constraints(150, must_link=[(0, 1)], cannot_link=[(0, 60)])
    given = [0.5, 0.3, 0.2]
    model = method(3, weights="fixed", weights_init=given, **QUIET).fit(X, constraints=known)
    assert sorted(model.weights_) == pytest.approx(sorted(given))
    assert (np.diff(model.objective_) >= -1e-6).all()
    with pytest.raises(ValueError, match="give weights_init"):
        method(3, weights="fixed").fit(X, constraints=known)


def test_fixed_equal_weights_are_uniform():
    fixed = PenalizedMixture(3, weights="fixed", weights_init=[1 / 3] * 3, **QUIET).fit(X)
    uniform = PenalizedMixture(3, weights="uniform", weights_init=[1 / 3] * 3, **QUIET).fit(X)
    assert fixed.membership_ == pytest.approx(uniform.membership_)


def test_weights_of_free_objects_by_hand():
    known = Constraints(6, must_link=[(0, 1)], cannot_link=[(0, 2)])
    data = linked_data(np.arange(6.0)[:, None], known, 2)
    marginals = np.array([[1, 0], [0, 1], [0.5, 0.5], [1, 0], [1, 0]])  # of the chunklets 01, 2, 3, 4, 5
    free = data.maximize(marginals, Estimates("tied", 1e-6, "unlabeled")).weights
    assert free == pytest.approx([2.5 / 3, 0.5 / 3])
    assert data.maximize(marginals, Estimates("tied", 1e-6, "joint")).weights == pytest.approx([4.5 / 6, 1.5 / 6])


def test_constraints_on_one_cluster_do_not_change_the_weights_of_free_objects():
    linked = [(i, i + 1) for i in range(39)]  # 40 of the 50 of the first species
    known = Constraints(150, must_link=linked)
    free = MeanFieldMixture(3, weights="unlabeled", eta=1, **QUIET).fit(X, constraints=known)
    joint = MeanFieldMixture(3, weights="joint", eta=1, **QUIET).fit(X, constraints=known)
    first = free.labels_[0]
    assert free.weights_[first] == pytest.approx(10 / 110, abs=0.01)
    assert joint.weights_[joint.labels_[0]] == pytest.approx(1 / 3, abs=0.02)
    with pytest.raises(ValueError, match="objects without constraints, but there are none"):
        MeanFieldMixture(3, weights="unlabeled").fit(X, constraints=Constraints(150, labels=y))


def test_annealing_ends_in_the_plain_model():
    known = Constraints(150, must_link=[(0, 1)], cannot_link=[(0, 60), (60, 110)])
    annealed = MeanFieldMixture(3, anneal=(0.1, 0.2, 0.4, 0.7), eta=1, **QUIET).fit(X, constraints=known)
    again = MeanFieldMixture(
        3,
        eta=1,
        weights_init=annealed.weights_,
        means_init=annealed.means_,
        precisions_init=np.linalg.inv(annealed.covariances_),
        **QUIET,
    ).fit(X, constraints=known)
    assert again.objective_[-1] == pytest.approx(annealed.objective_[-1], abs=0.05)
    plain = linked_data(X, known, 3)
    half = linked_data(X, known, 3, sharpness=0.5)
    mixture = plain.maximize(np.eye(3)[y][plain.closure.representatives], Estimates("full", 1e-6, "uniform"))
    expected = (plain.potentials(mixture) - plain.n_draws[:, None] * np.log(1 / 3)) / 2
    assert half.potentials(mixture) - half.n_draws[:, None] * np.log(1 / 3) == pytest.approx(expected)


def test_annealed_runs_start_where_the_one_before_ended():
    """Low factors merge the two species that overlap, and the final run starts from there."""
    plain, annealed = (MeanFieldMixture(3, anneal=factors, eta=1, **QUIET).fit(X) for factors in (None, (0.2, 0.5)))
    assert annealed.objective_[-1] < plain.objective_[-1] - 10


@pytest.mark.parametrize("anneal", [(0.0, 0.5), (0.5, 0.2), (0.5, 1.5), [[0.1]]])
def test_bad_factors(anneal):
    with pytest.raises(ValueError, match="anneal must be increasing numbers above 0"):
        MeanFieldMixture(3, anneal=anneal).fit(X)

"""The least-squares fit of memberships to evidence, and descent on it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluribus._kernels.points.simplex import project_rows
from pluribus.consensus.soft import _pair_fit
from pluribus.consensus.soft._pair_fit import fit_to_labels, fit_to_matrix
from pluribus.consensus.soft._simplex_descent import SOLVERS, baum_eagon, grow, projected_gradient
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble

START = np.array([[3 / 5, 2 / 5], [1 / 2, 1 / 2], [3 / 10, 7 / 10]])


def random_ensemble(seed, n=25, r=5, missing=0.3, weighted=True, k=3):
    """With objects that are equal, with missing labels and with weights."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, (n, r))
    labels[rng.random((n, r)) < missing] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    labels[n // 2 :: 2] = labels[0]
    labels[1] = 0  # so that no partition is empty
    return Ensemble(labels, weights=rng.uniform(0.2, 2, r) if weighted else None)


def over_observations(ensemble, Y, diagonal):
    """Σ_p w_p Σ_ij (together in p? - y_i·y_j)² over the objects that p covers, over Σ_p w_p."""
    labels, total = ensemble.labels.astype(int), 0.0
    model = Y @ Y.T
    for p, w in enumerate(ensemble.weights):
        seen = labels[:, p] >= 0
        pairs = np.outer(seen, seen)
        if not diagonal:
            np.fill_diagonal(pairs, False)
        together = labels[:, p][:, None] == labels[:, p]
        total += w * ((together - model) ** 2)[pairs].sum()
    return total / ensemble.weights.sum()


@pytest.fixture(params=["matrix", "labels"])
def form(request, monkeypatch):
    """Either way to hold an ensemble, whatever its size."""
    monkeypatch.setattr(_pair_fit, "_OBJECTS_PER_PARTITION", 0 if request.param == "labels" else 100)
    return request.param


def test_the_source_s_step_on_the_hand_example(form):
    problem = fit_to_labels(Ensemble([[0, 0, 1], [0, 1, 1]]), by_counts=True, diagonal=True)
    point = problem.fit.at(START)
    assert point.objective == pytest.approx(float(Fraction(27, 25)), rel=1e-14)
    np.testing.assert_allclose(point.gain.T, [[3 / 20, 1 / 4, -3 / 20], [-13 / 100, 1 / 4, 11 / 100]], atol=1e-15)
    after = grow(START, problem.fit.row_weight[:, None] + point.gain)
    np.testing.assert_allclose(after.T, [[135 / 217, 1 / 2, 855 / 3032], [82 / 217, 1 / 2, 2177 / 3032]], rtol=1e-14)
    assert problem.fit.at(after).objective == pytest.approx(1.0342216172692784, rel=1e-14)


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_objective_over_groups_is_that_over_objects(form, missing, weighted, diagonal):
    ensemble = random_ensemble(0, missing=missing, weighted=weighted)
    fit, inverse = fit_to_labels(ensemble, by_counts=True, diagonal=diagonal)
    assert type(fit).__name__ == ("MatrixFit" if form == "matrix" else "LabelFit")
    assert len(fit.sizes) < ensemble.n_objects
    Y = np.random.default_rng(1).dirichlet(np.ones(4), len(fit.sizes))
    expected = over_observations(ensemble, Y[inverse], diagonal)
    if not missing:  # pairs, not observations
        C = CoAssociation(ensemble).to_dense()
        expected -= (C * (1 - C)).sum()
    assert fit.at(Y).objective == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_gradient_by_finite_differences(form, missing, diagonal):
    fit, _ = fit_to_labels(random_ensemble(2, missing=missing), by_counts=True, diagonal=diagonal)
    Y = np.random.default_rng(3).dirichlet(np.ones(3), len(fit.sizes))
    gradient = -4 * fit.sizes[:, None] * fit.at(Y).gain
    h = 1e-6
    for i, k in [(0, 0), (1, 2), (4, 1)]:
        e = np.zeros_like(Y)
        e[i, k] = h
        slope = (fit.at(Y + e).objective - fit.at(Y - e).objective) / (2 * h)
        assert slope == pytest.approx(gradient[i, k], rel=1e-6)


@pytest.mark.parametrize("diagonal", [True, False])
def test_gradient_of_weighted_pairs(diagonal):
    rng = np.random.default_rng(4)
    C, weight = rng.random((2, 8, 8))
    C, weight = (C + C.T) / 2, weight + weight.T
    fit, _ = fit_to_matrix(CoAssociation.from_matrix(C), weight=weight, diagonal=diagonal)
    Y = rng.dirichlet(np.ones(3), 8)
    off = weight * (1 - np.eye(8) * (not diagonal))
    assert fit.at(Y).objective == pytest.approx((off * (C - Y @ Y.T) ** 2).sum(), rel=1e-12)
    np.testing.assert_allclose(fit.at(Y).gain, (off * (C - Y @ Y.T)) @ Y, rtol=1e-10)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("diagonal", [True, False])
def test_groups_take_the_same_path_as_their_objects(form, solver, diagonal):
    ensemble = random_ensemble(5, missing=0.0, weighted=False)
    grouped, inverse = fit_to_labels(ensemble, by_counts=True, diagonal=diagonal)
    single, _ = fit_to_matrix(CoAssociation(ensemble), weight=None, diagonal=diagonal)
    Y = np.random.default_rng(6).dirichlet(np.ones(3), len(grouped.sizes))
    of_groups = SOLVERS[solver](grouped, Y, 15, 0.0)
    of_objects = SOLVERS[solver](single, Y[inverse], 15, 0.0)
    np.testing.assert_allclose(of_groups.path, of_objects.path, rtol=1e-11)
    np.testing.assert_allclose(of_groups.membership[inverse], of_objects.membership, atol=1e-9)


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 40),
    r=st.integers(1, 8),
    k=st.integers(1, 5),
    missing=st.sampled_from([0.0, 0.3, 0.7]),
    diagonal=st.booleans(),
    solver=st.sampled_from(sorted(SOLVERS)),
    dense=st.booleans(),
)
def test_the_objective_never_rises_and_rows_stay_on_the_simplex(seed, n, r, k, missing, diagonal, solver, dense):
    ensemble = random_ensemble(seed, n=n, r=r, missing=missing)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_pair_fit, "_OBJECTS_PER_PARTITION", 100 if dense else 0)
        fit, _ = fit_to_labels(ensemble, by_counts=True, diagonal=diagonal)
    Y = np.random.default_rng(seed).dirichlet(np.ones(k), len(fit.sizes))
    end = SOLVERS[solver](fit, Y, 60, 1e-5)
    assert (np.diff(end.path) <= 0).all()
    np.testing.assert_allclose(end.membership.sum(axis=1), 1, atol=1e-12)
    assert end.membership.min() >= 0
    assert fit.at(end.membership).objective == pytest.approx(end.path[-1], rel=1e-12, abs=1e-12)


def test_uniform_memberships_are_a_fixed_point_and_zeros_are_absorbing():
    fit, _ = fit_to_labels(random_ensemble(7), by_counts=True, diagonal=True)
    uniform = np.full((len(fit.sizes), 3), 1 / 3)
    np.testing.assert_allclose(baum_eagon(fit, uniform, 5, 0.0).membership, uniform, atol=1e-12)
    start = np.random.default_rng(0).dirichlet(np.ones(3), len(fit.sizes))
    start[0] = [0, 0.5, 0.5]
    assert baum_eagon(fit, start, 50, 0.0).membership[0, 0] == 0


def test_projected_gradient_finds_exact_zeros():
    fit, _ = fit_to_labels(Ensemble([[0, 0, 0, 1, 1]] * 3), by_counts=True, diagonal=True)
    start = np.random.default_rng(1).dirichlet(np.ones(2), len(fit.sizes))
    end = projected_gradient(fit, start, 500, 1e-8)
    assert sorted(end.membership.ravel().tolist()) == [0, 0, 1, 1]


def test_projection_onto_the_simplex():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 5))
    projected = values.copy()
    project_rows(projected)
    np.testing.assert_allclose(projected.sum(axis=1), 1, atol=1e-14)
    assert projected.min() >= 0
    # The nearest point: no other point of the simplex makes an acute angle with what was cut off.
    others = rng.dirichlet(np.ones(5), 500)
    cut_off = values - projected
    assert (others @ cut_off.T - (projected * cut_off).sum(axis=1)).max() <= 1e-12
    inside = rng.dirichlet(np.ones(5), 10)
    again = inside.copy()
    project_rows(again)
    np.testing.assert_allclose(again, inside, atol=1e-15)
    # A number that is added to a whole row, however large, does not matter.
    moved = np.array([[0.25, 0.75, 0.0], [0.5, 0.5, -4.0], [2.0**64, 0, -(2.0**64)], [1e300, 1e300, 0]])
    moved[:2] += 2.0**50
    project_rows(moved)
    np.testing.assert_array_equal(moved, [[0.25, 0.75, 0], [0.5, 0.5, 0], [1, 0, 0], [0.5, 0.5, 0]])

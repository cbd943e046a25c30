"""The dual of the hinge: no duality gap, exact multipliers, sweeps against steps along faces."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from pluribus.similarity.pairwise import _hinge
from pluribus.similarity.pairwise._hinge import ascend
from pluribus.similarity.pairwise._spaces import FeatureSpace, KernelSpace
from pluribus.similarity.pairwise._terms import Terms


def random_problem(seed, exclusive):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3))
    pairs = np.array([(i, j) for i in range(12) for j in range(i) if rng.random() < 0.2])
    labeled = np.arange(5)
    terms = Terms(
        12, labeled, np.where(labeled % 2, 1.0, -1.0), rng.uniform(0.5, 2, 5), *pairs.T, rng.random(len(pairs)) < 0.5,
        rng.uniform(0.1, 2, len(pairs)), exclusive,
    )  # fmt: skip
    return X, terms


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_primal_is_dual(seed, exclusive):
    """The printed formula of the dual, with its signs corrected, at multipliers from the fitted function."""
    X, terms = random_problem(seed, exclusive)
    K, lam = rbf_kernel(X), 0.05
    losses = _hinge._Losses(terms)
    dual = _hinge._Dual(losses, KernelSpace(K), lam)
    rng = np.random.default_rng(0)
    for _ in range(30):
        dual.sweep(rng.permutation(len(losses.target)))
        before = dual.value()
        dual.move_along_face()
        assert dual.value() >= before - 1e-12
        assert (dual.beta >= losses.low).all()
        assert (dual.beta <= losses.high).all()
    f = K @ dual.coefficients()
    primal = losses.value(f) + lam * dual.coefficients() @ f
    D = losses.rows.toarray()
    written = losses.target @ dual.beta - dual.beta @ D @ K @ D.T @ dual.beta / (4 * lam)
    assert dual.value() == pytest.approx(written)
    assert primal == pytest.approx(written, rel=1e-7)
    fitted = ascend(terms, KernelSpace(K), lam, 0, tol=1e-9, max_iter=1000)
    assert fitted.converged
    assert fitted.path[-1] == pytest.approx(primal, rel=1e-7)
    by_features = ascend(terms, FeatureSpace(np.linalg.cholesky(K)), lam, 0, tol=1e-9, max_iter=1000)
    assert by_features.path[-1] == pytest.approx(primal, rel=1e-7)


def test_multipliers_of_the_exact_case():
    """x = 1 labeled, a must-link of 1 and 2, λ = .1, μ = .9: α = 1, |γ| = .9, dual .975."""
    terms = Terms(
        3, np.array([0]), np.ones(1), np.ones(1), np.array([1]), np.array([2]), np.array([True]), np.array([0.9]), False
    )
    x = np.array([1.0, 1, 2])
    dual = _hinge._Dual(_hinge._Losses(terms), KernelSpace(np.outer(x, x)), 0.1)
    for _ in range(50):
        dual.sweep(np.arange(2))
    assert np.abs(dual.beta).tolist() == pytest.approx([1, 0.9])
    assert dual.value() == pytest.approx(0.975)


def test_one_sweep_by_hand():
    """β ← clip(β + 2λ (target - u) / ‖r‖²), label first, then the pair with the new f."""
    terms = Terms(
        3, np.array([0]), np.ones(1), np.ones(1), np.array([1]), np.array([2]), np.array([True]), np.array([0.9]), False
    )
    x = np.array([1.0, 1, 2])
    for space in (KernelSpace(np.outer(x, x)), FeatureSpace(x[:, None])):
        dual = _hinge._Dual(_hinge._Losses(terms), space, 0.1)
        dual.sweep(np.arange(2))
        # β_0 = .2, w = 1; the pair has u = w - 2w = -1: β_1 = .2, w = 1 - .2 / .2 = 0
        assert dual.beta.tolist() == pytest.approx([0.2, 0.2])
        assert np.allclose(space.values(dual.coefficients()), 0)


def test_points_where_every_function_is_zero():
    """A label there costs 1 whatever f is, and its multiplier is at the bound."""
    terms = Terms(
        2,
        np.array([0, 1]),
        np.array([1.0, -1]),
        np.ones(2),
        *np.empty((2, 0), int),
        np.empty(0, bool),
        np.empty(0),
        False,
    )
    fitted = ascend(terms, FeatureSpace(np.array([[0.0], [1]])), 0.01, 0, tol=1e-10, max_iter=100)
    assert fitted.converged
    assert fitted.path[-1] == pytest.approx(1 + 0.01)


def test_close_points_need_few_sweeps():
    t = np.linspace(0, 1, 60)[:, None]
    y = np.where((10 * t[:, 0]).astype(int) % 2, 1.0, -1.0)
    terms = Terms(60, np.arange(60), y, np.ones(60), *np.empty((2, 0), int), np.empty(0, bool), np.empty(0), False)
    fitted = ascend(terms, KernelSpace(rbf_kernel(t, gamma=100)), 0.01, 0, tol=1e-6, max_iter=200)
    assert fitted.converged


def many_pairs(n_pairs=20_000, n=200, d=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.1)
    one = rng.integers(n, size=n_pairs)
    other = (one + rng.integers(1, n, size=n_pairs)) % n
    terms = Terms(
        n, np.arange(20), np.where(np.arange(20) % 2, 1.0, -1.0), np.ones(20), one, other,
        rng.random(n_pairs) < 0.5, np.full(n_pairs, 1e-3), False,
    )  # fmt: skip
    return X, terms


def test_differences_of_pairs_are_never_stored():
    """20,000 pairs × 400 features would take 64 MB."""
    X, terms = many_pairs()
    ascend(terms, FeatureSpace(X), 0.1, 0, tol=1e-3, max_iter=1)  # compiles
    tracemalloc.start()
    ascend(terms, FeatureSpace(X), 0.1, 0, tol=1e-3, max_iter=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6


def test_sparse_features_are_as_dense_ones():
    X, terms = many_pairs(n_pairs=300, d=30)
    dense, thin = (ascend(terms, FeatureSpace(Z), 0.1, 0, tol=1e-9, max_iter=500) for Z in (X, sparse.csr_array(X)))
    assert dense.path[-1] == pytest.approx(thin.path[-1], rel=1e-8)
    np.testing.assert_allclose(dense.coefficients, thin.coefficients, atol=1e-5)

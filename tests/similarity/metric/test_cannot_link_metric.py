"""Exact cases of the metric, its invariants, and slow oracles: SLSQP, OneClassSVM, LinearSVC, finite differences."""

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC, OneClassSVM
from sklearn.utils.estimator_checks import check_estimator

from pluribus import Constraints
from pluribus.compare import adjusted_rand_index
from pluribus.similarity import CannotLinkMetric, by_name

TIGHT = dict(tol=1e-12, max_iter=100_000, random_state=0, verbose=False)
KINDS = ("full", "sparse", "kernel")  # that learn the same metric
OTHERS = ("full", "diagonal", "sparse", "kernel")


def from_origin(deltas):
    """One point at the origin, one at each difference, and the pairs of the first with all others."""
    deltas = np.atleast_2d(np.asarray(deltas, dtype=float))
    X = np.vstack([np.zeros(deltas.shape[1]), deltas])
    return X, [(0, c + 1) for c in range(len(deltas))]


def problem(seed, n=9, d=3, m=12):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    i = rng.integers(n, size=m)
    return X, np.column_stack([i, (i + rng.integers(1, n, size=m)) % n])


def dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def metric_of(model):
    """A as a dense array, whatever the kind."""
    if hasattr(model, "w_"):
        return np.diag(model.w_)
    if hasattr(model, "support_points_"):
        U = model.components_ @ model.support_points_
        return dense(U.T @ U)
    return dense(model.A_)


def squared(A, X, pairs):
    delta = X[np.array(pairs)[:, 0]] - X[np.array(pairs)[:, 1]]
    return np.einsum("cs,st,ct->c", delta, A, delta)


def primal(A, X, pairs, C, weights=1.0, prior=0.0):
    slack = np.maximum(1 - squared(A, X, pairs), 0)
    return 0.5 * np.square(A - prior).sum() + C * (weights * slack).sum()


# --- exact cases

EXACT = [
    ([(1, 0), (0, 1)], np.inf, [1, 1], [[1, 0], [0, 1]]),
    ([(1, 0), (0, 2)], np.inf, [1, 1 / 16], [[1, 0], [0, 1 / 4]]),
    ([(1, 0), (1, 1)], np.inf, [1, 0], [[1, 0], [0, 0]]),
    ([(2, 0), (1, 1)], np.inf, [0, 1 / 4], [[1 / 4, 1 / 4], [1 / 4, 1 / 4]]),
    ([(1, 0), (0.6, 0.8)], np.inf, [25 / 34, 25 / 34], [[1, 6 / 17], [6 / 17, 8 / 17]]),
    ([(1, 0), (0.6, 0.8)], 0.5, [0.5, 0.5], [[0.68, 0.24], [0.24, 0.32]]),
    ([(1, 0), (0, 0.1)], np.inf, [1, 10_000], [[1, 0], [0, 100]]),
    ([(1, 0), (0, 0.1)], 1.0, [1, 1], [[1, 0], [0, 0.01]]),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("deltas", "C", "alpha", "A"), EXACT)
def test_exact_cases(deltas, C, alpha, A, kind):
    X, pairs = from_origin(deltas)
    model = CannotLinkMetric(C, kind=kind, **TIGHT).fit(X, constraints=pairs)
    assert np.allclose(model.alpha_, alpha, rtol=1e-9, atol=1e-9)
    assert np.allclose(metric_of(model), A, atol=1e-9)
    assert np.flatnonzero(model.alpha_ > 1e-9).tolist() == np.flatnonzero(alpha).tolist()
    assert model.support_.tolist() == np.flatnonzero(model.alpha_).tolist()
    assert model.dual_gap_ == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("deltas", "objective"),
    [
        (deltas, objective)
        for (deltas, C, *_), objective in zip(EXACT, (1, 0.53125, 0.5, 0.125, 25 / 34, None, 5000.5, None), strict=True)
        if np.isinf(C)
    ],
)
def test_objectives_of_the_hard_margin(deltas, objective):
    X, pairs = from_origin(deltas)
    model = CannotLinkMetric(np.inf, **TIGHT).fit(X, constraints=pairs)
    norm = np.linalg.norm(model.A_)
    assert norm**2 / 2 == pytest.approx(objective)
    assert model.alpha_.sum() == pytest.approx(norm**2)
    assert model.margin_ == pytest.approx(1)
    assert model.normalized_margin_ == pytest.approx(1 / norm)


def test_a_single_pair():
    delta = np.array([1.0, -2.0, 0.5])
    X, pairs = from_origin(delta)
    model = CannotLinkMetric(np.inf, **TIGHT).fit(X, constraints=pairs)
    assert np.allclose(model.A_, np.outer(delta, delta) / (delta @ delta) ** 2)
    assert len(model.components_) == 1


def test_a_diagonal_metric():
    X, pairs = from_origin([(1, 0), (1, 1)])
    model = CannotLinkMetric(np.inf, kind="diagonal", **TIGHT).fit(X, constraints=pairs)
    assert np.allclose(model.w_, [1, 0])
    X, pairs = from_origin([(2, 0), (1, 1)])  # α (16, 4; 4, 2): the second alone, w = (1/2, 1/2), gives the first 2
    model = CannotLinkMetric(np.inf, kind="diagonal", **TIGHT).fit(X, constraints=pairs)
    assert np.allclose(model.w_, [0.5, 0.5])
    assert np.allclose(model.alpha_, [0, 0.5])


def test_a_small_C_gives_the_scatter_of_the_differences():
    X, pairs = problem(0)
    weights = np.random.default_rng(1).random(len(pairs))
    model = CannotLinkMetric(1e-6, **TIGHT).fit(X, constraints=pairs, pair_weight=weights)
    delta = X[pairs[:, 0]] - X[pairs[:, 1]]
    assert np.allclose(model.A_, 1e-6 * (delta.T * weights) @ delta, rtol=1e-9)
    assert np.allclose(model.alpha_, 1e-6 * weights)


# --- oracles


def by_slsqp(X, pairs, C, weights=None, prior=None):
    """The metric by a general solver, over the entries of a symmetric matrix and the slacks."""
    d, m = X.shape[1], len(pairs)
    upper = np.triu_indices(d)
    weights = np.ones(m) if weights is None else weights
    prior = np.zeros((d, d)) if prior is None else prior
    delta = X[pairs[:, 0]] - X[pairs[:, 1]]
    double = np.where(upper[0] == upper[1], 1.0, 2.0)
    features = double * delta[:, upper[0]] * delta[:, upper[1]]
    soft = np.isfinite(C)
    size = len(double)
    cost = C * weights if soft else np.zeros(0)

    def objective(z):
        difference = z[:size] - prior[upper]
        return 0.5 * (double * difference**2).sum() + cost @ z[size:]

    def gradient(z):
        return np.concatenate([double * (z[:size] - prior[upper]), cost])

    jacobian = np.hstack([features, np.eye(m)]) if soft else features
    start = np.concatenate([(np.eye(d) / min(np.square(delta).sum(axis=1).min(), 1))[upper], np.zeros(len(cost))])
    found = minimize(
        objective,
        start,
        jac=gradient,
        method="SLSQP",
        bounds=[(None, None)] * size + [(0, None)] * len(cost),
        constraints={"type": "ineq", "fun": lambda z: jacobian @ z - 1, "jac": lambda z: jacobian},
        options={"maxiter": 2000, "ftol": 1e-14},
    )
    A = np.zeros((d, d))
    A[upper] = found.x[:size]
    return A + np.triu(A, 1).T


@pytest.mark.parametrize("C", [np.inf, 1.0, 0.02])
@pytest.mark.parametrize("seed", range(4))
def test_a_general_solver_finds_the_same(seed, C):
    X, pairs = problem(seed, d=2 + seed % 3)
    model = CannotLinkMetric(C, **TIGHT).fit(X, constraints=pairs)
    expected = by_slsqp(X, pairs, C)
    assert np.allclose(model.A_, expected, atol=2e-4 * np.abs(expected).max())
    if np.isfinite(C):
        assert primal(model.A_, X, pairs, C) <= primal(expected, X, pairs, C) + 1e-9


@pytest.mark.parametrize("C", [np.inf, 0.05])
def test_a_general_solver_finds_the_same_with_a_prior_and_weights(C):
    X, pairs = problem(5)
    half = np.random.default_rng(6).normal(size=(3, 3)) / 4
    prior, weights = half @ half.T, np.random.default_rng(7).random(len(pairs))
    model = CannotLinkMetric(C, prior=prior, **TIGHT).fit(X, constraints=pairs, pair_weight=weights)
    expected = by_slsqp(X, pairs, C, weights, prior)
    assert np.allclose(model.A_, expected, atol=2e-4 * np.abs(expected).max())
    assert model.dual_gap_ == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.7])
def test_a_one_class_svm_with_a_quadratic_kernel(nu):
    X, pairs = problem(1, n=12, m=30)
    delta = X[pairs[:, 0]] - X[pairs[:, 1]]
    svm = OneClassSVM(kernel="poly", degree=2, gamma=1.0, coef0=0.0, nu=nu, tol=1e-10).fit(delta)
    a, rho = svm.dual_coef_.ravel(), float(-svm.intercept_[0])
    vectors = delta[svm.support_]
    expected = (vectors.T * a) @ vectors / rho
    model = CannotLinkMetric(1 / rho, **TIGHT).fit(X, constraints=pairs)
    assert np.allclose(model.A_, expected, atol=1e-6 * np.abs(expected).max())
    assert np.allclose(model.alpha_[svm.support_], a / rho, atol=1e-5 * a.max() / rho) or model.A_.shape[0] < len(a)


def test_mirrored_support_vector_machines():
    X, pairs = problem(2, n=10, m=20)
    C = 0.1
    delta = X[pairs[:, 0]] - X[pairs[:, 1]]
    s, t = np.triu_indices(3)
    phi = delta[:, s] * delta[:, t] * np.where(s == t, 1, np.sqrt(2))
    labels = np.repeat([1, -1], len(phi))
    linear = LinearSVC(loss="hinge", C=C / 2, fit_intercept=False, tol=1e-10, max_iter=10**6).fit(
        np.vstack([phi, -phi]), labels
    )
    A = np.zeros((3, 3))
    A[s, t] = linear.coef_[0] / np.where(s == t, 1, np.sqrt(2))
    A = A + np.triu(A, 1).T
    model = CannotLinkMetric(C, **TIGHT).fit(X, constraints=pairs)
    assert np.allclose(model.A_, A, atol=1e-5 * np.abs(A).max())
    K = (delta @ delta.T) ** 2
    svc = SVC(kernel="precomputed", C=C / 2, tol=1e-10).fit(np.block([[K, -K], [-K, K]]), labels)
    coefficients = np.zeros(2 * len(K))
    coefficients[svc.support_] = svc.dual_coef_[0]
    folded = coefficients[: len(K)] - coefficients[len(K) :]
    assert np.allclose((delta.T * folded) @ delta, model.A_, atol=1e-5 * np.abs(A).max())


def test_the_dual_is_at_its_maximum_by_finite_differences():
    X, pairs = problem(3)
    C = 0.05
    model = CannotLinkMetric(C, **TIGHT).fit(X, constraints=pairs)
    delta = X[pairs[:, 0]] - X[pairs[:, 1]]
    K = (delta @ delta.T) ** 2

    def dual(alpha):
        return alpha.sum() - 0.5 * alpha @ K @ alpha

    step = 1e-6
    for c, alpha in enumerate(model.alpha_):
        move = np.zeros(len(pairs))
        move[c] = step
        slope = (dual(model.alpha_ + move) - dual(model.alpha_ - move)) / (2 * step)
        assert slope == pytest.approx(1 - model.margins_[c], abs=1e-6)
        if alpha == 0:
            assert slope <= 1e-6
        elif alpha == C:
            assert slope >= -1e-6
        else:
            assert slope == pytest.approx(0, abs=1e-6)
    assert {0, C} < set(model.alpha_.tolist())  # all three cases


def test_the_gap_bounds_the_distance_from_the_optimum():
    X, pairs = problem(4, n=20, d=4, m=60)
    for C in (0.05, np.inf):
        best = CannotLinkMetric(C, **TIGHT).fit(X, constraints=pairs)
        with pytest.warns(match="duality gap"):
            early = CannotLinkMetric(C, max_iter=2, random_state=0, verbose=False).fit(X, constraints=pairs)
        assert early.n_iter_ == 2
        if np.isinf(C):
            objective = np.square(best.A_).sum() / 2
            loss = np.square(early.A_ / early.margin_).sum() / 2 - objective
        else:
            loss = primal(early.A_, X, pairs, C) - primal(best.A_, X, pairs, C)
        assert 0 < loss <= early.dual_gap_
        assert best.dual_gap_ < 1e-6


# --- invariants

small = st.tuples(st.integers(0, 10**6), st.integers(2, 4), st.sampled_from([np.inf, 1.0, 0.05]))


@settings(max_examples=20, deadline=None)
@given(small)
def test_it_is_a_metric(drawn):
    seed, d, C = drawn
    X, pairs = problem(seed, d=d)
    model = CannotLinkMetric(C, random_state=0, tol=1e-9, max_iter=20_000, verbose=False).fit(X, constraints=pairs)
    A = model.A_
    assert np.array_equal(A, A.T)
    assert np.linalg.eigvalsh(A).min() >= -1e-10 * np.abs(A).max()
    assert np.allclose(model.components_.T @ model.components_, A, atol=1e-12 * np.abs(A).max())
    assert len(model.components_) <= min(len(model.support_), d)
    assert (model.alpha_ >= 0).all()
    assert (model.alpha_ <= C).all()
    assert np.allclose(model.margins_, squared(A, X, pairs), rtol=1e-9)
    D = model.pairwise_distances(X)
    assert np.allclose(D, squareform(pdist(model.transform(X))))
    assert np.allclose(D[pairs[:, 0], pairs[:, 1]] ** 2, model.margins_)
    assert (D[:, :, None] <= D[:, None, :] + D.T[None, :, :] + 1e-9 * D.max()).all()
    if np.isinf(C):
        assert model.margin_ >= 1 - 1e-6
        assert model.alpha_.sum() == pytest.approx(np.square(A).sum(), rel=1e-6)


@settings(max_examples=10, deadline=None)
@given(small, st.sampled_from(OTHERS))
def test_what_changes_nothing(drawn, kind):
    seed, d, C = drawn
    X, pairs = problem(seed, d=d)
    rng = np.random.default_rng(seed)

    def fit(X, pairs, C=C):
        return CannotLinkMetric(C, kind=kind, **TIGHT).fit(X, constraints=pairs)

    def same(A, B):
        return np.allclose(A, B, atol=1e-5 * np.abs(B).max())

    A = metric_of(fit(X, pairs))
    assert same(metric_of(fit(X + rng.normal(size=d), pairs)), A)
    assert same(metric_of(fit(X, pairs[:, ::-1])), A)
    assert same(metric_of(fit(X, rng.permutation(pairs))), A)
    assert same(metric_of(fit(3 * X, pairs, C / 81)) * 9, A)
    if np.isinf(C):
        assert same(metric_of(fit(X, np.vstack([pairs, pairs[:1]]))), A)
    kept = squared(A, X, list(product(range(len(X)), repeat=2))).reshape(len(X), -1)
    far = np.argwhere(kept > 1 + 1e-6)
    if len(far):
        assert same(metric_of(fit(X, np.vstack([pairs, far[:1]]))), A)


@pytest.mark.parametrize("C", [np.inf, 0.1])
def test_rotations(C):
    X, pairs = problem(0)
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    A = CannotLinkMetric(C, **TIGHT).fit(X, constraints=pairs).A_
    rotated = CannotLinkMetric(C, **TIGHT).fit(X @ Q, constraints=pairs).A_
    assert np.allclose(rotated, Q.T @ A @ Q, atol=1e-6 * np.abs(A).max())


@pytest.mark.parametrize("kind", OTHERS)
def test_a_pair_that_is_given_twice_has_weight_two(kind):
    X, pairs = problem(0)
    weights = np.where(np.arange(len(pairs)) == 2, 2.0, 1.0)
    twice = CannotLinkMetric(0.02, kind=kind, **TIGHT).fit(X, constraints=np.vstack([pairs, pairs[2:3]]))
    heavy = CannotLinkMetric(0.02, kind=kind, **TIGHT).fit(X, constraints=pairs, pair_weight=weights)
    assert np.allclose(metric_of(twice), metric_of(heavy), atol=1e-9)
    assert heavy.alpha_[2] == pytest.approx(0.04)


def test_pairs_without_weight_count_as_absent():
    X, pairs = problem(0)
    for C in (np.inf, 0.05):
        weights = np.where(np.arange(len(pairs)) < 7, 1.0, 0.0)
        part = CannotLinkMetric(C, **TIGHT).fit(X, constraints=pairs[:7])
        model = CannotLinkMetric(C, **TIGHT).fit(X, constraints=pairs, pair_weight=weights)
        assert np.allclose(model.A_, part.A_, atol=1e-6 * np.abs(part.A_).max())
        assert model.margin_ == pytest.approx(part.margin_, abs=1e-6)
        assert model.dual_gap_ == pytest.approx(part.dual_gap_, abs=1e-6)


def test_weights_of_a_hard_margin_do_not_matter():
    X, pairs = problem(0)
    model = CannotLinkMetric(np.inf, **TIGHT).fit(X, constraints=pairs)
    weighted = CannotLinkMetric(np.inf, **TIGHT).fit(X, constraints=pairs, pair_weight=np.arange(1, len(pairs) + 1))
    assert np.allclose(weighted.A_, model.A_, atol=1e-6 * np.abs(model.A_).max())


# --- forms


@pytest.mark.parametrize("C", [np.inf, 0.05])
@pytest.mark.parametrize("kind", KINDS)
def test_forms_agree(kind, C):
    X, pairs = problem(0, n=30, d=6, m=40)
    X[np.abs(X) < 0.8] = 0
    full = CannotLinkMetric(C, **TIGHT).fit(X, constraints=pairs)
    new = np.random.default_rng(1).normal(size=(7, 6))
    for given_as in (X, sparse.csr_array(X), sparse.csc_matrix(X)):
        model = CannotLinkMetric(C, kind=kind, **TIGHT).fit(given_as, constraints=pairs)
        assert np.allclose(metric_of(model), full.A_, atol=1e-6)
        assert np.allclose(model.pairwise_distances(new, X), full.pairwise_distances(new, X), atol=1e-6)
        assert np.allclose(model.pairwise_distances(sparse.csr_array(new)), full.pairwise_distances(new), atol=1e-5)
        assert model.normalized_margin_ == pytest.approx(full.normalized_margin_, rel=1e-5)


def test_a_sparse_metric_has_entries_for_features_that_differ_together():
    X = sparse.csr_array(np.array([[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 2]], dtype=float))
    model = CannotLinkMetric(kind="sparse", **TIGHT).fit(X, constraints=[(0, 1), (1, 2)])
    assert sorted(zip(*model.A_.nonzero(), strict=True)) == [
        (0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (2, 3), (3, 2), (3, 3)
    ]  # fmt: skip
    assert sparse.issparse(model.transform(X))
    assert np.allclose(model.pairwise_distances(X)[1], [1, 0, 1], atol=1e-6)


@pytest.mark.parametrize("name", ["rbf", "poly", "cosine"])
def test_a_kernel_by_its_formula(name):
    X, pairs = problem(0, n=8, m=10)
    gamma = None if name == "cosine" else 0.7
    model = CannotLinkMetric(0.5, kind="kernel", kernel=name, gamma=gamma, degree=2, coef0=1.0, **TIGHT)
    model.fit(X, constraints=pairs)
    options = {"rbf": {"gamma": 0.7}, "poly": {"gamma": 0.7, "degree": 2, "coef0": 1.0}, "cosine": {}}[name]
    new = np.random.default_rng(1).normal(size=(4, 3))
    k = pairwise_kernels(X, new, metric=name, **options)
    part = (k[pairs[:, 0]] - k[pairs[:, 1]])[:, :, None] - (k[pairs[:, 0]] - k[pairs[:, 1]])[:, None, :]
    expected = np.sqrt((model.alpha_[:, None, None] * part**2).sum(axis=0))
    assert np.allclose(model.pairwise_distances(new), expected, atol=1e-6)
    K = pairwise_kernels(X, metric=name, **options)
    i, j = pairs.T
    inner = K[np.ix_(i, i)] - K[np.ix_(i, j)] - K[np.ix_(j, i)] + K[np.ix_(j, j)]
    assert np.allclose(model.margins_, inner**2 @ model.alpha_)
    slope = 1 - model.margins_
    assert (np.where(model.alpha_ == 0, slope, 0) <= 1e-6).all()
    assert (np.where(model.alpha_ == 0.5, slope, 0) >= -1e-6).all()
    inside = (model.alpha_ > 0) & (model.alpha_ < 0.5)
    assert np.allclose(slope[inside], 0, atol=1e-6)


def test_many_pairs_visit_the_same_optimum():
    """Sweeps over the pairs that matter alone must not end the descent early."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    pairs = np.column_stack(np.triu_indices(60, 1))
    model = CannotLinkMetric(1.0, **TIGHT).fit(X, constraints=pairs)
    assert model.dual_gap_ < 1e-6
    assert len(model.support_) < len(pairs) / 10
    assert (model.margins_[model.alpha_ < 1] >= 1 - 1e-6).all()


# --- prior


def test_a_prior_that_keeps_all_margins_stays():
    X, pairs = from_origin([(1, 0, 0), (0, 2, 0)])
    for kind, A in (("full", np.eye(3)), ("diagonal", np.eye(3)), ("sparse", np.eye(3))):
        model = CannotLinkMetric(np.inf, kind=kind, prior=1.0, **TIGHT).fit(X, constraints=pairs)
        assert np.allclose(metric_of(model), A)
        assert not len(model.support_)
        assert model.dual_gap_ == pytest.approx(0)
        assert np.allclose(model.pairwise_distances(X), squareform(pdist(X)))


@pytest.mark.parametrize("kind", ["full", "diagonal", "sparse"])
def test_a_prior_is_the_start(kind):
    X, pairs = from_origin([(1, 0), (0, 1)])
    model = CannotLinkMetric(np.inf, kind=kind, prior=0.25, **TIGHT).fit(X, constraints=pairs)
    assert np.allclose(model.alpha_, 0.75)
    assert np.allclose(metric_of(model), np.eye(2))
    U = model.components_
    assert np.allclose(dense(U.T @ U), np.eye(2))
    assert model.normalized_margin_ == pytest.approx(1 / np.sqrt(2))


def test_prior_weights_of_a_diagonal_metric():
    X, pairs = from_origin([(1, 0), (0, 1)])
    model = CannotLinkMetric(np.inf, kind="diagonal", prior=[0.5, 3], **TIGHT).fit(X, constraints=pairs)
    assert np.allclose(model.w_, [1, 3])


# --- online


@pytest.mark.parametrize("kind", ["full", "sparse"])
def test_the_online_rule_only_adds(kind):
    model = CannotLinkMetric(kind=kind, verbose=False)
    X, pairs = from_origin([(2, 0), (1, 1)])
    model.partial_fit(X, constraints=pairs)
    assert np.allclose(metric_of(model), np.array([[7, 3], [3, 3]]) / 16)
    assert np.square(metric_of(model)).sum() == pytest.approx(0.296875)
    assert np.isnan(model.dual_gap_)
    best = CannotLinkMetric(np.inf, **TIGHT).fit(X, constraints=pairs)
    assert np.square(best.A_).sum() == pytest.approx(0.25)


@pytest.mark.parametrize("kind", ["full", "diagonal", "sparse"])
def test_batches_are_one_stream(kind):
    X, pairs = problem(0, m=20)
    whole = CannotLinkMetric(0.3, kind=kind, prior=0.01).partial_fit(X, constraints=pairs)
    parts = CannotLinkMetric(0.3, kind=kind, prior=0.01)
    for first in range(0, 20, 4):
        parts.partial_fit(X, constraints=pairs[first : first + 4])
    assert np.allclose(metric_of(parts), metric_of(whole))
    assert parts.n_iter_ == 5
    U = parts.components_
    assert np.allclose(dense(U.T @ U), metric_of(whole))
    before = metric_of(whole).copy()
    whole.partial_fit(X, constraints=pairs)
    assert np.linalg.eigvalsh(metric_of(whole) - before).min() >= -1e-12


def test_going_on_after_fit():
    X, pairs = from_origin([(1, 0), (0, 1)])
    model = CannotLinkMetric(np.inf, **TIGHT).fit(X, constraints=pairs[:1])
    model.transform(X)
    model.partial_fit(X, constraints=pairs[1:])
    assert np.allclose(model.A_, np.eye(2))
    assert np.allclose(model.pairwise_distances(X)[0], [0, 1, 1])
    with pytest.raises(ValueError, match="kind='diagonal', but the metric so far is 'full'"):
        model.set_params(kind="diagonal").partial_fit(X, constraints=pairs)
    with pytest.raises(ValueError, match="partial_fit is not for kind='kernel'"):
        model.set_params(kind="kernel").partial_fit(X, constraints=pairs)


# --- names and constraints


def test_all_pairs_of_names_that_differ():
    X = np.random.default_rng(0).normal(size=(7, 2))
    names = ["a", "b", None, "a", "c", "b", np.nan]
    model = CannotLinkMetric(random_state=0, verbose=False).fit_names(X, names, max_pairs=None)
    expected = [(i, j) for i in range(7) for j in range(i + 1, 7) if {names[i], names[j]} <= set("abc")]
    expected = [(i, j) for i, j in expected if names[i] != names[j]]
    assert sorted(map(tuple, model.pairs_.tolist())) == expected


def test_some_pairs_of_names_are_drawn_evenly():
    X = np.arange(12.0)[:, None]
    names = np.array([0] * 9 + [1, 1, 2])
    counts = np.zeros((12, 12))
    for seed in range(400):
        pairs = CannotLinkMetric(random_state=seed, verbose=False).fit_names(X, names, max_pairs=5).pairs_
        assert len(np.unique(pairs, axis=0)) == 5
        counts[tuple(pairs.T)] += 1
    apart = np.triu(names[:, None] != names, 1)
    assert (counts[~apart] == 0).all()
    assert counts[apart].min() > 400 * 5 / apart.sum() * 0.6
    assert counts[apart].max() < 400 * 5 / apart.sum() * 1.5


def test_constraints_with_weights():
    X, _ = problem(0)
    known = Constraints(len(X), cannot_link=[(0, 1), (2, 3), (4, 5)], cannot_weight=[3, None, 0.5])
    model = CannotLinkMetric(0.001, **TIGHT).fit(X, constraints=known)
    assert np.allclose(model.alpha_, [0.003, 0.003, 0.0005])
    hard = Constraints(len(X), cannot_link=[(0, 1), (2, 3)])
    assert np.allclose(CannotLinkMetric(0.001, **TIGHT).fit(X, constraints=hard).alpha_, 0.001)


def test_known_labels_are_pairs():
    X, _ = problem(0)
    names = ["a", "a", "b", None, "c", "b", "a", None, "c"]
    by_names = CannotLinkMetric(**TIGHT).fit_names(X, names)
    by_labels = CannotLinkMetric(**TIGHT).fit(X, constraints=Constraints(len(X), labels=names))
    assert np.allclose(by_names.A_, by_labels.A_)


def test_must_links_are_ignored_with_a_warning():
    X, _ = problem(0)
    known = Constraints(len(X), must_link=[(0, 1)], cannot_link=[(1, 2)])
    with pytest.warns(UserWarning, match="must-links or groups, which this metric ignores"):
        model = CannotLinkMetric(verbose=False).fit(X, constraints=known)
    assert model.pairs_.tolist() == [[1, 2]]


# --- scikit-learn


class PairsOfNeighbors(CannotLinkMetric):
    """Each row is apart from the next: for checks that give a plain matrix."""

    def fit(self, X, y=None, *, constraints=None):
        return super().fit(X, constraints=neighbors(X))

    def partial_fit(self, X, y=None, *, constraints=None):
        return super().partial_fit(X, constraints=neighbors(X))


def neighbors(X):
    n = X.shape[0] if sparse.issparse(X) else len(np.asarray(X))
    return [(i, i + 1) for i in range(n - 1)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["full", "diagonal", "kernel"])
def test_scikit_learn_accepts_it(kind):
    checks = ("check_fit_score_takes_y", "check_n_features_in_after_fitting")
    no = dict.fromkeys(checks, "partial_fit is not for kernels") if kind == "kernel" else None
    check_estimator(PairsOfNeighbors(kind=kind, verbose=False), expected_failed_checks=no)


@pytest.mark.parametrize("kind", OTHERS)
def test_copies(kind):
    X, pairs = problem(0)
    model = CannotLinkMetric(kind=kind, random_state=0, verbose=False).fit(X, constraints=pairs)
    again = clone(model).fit(X, constraints=pairs)
    assert np.array_equal(again.alpha_, model.alpha_)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).pairwise_distances(X), model.pairwise_distances(X))
    single = model.transform(X.astype(np.float32))
    assert single.dtype == np.float32
    assert np.allclose(single, model.transform(X), atol=1e-4)
    assert model.set_output(transform="pandas").transform(X).columns[0] == "cannotlinkmetric0" or kind in ("sparse",)


def test_before_a_clusterer():
    """Groups differ in the first feature; the second has more spread and says nothing."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 40)
    X = np.column_stack([truth + 0.03 * rng.normal(size=80), 1.5 * rng.normal(size=80)])
    pairs = list(product(range(40), range(40, 80)))
    plain = KMeans(2, random_state=0, n_init=10).fit_predict(X)
    pipe = make_pipeline(CannotLinkMetric(verbose=False), KMeans(2, random_state=0, n_init=10))
    labels = pipe.fit_predict(X, cannotlinkmetric__constraints=pairs)
    assert adjusted_rand_index(plain, truth) < 0.1
    assert adjusted_rand_index(labels, truth) == 1


def test_by_name():
    assert isinstance(by_name("cannot-link-metric")(), CannotLinkMetric)
    assert by_name("cannot-link-weights")().kind == "diagonal"

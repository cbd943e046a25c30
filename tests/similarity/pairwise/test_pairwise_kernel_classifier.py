"""The classifier from labels and pairs: exact small cases, laws, other solvers as oracles, bad input."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from pluribus import Constraints, similarity
from pluribus._engine import memory_budget
from pluribus.constraints import random_pairs
from pluribus.similarity import PairwiseKernelClassifier

FORMS = {"cpklr": {}, "cpsvm": {"loss": "hinge"}, "npklr": {"pairwise": "nonconvex"}}


def make(**parameters):
    return PairwiseKernelClassifier(**{"verbose": False, "random_state": 0, "tol": 1e-10} | parameters)


# -- exact cases: the line, without an intercept; of two labels the negative one has the weight 0 ------------------


def on_a_line(must_link=None, cannot_link=None, **parameters):
    """One label (x = 1, class +1) that counts, and a pair of the points 1 and 2."""
    known = Constraints(4, must_link=must_link, cannot_link=cannot_link)
    model = make(kernel="linear", **{"tol": 1e-15} | parameters)
    return model.fit([[1], [1], [2], [-1]], [1, -1, -1, 0], constraints=known, sample_weight=[1, 0, 0, 0])


@pytest.mark.parametrize(
    ("parameters", "w", "objective"),
    [
        ({}, 0.4010581375, None),
        ({"must_link": [(1, 2)]}, 0.2865477402, 2.0079088076),
        ({"cannot_link": [(1, 2)]}, 0.0873474287, None),
        ({"must_link": [(1, 2)], "pairwise": "nonconvex"}, 0.7262463095, 1.1558488418),
        ({"cannot_link": [(1, 2)], "pairwise": "nonconvex"}, 0.2239571319, 1.3305222527),
        ({"must_link": [(1, 2)], "loss": "hinge", "lam": 0.1, "mu": 0.9}, 0.5, 0.975),
    ],
)
def test_exact_cases(parameters, w, objective):
    model = on_a_line(**{"lam": 0.5} | parameters)
    assert model.coef_[0, 0] == pytest.approx(w, abs=2e-7)
    if objective is not None:
        assert model.objective_[0] == pytest.approx(objective, abs=2e-10)


def test_a_satisfied_pair_draws_to_zero_or_away_from_it():
    alone = on_a_line(lam=0.5).coef_[0, 0]
    assert (
        on_a_line([(1, 2)], lam=0.5).coef_[0, 0]
        < alone
        < on_a_line([(1, 2)], lam=0.5, pairwise="nonconvex").coef_[0, 0]
    )


def test_kernel_form_of_the_exact_cases():
    """The linear kernel, given as a matrix, has the same solutions."""
    X = np.array([[1.0], [1], [2], [-1]])
    known = Constraints(4, must_link=[(1, 2)])
    for parameters, w in ((FORMS["cpklr"], 0.2865477402), (FORMS["npklr"], 0.7262463095)):
        model = make(kernel="precomputed", lam=0.5, tol=1e-15, **parameters)
        model.fit(X @ X.T, [1, -1, -1, 0], constraints=known, sample_weight=[1, 0, 0, 0])
        assert model.decision_function(X @ X.T)[0] == pytest.approx(w, abs=2e-7)


# -- oracles: other solvers, of the written-out objective or of the same problem ------------------------------------


def problem(seed, n=16, n_classes=2, n_pairs=12, soft=True):
    """Points with few labels and weighted pairs of both kinds."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_classes
    X = rng.normal(size=(n, 3)) + truth[:, None]
    y = np.where(np.arange(n) < 2 * n_classes, truth, -1)
    told = random_pairs(truth, n_pairs, random_state=seed)
    weight = {
        "must_weight": rng.uniform(0.3, 2, len(told.must_link)),
        "cannot_weight": rng.uniform(0.3, 2, len(told.cannot_link)),
    }
    return X, y, Constraints(n, told.must_link, told.cannot_link, **weight if soft else {})


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def slow_objective(form, alpha, K, y, known, lam, mu, *, positive=1, exclusive=False):
    """The objective, pair by pair, from the probabilities where the form has them."""
    f = K @ alpha
    total = lam * alpha @ K @ alpha
    for i in np.flatnonzero(y >= 0):
        z = f[i] if y[i] == positive else -f[i]
        total += max(0, 1 - z) if form == "cpsvm" else -np.log(sigmoid(z))
    pairs = [(i, j, 1, w) for (i, j), w in zip(known.must_link.tolist(), known.must_weight, strict=True)]
    pairs += [(i, j, -1, w) for (i, j), w in zip(known.cannot_link.tolist(), known.cannot_weight, strict=True)]
    for i, j, c, w in pairs:
        a, b = f[i], f[j]
        if exclusive and c < 0:
            loss = {
                "cpklr": -np.log(sigmoid(-a - b)),
                "cpsvm": max(0, 1 + a + b),
                "npklr": -np.log(1 - sigmoid(a) * sigmoid(b)),
            }[form]
        else:
            u = a - c * b
            p_same = sigmoid(a) * sigmoid(b) + sigmoid(-a) * sigmoid(-b)
            loss = {
                "cpklr": -np.log(sigmoid(u)) - np.log(sigmoid(-u)),
                "cpsvm": abs(u),
                "npklr": -np.log(p_same if c > 0 else 1 - p_same),
            }[form]
        total += mu * w * loss
    return total


def expansion(model, n):
    alpha = np.zeros((len(model.dual_coef_), n))
    alpha[:, model.support_] = model.dual_coef_
    return alpha


@pytest.mark.parametrize("form", ["cpklr", "npklr"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_general_solver_finds_the_same_minimum(form, n_classes, seed):
    X, y, known = problem(seed, n_classes=n_classes)
    K = rbf_kernel(X, gamma=0.4)
    model = make(lam=0.05, mu=0.7, gamma=0.4, tol=1e-14, **FORMS[form]).fit(X, y, constraints=known)
    for number, (alpha, objective) in enumerate(zip(expansion(model, len(X)), model.objective_, strict=True)):
        how = {"positive": 1 if n_classes == 2 else number, "exclusive": n_classes > 2}

        def slow(alpha, how=how):
            return slow_objective(form, alpha, K, y, known, 0.05, 0.7, **how)

        assert slow(alpha) == pytest.approx(objective, rel=1e-10)
        found = minimize(slow, alpha if form == "npklr" else np.zeros(len(X)), method="BFGS", options={"gtol": 1e-7})
        assert found.fun == pytest.approx(objective, rel=1e-8)
        if form == "cpklr":
            np.testing.assert_allclose(K @ found.x, K @ alpha, atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_quadratic_program_finds_the_same_support_vectors(n_classes, seed):
    """SLSQP on the primal: f, and a slack for each label and pair."""
    X, y, known = problem(seed, n=12, n_classes=n_classes, n_pairs=8)
    K, lam, mu = rbf_kernel(X, gamma=0.4) + 1e-9 * np.eye(12), 0.05, 0.7
    model = make(loss="hinge", lam=lam, mu=mu, gamma=0.4).fit(X, y, constraints=known)
    labeled = np.flatnonzero(y >= 0)
    pairs = np.concatenate([known.must_link, known.cannot_link])
    weights = np.concatenate([known.must_weight, known.cannot_weight])
    same = np.arange(len(pairs)) < len(known.must_link)
    n, m = len(labeled), len(pairs)
    for number, (alpha, objective) in enumerate(zip(expansion(model, 12), model.objective_, strict=True)):
        sign = np.where(y[labeled] == (1 if n_classes == 2 else number), 1, -1)
        rows, right = [], []  # rows @ (alpha, slacks) >= right
        for at, i in enumerate(labeled):
            rows.append(np.concatenate([sign[at] * K[i], np.eye(n + m)[at]]))
            right.append(1)
        for at, ((i, j), s) in enumerate(zip(pairs, same, strict=True)):
            slack = np.eye(n + m)[n + at]
            if n_classes > 2 and not s:
                rows.append(np.concatenate([-K[i] - K[j], slack]))
                right.append(1)
            else:
                u = K[i] - (1 if s else -1) * K[j]
                rows += [np.concatenate([u, slack]), np.concatenate([-u, slack])]
                right += [0, 0]
        rows, right = np.array(rows), np.array(right)
        cost = np.concatenate([np.ones(n), mu * weights])
        found = minimize(
            lambda v, cost=cost: lam * v[:12] @ K @ v[:12] + cost @ v[12:],
            np.concatenate([np.zeros(12), np.full(n + m, 2.0)]),
            jac=lambda v, cost=cost: np.concatenate([2 * lam * K @ v[:12], cost]),
            method="SLSQP",
            bounds=[(None, None)] * 12 + [(0, None)] * (n + m),
            constraints={"type": "ineq", "fun": lambda v, A=rows, b=right: A @ v - b, "jac": lambda v, A=rows: A},
            options={"maxiter": 1000, "ftol": 1e-12},
        )
        assert found.fun == pytest.approx(objective, rel=1e-5)
        how = {"positive": 1 if n_classes == 2 else number, "exclusive": n_classes > 2}
        assert slow_objective("cpsvm", alpha, K, y, known, lam, mu, **how) == pytest.approx(objective, rel=1e-6)


def test_without_pairs_it_is_logistic_regression():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    for intercept in (False, True):
        ours = make(kernel="linear", lam=0.05, tol=1e-14, fit_intercept=intercept).fit(X, y)
        Z = np.column_stack([X, np.ones(len(X))]) if intercept else X
        theirs = LogisticRegression(C=1 / (2 * 0.05), fit_intercept=False, tol=1e-10, max_iter=10_000).fit(Z, y)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(Z), atol=1e-5)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(Z), atol=1e-6)
        if intercept:
            np.testing.assert_allclose(X @ ours.coef_[0] + ours.intercept_, ours.decision_function(X))


def test_pairs_are_pseudo_examples_of_logistic_regression():
    """x_i - c x_j, once as positive and once as negative example."""
    X, y, known = problem(3, n=30)
    one, other = np.concatenate([known.must_link, known.cannot_link]).T
    c = np.where(np.arange(len(one)) < len(known.must_link), 1, -1)[:, None]
    weight = np.concatenate([known.must_weight, known.cannot_weight])
    delta = X[one] - c * X[other]
    rows, target = np.vstack([X[y >= 0], delta, delta]), np.concatenate([y[y >= 0], np.ones(len(c)), np.zeros(len(c))])
    weights = np.concatenate([np.ones((y >= 0).sum()), weight, weight])
    theirs = LogisticRegression(C=1 / (2 * 0.2), fit_intercept=False, tol=1e-10, max_iter=10_000)
    theirs.fit(rows, target, sample_weight=weights)
    ours = make(kernel="linear", lam=0.2, tol=1e-14).fit(X, y, constraints=known)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_without_pairs_the_hinge_is_a_linear_svm():
    X, y = make_moons(60, noise=0.2, random_state=0)
    ours = make(loss="hinge", kernel="linear", lam=0.1).fit(X, y)
    theirs = LinearSVC(C=1 / (2 * 0.1), loss="hinge", fit_intercept=False, tol=1e-10, max_iter=1_000_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_without_pairs_the_hinge_keeps_the_margins_of_svc():
    """SVC has an intercept that costs nothing; with both forms of it at 0 by symmetry, they are the same."""
    X, y = make_moons(40, noise=0.1, random_state=0)
    X -= X.mean(axis=0)
    X, y = np.vstack([X, -X]), np.concatenate([y, 1 - y])  # symmetric: the intercept is 0
    ours = make(loss="hinge", kernel="precomputed", lam=0.1).fit((X @ X.T) ** 3, y)
    theirs = SVC(C=1 / (2 * 0.1), kernel="precomputed", tol=1e-8).fit((X @ X.T) ** 3, y)
    assert theirs.intercept_[0] == pytest.approx(0, abs=1e-4)
    np.testing.assert_allclose(
        ours.decision_function((X @ X.T) ** 3), theirs.decision_function((X @ X.T) ** 3), atol=2e-3
    )


# -- laws -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_weight_of_pairs_is_no_pairs(form, n_classes):
    X, y, known = problem(1, n_classes=n_classes)
    one = make(mu=0, **FORMS[form]).fit(X, y, constraints=known)
    np.testing.assert_allclose(one.decision_function(X), make(**FORMS[form]).fit(X, y).decision_function(X), atol=2e-4)


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), form=st.sampled_from(list(FORMS)), n_classes=st.sampled_from([2, 3]))
def test_scales_and_orders_do_not_matter(seed, form, n_classes):
    """All weights and lam times t; rows in another order; pairs with weight 2 = stated twice."""
    X, y, known = problem(seed, n_classes=n_classes)
    f = make(lam=0.1, **FORMS[form]).fit(X, y, constraints=known).decision_function(X)
    heavier = Constraints(
        len(X),
        known.must_link,
        known.cannot_link,
        must_weight=3 * known.must_weight,
        cannot_weight=3 * known.cannot_weight,
    )
    scaled = make(lam=0.3, **FORMS[form]).fit(X, y, constraints=heavier, sample_weight=np.full(len(X), 3.0))
    np.testing.assert_allclose(scaled.decision_function(X), f, atol=1e-3)
    twice = known.merge(known)
    assert np.allclose(twice.must_weight, 2 * known.must_weight)
    doubled = make(lam=0.1, mu=0.5, **FORMS[form]).fit(X, y, constraints=twice)
    np.testing.assert_allclose(doubled.decision_function(X), f, atol=1e-3)
    order = np.random.default_rng(seed).permutation(len(X))
    at = np.argsort(order)
    moved = Constraints(
        len(X),
        at[known.must_link].reshape(-1, 2)[:, ::-1],
        at[known.cannot_link].reshape(-1, 2),
        must_weight=known.must_weight,
        cannot_weight=known.cannot_weight,
    )
    again = make(lam=0.1, **FORMS[form]).fit(X[order], y[order], constraints=moved)
    np.testing.assert_allclose(again.decision_function(X), f, atol=1e-3)


@pytest.mark.parametrize("form", FORMS)
def test_other_names_of_classes(form):
    X, y, known = problem(2)
    f = make(**FORMS[form]).fit(X, y, constraints=known).decision_function(X)
    flipped = make(**FORMS[form]).fit(X, np.where(y < 0, -1, 1 - y), constraints=known)
    np.testing.assert_allclose(flipped.decision_function(X), -f, atol=1e-4)
    X, y, known = problem(2, n_classes=3)
    model = make(**FORMS[form]).fit(X, y, constraints=known)
    other = make(**FORMS[form]).fit(X, np.array([None, "c", "a", "b"], dtype=object)[y + 1], constraints=known)
    assert other.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(other.decision_function(X)[:, [2, 0, 1]], model.decision_function(X), atol=1e-4)
    assert np.array_equal(other.predict(X), np.array(["c", "a", "b"])[model.predict(X)])


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_a_heavy_pair_closes_the_gap(loss):
    X, y, _ = problem(4)
    free = np.flatnonzero(y < 0)
    for c, known in ((1, {"must_link": [free[:2]]}), (-1, {"cannot_link": [free[:2]]})):
        model = make(loss=loss, mu=1e6, gamma=0.5).fit(X, y, constraints=Constraints(len(X), **known))
        f = model.decision_function(X[free[:2]])
        assert f[0] == pytest.approx(c * f[1], abs=1e-3)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_objective_never_rises(n_classes):
    X, y, known = problem(5, n=40, n_classes=n_classes, n_pairs=60)
    for form in FORMS.values():
        model = make(**form).fit(X, y, constraints=known)
        assert len(model.objective_path_) == len(model.objective_) == (1 if n_classes == 2 else 3)
        for path, objective in zip(model.objective_path_, model.objective_, strict=True):
            assert (np.diff(path) <= 0).all()
            assert path[-1] == objective
        assert model.n_iter_ >= 1


def test_a_class_of_many_is_the_one_with_the_least_total_loss():
    X, y = load_iris(return_X_y=True)
    for form in FORMS.values():
        model = make(lam=0.1, **form).fit(X[::3], y[::3])
        f = model.decision_function(X)
        m = 2 * np.eye(3) - 1
        loss = (np.maximum(0, 1 - m * f[:, None, :]) if "loss" in form else np.logaddexp(0, -m * f[:, None, :])).sum(
            axis=2
        )
        least = np.sort(loss, axis=1)
        clear = least[:, 1] - least[:, 0] > 1e-9  # hinges may be equal
        assert np.array_equal(model.predict(X)[clear], loss.argmin(axis=1)[clear])
        assert clear.mean() > 0.9


def test_probabilities():
    X, y, known = problem(6)
    model = make().fit(X, y, constraints=known)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], sigmoid(model.decision_function(X)))
    X, y, known = problem(6, n_classes=3)
    model = make().fit(X, y, constraints=known)
    p = sigmoid(model.decision_function(X))
    alone = np.stack([p[:, r] * np.delete(1 - p, r, axis=1).prod(axis=1) for r in range(3)], axis=1)
    np.testing.assert_allclose(model.predict_proba(X), alone / alone.sum(axis=1, keepdims=True))
    assert np.array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    with pytest.raises(AttributeError, match="predict_proba"):
        make(loss="hinge").predict_proba(X)


# -- forms: kernel, features, landmarks, sparse, single precision ----------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("intercept", [False, True])
def test_linear_form_is_the_kernel_form(form, n_classes, intercept):
    X, y, known = problem(7, n_classes=n_classes)
    how = {"lam": 0.2, "fit_intercept": intercept, **FORMS[form]}
    linear = make(kernel="linear", **how).fit(X, y, constraints=known)
    kernel = make(kernel="precomputed", **how).fit(X @ X.T, y, constraints=known)
    np.testing.assert_allclose(linear.decision_function(X), kernel.decision_function(X @ X.T), atol=1e-4)
    np.testing.assert_allclose(linear.intercept_, kernel.intercept_, atol=1e-4)
    np.testing.assert_allclose(kernel.dual_coef_ @ X[kernel.support_], linear.coef_, atol=1e-4)
    in_csr = make(kernel="linear", **how).fit(sparse.csr_array(X), y, constraints=known)
    np.testing.assert_allclose(in_csr.decision_function(sparse.csr_array(X)), linear.decision_function(X), atol=1e-6)
    assert in_csr.violations_.count == linear.violations_.count


@pytest.mark.parametrize("form", FORMS)
def test_all_landmarks_are_the_kernel(form):
    X, y, known = problem(8, n=40, n_pairs=30)
    exact = make(gamma=0.3, lam=0.1, **FORMS[form]).fit(X, y, constraints=known)
    n = len(exact.support_)
    landmarks = make(gamma=0.3, lam=0.1, n_components=n, **FORMS[form]).fit(X, y, constraints=known)
    np.testing.assert_allclose(landmarks.decision_function(X), exact.decision_function(X), atol=1e-3)
    few = make(gamma=0.3, lam=0.1, n_components=5, **FORMS[form]).fit(X, y, constraints=known)
    assert few.coef_.shape == (1, 5)
    again = make(gamma=0.3, lam=0.1, n_components=5, **FORMS[form]).fit(X, y, constraints=known)
    assert np.array_equal(few.decision_function(X), again.decision_function(X))
    assert make(n_components=1000).fit(X, y, constraints=known).coef_.shape == (1, n)


def test_many_features_are_solved_by_conjugate_gradients(monkeypatch):
    from pluribus.similarity.pairwise import _hinge, _spaces

    X, y, known = problem(9, n=30, n_pairs=30)
    expected = [make(kernel="linear", **form).fit(X, y, constraints=known).coef_ for form in FORMS.values()]
    monkeypatch.setattr(_spaces, "_MOST_FEATURES", 0)
    monkeypatch.setattr(_hinge, "_MOST_DENSE", 0)
    found = [make(kernel="linear", **form).fit(X, y, constraints=known).coef_ for form in FORMS.values()]
    np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("parameters", [{}, {"kernel": "linear"}, {"n_components": 10}])
def test_sparse_and_single_precision(parameters):
    X, y, known = problem(10, n=40)
    model = make(**parameters).fit(X, y, constraints=known)
    for given_X in (sparse.csr_array(X), sparse.csc_matrix(X), X.astype(np.float32), X.tolist()):
        other = make(**parameters).fit(given_X, y, constraints=known)
        np.testing.assert_allclose(other.decision_function(given_X), model.decision_function(X), atol=1e-3)


def test_new_rows_are_scored_in_blocks(monkeypatch):
    from pluribus.similarity.pairwise import _bases

    X, y, known = problem(11, n=50, n_classes=3)
    for parameters in ({}, {"kernel": "linear"}, {"n_components": 4}):
        model = make(**parameters).fit(X, y, constraints=known)
        whole = model.decision_function(X)
        monkeypatch.setattr(_bases, "_BLOCK", 30)
        np.testing.assert_allclose(model.decision_function(X), whole, rtol=1e-12)
        monkeypatch.undo()


def test_threads_do_not_matter():
    X, y, known = problem(12, n=60, n_classes=4, n_pairs=80)
    for form in FORMS.values():
        one, two = (make(n_jobs=jobs, **form).fit(X, y, constraints=known) for jobs in (1, 2))
        assert np.array_equal(one.dual_coef_, two.dual_coef_)


# -- labels and pairs as given ---------------------------------------------------------------------------------------


def test_unlabeled_rows_in_all_ways():
    X = np.arange(6.0)[:, None]
    expected = make().fit(X, [0, -1, -1, -1, -1, 1]).decision_function(X)
    for y in (
        [0, None, None, None, None, 1],
        [0, np.nan, np.nan, np.nan, np.nan, 1],
        ["a", None, None, None, None, "b"],
        ["a", -1, np.nan, None, -1, "b"],
        np.array([False, None, None, None, None, True], dtype=object),
    ):
        np.testing.assert_array_equal(make().fit(X, y).decision_function(X), expected)
    masked = make().fit(X, [-1, 0, 0, 0, 0, 1], labeled=[True, False, False, False, False, True])
    assert masked.classes_.tolist() == [-1, 1]
    np.testing.assert_array_equal(masked.decision_function(X), expected)
    assert masked.labeled_.tolist() == [0, 5]


def test_unlabeled_rows_without_pairs_change_nothing():
    X, y, known = problem(13)
    used = np.union1d(np.flatnonzero(y >= 0), np.concatenate([known.must_link, known.cannot_link]))
    whole = make(gamma=0.5).fit(X, y, constraints=known)
    assert np.array_equal(whole.support_, used)
    part = make(gamma=0.5).fit(X[used], y[used], constraints=known.restrict(used))
    np.testing.assert_allclose(part.decision_function(X), whole.decision_function(X), atol=1e-8)


def test_labels_and_groups_of_the_constraints():
    X = np.arange(6.0)[:, None]
    y = ["a", None, None, None, None, "b"]
    stated = Constraints(6, labels=["a", None, None, "a", None, None], groups=[-1, 7, 7, 7, -1, -1])
    model = make().fit(X, y, constraints=stated)
    pairs = Constraints(6, must_link=[(1, 2), (1, 3)])
    other = make().fit(X, ["a", None, None, "a", None, "b"], constraints=pairs)
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X))
    assert model.pairs_.tolist() == [[1, 2], [1, 3]]
    assert model.pair_same_.tolist() == [True, True]


def test_hard_pairs_have_the_weight_one():
    X, y, known = problem(14, soft=False)
    ones = Constraints(len(X), known.must_link, known.cannot_link, must_weight=1, cannot_weight=1)
    one, other = (make().fit(X, y, constraints=given_pairs) for given_pairs in (known, ones))
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_violated_pairs_are_reported(n_classes):
    X, y, known = problem(15, n=40, n_classes=n_classes, n_pairs=60)
    for form in FORMS.values():
        model = make(mu=0.01, **form).fit(X, y, constraints=known)
        predicted = model.predict(X)
        one, other = predicted[model.pairs_].T
        violated = (one == other) != model.pair_same_
        assert 0 < violated.sum() < len(violated)
        assert model.pair_violation_ == violated.mean()
        assert model.violations_.count == violated.sum()
        assert np.array_equal(model.pair_margin_ < 0, violated)
        f = model.decision_function(X)
        for (i, j), same, margin in zip(model.pairs_, model.pair_same_, model.pair_margin_, strict=True):
            if n_classes == 2:
                kept = (f[i] > 0) == (f[j] > 0)
                expected = min(abs(f[i]), abs(f[j])) * (1 if kept == same else -1)
            else:
                sums = f[i][:, None] + f[j]
                expected = (1 if same else -1) * (np.diag(sums).max() - sums[~np.eye(3, dtype=bool)].max())
            assert margin == pytest.approx(expected)
    assert make().fit(X, y).pair_violation_ == 0


def test_class_weights():
    X, y, known = problem(16)
    y[:4] = [0, 1, 1, 1]
    by_class = make(class_weight={0: 3.0}).fit(X, y, constraints=known)
    by_row = make().fit(X, y, constraints=known, sample_weight=np.where(y == 0, 3.0, 1.0))
    np.testing.assert_allclose(by_class.decision_function(X), by_row.decision_function(X))
    even = make(class_weight="balanced").fit(X, y, constraints=known)
    expected = make().fit(X, y, constraints=known, sample_weight=np.where(y == 0, 4 / 2, 4 / 6))
    np.testing.assert_allclose(even.decision_function(X), expected.decision_function(X))


def test_conflicts_are_said():
    X, y, _ = problem(17)
    both = Constraints(len(X), [(8, 9), (9, 10)], [(9, 8)], must_weight=1, cannot_weight=1)
    with pytest.warns(UserWarning, match=r"1 pair is stated as must-link and as cannot-link, the first is \(8, 9\)"):
        make().fit(X, y, constraints=both)
    against = Constraints(len(X), must_link=[(0, 1), (0, 2)], cannot_link=[(1, 3)])
    with pytest.warns(UserWarning, match=r"2 pairs are against the known labels, the first is \(0, 1\), a must-link"):
        make().fit(X, y, constraints=against)
    with pytest.warns(UserWarning, match=r"the first is \(1, 3\), a cannot-link within a class"):
        make().fit(X, y, constraints=Constraints(len(X), cannot_link=[(1, 3)]))


# -- what it is for ---------------------------------------------------------------------------------------------------


def test_pairs_carry_labels_to_the_ends_of_a_spiral():
    from benchmarks.reproduce._similarity_pairwise import score_spiral

    scores = [score_spiral(seed) for seed in range(4)]
    mean = {method: np.mean([one[method] for one in scores]) for method in scores[0]}
    assert mean["KLR"] < 0.8
    assert mean["CPKLR"] >= 0.93
    assert min(mean["CPSVM"], mean["NPKLR"]) >= 0.95


def test_small_weights_of_wrong_pairs_do_less_harm():
    X, truth = load_digits(n_class=3, return_X_y=True)
    X, truth = X[:200] / 16, truth[:200]
    y = np.where(np.arange(200) < 12, truth, -1)
    right = random_pairs(truth, 60, random_state=0)
    wrong = random_pairs(np.random.default_rng(0).permutation(truth), 60, random_state=1)

    def accuracy(weight):
        known = Constraints(
            200,
            np.concatenate([right.must_link, wrong.must_link]),
            np.concatenate([right.cannot_link, wrong.cannot_link]),
            must_weight=np.repeat([1.0, weight], [len(right.must_link), len(wrong.must_link)]),
            cannot_weight=np.repeat([1.0, weight], [len(right.cannot_link), len(wrong.cannot_link)]),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return similarity.by_name("wpklr")(gamma=0.08, verbose=False).fit(X, y, constraints=known).score(X, truth)

    assert accuracy(1e-3) > accuracy(1.0)


# -- scikit-learn, and bad input --------------------------------------------------------------------------------------

NOT_ITS_LABELS = {"check_classifiers_classes": "-1 marks unlabeled rows, and here it is a class"}
NOT_LINEAR = dict.fromkeys(
    (
        "check_dont_overwrite_parameters",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit2d_predict1d",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
    ),
    "sets n_components, which is for the RBF kernel",
)


@parametrize_with_checks(
    [
        PairwiseKernelClassifier(gamma=0.01, verbose=False),
        PairwiseKernelClassifier("hinge", gamma=0.01, verbose=False, random_state=0),
        PairwiseKernelClassifier(pairwise="nonconvex", kernel="linear", fit_intercept=True, verbose=False),
    ],
    expected_failed_checks=lambda model: NOT_ITS_LABELS | (NOT_LINEAR if model.kernel == "linear" else {}),
)
@pytest.mark.filterwarnings("ignore")
def test_follows_scikit_learn(estimator, check):
    check(estimator)


def test_the_field_knows_it_by_names():
    assert {"cpklr", "cpsvm", "npklr", "wpklr"} <= set(similarity.names())
    assert similarity.by_name("CPSVM")().loss == "hinge"
    assert similarity.by_name("npklr")().pairwise == "nonconvex"
    assert similarity.by_name("wpklr")(mu=2).get_params() == similarity.by_name("cpklr")(mu=2).get_params()


def test_is_cloned_pickled_and_searched():
    X, y, known = problem(18, n=30)
    model = make().fit(X, y, constraints=known)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert clone(model).get_params() == model.get_params()
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(make(tol=1e-6), {"lam": [0.01, 1.0], "kernel": ["rbf", "linear"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.95
    assert cross_val_score(make(kernel="precomputed", tol=1e-6), rbf_kernel(X), y, cv=3).mean() > 0.95


def test_too_few_steps_are_said():
    X, y, known = problem(19, n=40, n_pairs=40)
    for form in FORMS.values():
        with pytest.warns(ConvergenceWarning, match="max_iter=1 steps were not enough"):
            make(max_iter=1, **form).fit(X, y, constraints=known)


@pytest.mark.parametrize("form", FORMS)
def test_duplicates_constants_and_zeros(form):
    """Equal points with different labels, columns that are constant, points without any feature."""
    X = np.array([[0.0, 1], [0, 1], [0, 0], [0, 0], [0, 2]])
    known = Constraints(5, must_link=[(0, 1), (2, 3)], cannot_link=[(3, 4), (2, 4)])
    for kernel in ("rbf", "linear"):
        with pytest.warns(UserWarning, match="1 pair is against the known labels"):
            model = make(kernel=kernel, **FORMS[form]).fit(X, [0, 1, 0, -1, 1], constraints=known)
        assert np.isfinite(model.decision_function(X)).all()
    same = make(**FORMS[form]).fit(np.ones((4, 2)), [0, 1, 1, -1], constraints=Constraints(4, must_link=[(2, 3)]))
    assert np.isfinite(same.decision_function(np.ones((1, 2)))).all()


X, Y, KNOWN = problem(0)
GRAM = X @ X.T


@pytest.mark.parametrize(
    ("parameters", "given_X", "y", "message"),
    [
        ({}, X, None, "requires y"),
        ({}, X, [-1] * 16, "at least one labeled example per class"),
        ({}, X, [None] * 16, "at least one labeled example per class"),
        ({}, X, [3] + [-1] * 15, "All labeled rows are of one class, np.int64.3"),
        ({}, X, [-1, 1] * 8, "y holds only -1 and 1"),
        ({}, X, np.array([-1.0, 1] * 8), "y holds only -1 and 1"),
        ({}, X, [0, 1], "inconsistent numbers of samples"),
        ({}, X, np.linspace(0, 1, 16), "continuous"),
        ({}, X, [np.inf, 0] * 8, "infinity"),
        ({}, X, np.array([0, "a"] * 8, dtype=object), "labels of different kinds"),
        ({}, np.where(X > 1, np.nan, X), Y, "NaN"),
        ({}, np.where(X > 1, np.inf, X), Y, "infinity"),
        ({}, 1e300 * X, Y, "scale X"),
        ({}, X[:, 0], Y, "2D array"),
        ({}, np.empty((0, 3)), [], "0 sample"),
        ({}, [["a"]] * 16, Y, "could not convert"),
        ({"mu": -1}, X, Y, "'mu'"),
        ({"mu": np.nan}, X, Y, "'mu'"),
        ({"lam": 0}, X, Y, "'lam'"),
        ({"lam": -1.0}, X, Y, "'lam'"),
        ({"lam": np.inf}, X, Y, "'lam'"),
        ({"gamma": 0}, X, Y, "'gamma'"),
        ({"gamma": "auto"}, X, Y, "'gamma'"),
        ({"kernel": "poly"}, X, Y, "'kernel'"),
        ({"loss": "square"}, X, Y, "'loss'"),
        ({"pairwise": "both"}, X, Y, "'pairwise'"),
        ({"max_iter": 0}, X, Y, "'max_iter'"),
        ({"tol": -1}, X, Y, "'tol'"),
        ({"n_components": 0}, X, Y, "'n_components'"),
        ({"loss": "hinge", "pairwise": "nonconvex"}, X, Y, "loss='hinge' has no form"),
        ({"kernel": "linear", "n_components": 5}, X, Y, "n_components approximates"),
        ({"kernel": "precomputed"}, X, Y, "square matrix"),
        ({"kernel": "precomputed"}, np.triu(GRAM), Y, "symmetric"),
        ({"kernel": "precomputed"}, -GRAM, Y, "no kernel"),
        ({"class_weight": {7: 1}}, X, Y, "class_weight has a weight for 7"),
        ({"class_weight": {0: -1}}, X, Y, "0 or more"),
        ({"class_weight": {0: "a"}}, X, Y, "0 or more"),
    ],
)
def test_bad_input(parameters, given_X, y, message):
    with pytest.raises(ValueError, match=message):
        make(**parameters).fit(given_X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"constraints": [(0, 1)]}, "constraints must be None or a pluribus.Constraints"),
        ({"constraints": Constraints(5)}, "5 objects, but there are 16"),
        ({"sample_weight": np.ones(3)}, "sample_weight"),
        ({"sample_weight": -np.ones(16)}, "(?i)negative"),
        ({"sample_weight": np.full(16, 1e300)}, "sample_weight has values as large as"),
        ({"labeled": [True]}, "labeled must be a mask of 16"),
        ({"labeled": np.arange(16)}, "labeled must be a mask"),
        (
            {"constraints": Constraints(16, labels=[1] + [-1] * 15)},
            "Row 0 has the label 0 in y, and 1 in the constraints",
        ),
        ({"constraints": Constraints(16, labels=[-1] * 15 + ["a"])}, "labels of different kinds"),
    ],
)
def test_bad_arguments_of_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        make().fit(X, Y, **arguments)


def test_a_mask_over_a_missing_label():
    with pytest.raises(ValueError, match="row 1 is labeled, but its label in y is missing"):
        make().fit(X, ["a", None] + ["b"] * 14, labeled=np.ones(16, dtype=bool))


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ({"must_link": [(0, 1), (0, 16)]}, r"must_link row 1 is \(0, 16\)"),
        ({"cannot_link": [(2, -1)]}, r"cannot_link row 0 is \(2, -1\)"),
        ({"cannot_link": [(0, 1), (3, 3)]}, r"cannot_link row 1 is \(3, 3\): an object cannot be apart from itself"),
        ({"must_link": [(0, 1)], "must_weight": [-1]}, r"must_weight\[0\] is -1"),
        ({"must_link": [(0, 1)], "must_weight": [np.nan]}, r"must_weight\[0\] is nan"),
        ({"must_link": [(0, 1)], "must_weight": [1, 2]}, "one weight for each of the 1 pairs"),
    ],
)
def test_the_first_bad_pair_is_named(pairs, message):
    with pytest.raises(ValueError, match=message):
        make().fit(X, Y, constraints=Constraints(16, **pairs))


def test_pairs_of_an_object_with_itself_say_nothing():
    model = make().fit(X, Y, constraints=Constraints(16, must_link=[(5, 5)]))
    assert len(model.pairs_) == 0


def test_a_kernel_that_does_not_fit_into_memory_is_refused():
    with memory_budget(100), pytest.raises(ValueError, match="use n_components"):
        make().fit(X, Y)
    with memory_budget(100):
        make(n_components=2).fit(X, Y)


def test_new_rows_are_checked():
    model = make().fit(X, Y)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.full((1, 3), np.nan))
    with pytest.raises(ValueError, match="scale X"):
        model.predict(np.full((1, 3), 1e300))
    with pytest.raises(ValueError, match="features"):
        make(kernel="precomputed").fit(GRAM, Y).predict(GRAM[:, :4])


def test_missing_labels_of_pandas():
    y = np.array(["a", pd.NA, "b"], dtype=object)
    assert make().fit([[0.0], [1], [2]], y).labeled_.tolist() == [0, 2]


def test_a_fit_with_another_kernel_leaves_nothing_behind():
    X, y = [[0.0], [1], [2]], ["a", None, "b"]
    model = make(kernel="linear").fit(X, y)
    assert not hasattr(model.set_params(kernel="rbf").fit(X, y), "coef_")
    assert not hasattr(model.set_params(kernel="linear").fit(X, y), "dual_coef_")

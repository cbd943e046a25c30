import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from helpers import renamed
from pluribus import Ensemble
from pluribus.consensus.soft._correspondence_fit import (
    CorrespondenceFit,
    Penalty,
    choose_penalty,
    multiplicative_step,
    simplex_step,
)
from pluribus.consensus.soft.correspondence import correspondence
from pluribus.consensus.soft.soft_correspondence import SoftCorrespondence

CONSENSUS = [1, 1, 2, 2, 3, 3]
FIRST, SECOND = [3, 3, 1, 1, 2, 2], [1, 1, 1, 1, 2, 2]


def scec(n_clusters, **options):
    return SoftCorrespondence(n_clusters, **({"random_state": 0, "verbose": False} | options))


def one_hot(labels, k):
    return (np.asarray(labels)[:, None] == np.arange(1, k + 1)).astype(float)


def planted(n=300, k=4, r=20, noise=0.25, missing=0.2, seed=0):
    """Noisy copies of a partition with unequal clusters, some of them merged, some split."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(k, n, p=np.arange(2, k + 2) / np.arange(2, k + 2).sum())
    columns = []
    for _ in range(r):
        k_p = int(rng.integers(k - 1, k + 3))
        column = np.where(truth == 0, rng.integers(k, max(k, k_p) + 1, n), truth) if k_p > k else truth % k_p
        column = np.where(rng.random(n) < noise, rng.integers(0, k_p, n), column)
        columns.append(np.where(rng.random(n) < missing, -1, column))
    labels = np.column_stack(columns)
    labels[:, 0] = np.where((labels < 0).all(axis=1), truth, labels[:, 0])
    return labels, truth


@st.composite
def ensembles(draw, max_n=16, soft=None):
    n, r = draw(st.integers(3, max_n)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = rng.random(r) + 0.1 if draw(st.booleans()) else None
    seen = rng.random((n, r)) < (0.6 if draw(st.booleans()) else 1)
    seen[:, 0] = seen[0] = seen[1] = True
    if draw(st.booleans()) if soft is None else soft:
        memberships = [rng.dirichlet(np.full(rng.integers(2, 5), 0.5), n) * seen[:, [p]] for p in range(r)]
        return Ensemble.from_memberships(memberships, weights=weights)
    labels = np.column_stack([rng.integers(0, rng.integers(2, 6), n) for _ in range(r)])
    labels[0], labels[1] = 0, 1  # no partition of a single cluster
    return Ensemble(np.where(seen, labels, -1), weights=weights)


def dense_members(ensemble, uniform):
    """The matrices A_h with all their rows, and which of the rows count."""
    members = []
    for p, k in enumerate(ensemble.n_clusters):
        labels = ensemble.labels[:, p]
        A = (labels[:, None] == np.arange(k)).astype(float)
        if ensemble.memberships is not None:
            A = ensemble.memberships[p].copy()
        seen = labels >= 0
        if uniform:
            A[~seen] = 1 / k
            seen = np.ones_like(seen)
        members.append((A, seen))
    return members


def dense_objective(ensemble, M, S, penalty, uniform):
    f, k = 0.0, M.shape[1]
    for p, ((A, seen), S_p) in enumerate(
        zip(dense_members(ensemble, uniform), np.split(S, ensemble.offsets[1:-1]), strict=True)
    ):
        f += ensemble.weights[p] * (
            ((M - A @ S_p)[seen] ** 2).sum()
            - penalty.alpha[p] * ((S_p - S_p.mean(axis=0)) ** 2).sum()
            + penalty.beta[p] * ((S_p @ np.ones((k, k)) - 1) ** 2).sum()
        )
    return f


def random_problem(ensemble, uniform, seed, k=3):
    rng = np.random.default_rng(seed)
    fit = CorrespondenceFit(ensemble, uniform=uniform)
    S = rng.dirichlet(np.ones(k), len(fit.sizes))
    M = rng.dirichlet(np.ones(k), fit.rows.n)
    penalty = choose_penalty(fit, k, alpha=None, beta=None, alpha_rel=float(rng.uniform(0, 3)), theta=0.3)
    return fit, M, S, penalty


# -- the source's worked example ---------------------------------------------------------------------------------------


def test_correspondences_of_the_worked_example():
    M, M1 = one_hot(CONSENSUS, 3), one_hot(FIRST, 3)
    S1 = correspondence(M1, M)
    assert S1.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert (M1 @ S1 == M).all()
    assert correspondence(SECOND, CONSENSUS).tolist() == [[0.5, 0.5, 0], [0, 0, 1]]
    assert correspondence(FIRST, CONSENSUS).tolist() == np.eye(3).tolist()  # labels: by first occurrence


def test_one_multiplicative_step_of_the_worked_example():
    fit = CorrespondenceFit(Ensemble([SECOND, CONSENSUS], weights=[1, 0]), uniform=False)
    M = np.eye(3)[[0, 1, 2]]  # the distinct objects are (1, 1), (1, 2), (2, 3), each twice
    penalty = Penalty(np.ones(2), np.ones(2))
    S = np.full((5, 3), 1 / 3)
    cross = fit.cross(M)
    assert fit.objective(M, cross, S, penalty) == pytest.approx(4)
    step = multiplicative_step(fit, cross, S, penalty)
    assert step[:2] == pytest.approx(np.array([[5 / 13, 5 / 13, 3 / 13], [3 / 11, 3 / 11, 5 / 11]]), abs=1e-15)
    assert fit.objective(M, cross, step, penalty) == pytest.approx(3.174532, abs=5e-7)
    for _ in range(3000):
        step = multiplicative_step(fit, cross, step, penalty)
    assert step[:2] == pytest.approx(np.array([[10 / 19, 10 / 19, 0], [0, 0, 10 / 9]]), abs=1e-8)
    assert fit.objective(M, cross, step, penalty) == pytest.approx(1.181287, abs=5e-7)


@pytest.mark.parametrize("solver", ["simplex", "multiplicative"])
def test_unanimous_partitions_come_out(solver):
    labels = np.random.default_rng(0).permutation(np.repeat([0, 1, 2, 3], [9, 7, 5, 3]))
    ensemble = Ensemble([labels, (labels + 1) % 4, (7 - labels) % 4])
    model = scec(4, solver=solver, theta=0.1, tol=1e-9, max_iter=5000).fit(ensemble)
    assert adjusted_rand_score(labels, model.labels_) == 1
    assert np.bincount(model.labels_).tolist() == [9, 7, 5, 3]
    scale = 1 if solver == "simplex" else 1 / (1 - 0.1)
    for S in model.correspondences_:
        assert np.sort(S, axis=1) == pytest.approx(np.tile([0, 0, 0, scale], (4, 1)), abs=1e-6)
        assert np.sort(S, axis=0) == pytest.approx(np.tile([[0], [0], [0], [scale]], 4), abs=1e-6)
    assert model.uncertainty_.max() < 1e-6


# -- oracles -----------------------------------------------------------------------------------------------------------


@given(ensembles(), st.booleans(), st.integers(0, 2**32 - 1))
def test_products_are_those_of_the_dense_matrices(ensemble, uniform, seed):
    fit, M, S, penalty = random_problem(ensemble, uniform, seed)
    full = M[fit.rows.inverse]
    members = dense_members(ensemble, uniform)
    parts = np.split(S, ensemble.offsets[1:-1])
    cross = fit.cross(M)
    assert cross == pytest.approx(np.vstack([A[seen].T @ full[seen] for A, seen in members]))
    gram = [A[seen].T @ A[seen] @ S_p for (A, seen), S_p in zip(members, parts, strict=True)]
    assert fit.gram_times(S) == pytest.approx(np.vstack(gram))
    total, weight = np.zeros_like(full), np.zeros((len(full), 1))
    for (A, seen), S_p, w in zip(members, parts, ensemble.weights, strict=True):
        total[seen] += w * (A @ S_p)[seen]
        weight[seen] += w
    assert fit.consensus(S)[fit.rows.inverse] == pytest.approx(total / weight)
    f = dense_objective(ensemble, full, S, penalty, uniform)
    assert fit.objective(M, cross, S, penalty) == pytest.approx(f)
    doubled = 2 * S  # off the simplex, as in the multiplicative solver
    f = dense_objective(ensemble, full, doubled, penalty, uniform)
    assert fit.objective(M, cross, doubled, penalty) == pytest.approx(f)


@given(ensembles(), st.booleans(), st.sampled_from([simplex_step, multiplicative_step]), st.integers(0, 2**32 - 1))
def test_every_step_lowers_the_objective(ensemble, uniform, step, seed):
    fit, M, S, penalty = random_problem(ensemble, uniform, seed)
    for _ in range(5):
        cross = fit.cross(M)
        before = fit.objective(M, cross, S, penalty)
        S = step(fit, cross, S, penalty)
        between = fit.objective(M, cross, S, penalty)
        M = fit.consensus(S)
        after = fit.objective(M, fit.cross(M), S, penalty)
        slack = 1e-9 * (1 + abs(before))
        assert between <= before + slack
        assert after <= between + slack


@given(ensembles(soft=False), st.integers(0, 2**32 - 1))
def test_simplex_step_of_hard_partitions_is_the_projection_of_the_spec(ensemble, seed):
    fit, M, S, penalty = random_problem(ensemble, False, seed)
    full, got = M[fit.rows.inverse], simplex_step(fit, fit.cross(M), S, penalty)
    for p, k in enumerate(ensemble.n_clusters):
        rows = slice(ensemble.offsets[p], ensemble.offsets[p + 1])
        for c in range(k):
            inside = ensemble.labels[:, p] == c
            alpha = penalty.alpha[p] / inside.sum()
            point = full[inside].mean(axis=0) + alpha * (S[rows][c] - S[rows].mean(axis=0))
            assert got[rows][c] == pytest.approx(nearest_on_simplex(point), abs=1e-9)


def nearest_on_simplex(point):
    """By bisection on the shift."""
    low, high = point.min() - 1, point.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(point - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(point - low, 0)


@pytest.mark.parametrize("seed", range(4))
def test_soft_correspondence_is_the_constrained_least_squares_fit(seed):
    rng = np.random.default_rng(seed)
    A, M = rng.dirichlet(np.full(3, 0.7), 12), rng.dirichlet(np.full(2, 0.5), 12)
    S = correspondence(A, M)
    found = minimize(
        lambda x: ((M - A @ x.reshape(3, 2)) ** 2).sum(),
        np.full(6, 0.5),
        bounds=[(0, 1)] * 6,
        constraints={"type": "eq", "fun": lambda x: x.reshape(3, 2).sum(axis=1) - 1},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert S.sum(axis=1) == pytest.approx(1)
    assert ((M - A @ S) ** 2).sum() <= found.fun + 1e-9
    assert found.x.reshape(3, 2) == pytest.approx(S, abs=1e-4)


def test_correspondence_leaves_out_what_either_side_misses():
    S = correspondence(["a", "a", "b", "b", None, "c"], [0, 1, 1, -1, 0, -1])
    assert S.tolist() == [[0.5, 0.5], [0, 1], [0.5, 0.5]]  # of c nothing is known
    with pytest.raises(ValueError, match="same objects"):
        correspondence([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="no object in common"):
        correspondence([0, None], [None, 0])


# -- the whole method --------------------------------------------------------------------------------------------------


@given(ensembles(), st.sampled_from(["simplex", "multiplicative"]), st.sampled_from(["ignore", "uniform"]), st.data())
def test_objective_never_rises(ensemble, solver, missing, data):
    k = data.draw(st.integers(2, min(4, ensemble.n_objects)))
    init = data.draw(st.sampled_from(["qmi", "member"]))
    alpha_rel = data.draw(st.sampled_from([0.0, 0.3, 1.0, 3.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = scec(k, solver=solver, missing=missing, init=init, alpha_rel=alpha_rel, n_init=2, max_iter=30)
        model.fit(ensemble)
    path = model.objective_
    assert len(path) == model.n_iter_ + 1
    assert (np.diff(path) <= 1e-9 * (1 + np.abs(path[:-1]))).all()
    n, k_found = ensemble.n_objects, model.n_clusters_
    assert model.membership_.shape == (n, k_found)
    assert model.membership_.sum(axis=1) == pytest.approx(1)
    own = model.membership_[np.arange(n), model.labels_]
    assert (own >= model.membership_.max(axis=1) - 1e-8).all()
    assert np.unique(model.labels_).tolist() == list(range(k_found))
    assert [S.shape for S in model.correspondences_] == [(k_p, k_found) for k_p in ensemble.n_clusters]
    if solver == "simplex":
        assert all(S.sum(axis=1) == pytest.approx(1) for S in model.correspondences_)


@pytest.mark.parametrize("options", [{}, {"solver": "multiplicative"}, {"missing": "uniform"}, {"init": "member"}])
def test_planted_partition_is_recovered(options):
    labels, truth = planted()
    model = scec(4, **options).fit(labels)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert model.converged_
    wrong = model.labels_ != np.array([np.bincount(model.labels_[truth == t]).argmax() for t in range(4)])[truth]
    if wrong.any():
        assert model.uncertainty_[wrong].mean() > model.uncertainty_[~wrong].mean()


def test_correspondences_explain_the_memberships():
    labels, _ = planted(missing=0)
    ensemble = Ensemble(labels)
    model = scec(4).fit(ensemble)
    assert model.n_clusters_ == 4
    mean = np.mean([S[ensemble.labels[:, p]] for p, S in enumerate(model.correspondences_)], axis=0)
    assert model.membership_ == pytest.approx(mean)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("init", ["qmi", "member"])
def test_order_of_objects_does_not_matter(soft, init):
    labels, _ = planted(noise=0.45, n=120, seed=3)
    rng = np.random.default_rng(5)
    ensemble = Ensemble(labels)
    if soft:
        seen = [(labels[:, [p]] >= 0) for p in range(labels.shape[1])]
        sharp = [(labels[:, [p]] == np.arange(8)) * 2.0 for p in range(labels.shape[1])]
        parts = [(s + rng.dirichlet(np.ones(8), 120)) / 3 * m for s, m in zip(sharp, seen, strict=True)]
        ensemble = Ensemble.from_memberships(parts)
    shuffle = rng.permutation(120)
    a, b = scec(4, init=init).fit(ensemble), scec(4, init=init).fit(ensemble.take_objects(shuffle))
    assert b.objective_[-1] == pytest.approx(a.objective_[-1], rel=1e-9)
    assert adjusted_rand_score(a.labels_[shuffle], b.labels_) == 1
    assert b.uncertainty_ == pytest.approx(a.uncertainty_[shuffle], abs=1e-6)


def test_names_of_labels_do_not_matter():
    labels, _ = planted(noise=0.45)
    a, b = scec(4).fit(labels), scec(4).fit(renamed(labels))
    assert (a.labels_ == b.labels_).all()
    for S, T in zip(a.correspondences_, b.correspondences_, strict=True):
        assert (S == T).all()  # clusters are coded by first occurrence


def test_equal_objects_count_as_often_as_they_are():
    labels, _ = planted(n=60, noise=0.4)
    repeat = np.random.default_rng(0).integers(1, 4, 60)
    ensemble = Ensemble(np.repeat(labels, repeat, axis=0))
    whole = Ensemble.from_memberships(
        [(ensemble.labels[:, [p]] == np.arange(k)).astype(float) for p, k in enumerate(ensemble.n_clusters)]
    )  # the same as soft partitions, which are not collapsed
    init = np.random.default_rng(1).dirichlet(np.ones(3), len(ensemble.labels))
    init = (init @ np.ones((3, 3)) + np.eye(3)[ensemble.labels[:, 1] % 3]) / 4  # equal objects start equal
    a, b = scec(3, init=init).fit(ensemble), scec(3, init=init).fit(whole)
    assert a.objective_ == pytest.approx(b.objective_)
    assert a.membership_ == pytest.approx(b.membership_)


def test_weight_two_is_the_partition_twice():
    labels, _ = planted(r=6, noise=0.4)
    options = {"init": np.random.default_rng(0).dirichlet(np.ones(4), 300), "max_iter": 20, "tol": 0}
    with pytest.warns(ConvergenceWarning):
        a = scec(4, **options).fit(Ensemble(labels, weights=[1, 2, 1, 1, 0, 1]))
    with pytest.warns(ConvergenceWarning):
        b = scec(4, **options).fit(labels[:, [0, 1, 1, 2, 3, 5]])
    assert len(a.correspondences_) == 6  # also of what has no weight
    assert a.objective_[1:] == pytest.approx(b.objective_[1:])
    assert a.membership_ == pytest.approx(b.membership_)
    assert a.correspondences_[1] == pytest.approx(b.correspondences_[2])


def test_clusters_that_nobody_supports_vanish():
    labels = np.repeat([0, 1], 20)
    model = scec(5).fit([labels, labels, 1 - labels])
    assert model.n_clusters_ == 2
    assert model.membership_.shape == (40, 2)
    assert [S.shape for S in model.correspondences_] == [(2, 2)] * 3


def test_without_spread_all_rows_become_equal():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (40, 5))
    model = scec(3, alpha=0, max_iter=2000, tol=1e-10, init=rng.dirichlet(np.ones(3), 40)).fit(labels)
    assert model.n_clusters_ == 1
    assert model.objective_[-1] == pytest.approx(0, abs=1e-6)
    multiplicative = scec(3, alpha=0, beta=0, solver="multiplicative", max_iter=2000, tol=1e-10).fit(labels)
    assert multiplicative.objective_[-1] == pytest.approx(0, abs=1e-6)


def test_number_of_jobs_does_not_matter():
    labels, _ = planted(noise=0.5)
    a, b = scec(4, n_jobs=1).fit(labels), scec(4, n_jobs=2).fit(labels)
    assert (a.membership_ == b.membership_).all()


def test_strings_frames_clones_and_pickles():
    frame = pd.DataFrame({"x": ["u", "u", "v", "v", None], "y": [1, 1, 2, 2, 2], "z": ["a", "a", "b", "c", "c"]})
    model = scec(2).fit(frame)
    assert model.labels_.tolist() == [1, 1, 0, 0, 0]
    assert (pickle.loads(pickle.dumps(model)).labels_ == model.labels_).all()
    assert clone(model).get_params() == model.get_params()
    assert (model.fit_predict(frame) == model.labels_).all()


def test_large_ensembles_start_from_a_sample(monkeypatch):
    monkeypatch.setattr("pluribus.consensus.soft.soft_correspondence._SAMPLE", 50)
    labels, truth = planted(n=400)
    labels[:, 3] = -1
    labels[:2, 3] = [0, 1]  # likely not in the sample at all
    assert adjusted_rand_score(truth, scec(4).fit(labels).labels_) > 0.95


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"n_clusters": None}, "needs n_clusters"),
        ({"n_clusters": 1}, "n_clusters"),
        ({"n_clusters": 7}, "more than the number of objects, 6"),
        ({"alpha": -1.0}, "alpha"),
        ({"theta": 1.0}, "theta"),
        ({"beta": 1.0}, "beta is for solver='multiplicative'"),
        ({"solver": "multiplicative", "alpha": 1.0, "beta": 0.1}, "unbounded below.*alpha=1 gives 0.66.*beta=0.1"),
        ({"init": np.ones((6, 2)) / 2}, r"shape \(6, 3\)"),
        ({"init": np.ones((6, 3))}, "sum to 1"),
        ({"solver": "newton"}, "solver"),
    ],
)
def test_bad_parameters(options, match):
    with pytest.raises(ValueError, match=match):
        scec(**({"n_clusters": 3} | options)).fit([FIRST, FIRST])


def test_bad_memberships_name_partition_and_row():
    with pytest.raises(ValueError, match=r"memberships\[1\].*row 2"):
        scec(2).fit(Ensemble.from_memberships([np.eye(3), [[1, 0], [0, 1], [0.5, 0.6]]]))


def test_partitions_of_one_cluster_say_nothing():
    with pytest.warns(UserWarning, match="1 partitions have a single cluster.*'p1'"):
        model = scec(2).fit([[0, 0, 1, 1], [0, 0, 0, 0]])
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.correspondences_[1] == pytest.approx(np.array([[0.5, 0.5]]))
    with pytest.warns(UserWarning, match="single cluster"):
        model = scec(2).fit([[0, 0, 0], [5, 5, None]])
    assert model.labels_.tolist() == [0, 0, 0]
    assert model.n_clusters_ == 1
    with (
        pytest.warns(UserWarning, match="single cluster"),
        pytest.raises(ValueError, match=r"single cluster or of weight 0 cover 1 objects.*rows \[3\]"),
    ):
        scec(2).fit([[0, 0, 1, None], [0, 0, 0, 0]])


def test_columns_of_memberships_without_members_have_no_say():
    A = np.eye(2)[[0, 0, 1, 1, 1]]
    model = scec(2).fit(Ensemble.from_memberships([A, np.insert(A, 1, 0, axis=1)]))
    assert model.labels_.tolist() == [1, 1, 0, 0, 0]
    assert model.correspondences_[0] == pytest.approx(np.array([[0, 1], [1, 0]]))
    assert model.correspondences_[1] == pytest.approx(np.array([[0, 1], [0.5, 0.5], [1, 0]]))


def test_a_warning_where_it_did_not_converge():
    labels, _ = planted(noise=0.6)
    with pytest.warns(ConvergenceWarning, match="1 iterations"):
        model = scec(4, max_iter=1).fit(labels)
    assert not model.converged_
    assert model.labels_.shape == (300,)

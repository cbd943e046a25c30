import pickle
import tracemalloc
import warnings
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from pluribus import Constraints, similarity
from pluribus._engine import MemoryLimitError, memory_budget
from pluribus.constraints import ConstraintError, ContradictionError
from pluribus.similarity import OnlineMultipleKernel
from pluribus.similarity.kernels import _new_rows
from similarity.kernels.shared import QUIET, digits, three_kernels, unit, words

X, Y = digits()
KERNELS = ["linear", "quadratic", ("gaussian", {"sigma": 0.5**0.5})]
EXPLICIT = dict(eta0=1.0, epochs=3, solver="online", **QUIET)


def fitted(kernels=KERNELS, X=X, y=Y, sequences=None, constraints=None, **parameters):
    model = OnlineMultipleKernel(kernels, **QUIET | parameters)
    return model.fit(X, y, sequences=sequences, constraints=constraints)


def slow_steps(matrices, y, sequences, *, C, eta0, passes, prox, hinge=True, radius=np.inf, seed=0, learned=False):
    """Online steps in the slow, obvious way: explicit features of every kernel, all paths of every chain."""
    from pluribus._engine import seeds

    rng = np.random.default_rng(seeds(seed, 1)[0])
    features = []
    for K in matrices:
        values, vectors = np.linalg.eigh(K)
        features.append(vectors * np.sqrt(np.maximum(values, 0)))
    classes = np.unique(y)
    n_classes, n_examples = len(classes), len(sequences)
    lam = 1 / (C * n_examples)
    theta = [np.zeros((n_classes, f.shape[1])) for f in features] + [np.zeros((n_classes, n_classes))]

    def joint(rows, path):
        blocks = [np.zeros_like(block) for block in theta]
        for m, f in enumerate(features):
            for i, c in zip(rows, path, strict=True):
                blocks[m][c] += f[i]
        for a, b in pairwise(path):
            blocks[-1][a, b] += 1
        return blocks

    t = 0
    for _ in range(passes):
        for e in rng.permutation(n_examples):
            t += 1
            eta = eta0 / np.sqrt(t)
            rows, truth = list(sequences[e]), [int(np.searchsorted(classes, y[i])) for i in sequences[e]]
            right = joint(rows, truth)
            paths = list(product(range(n_classes), repeat=len(rows)))
            every = [joint(rows, path) for path in paths]
            scores = np.array([sum(np.vdot(a, b) for a, b in zip(theta, one, strict=True)) for one in every])
            if hinge:
                costs = np.array([sum(a != b for a, b in zip(path, truth, strict=True)) for path in paths])
                expected = every[int((scores + costs).argmax())]
            else:
                shares = np.exp(scores - scores.max())
                shares /= shares.sum()
                expected = [sum(w * one[m] for w, one in zip(shares, every, strict=True)) for m in range(len(theta))]
            v = [a - eta * (b - c) for a, b, c in zip(theta, expected, right, strict=True)]
            norms = np.array([np.linalg.norm(block) for block in v])
            if learned:
                shrunk = prox(norms, eta * lam)
            else:
                shrunk = np.append(prox(norms[:-1], eta * lam), norms[-1] / (1 + eta * lam))
            size = np.linalg.norm(shrunk)
            shrunk = shrunk * min(1, radius / size) if size else shrunk
            theta = [block * (b / a if a else 0) for block, a, b in zip(v, norms, shrunk, strict=True)]
    return features, theta


def squared_l1(b, tau):
    order = np.sort(b)[::-1]
    rho = max(j for j in range(1, len(b) + 1) if order[j - 1] >= tau * order[:j].sum() / (1 + j * tau))
    return np.maximum(b - tau * order[:rho].sum() / (1 + rho * tau), 0)


@pytest.mark.parametrize("loss", ["hinge", "log"])
@pytest.mark.parametrize("transitions", ["fixed", "learned"])
def test_steps_equal_the_slow_ones_on_chains(loss, transitions):
    X, y, sequences = words(12, 3)
    K = three_kernels(X)
    setting = dict(C=2.0, eta0=0.7)
    model = fitted("precomputed", K, y, sequences, solver="online", epochs=2, loss=loss, transitions=transitions,
                   project=False, **setting)  # fmt: skip
    features, theta = slow_steps(
        K, y, sequences, passes=2, prox=squared_l1, hinge=loss == "hinge", learned=transitions == "learned", **setting
    )
    np.testing.assert_allclose(model.transition_coef_, theta[-1], atol=1e-9)
    np.testing.assert_allclose(model.block_norms_, [np.linalg.norm(block) for block in theta[:-1]], atol=1e-9)
    scores = sum(f @ block.T for f, block in zip(features, theta[:-1], strict=True))
    np.testing.assert_allclose(model.decision_function(K), scores, atol=1e-8)


@pytest.mark.parametrize("radius", [False, True])
def test_steps_equal_the_slow_ones_on_single_objects(radius):
    K = [matrix[:40, :40] for matrix in three_kernels(X)]
    y = Y[:40]
    setting = dict(C=0.5, eta0=5.0)
    ball = np.sqrt(2 * 0.5 * 40) if radius else np.inf
    features, theta = slow_steps(K, y, [[i] for i in range(40)], passes=3, prox=squared_l1, radius=ball, **setting)
    model = fitted("precomputed", K, y, solver="online", epochs=3, project=radius, **setting)
    np.testing.assert_allclose(model.block_norms_, [np.linalg.norm(block) for block in theta[:-1]], atol=1e-9)
    scores = sum(f @ block.T for f, block in zip(features, theta[:-1], strict=True))
    np.testing.assert_allclose(model.decision_function(K), scores, atol=1e-8)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("regularizer", ["mkl", "group_lasso", "lq", "elastic", "l2"])
@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_forms_of_a_linear_kernel_agree(regularizer, loss, average):
    """Features and matrices, dense and sparse, for the same two kernels."""
    blocks = [X[:, :32] + 0.1, X[:, 32:] + 0.1]
    matrices = [unit(block @ block.T) for block in blocks]
    setting = EXPLICIT | dict(regularizer=regularizer, loss=loss, average=average)
    model = fitted("linear", blocks, **setting)
    forms = [
        ("linear", [sparse.csr_array(block) for block in blocks]),
        ("precomputed", matrices),
        ("precomputed", [sparse.csr_array(K) for K in matrices]),
        (["precomputed", "linear"], [matrices[0], sparse.csr_array(blocks[1])]),
        (["linear", "precomputed"], [sparse.csr_array(blocks[0]), matrices[1]]),
    ]
    for kernels, given in forms:
        other = fitted(kernels, given, **setting)
        np.testing.assert_allclose(other.block_norms_, model.block_norms_, rtol=1e-8)
        np.testing.assert_allclose(other.decision_function(given), model.decision_function(blocks), atol=1e-8)
        np.testing.assert_allclose(other.objective_, model.objective_, rtol=1e-8)


def test_the_mean_of_the_iterates():
    """Means over the second half of two passes: of passes with one example, they can be added by hand."""
    one, y = np.array([[1.0, 0.5], [-0.2, 1.0]]), np.array([0, 1])
    models = [fitted("linear", one, y, **EXPLICIT | dict(epochs=epochs)) for epochs in (1, 2)]
    averaged = fitted("linear", one, y, **EXPLICIT | dict(epochs=2, average=True))
    between = 2 * averaged.coef_[0] - models[1].coef_[0]  # the model after the third step, of four
    assert not np.allclose(between, models[1].coef_[0])
    start, end = models[0].coef_[0], models[1].coef_[0]
    assert np.linalg.norm(between - start) > 0
    assert np.linalg.norm(between) < 2 * max(np.linalg.norm(start), np.linalg.norm(end)) + 1


def test_means_survive_strong_shrinkage():
    model = fitted(C=0.05, average=True, epochs=20, solver="online", eta0=1.0)
    assert model.objective_[-1] < 1.0


def test_sparse_group_lasso_leaves_out_features():
    blocks = [X[:, :32] + 0.1, X[:, 32:] + 0.1]
    setting = EXPLICIT | dict(regularizer="sparse_group_lasso", C=0.2, epochs=10)
    plain = fitted("linear", blocks, **setting | dict(mix=1.0))
    group = fitted("linear", blocks, **EXPLICIT | dict(regularizer="group_lasso", C=0.2, epochs=10))
    np.testing.assert_allclose(plain.coef_[0], group.coef_[0], atol=1e-10)
    model = fitted("linear", blocks, **setting | dict(mix=0.2))
    n_zero = [sum((block == 0).sum() for block in one.coef_) for one in (plain, model)]
    assert n_zero[1] > n_zero[0] + 50
    entries = sum(np.abs(block).sum() for block in model.coef_)
    scores = model.decision_function(blocks)
    loss = (scores + (Y[:, None] != model.classes_)).max(axis=1) - scores[np.arange(len(Y)), Y]
    objective = (0.2 * model.block_norms_.sum() + 0.8 * entries) / (0.2 * len(Y)) + loss.mean()
    assert model.objective_[-1] == pytest.approx(objective)
    averaged = fitted("linear", blocks, **setting | dict(average=True))
    assert np.isfinite(averaged.objective_).all()


@pytest.mark.parametrize("solver", ["online", "dual"])
def test_objective_and_weights_are_those_of_the_model(solver):
    model = fitted(solver=solver, C=2.0, epochs=5)
    scores = model.decision_function(X)
    loss = (scores + (Y[:, None] != model.classes_)).max(axis=1) - scores[np.arange(len(Y)), Y]
    objective = model.block_norms_.sum() ** 2 / 2 / (2.0 * len(Y)) + loss.mean()
    assert model.objective_[-1] == pytest.approx(objective)
    np.testing.assert_allclose(model.kernel_weights_, model.block_norms_ / model.block_norms_.sum())
    K = three_kernels(X)
    np.testing.assert_allclose(model.kernel(X), sum(b * k for b, k in zip(model.kernel_weights_, K, strict=True)))
    np.testing.assert_allclose(model.kernel(X[:5], X), model.kernel(X)[:5])
    for m, dual in enumerate(model.dual_coef_):
        square = np.vdot(model.coef_[m], model.coef_[m]) if dual is None else np.vdot(K[m] @ dual, dual.toarray())
        assert np.sqrt(square) == pytest.approx(model.block_norms_[m])


def oracle(K, y, C):
    """Objective and weights of the wrapper: an SVM for fixed weights, then new weights."""
    n = len(y)
    features = []
    for matrix in K:
        values, vectors = np.linalg.eigh(matrix)
        features.append(vectors * np.sqrt(np.maximum(values, 0)))
    beta, lowest = np.full(len(K), 1 / len(K)), np.inf
    for _ in range(60):
        stacked = np.hstack([np.sqrt(b) * f for b, f in zip(beta, features, strict=True)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            svm = LinearSVC(
                multi_class="crammer_singer", C=C, fit_intercept=False, tol=1e-6, max_iter=50_000, random_state=0
            ).fit(stacked, y)
        theta = [np.sqrt(b) * svm.coef_[:, m * n : (m + 1) * n] for m, b in enumerate(beta)]
        scores = sum(f @ t.T for f, t in zip(features, theta, strict=True))
        loss = (scores + (y[:, None] != svm.classes_)).max(axis=1) - scores[
            np.arange(n), np.searchsorted(svm.classes_, y)
        ]
        norms = np.array([np.linalg.norm(t) for t in theta])
        lowest = min(lowest, norms.sum() ** 2 / 2 / (C * n) + loss.mean())
        if np.abs(norms / norms.sum() - beta).max() < 1e-4:
            break
        beta = norms / norms.sum()
    return lowest, beta


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_the_dual_reaches_the_optimum_of_the_wrapper(C):
    lowest, beta = oracle(three_kernels(X), Y, C)
    model = fitted(C=C, epochs=30)
    assert model.solver_ == "dual"
    assert lowest * 0.999 < model.objective_[-1] < lowest * 1.02
    assert np.abs(fitted(C=C, epochs=100).kernel_weights_ - beta).max() < 0.05


def test_one_kernel_is_a_crammer_singer_machine():
    lowest, _ = oracle(three_kernels(X)[:1], Y, 1.0)
    assert fitted(["linear"], epochs=60).objective_[-1] == pytest.approx(lowest, rel=0.01)
    assert fitted(["linear"], epochs=60, solver="online").objective_[-1] < 1.1 * lowest


def test_classifies_like_a_machine_with_the_same_kernel():
    learn, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    model = fitted(X=X[learn], y=Y[learn], C=10.0)
    K = model.kernel(X[learn])
    machine = SVC(kernel="precomputed", C=100.0).fit(K, Y[learn])
    same = machine.predict(model.kernel(X[test], X[learn])) == model.predict(X[test])
    assert same.mean() > 0.93
    assert model.score(X[test], Y[test]) > 0.95


@pytest.mark.parametrize("solver", ["online", "dual"])
def test_permuted_duplicated_and_empty_kernels(solver):
    K = three_kernels(X)
    setting = dict(solver=solver, eta0=1.0, epochs=5)
    model = fitted("precomputed", K, **setting)
    other = fitted("precomputed", [K[2], K[0], K[1]], **setting)
    np.testing.assert_allclose(other.kernel_weights_, model.kernel_weights_[[2, 0, 1]], atol=1e-8)
    twice = fitted("precomputed", [K[0], K[1], K[1]], **setting)
    assert twice.kernel_weights_[1] == pytest.approx(twice.kernel_weights_[2])
    empty = fitted("precomputed", [K[0], np.zeros_like(K[0])], normalize=False, **setting)
    assert empty.kernel_weights_.tolist() == [1, 0]
    assert empty.selected_.tolist() == [0]
    assert empty.predict([K[0], 0 * K[0]]).shape == (150,)


@pytest.mark.parametrize("solver", ["online", "dual"])
@pytest.mark.parametrize("regularizer", ["mkl", "group_lasso", "lq", "elastic", "l2"])
def test_weights_of_every_regularizer(regularizer, solver):
    model = fitted(regularizer=regularizer, solver=solver, epochs=8, C=3.0)
    assert model.kernel_weights_.sum() == pytest.approx(1)
    assert (model.kernel_weights_ >= 0).all()
    assert model.score(X, Y) > 0.97
    if regularizer == "l2":
        np.testing.assert_allclose(model.kernel_weights_, 1 / 3)
    if regularizer == "lq":  # b^(2/(p+1)) with p = q / (2 - q) = 3
        weights = model.block_norms_ ** (2 / 4)
        np.testing.assert_allclose(model.kernel_weights_, weights / weights.sum())
    if regularizer == "elastic":
        b = model.block_norms_
        weights = b / (0.5 * b + 0.5 * b.sum())
        np.testing.assert_allclose(model.kernel_weights_, weights / weights.sum())


def test_lq_has_its_ends():
    for q, name in ((1, "mkl"), (2, "l2")):
        for solver in ("online", "dual"):
            one = fitted(regularizer="lq", q=q, solver=solver, epochs=3, eta0=1.0)
            other = fitted(regularizer=name, solver=solver, epochs=3, eta0=1.0)
            np.testing.assert_allclose(one.block_norms_, other.block_norms_, rtol=1e-8)


def test_a_small_C_learns_nothing_and_says_so():
    with pytest.warns(ConvergenceWarning, match="lambda too large"):
        model = fitted(C=1e-9, regularizer="group_lasso", solver="online", eta0=1.0)
    assert model.kernel_weights_.tolist() == [0, 0, 0]
    assert not model.selected_.size
    assert len(model.predict(X)) == len(X)


def test_regret_is_bounded():
    """The mean of objectives along the way: Reg ≤ (F² / 2η₀ + G² η₀) √T, with the ball of the source."""
    C, n = 1.0, len(Y)
    lam, G, F = 1 / (C * n), 2.0, 2 * np.sqrt(2 * C * n)
    lowest, _ = oracle(three_kernels(X)[:1], Y, C)
    eta0 = F / (np.sqrt(2) * G)
    model = fitted(["linear"], C=C, eta0=eta0, epochs=20, average=True, solver="online")
    steps = 10 * n
    assert model.objective_[-1] <= lowest + F * G * np.sqrt(2 * 2 * steps) / steps
    assert lam > 0


def test_sequences_help_where_single_objects_are_hard():
    X, y, sequences = words(80)
    new, truth, others = words(80, seed=1)
    alone = fitted(["linear"], X, y, C=10.0).score(new, truth)
    for transitions in ("fixed", "learned"):
        for loss in ("hinge", "log"):
            model = fitted(["linear"], X, y, sequences, C=10.0, transitions=transitions, loss=loss)
            assert model.score(new, truth, sequences=others) > alone + 0.1
            assert (model.transition_weight_ is None) == (transitions == "fixed")
    nested = [y[list(rows)].tolist() for rows in sequences]
    again = fitted(["linear"], X, nested, C=10.0, transitions="learned", loss="log")
    np.testing.assert_array_equal(again.transition_coef_, model.transition_coef_)
    mixed = np.random.default_rng(0).permutation(len(new))
    place = np.argsort(mixed)
    moved = [place[list(rows)] for rows in others]
    found = model.predict(new[mixed], sequences=moved)
    assert found.tolist() == model.predict(new, sequences=others)[mixed].tolist()


def test_chains_in_the_dual_lower_the_objective_below_online_steps():
    X, y, sequences = words(60)
    for transitions in ("fixed", "learned"):
        paths = [
            fitted(X=X, y=y, sequences=sequences, C=1.0, epochs=30, solver=solver, transitions=transitions).objective_
            for solver in ("dual", "online")
        ]
        assert paths[0][-1] < paths[1][-1] * 1.001
        assert paths[0][-1] > 0.9 * paths[1][-1]


def test_constraints_hand_labels_on():
    labels = np.where(np.arange(len(Y)) < 30, Y, -1)
    partners = [(int(np.flatnonzero(Y[:30] == Y[i])[0]), i) for i in range(30, 60)]
    known = Constraints(len(Y), labels=labels, must_link=partners)
    model = fitted(y=None, constraints=known)
    assert model.solver_ == "dual"
    again = fitted(y=None, constraints=Constraints(len(Y), labels=np.where(np.arange(len(Y)) < 60, Y, -1)))
    np.testing.assert_array_equal(model.kernel_weights_, again.kernel_weights_)


@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_pairs_teach_what_few_labels_do_not(loss):
    """Two moons of points on lines; labels at one end, links along them."""
    rng = np.random.default_rng(0)
    X = np.vstack([np.c_[np.linspace(0, 5, 60), rng.normal(0, 0.2, 60)],
                   np.c_[np.linspace(0, 5, 60), 1 + rng.normal(0, 0.2, 60)]])  # fmt: skip
    X[:, 1] += 0.45 * X[:, 0]
    truth = np.repeat([0, 1], 60)
    labels = np.where(X[:, 0] < 1.2, truth, -1)
    rows = [np.flatnonzero(truth == c) for c in (0, 1)]
    soft = Constraints(120, labels=labels, must_link=[(r[i], r[i + 4]) for r in rows for i in range(0, 56)],
                       must_weight=20.0, cannot_link=list(zip(*rows, strict=True)), cannot_weight=20.0)  # fmt: skip
    alone = fitted("gaussian", X, None, constraints=Constraints(120, labels=labels), C=10.0, loss=loss)
    model = fitted("gaussian", X, None, constraints=soft, C=10.0, loss=loss)
    assert model.solver_ == "online"
    right = [np.mean(one.predict(X) == truth) for one in (alone, model)]
    assert right[1] > right[0] + 0.05
    assert soft.violations(model.predict(X)).weight < soft.violations(alone.predict(X)).weight


def test_what_contradicts_labels_is_refused():
    with pytest.raises(ContradictionError):
        fitted(constraints=Constraints(len(Y), must_link=[(0, 1)]))  # Y[0] != Y[1]
    fitted(constraints=Constraints(len(Y), cannot_link=[(0, 1)]), epochs=1)
    with pytest.raises(ConstraintError, match="constraints are about 3 objects"):
        fitted(constraints=Constraints(3))
    with pytest.raises(ValueError, match="pairs alone name no classes"):
        fitted(y=None, constraints=Constraints(len(Y), must_link=[(0, 1)]))


K3 = three_kernels(X)
SKEW = K3[1] + np.triu(np.ones_like(K3[0]), 1)
HOLE = K3[1].copy()
HOLE[3, 4] = HOLE[4, 3] = np.nan
EMPTY = K3[1].copy()
EMPTY[7] = EMPTY[:, 7] = 0


@pytest.mark.parametrize(
    ("given", "parameters", "message"),
    [
        ([K3[0], K3[1][:90, :90]], {}, r"X\[1\] has 90 rows, but X\[0\] has 150"),
        ([K3[0], K3[1][:, :90]], {}, r"X\[1\] \(kernel 'precomputed'\) must be square.*\(150, 90\)"),
        ([K3[0], SKEW], {}, r"X\[1\] .* must be symmetric"),
        ([sparse.csr_array(K3[0]), sparse.csr_array(SKEW)], {}, r"X\[1\] .* must be symmetric"),
        ([K3[0], HOLE], {}, r"X\[1\] .*contains NaN"),
        ([K3[0], EMPTY], {}, r"X\[1\] .*object 7 has the similarity 0 with itself"),
        ([K3[0], -K3[1]], {}, r"X\[1\] .*object 0 has the similarity -1"),
        ([], {}, "X is an empty list"),
        (K3, {"kernels": []}, "kernels is empty"),
        (K3, {"kernels": ["precomputed"]}, "kernels has 1 entries, but X has 3 blocks"),
        (X, {"kernels": ["linear", "liner"]}, r"kernels\[1\]='liner' is not known.*gaussian"),
        (X, {"kernels": [("gaussian", {"gamma": 2})]}, r"kernels\[0\]: 'gaussian' has no parameter 'gamma'"),
        (X, {"kernels": [("gaussian", {"sigma": -1})]}, r"sigma=-1 must be a finite number above 0"),
        (X, {"kernels": [("linear", {"sigma": 1})]}, r"'linear' has no parameters"),
        (X, {"kernels": [lambda A, B: np.ones(3)]}, "must have the shape"),
        (X, {"kernels": ["linear", lambda A, B: np.full((len(A), len(B)), np.nan)]}, "not finite numbers"),
        (X, {"kernels": "gaussian", "regularizer": "sparse_group_lasso"}, r"kernels\[0\]='gaussian' has none"),
        (X, {"kernels": "linear", "C": 0.0}, "'C' parameter"),
        (X, {"kernels": "linear", "q": 0.5}, "'q' parameter"),
        (X, {"kernels": "linear", "solver": "dual", "loss": "log"}, "solver='dual' cannot take loss='log'"),
    ],
)
def test_bad_input(given, parameters, message):
    with pytest.raises(ValueError, match=f"(?s){message}"):
        fitted(**{"kernels": "precomputed", "X": given} | parameters)


@pytest.mark.parametrize(
    ("y", "sequences", "message"),
    [
        (np.zeros(len(Y)), None, "only one class"),
        (Y[:-1], None, "y has 149 labels, but X has 150 rows"),
        (Y, [range(0, 100)], "each of the 150 rows"),
        (Y, [range(0, 100), range(99, 150)], "each of the 150 rows"),
        (Y, [], "must be a list of ranges"),
        (Y, [range(0, 150), []], r"sequences\[1\] must be"),
        ([[0, 1], [1] * 148], [range(0, 3), range(3, 150)], r"y\[0\] has 2 labels, but sequence 0 has 3 rows"),
        ([[0, 1], [1] * 148], [range(0, 150)], "2 label sequences, but there are 1"),
        (None, None, "requires y to be passed"),
    ],
)
def test_bad_labels(y, sequences, message):
    with pytest.raises(ValueError, match=message):
        fitted("linear", y=y, sequences=sequences)


def test_indefinite_kernels():
    signs = np.sign(np.random.default_rng(0).normal(size=(150, 150)))
    bad = np.triu(signs, 1) + np.triu(signs, 1).T + np.eye(150)
    with (
        pytest.warns(UserWarning, match=r"X\[1\] .*not positive semidefinite"),
        pytest.raises(ValueError, match=r"kernels\[1\] is not positive semidefinite"),
    ):
        fitted("precomputed", [K3[0], bad], solver="online", eta0=10.0, epochs=20)


def test_new_rows_of_precomputed_kernels():
    learn, test = np.arange(0, 100), np.arange(100, 150)
    raw = [X @ X.T, (1 + X @ X.T) ** 2]
    model = fitted("precomputed", [K[np.ix_(learn, learn)] for K in raw], Y[learn])
    same = fitted(["linear", "quadratic"], X[learn], Y[learn])
    np.testing.assert_allclose(model.kernel_weights_, same.kernel_weights_, atol=1e-8)
    new = [K[np.ix_(test, learn)] for K in raw]
    with pytest.raises(ValueError, match="give diagonals"):
        model.predict(new)
    diagonals = [np.diag(K)[test] for K in raw]
    np.testing.assert_allclose(
        model.decision_function(new, diagonals=diagonals), same.decision_function(X[test]), atol=1e-6
    )
    for wrong, message in [
        (new[:1], "X has 1 blocks, but there are 2 kernels"),
        ([new[0], new[1][:, :50]], r"X\[1\] .*has 50 columns, but needs 100"),
        ([new[0], new[1][:20]], r"X\[1\] has 20 rows"),
        (X, "must be a list of blocks"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.predict(wrong, diagonals=diagonals)
    with pytest.raises(ValueError, match=r"diagonals\[0\] must hold 50 numbers"):
        model.predict(new, diagonals=[np.ones(3), None])
    with pytest.raises(ValueError, match="without Y"):
        model.kernel(new, new)
    unit_model = fitted("precomputed", [K[np.ix_(learn, learn)] for K in K3], Y[learn])
    assert unit_model.kernel([K[np.ix_(test, learn)] for K in K3]).shape == (50, 100)


def test_sequences_at_predict():
    X, y, sequences = words()
    with pytest.raises(ValueError, match="give the sequences"):
        fitted("linear", X, y, sequences).predict(X)
    with pytest.raises(ValueError, match="fitted without them"):
        fitted("linear", X, y).predict(X, sequences=sequences)


def test_kernels_of_all_kinds():
    kernels = ["spline", "laplacian", rbf_kernel, ("polynomial", {"degree": 2}), "quadratic"]
    model = fitted(kernels)
    assert model.kernel_names_ == ["spline", "laplacian", "rbf_kernel", "polynomial", "quadratic"]
    assert model.score(X, Y) > 0.97
    by_hand = [rbf_kernel(X), unit((X @ X.T / 64 + 1) ** 2)]
    np.testing.assert_allclose(model._kernels.block(2), by_hand[0])
    np.testing.assert_allclose(model._kernels.block(3), by_hand[1])
    spline = model._kernels.block(0)
    assert 0.02 < spline.nnz / spline.shape[0] ** 2 < 0.09
    np.testing.assert_allclose(spline.diagonal(), 1)
    dense = sparse.csr_array(X)
    sparse_model = fitted(["linear", "quadratic", "gaussian", "spline"], dense)
    same = fitted(["linear", "quadratic", "gaussian", "spline"], X)
    np.testing.assert_allclose(sparse_model.kernel_weights_, same.kernel_weights_, atol=1e-6)


def test_single_precision_is_kept_and_close():
    model = fitted(X=X.astype(np.float32), epochs=5)
    np.testing.assert_allclose(model.kernel_weights_, fitted(epochs=5).kernel_weights_, atol=1e-3)
    assert model._kernels.block(1).dtype == np.float32


def test_repeatable_cloned_and_pickled():
    one, other = fitted(solver="online"), fitted(solver="online")
    np.testing.assert_array_equal(one.objective_, other.objective_)
    again = pickle.loads(pickle.dumps(one))
    assert again.predict(X).tolist() == one.predict(X).tolist()
    assert clone(one).get_params().keys() == one.get_params().keys()


def test_the_field_knows_it_by_name():
    assert similarity.by_name("SPOM")().solver == "online"
    assert similarity.by_name("lq-mkl")().regularizer == "lq"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("solver", ["online", "dual"])
def test_follows_scikit_learn(solver):
    check_estimator(OnlineMultipleKernel(["quadratic", "gaussian"], solver=solver, epochs=10, **QUIET))


def test_labels_follow_the_rows_of_their_sequences():
    X, y, sequences = words(10)
    turned = sequences[::-1]
    nested = [y[list(rows)].tolist() for rows in turned]
    one, other = (fitted("linear", X, labels, turned, epochs=2) for labels in (nested, y))
    np.testing.assert_array_equal(one.coef_[0], other.coef_[0])


@pytest.mark.parametrize("names", [["a", "b"], [-1, 1], [5, 7]])
def test_labels_of_constraints_are_compared_with_y(names):
    y = np.array(names * 10)
    rows = np.random.default_rng(0).normal(size=(20, 3))
    same = Constraints(20, labels=[None, names[1]] + [None] * 18)
    model = OnlineMultipleKernel("linear", **QUIET).fit(rows, y, constraints=same)
    assert model.classes_.tolist() == sorted(names)
    other = Constraints(20, labels=[names[1]] + [None] * 19)
    with pytest.raises(ContradictionError):
        OnlineMultipleKernel("linear", **QUIET).fit(rows, y, constraints=other)


def test_score_refuses_labels_of_another_length():
    with pytest.raises(ValueError, match="inconsistent numbers"):
        fitted("linear").score(X, Y[:1])


def test_a_sparse_table_stays_as_it_is():
    rows = sparse.csr_array((np.ones(4), [1, 0, 1, 0], [0, 2, 3, 4]), shape=(3, 2))
    OnlineMultipleKernel("linear", **QUIET).fit(rows, [0, 1, 0])
    assert rows.indices.tolist() == [1, 0, 1, 0]


def test_dense_kernels_of_sparse_rows_count_for_memory():
    rows = sparse.csr_array(np.random.default_rng(0).normal(size=(300, 3)))
    with memory_budget(100_000), pytest.raises(MemoryLimitError, match="300 objects"):
        OnlineMultipleKernel("quadratic", **QUIET).fit(rows, [0, 1] * 150)
    with memory_budget(100_000):
        OnlineMultipleKernel(lambda A, B: (A @ B.T).multiply(0.5), **QUIET).fit(rows, [0, 1] * 150)


def test_a_spline_that_is_no_kernel_is_reported():
    """max(0, 1 - r / h) has negative eigenvalues in more than one dimension: here on a grid of 4 × 4 × 4."""
    rows = np.array(list(product(range(4), repeat=3)), dtype=float)
    K = np.maximum(1 - np.linalg.norm(rows[:, None] - rows, axis=2) / 1.4, 0)
    assert np.linalg.eigvalsh(K)[0] < -0.3
    model = OnlineMultipleKernel([("spline", {"width": 1.4})], solver="dual", **QUIET)
    with pytest.warns(UserWarning, match="'spline'.* not positive semidefinite"):
        model.fit(rows, np.arange(len(rows)) % 2)


@pytest.mark.parametrize("kernels", [None, ["spline", "gaussian"], ["rbf", "laplacian"]])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_memory_that_is_checked_is_what_is_used(kernels, dtype):
    X = np.random.default_rng(0).normal(size=(1200, 5)).astype(dtype)
    y = np.arange(1200) % 3
    model = OnlineMultipleKernel(kernels, epochs=1, **QUIET)
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    with memory_budget(0.9 * peak), pytest.raises(MemoryLimitError, match="1,200 objects"):
        model.fit(X, y)


def test_new_rows_in_several_blocks(monkeypatch):
    X, y = digits()
    model = OnlineMultipleKernel(epochs=2, **QUIET).fit(X, y)
    together = model.decision_function(X)
    monkeypatch.setattr(_new_rows, "_AT_ONCE", 7 * len(X))
    np.testing.assert_allclose(model.decision_function(X), together, atol=1e-10)
    K = three_kernels(X)
    model = OnlineMultipleKernel("precomputed", epochs=2, **QUIET).fit(K, y)
    own = [np.diag(k) for k in K]
    np.testing.assert_allclose(model.decision_function(K, diagonals=own), model.decision_function(K), atol=1e-10)
    with pytest.raises(ValueError, match=r"diagonals\[1\] must hold 150 numbers"):
        model.decision_function(K, diagonals=[own[0], own[1][:9], own[2]])

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import check_estimator

from pluribus import Constraints, similarity
from pluribus._engine import MemoryLimitError, memory_budget
from pluribus.constraints import InfeasibleError
from pluribus.similarity import MultipleKernelKMeans
from similarity.kernels.shared import QUIET, digits, three_kernels


def blobs(n=90, noise=3, seed=0):
    rng = np.random.default_rng(seed)
    groups = np.sort(rng.permutation(np.arange(n) % 3))
    places = np.array([[0, 0], [6, 0], [0, 6]])[groups] + rng.normal(size=(n, 2)) + 10
    return [places, rng.normal(size=(n, noise))], groups


BLOCKS, GROUPS = blobs()


def fitted(X=BLOCKS, k=3, kernels="gaussian", constraints=None, **parameters):
    return MultipleKernelKMeans(k, kernels, **QUIET | parameters).fit(X, constraints=constraints)


def centered(K):
    n = len(K)
    J = np.eye(n) - 1 / n
    K = J @ K @ J
    return K * n / np.trace(K)


def test_finds_groups_and_the_kernel_that_shows_them():
    model = fitted()
    assert adjusted_rand_score(GROUPS, model.labels_) > 0.95
    assert model.kernel_weights_[0] > 0.9
    assert model.kernel_weights_.sum() == pytest.approx(1)
    assert model.n_clusters_ == 3
    assert (np.diff(np.bincount(model.labels_)) <= 0).all()


def test_equals_the_slow_alternation():
    X, _ = digits(80)
    K = [centered(k) for k in three_kernels(X)]
    beta = np.full(3, 1 / 3)
    path = []
    for _ in range(50):
        total = sum(b**2 * k for b, k in zip(beta, K, strict=True))
        H = np.linalg.eigh(total)[1][:, -4:]
        left = np.array([1 - np.trace(H.T @ k @ H) / 80 for k in K])
        beta = (1 / left) / (1 / left).sum()
        path.append(beta**2 @ left)
        if len(path) > 1 and path[-2] - path[-1] <= 1e-6 * path[-2]:
            break
    model = fitted(X, 4, ["linear", "quadratic", ("gaussian", {"sigma": 0.5**0.5})])
    np.testing.assert_allclose(model.objective_, path, rtol=1e-8)
    np.testing.assert_allclose(model.unexplained_, left, rtol=1e-6)
    assert (np.diff(model.objective_) <= 1e-12).all()
    weights = model.kernel_weights_
    expected = sum(w * k for w, k in zip(weights, three_kernels(X), strict=True))
    np.testing.assert_allclose(model.kernel(X), expected, atol=1e-12)
    up_to_scale = centered(expected)
    np.testing.assert_allclose(up_to_scale, centered(sum(b**2 * k for b, k in zip(beta, K, strict=True))), atol=1e-8)


def test_forms_of_a_kernel_agree_and_many_rows_are_iterated():
    rng = np.random.default_rng(0)
    X = np.repeat(9 * np.eye(3, 9), 220, axis=0) + rng.normal(size=(660, 9)) + 1
    dense = fitted([X, X[:, :6]], kernels="linear")
    for kernels, given in [
        ("linear", [sparse.csr_array(X), sparse.csr_array(X[:, :6])]),
        ("precomputed", [block @ block.T for block in (X, X[:, :6])]),
    ]:
        model = fitted(given, kernels=kernels)
        np.testing.assert_allclose(model.kernel_weights_, dense.kernel_weights_, rtol=1e-5)
        assert model.labels_.tolist() == dense.labels_.tolist()


def test_one_linear_kernel_is_k_means():
    model = fitted(BLOCKS[0], kernels="linear", normalize=False)
    best = KMeans(3, n_init=10, random_state=0).fit_predict(BLOCKS[0])
    assert adjusted_rand_score(best, model.labels_) > 0.95


def test_hard_constraints_hold():
    rng = np.random.default_rng(1)
    must = [tuple(map(int, pair)) for pair in rng.choice(90, (8, 2), replace=False)]
    known = Constraints(90, must_link=must)
    free = np.setdiff1d(np.arange(90), np.ravel(must))
    cannot = [(int(free[2 * i]), int(free[2 * i + 1])) for i in range(20)]
    known = known.merge(Constraints(90, cannot_link=cannot))
    plain = fitted()
    assert known.violations(plain.labels_).count > 0
    model = fitted(constraints=known)
    assert model.violations_.count == 0
    labeled = Constraints(90, labels=np.where(np.arange(90) % 9 == 0, (GROUPS + np.arange(90)) % 2, -1))
    assert fitted(constraints=labeled).violations_.count == 0


def test_soft_pairs_pull():
    cannot = [(i, i + 1) for i in range(0, 20, 2)]
    weak, strong = (
        fitted(constraints=Constraints(90, cannot_link=cannot, cannot_weight=weight)).violations_.count
        for weight in (0.001, 1000.0)
    )
    assert strong == 0
    assert weak > 5
    must = [(i, i + 45) for i in range(0, 40, 2)]
    weak, strong = (
        fitted(constraints=Constraints(90, must_link=must, must_weight=weight)).violations_.count
        for weight in (0.001, 1000.0)
    )
    assert strong < weak


def test_constraints_decide_which_kernel_matters():
    """Both groups of features have clusters; pairs say which are meant."""
    one, first = blobs(seed=0)
    other, second = blobs(seed=1)
    second = np.random.default_rng(5).permutation(90)
    X = [one[0], other[0][second]]
    meant = GROUPS[second]
    known = Constraints(90, labels=np.where(np.arange(90) % 2 == 0, meant, -1))
    model = fitted(X, constraints=known)
    assert model.kernel_weights_[1] > 0.6
    assert adjusted_rand_score(meant, model.labels_) > 0.9
    assert first.shape == (90,)


def test_what_cannot_be_is_refused():
    with pytest.raises(InfeasibleError):
        fitted(k=2, constraints=Constraints(90, cannot_link=[(0, 1), (1, 2), (0, 2)]))
    with pytest.raises(ValueError, match="n_clusters=91 must be"):
        fitted(k=91)
    with pytest.raises(ValueError, match=r"kernels\[1\] \('precomputed'\) is the same for all objects"):
        fitted([np.eye(90), np.ones((90, 90))], kernels="precomputed")
    with pytest.raises(ValueError, match="kernels is empty"):
        fitted(kernels=[])


@pytest.mark.parametrize("k", [1, 89, 90])
def test_extreme_numbers_of_clusters(k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fitted(k=k)
    assert len(np.unique(model.labels_)) == k


def test_repeatable_pickled_and_known_by_name():
    model = fitted()
    assert fitted().labels_.tolist() == model.labels_.tolist()
    assert pickle.loads(pickle.dumps(model)).kernel(BLOCKS).shape == (90, 90)
    assert isinstance(similarity.by_name("mkkm")(), MultipleKernelKMeans)


@pytest.mark.filterwarnings("ignore")
def test_follows_scikit_learn():
    check_estimator(MultipleKernelKMeans(2, ["quadratic", "gaussian"], **QUIET))


def test_pairs_change_the_similarity_of_chunklets():
    from pluribus.similarity.kernels.multiple_kernel_kmeans import _pair_similarities

    known = Constraints(5, must_link=[(0, 1)], cannot_link=[(1, 2)]).merge(
        Constraints(5, must_link=[(3, 4)], must_weight=2.0)
    )
    found = _pair_similarities(known.closure()).toarray()
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = -1 / np.sqrt(2)
    expected[2, 3] = expected[3, 2] = np.tanh(1)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_kernels_that_do_not_fit_into_memory_are_refused(form):
    X = form(np.random.default_rng(0).normal(size=(300, 3)))
    with memory_budget(100_000), pytest.raises(MemoryLimitError, match="300 objects"):
        MultipleKernelKMeans(2, "gaussian", **QUIET).fit(X)

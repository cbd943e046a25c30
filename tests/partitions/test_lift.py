import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from pluribus import Ensemble
from pluribus.partitions._lift import check_features, lift_map

LINE = np.array([0.0, 1, 2, 3, 7, 8, 9, 10])[:, None]
RP, FP, SP = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1, 0]


def blobs(n=300, d=4, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    return rng.standard_normal((n, d)) + 4 * np.eye(3, d)[truth], truth


def lift(X, memberships, **settings):
    X = check_features(X, settings.get("kernel", "gaussian"))
    return lift_map(X, memberships.shape[0], **settings).clusters(X, memberships, verbose=False)


def test_worked_example():
    lifted = lift(LINE, Ensemble([RP, FP, SP]).one_hot(), sigma=2.0)
    assert lifted.masses.tolist() == [4] * 6
    assert lifted.norms[:4] == pytest.approx([3.5172, 3.5172, 2.9762, 2.9762], abs=5e-5)
    assert lifted.gram[0, 1:4] == pytest.approx([0.0215, 0.9314, 0.2758], abs=5e-5)
    assert lifted.gram[2, 3] == pytest.approx(0.4267, abs=5e-5)
    distance = np.sqrt(2 - 2 * lifted.gram)
    assert distance[0, 2:4] == pytest.approx([0.370468, 1.203454], abs=1e-6)
    assert sorted(distance[0, 4:]) == pytest.approx([0.402704, 1.186733], abs=1e-6)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_exact_is_the_kernel_summed(kernel):
    X, truth = blobs(60)
    memberships = Ensemble([truth, truth // 2]).one_hot()
    K = rbf_kernel(X, gamma=1 / (2 * 1.5**2)) if kernel == "gaussian" else laplacian_kernel(X, gamma=1 / 1.5)
    G = memberships.T @ (K @ memberships)
    lifted = lift(X, memberships, kernel=kernel, sigma=1.5)
    assert lifted.norms == pytest.approx(np.sqrt(np.diagonal(G)))
    assert lifted.gram == pytest.approx(G / np.outer(lifted.norms, lifted.norms))
    assert lifted.vectors @ lifted.vectors.T == pytest.approx(lifted.gram)


def test_kernels_given_in_other_ways_are_the_same():
    X, truth = blobs(80)
    memberships = Ensemble([truth]).one_hot()
    K = rbf_kernel(X, gamma=0.5)
    expected = lift(X, memberships, sigma=1.0)
    same = [
        lift(K, memberships, kernel="precomputed"),
        lift(sparse.csr_array(K), memberships, kernel="precomputed"),
        lift(X, memberships, kernel=lambda a, b: rbf_kernel(a, b, gamma=0.5)),
        lift(np.linalg.cholesky(K + 1e-12 * np.eye(80)), memberships, kernel="linear"),
        lift(sparse.csr_array(X), memberships, sigma=1.0),
    ]
    for other in same:
        assert other.norms == pytest.approx(expected.norms, rel=1e-6)
        assert other.gram == pytest.approx(expected.gram, abs=1e-6)


def test_a_kernel_over_strings():
    words = ["aa", "ab", "aaa", "xx", "xy", "xxx"]

    def shared_letters(some, others):
        return np.array([[sum(min(a.count(c), b.count(c)) for c in "abxy") for b in others] for a in some], float)

    lifted = lift(words, Ensemble([[0, 0, 0, 1, 1, 1]]).one_hot(), kernel=shared_letters)
    assert lifted.gram[0, 1] == 0


def test_discrete_kernel_counts_shared_objects():
    lifted = lift(None, Ensemble([RP, FP]).one_hot(), kernel="discrete")
    assert lifted.norms == pytest.approx([2, 2, 2, 2])
    assert lifted.gram[0, 2] == pytest.approx(3 / 4)
    assert lifted.gram[0, 1] == 0


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_random_features_approach_the_kernel(kernel):
    X, truth = blobs(200)
    memberships = Ensemble([truth, np.arange(200) % 5]).one_hot()
    exact = lift(X, memberships, kernel=kernel, sigma=4.0, n_features="exact").gram
    errors = [
        np.abs(lift(X, memberships, kernel=kernel, sigma=4.0, n_features=rho, random_state=0).gram - exact).max()
        for rho in (20, 4000)
    ]
    assert errors[1] < 0.05
    assert errors[1] < errors[0]


def test_random_features_have_length_one():
    X, _ = blobs(50)
    phi = lift_map(X, 50, n_features=30, random_state=0).features(X, 0, 50)
    assert phi.shape == (50, 30)
    assert (phi**2).sum(axis=1) == pytest.approx(np.ones(50))


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_blocks_threads_and_types_do_not_matter(dtype, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 200, (500, 3)).astype(dtype)
    memberships = Ensemble([rng.integers(0, 4, 500)]).one_hot()
    settings = {"n_features": 64, "random_state": 0}
    whole = lift(X, memberships, **settings)
    assert lift_map(X, 500, **settings).frequencies.dtype == np.result_type(dtype, np.float32)
    monkeypatch.setattr("pluribus.partitions._lifted_clusters._BLOCK", 64 * 70)
    mapped = lift_map(X, 500, **settings)
    one, two = (mapped.clusters(X, memberships, n_jobs=jobs, verbose=False) for jobs in (1, 2))
    assert np.array_equal(one.sums, two.sums)
    assert one.sums == pytest.approx(whole.sums, rel=1e-4, abs=1e-3)
    exact = lift_map(X, 500, n_features="exact")
    assert exact.clusters(X, memberships, n_jobs=2, verbose=False).gram == pytest.approx(
        lift(X, memberships, n_features="exact").gram, abs=1e-6
    )


@pytest.mark.parametrize("n_features", ["exact", 2000])
def test_inner_products_with_objects(n_features):
    X, truth = blobs(100)
    memberships = Ensemble([truth]).one_hot()
    mapped = lift_map(X, 100, sigma=3.0, n_features=n_features, random_state=0)
    lifted = mapped.clusters(X, memberships, verbose=False)
    coefficients = np.diag(1 / lifted.masses)
    found = mapped.inner(X[:7], mapped.directions(lifted, coefficients))
    density = rbf_kernel(X[:7], X, gamma=1 / 18) @ memberships / lifted.masses
    assert found == pytest.approx(density, abs=1e-9 if n_features == "exact" else 0.1)


def test_far_from_the_origin():
    X, truth = blobs(200)
    memberships = Ensemble([truth]).one_hot()
    for n_features in ("exact", 500):
        near = lift(X, memberships, n_features=n_features, random_state=0).gram
        far = lift(X + 1e9, memberships, n_features=n_features, random_state=0).gram
        assert far == pytest.approx(near, abs=1e-4)


def test_median_bandwidth():
    assert lift_map(LINE, 8).sigma == np.median([abs(a - b) for i, a in enumerate(LINE[:, 0]) for b in LINE[:i, 0]])
    twins = np.array([[0.0]] * 9 + [[3.0]])
    assert lift_map(twins, 10).sigma == 3
    X, _ = blobs(3000)
    sampled = [lift_map(X, 3000, n_features="exact", random_state=seed).sigma for seed in (0, 0, 1)]
    assert sampled[0] == sampled[1]
    assert sampled[2] == pytest.approx(sampled[0], rel=0.1)


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 50))
def test_isometries_and_scale(seed, scale):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 3))
    memberships = sparse.csr_array(rng.dirichlet(np.ones(4), 30))
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    moved = scale * X @ turn + rng.standard_normal(3)
    assert lift(moved, memberships).gram == pytest.approx(lift(X, memberships).gram, abs=1e-7)
    gram = lift(X, memberships).gram
    assert (gram >= 0).all()
    assert (gram <= 1 + 1e-12).all()


def test_narrow_kernels_are_discrete_and_wide_ones_see_nothing():
    memberships = Ensemble([RP, FP]).one_hot()
    assert lift(LINE, memberships, sigma=0.01).gram == pytest.approx(lift(None, memberships, kernel="discrete").gram)
    assert lift(LINE, memberships, sigma=1e4).gram == pytest.approx(np.ones((4, 4)), abs=1e-5)


def test_automatic_choice():
    kinds = [type(lift_map(np.arange(n, dtype=float)[:, None], n)).__name__ for n in (2000, 2001)]
    assert kinds == ["KernelLift", "FeatureLift"]
    sizes = [lift_map(np.zeros((n, 1)), n, sigma=1.0).frequencies.shape[1] for n in (19_999, 20_000)]
    assert sizes == [500, 2000]


def test_it_pickles_without_the_data():
    X, _ = blobs(5000)
    assert len(pickle.dumps(lift_map(X, 5000, n_features=10))) < 2_000
    pickle.loads(pickle.dumps(lift_map(X[:50], 50)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "cubic"}, "kernel must be one of"),
        ({"sigma": 0}, "sigma must be"),
        ({"sigma": "mean"}, "sigma must be"),
        ({"n_features": 0}, "n_features must be"),
        ({"n_features": "all"}, "n_features must be"),
        ({"n_features": 10, "kernel": "linear"}, "random features"),
        ({"kernel": lambda a, b: np.ones((1, 1))}, "The kernel must return"),
        ({"kernel": lambda a, b: np.full((len(a), len(b)), np.nan)}, "not all finite"),
        ({"kernel": lambda a, b: np.zeros((len(a), len(b)))}, "has no direction"),
    ],
)
def test_bad_settings(options, message):
    with pytest.raises(ValueError, match=message):
        lift(LINE, Ensemble([RP]).one_hot(), **options)


def test_bad_data():
    with pytest.raises(ValueError, match="all points coincide"):
        lift_map(np.ones((5, 2)), 5)
    with pytest.raises(ValueError, match="all points coincide"):
        lift_map(np.ones((1, 2)), 1)
    with pytest.raises(ValueError, match="X is missing"):
        check_features(None, "gaussian")
    with pytest.raises(ValueError, match="NaN"):
        check_features([[np.nan]], "gaussian")
    with pytest.raises(ValueError, match="X has 8 rows, but the ensemble has 9"):
        check_features(LINE, "gaussian", 9)
    for K, message in [
        (np.ones((3, 2)), "square"),
        (-np.eye(3), "negative"),
        (np.triu(np.ones((3, 3))), "symmetric"),
    ]:
        with pytest.raises(ValueError, match=message):
            lift_map(K, 3, kernel="precomputed")


def test_warnings():
    with pytest.warns(UserWarning, match="in pairs"):
        assert lift_map(LINE, 8, n_features=3).frequencies.shape == (1, 2)
    indefinite = np.array([[1, 2.0], [2, 1]])
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        _ = lift(indefinite, Ensemble([[0, 1]]).one_hot(), kernel="precomputed").vectors
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _ = lift(LINE, Ensemble([RP, RP]).one_hot()).vectors

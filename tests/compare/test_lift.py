"""LiftEMD, LiftKD, LiftH: worked examples, metric axioms, kernels, random features."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from pluribus import compare
from pluribus.compare import lift_emd_distance, lift_hausdorff_distance, lift_kernel_distance

LIFTS = (lift_emd_distance, lift_kernel_distance, lift_hausdorff_distance)
X = np.array([[0.0], [1], [2], [3], [7], [8], [9], [10]])
RP, FP, SP = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1, 0]
seeds = st.integers(0, 2**32 - 1)


def oracle(a, b, K):
    """The three distances by their definitions, from the n × n kernel; transport by linear programming."""
    u, v = ((np.asarray(x)[:, None] == np.unique(x)).astype(float) for x in (a, b))
    w, w2 = u.mean(axis=0), v.mean(axis=0)
    both = np.hstack([u, v])
    G = both.T @ K @ both
    G /= np.sqrt(np.outer(np.diag(G), np.diag(G)))
    D = np.sqrt(np.clip(2 - 2 * G, 0, None))
    k = u.shape[1]
    ground = D[:k, k:]
    sides = [np.kron(np.eye(k), np.ones(len(w2))), np.kron(np.ones(k), np.eye(len(w2)))]
    emd = linprog(ground.ravel(), A_eq=np.vstack(sides), b_eq=np.concatenate([w, w2])).fun
    signed = np.concatenate([w, -w2])
    kd = np.sqrt(max(signed @ np.exp(-(D**2)) @ signed, 0))
    return emd, kd, max(ground.min(axis=0).max(), ground.min(axis=1).max())


def made(seed, n_max=14):
    rng = np.random.default_rng(seed)
    n = rng.integers(3, n_max)
    return rng.normal(size=(n, 2)), [rng.integers(0, rng.integers(1, 5), n) for _ in range(3)]


@pytest.mark.parametrize(("other", "values"), [
    (FP, (0.3704682855, 0.3503862674, 0.3704682855)),
    (SP, (0.4027044375, 0.3747212986, 0.4027044375)),
])  # fmt: skip
def test_worked_example(other, values):
    for lift, value in zip(LIFTS, values, strict=True):
        assert lift(RP, other, X, sigma=2.0) == pytest.approx(value, abs=1e-9)
        assert lift(other, RP, X, sigma=2.0) == pytest.approx(value, abs=1e-9)
    assert lift_emd_distance(RP, other, kernel="discrete") == pytest.approx(0.7071067812, abs=1e-9)
    assert lift_kernel_distance(RP, other, kernel="discrete") == pytest.approx(0.5528783441, abs=1e-9)


@given(seeds)
def test_by_definition(seed):
    points, (a, b, _) = made(seed)
    kernels = {"gaussian": rbf_kernel(points, gamma=1 / 2), "laplacian": laplacian_kernel(points, gamma=1)}
    for name, K in kernels.items():
        for lift, value in zip(LIFTS, oracle(a, b, K), strict=True):
            assert lift(a, b, points, kernel=name, sigma=1.0) == pytest.approx(value, abs=1e-7)
            assert lift(a, b, K, kernel="precomputed") == pytest.approx(value, abs=1e-7)
    values = [lift(a, b, points, kernel=lambda x, y: rbf_kernel(x, y, gamma=1 / 2)) for lift in LIFTS]
    assert values == pytest.approx(oracle(a, b, kernels["gaussian"]), abs=1e-7)


@given(seeds, st.sampled_from(LIFTS), st.sampled_from(["exact", 20]), st.sampled_from(["unit", "mean", "none"]))
def test_metric_axioms(seed, lift, n_features, normalize):
    points, (a, b, c) = made(seed)
    options = dict(n_features=n_features, normalize=normalize)

    def d(p, q):
        return lift(p, q, points, **options)

    assert d(a, a) == pytest.approx(0, abs=1e-7)
    assert d(a, [f"cluster {(7 * x) % 11}" for x in a]) == pytest.approx(0, abs=1e-7)
    assert d(a, b) == pytest.approx(d(b, a), abs=1e-9)
    assert d(a, c) <= d(a, b) + d(b, c) + 1e-7
    if n_features == "exact" and compare.rand_distance(a, b) > 0:
        assert d(a, b) > 1e-7
    if normalize == "unit" and n_features == "exact":
        assert d(a, b) <= (np.sqrt(2 - 2 * np.exp(-2)) if lift is lift_kernel_distance else np.sqrt(2)) + 1e-9


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_invariances(seed):
    points, (a, b, _) = made(seed)
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(2, 2)))
    order = np.random.default_rng(seed).permutation(len(a))
    for lift in LIFTS:
        value = lift(a, b, points, sigma=1.0)
        assert lift(a, b, points @ turn + 5, sigma=1.0) == pytest.approx(value, abs=1e-6)
        assert lift(a, b, 3 * points, sigma=3.0) == pytest.approx(value, abs=1e-6)
        assert lift(a[order], b[order], points[order], sigma=1.0) == pytest.approx(value, abs=1e-6)
        assert lift(a, b, points, sigma=1e-4) == pytest.approx(lift(a, b, kernel="discrete"), abs=1e-6)
        assert lift(a, b, points, sigma=1e5) == pytest.approx(0, abs=1e-3)


@given(seeds)
def test_discrete_kernel(seed):
    """Unnormalized squared distances are |C △ C'|; the flow by overlaps gives (n - 1) times the Rand distance."""
    from pluribus.compare._lifted import lifted
    from pluribus.compare._places import Places

    _, (a, b, _) = made(seed)
    n = len(a)
    places = Places.of_pair(a, b)
    first, second = lifted(places, None, kernel="discrete", normalize="none")
    squares = first.space.ground(first.clusters, second.clusters) ** 2
    u, v = (places.memberships.toarray()[:, own].astype(bool) for own in places.slices)
    overlap = (u[:, :, None] & v[:, None]).sum(axis=0)
    apart = (u[:, :, None] ^ v[:, None]).sum(axis=0)
    assert squares == pytest.approx(apart, abs=1e-9)
    assert (overlap / n * squares).sum() == pytest.approx((n - 1) * compare.rand_distance(a, b), abs=1e-9)
    first, second = lifted(places, None, kernel="discrete")
    cosine = overlap / np.sqrt(np.outer(u.sum(axis=0), v.sum(axis=0)))
    assert first.space.ground(first.clusters, second.clusters) == pytest.approx(np.sqrt(2 - 2 * cosine), abs=1e-7)


def two_blobs(seed=0):
    """2D2C: two Gaussians; five border points of each change sides, or the five farthest."""
    rng = np.random.default_rng(seed)
    points = rng.normal(scale=0.7, size=(45, 2)) + np.repeat([[-2.0, 0], [2, 0]], [22, 23], axis=0)
    truth = np.repeat([0, 1], [22, 23])
    left, right = np.arange(22)[points[:22, 0].argsort()], 22 + points[22:, 0].argsort()
    near, far = truth.copy(), truth.copy()
    near[left[-5:]], near[right[:5]] = 1, 0
    far[left[:5]], far[right[-5:]] = 1, 0
    return points, truth, near, far


def three_blobs(seed=0):
    """2D3C: eight points around each of three centers; two of each change places with those of the next cluster."""
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0], [4, 0], [2, 3.5]])
    points = np.repeat(centers, 8, axis=0) + rng.uniform(-1, 1, size=(24, 2))
    truth = np.repeat([0, 1, 2], 8)
    near, far = truth.copy(), truth.copy()
    for c in range(3):
        toward = (points[8 * c : 8 * c + 8] @ (centers[(c + 1) % 3] - centers[c])).argsort() + 8 * c
        near[toward[-2:]] = far[toward[:2]] = (c + 1) % 3
    return points, truth, near, far


@pytest.mark.parametrize("case", [two_blobs, three_blobs])
@pytest.mark.parametrize("seed", range(5))
def test_spatial_sensitivity(case, seed):
    """The classical measures cannot tell the two apart; the spatial ones do, in the published order."""
    points, truth, near, far = case(seed)
    classical = compare.compare_partitions(truth, near)
    assert classical == pytest.approx(compare.compare_partitions(truth, far), abs=1e-12)
    a, b = compare.compare_partitions(truth, near, points), compare.compare_partitions(truth, far, points)
    for name in ("lift_emd_distance", "lift_kernel_distance", "lift_hausdorff_distance", "cdistance", "cc_distance"):
        assert a[name] < b[name], name
    if case is two_blobs and seed < 3:  # its bins are coarse: the order depends on the draw
        assert a["adco_distance"] < b["adco_distance"]


def test_published_range():
    """Seeds 0 to 2 of 2D2C gave these ranges."""
    for seed in range(3):
        points, truth, near, far = two_blobs(seed)
        assert 0.15 < lift_emd_distance(truth, near, points) < 0.19
        assert 0.28 < lift_emd_distance(truth, far, points) < 0.31


def test_random_features():
    points, truth, near, _ = two_blobs(3)
    exact = lift_emd_distance(truth, near, points)
    assert lift_emd_distance(truth, near, points, return_error=True) == (exact, 0)
    errors, stated = [], []
    for n_features in (50, 200, 1000, 4000):
        found = np.array([
            lift_emd_distance(truth, near, points, n_features=n_features, random_state=s, return_error=True)
            for s in range(30)
        ])  # fmt: skip
        off = np.abs(found[:, 0] - exact)
        errors.append(off.mean())
        stated.append(found[:, 1].mean())
        assert (off < 3 * found[:, 1] + 0.1 * off.mean()).mean() > 0.8
    # As 1 / sqrt(features): 9 times less for 80 times as many.
    assert 0.008 < errors[0] < 0.04
    assert 5 < errors[0] / errors[-1] < 16
    assert (np.diff(errors) < 0).all()
    assert (np.diff(stated) < 0).all()
    kernel = lift_kernel_distance(truth, near, points, n_features=4000)
    assert kernel == pytest.approx(lift_kernel_distance(truth, near, points), abs=0.02)
    same = [lift_emd_distance(truth, near, points, n_features=50, n_jobs=jobs) for jobs in (1, 2)]
    assert same[0] == same[1]
    assert np.isinf(lift_emd_distance(truth, near, points, n_features=2, return_error=True)[1])


def test_soft_and_missing():
    rng = np.random.default_rng(0)
    points, truth, near, _ = two_blobs()
    u = (truth[:, None] == [0, 1]).astype(float)
    softened = 0.8 * u + 0.1
    for lift in LIFTS:
        assert lift(u, near, points) == lift(truth, near, points)
        assert lift(softened, softened[:, ::-1], points) == pytest.approx(0, abs=1e-7)
        assert 0 < lift(truth, softened, points) < lift(truth, rng.integers(0, 2, 45), points)
        padded = np.column_stack([softened, np.zeros(45)])
        assert lift(truth, padded, points) == pytest.approx(lift(truth, softened, points), abs=1e-12)
        gaps = near.copy()
        gaps[::4] = -1
        stacked = np.append(truth, truth * 0 - 1), np.append(gaps * 0 - 1, gaps), np.vstack([points, points])
        assert lift(truth, gaps, points, sigma=1.0) == pytest.approx(lift(*stacked, sigma=1.0), abs=1e-6)
    # Partitions of different objects can be compared: each counts with its own.
    halves = np.arange(45) % 2 == 0
    value = lift_emd_distance(np.where(halves, truth, -1), np.where(halves, -1, truth), points)
    assert 0 < value < 0.3


def test_kinds_of_data():
    points, truth, near, _ = two_blobs()
    value = lift_emd_distance(truth, near, points, sigma=1.0)
    assert lift_emd_distance(truth, near, sparse.csr_array(points), sigma=1.0) == pytest.approx(value, abs=1e-9)
    assert lift_emd_distance(truth, near, points.astype(np.float32), sigma=1.0) == pytest.approx(value, abs=1e-4)
    words = ["ant", "ante", "bee", "beet", "bees"]

    def alike(xs, ys):
        return [[len(set(x) & set(y)) / len(set(x) | set(y)) for y in ys] for x in xs]

    by_function = lift_emd_distance([0, 0, 1, 1, 1], [0, 1, 1, 1, 1], words, kernel=alike)
    by_matrix = lift_emd_distance([0, 0, 1, 1, 1], [0, 1, 1, 1, 1], alike(words, words), kernel="precomputed")
    assert by_function == pytest.approx(by_matrix, abs=1e-12)


@pytest.mark.parametrize("lift", LIFTS)
def test_edges(lift):
    assert lift([0], [5], [[1.0, 2]], sigma=1.0) == 0
    assert lift([0] * 8, [3] * 8, X) == 0
    assert lift(range(8), range(8, 16), X) == 0
    assert lift([0] * 8, range(8), X) > 0.3


@pytest.mark.parametrize(("a", "b", "data", "options", "words"), [
    (RP, FP[:7], X, {}, "a has 8, b has 7"),
    (RP, FP, X[:7], {}, "X has 7 rows, but the partitions label 8"),
    (RP, FP, None, {}, "X is missing"),
    (RP, FP, np.where(X == 3, np.nan, X), {}, "NaN"),
    (RP, [-1] * 8, X, {}, "No object has a label in b"),
    (RP, FP, np.zeros((8, 2)), {}, "all points coincide"),
    (RP, FP, X, {"sigma": 0}, "sigma must be"),
    (RP, FP, X, {"kernel": "odd"}, "kernel must be one of"),
    (RP, FP, X, {"normalize": "odd"}, "normalize must be one of unit, mean, none"),
    (RP, FP, X, {"kernel": "precomputed"}, "square matrix"),
    (RP, FP, np.triu(np.ones((8, 8))), {"kernel": "precomputed"}, "symmetric"),
    (RP, FP, -np.eye(8), {"kernel": "precomputed"}, "negative values on its diagonal"),
    (RP, FP, X - 1.5, {"kernel": "linear"}, "Cluster 0 of a has no direction"),
    (np.full((8, 2), 0.7), FP, X, {}, "rows must sum to 1"),
])  # fmt: skip
def test_bad_input(a, b, data, options, words):
    with pytest.raises(ValueError, match=words):
        lift_emd_distance(a, b, data, **options)


def test_limits_and_warnings(monkeypatch):
    from pluribus.compare import _lifted

    K = np.array([[1.0, 0.2, 0.99], [0.2, 1.0, 0.99], [0.99, 0.99, 1.0]])
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        lift_emd_distance([0, 0, 1], [0, 1, 1], K - 0.25 * np.eye(3), kernel="precomputed", normalize="none")
    monkeypatch.setattr(_lifted, "_MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="fewer n_features"):
        lift_emd_distance(RP, FP, X, n_features=100)


@pytest.mark.parametrize("sigma", [1e-300, 1e300, np.float64(1e-200), np.float64(1e200)])
@pytest.mark.parametrize("n_features", ["exact", 20])
@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_bandwidths_that_are_no_numbers_when_squared(sigma, n_features, kernel):
    word = "small" if sigma < 1 else "large"
    with pytest.raises(ValueError, match=f"sigma={sigma:g} is too {word} to compute with".replace("+", r"\+")):
        lift_emd_distance([0, 0, 1], [0, 1, 1], [[0.0], [1], [2]], kernel=kernel, sigma=sigma, n_features=n_features)


def test_data_so_large_that_the_median_distance_is():
    with pytest.raises(ValueError, match="too large to compute with.*Scale X"):
        lift_emd_distance([0, 0, 1], [0, 1, 1], np.array([[0.0], [1], [2]]) * 1e152)

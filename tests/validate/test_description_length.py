import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.integrate import quad
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import erfcx
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_circles
from sklearn.metrics import pairwise_distances

from pluribus._kernels.linkage.spanning_tree import growth_increments, tree_of_distances, tree_of_features
from pluribus.increments import IncrementsDistribution, dissimilarity_increments
from pluribus.validate import DegenerateIncrementsError, description_length_cost, description_lengths

LINE = np.array([0.0, 1, 3, 7, 100, 101, 103, 107])[:, None]
EXAMPLES = [
    ([0] * 8, 1.5366983012, -0.3611573502),
    ([0] * 4 + [1] * 4, -11.7213828230, -10.9900133637),
    ([0] * 4 + [1, 1, 2, 2], -3.7812498698, -3.4155651402),
]


@pytest.mark.parametrize("scale", [1, 1000])
@pytest.mark.parametrize(("labels", "did", "exponential"), EXAMPLES)
def test_by_hand(labels, did, exponential, scale):
    X = scale * LINE
    for source in ({"X": X}, {"distances": pairwise_distances(X)}, {"X": sparse.csr_array(X)}):
        assert description_length_cost(labels, **source) == pytest.approx(did, abs=1e-9)
        assert description_length_cost(labels, model="exponential", **source) == pytest.approx(exponential, abs=1e-9)


def growth_by_steps(D):
    """Join the nearest components; at each end that already has company, record how much longer the new edge is."""
    n = len(D)
    part = list(range(n))
    nearest = {}
    found = []
    for d, i, j in sorted((D[a, b], a, b) for a in range(n) for b in range(a + 1, n)):
        if part[i] == part[j]:
            continue
        for end in (i, j):
            if end in nearest:
                found.append(d - nearest[end])
            else:
                nearest[end] = d
        joined = part[j]
        part = [part[i] if p == joined else p for p in part]
    return sorted(found)


def test_equal_distances_are_taken_by_the_lowest_numbers():
    for seed in range(20):
        X = np.random.default_rng(seed).integers(0, 5, (20, 2)).astype(float)
        D = pairwise_distances(X, metric="cityblock")
        first, second, _ = tree_of_distances(D, np.arange(20))
        edges = sorted((D[i, j], i, j) for i in range(20) for j in range(i + 1, 20))
        part, wanted = list(range(20)), set()
        for _, i, j in edges:
            if part[i] != part[j]:
                wanted.add((i, j))
                joined = part[j]
                part = [part[i] if p == joined else p for p in part]
        assert {(min(e), max(e)) for e in zip(first.tolist(), second.tolist(), strict=True)} == wanted


def test_increments_step_by_step():
    for seed in range(10):
        X = np.random.default_rng(seed).normal(size=(25, 3))
        D = pairwise_distances(X)
        index = np.arange(25)
        for tree in (tree_of_features(X, index), tree_of_distances(D, index)):
            increments = growth_increments(*tree)
            assert len(increments) == 23
            np.testing.assert_allclose(sorted(increments), growth_by_steps(D), atol=1e-9)
            assert tree[2].sum() == pytest.approx(minimum_spanning_tree(D).sum())
    assert sorted(growth_increments(*tree_of_features(LINE, np.arange(4)))) == [1, 2]
    assert len(growth_increments(*tree_of_features(LINE, np.arange(2)))) == 0


def slow(labels, D):
    """The cost from its definition: Kruskal's steps, and equation (B) for the density."""
    C = np.pi * (2 - np.sqrt(2)) ** 2 / 4
    floor = 1e-3 * np.mean(growth_by_steps(D))
    total = 0.0
    for cluster in set(labels):
        members = np.flatnonzero(labels == cluster)
        total += np.log(len(D)) / 2
        w = np.array(growth_by_steps(D[np.ix_(members, members)]))
        if len(w) == 0:
            continue
        mean = max(w.mean(), floor)
        v = C * (w / mean) ** 2 / 2
        bracket = np.sqrt(2 * v) + np.sqrt(np.pi / 2) * (1 - 2 * v) * erfcx(np.sqrt(v))
        total -= (np.log(D.max()) + np.log(C) / 2 - np.log(mean) - 2 * v + np.log(bracket)).sum()
    return total


def test_the_density_of_the_slow_cost():
    """Two distances z and z + w, each with density 2 C z exp(-C z²), which is that in two dimensions."""
    C = np.pi * (2 - np.sqrt(2)) ** 2 / 4
    density = lambda z: 2 * C * z * np.exp(-C * z * z)  # noqa: E731
    D = pairwise_distances([[0.0], [1], [2.5]])
    cost = slow(np.zeros(3, int), D)  # of one increment, 0.5, which is the mean too
    twice = quad(lambda z: 2 * density(z) * density(z + 1), 0, np.inf)[0]
    assert cost == pytest.approx(np.log(3) / 2 - np.log(2.5 / 0.5 * twice), abs=1e-9)


def test_iris():
    """The values of the slow cost. Equal distances in another order change them by less than 1."""
    X = load_iris().data
    D = pairwise_distances(X)
    others = np.random.default_rng(0).permutation(150)
    for method, expected in (
        ("single", [-390.2, -435.2, -432.4, -430.7, -430.0]),
        ("average", [-390.2, -435.2, -426.7, -425.8, -419.5]),
    ):
        Z = linkage(X, method)
        cuts = [fcluster(Z, k, "maxclust") for k in range(1, 6)]
        np.testing.assert_allclose([slow(cut, D) for cut in cuts], expected, atol=1)
        costs = [description_length_cost(cut, X) for cut in cuts]
        np.testing.assert_allclose(costs, expected, atol=0.1)
        np.testing.assert_allclose([description_length_cost(c[others], X[others]) for c in cuts], expected, atol=1)
        assert np.argmin(costs) == 1


@pytest.mark.parametrize("seed", range(5))
def test_the_slow_cost(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(40, 3)), rng.integers(0, 5, 40)
    assert description_length_cost(labels, X) == pytest.approx(slow(labels, pairwise_distances(X)), abs=1e-9)


def at(angle, radius):
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def rings(seed, sizes, radii, spread):
    rng = np.random.default_rng(seed)
    parts = []
    for size, radius in zip(sizes, radii, strict=True):
        angle = rng.uniform(0, 2 * np.pi, size)
        parts.append(at(angle, radius + rng.normal(0, spread, size)))
    return np.concatenate(parts), np.repeat(np.arange(len(sizes)), sizes)


def spiral(seed):
    t = np.linspace(0.25, 1, 100) * 1.75 * 2 * np.pi
    X = np.concatenate([at(t + arm * np.pi, t / (2 * np.pi)) for arm in (0, 1)])
    return X + np.random.default_rng(seed).normal(0, 0.015, X.shape), np.repeat([0, 1], 100)


@pytest.mark.parametrize(
    ("made", "truth", "one"),
    [
        (lambda seed: rings(seed, (50, 150, 250), (1, 2.5, 4), 0.08), -1540.0, -1461.7),
        (spiral, -762.5, -696.3),
        (lambda seed: rings(seed, (200, 200), (1, 2.2), 0.1), -1396.1, -1339.6),
    ],
)
def test_shapes(made, truth, one):
    for seed in range(3):
        X, labels = made(seed)
        costs = [description_length_cost(labels, X), description_length_cost(np.zeros(len(X), int), X)]
        if seed == 0:
            np.testing.assert_allclose(costs, [truth, one], atol=0.06)
        means = [KMeans(k, n_init=3, random_state=0).fit_predict(X) for k in range(2, 13)]
        assert costs[0] < min(costs[1], *(description_length_cost(found, X) for found in means))


def test_increments_along_nearest_neighbors():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(50, 2)), np.repeat([0, 1, 2], [30, 18, 2])
    unit = pairwise_distances(X).max()
    expected = 1.5 * np.log(50)
    for cluster in (0, 1):
        w = dissimilarity_increments(X[labels == cluster])
        expected -= (IncrementsDistribution.fit(w).logpdf(w) + np.log(unit)).sum()
    assert description_length_cost(labels, X, increments="nearest") == pytest.approx(expected)
    frame = description_lengths(labels, X, increments="nearest")
    assert frame["negative_log_likelihood"].sum() + frame["penalty"].sum() == pytest.approx(expected)
    assert description_length_cost(labels, X) != pytest.approx(expected)
    # They do not see a gap: moving a cluster away changes nothing but the unit.
    X, labels = np.vstack([X, X + [40, 0]]), np.repeat([0, 1], 50)
    nearest, tree = (
        description_length_cost(np.zeros(100, int), X, increments=kind)
        - description_length_cost(labels, X, increments=kind)
        for kind in ("nearest", "tree")
    )
    assert nearest < 0 < tree


def test_rings_are_clusters():
    X, truth = make_circles(400, factor=0.45, noise=0.05, random_state=0)
    true_cost = description_length_cost(truth, X)
    assert true_cost < description_length_cost(np.zeros(400, int), X)
    for k in range(2, 8):
        assert true_cost < description_length_cost(KMeans(k, random_state=0).fit_predict(X), X)


def test_invariance():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    value = description_length_cost(labels, X)
    rotated = X @ np.linalg.qr(rng.normal(size=(2, 2)))[0] * 17 + 5
    order = rng.permutation(60)
    assert description_length_cost(labels[order], rotated[order]) == pytest.approx(value, abs=1e-6)


def test_more_penalty_never_chooses_more_clusters():
    X = load_iris().data
    Z = linkage(X, "average")
    cuts = [fcluster(Z, k, "maxclust") for k in range(1, 12)]
    chosen = [
        np.argmin([description_length_cost(c, X, penalty=penalty) for c in cuts]) for penalty in (0, 0.5, 1, 2, 5)
    ]
    assert chosen == sorted(chosen, reverse=True)


def test_parts_sum_up():
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(40, 2)), rng.integers(0, 4, 40)
    frame = description_lengths(labels, X)
    total = frame["negative_log_likelihood"].sum() + frame["penalty"].sum()
    assert total == pytest.approx(description_length_cost(labels, X))
    assert frame["n_objects"].sum() == 40


def test_errors_and_edges():
    with pytest.raises(DegenerateIncrementsError, match="equal"):
        description_length_cost([0, 0, 0, 1, 1, 1], np.ones((6, 2)))
    with pytest.raises(DegenerateIncrementsError, match="lattice"):
        description_length_cost([0, 0, 0, 1, 1, 1], np.arange(6.0)[:, None])
    with pytest.raises(ValueError, match="at least three"):
        description_length_cost([0, 1], [[0], [1]])
    with pytest.raises(ValueError, match="model must be"):
        description_length_cost([0] * 8, LINE, model="normal")
    for increments in ("mst", None, ["tree"]):
        with pytest.raises(ValueError, match="increments must be 'tree' or 'nearest'"):
            description_lengths([0] * 8, LINE, increments=increments)
    for penalty in (-1, np.inf, "1"):
        with pytest.raises(ValueError, match="penalty"):
            description_length_cost([0] * 8, LINE, penalty=penalty)
    with pytest.warns(UserWarning, match="penalty alone"):
        assert description_length_cost(range(8), LINE) == pytest.approx(4 * np.log(8))
    duplicates = np.repeat([[0.0], [1], [5], [12]], 5, axis=0)
    assert np.isfinite(description_length_cost(np.repeat([0, 1], 10), duplicates))
    assert np.isfinite(description_length_cost(np.repeat([0, 1, 2, 3], 5), duplicates))

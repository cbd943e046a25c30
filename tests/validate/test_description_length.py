import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_circles
from sklearn.metrics import pairwise_distances

from pluribus._kernels.linkage.spanning_tree import growth_increments, tree_of_distances, tree_of_features
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


def test_iris():
    X = load_iris().data
    for method, expected in (
        ("single", [-440.8, -438.7, -437.6, -438.4]),
        ("average", [-440.8, -433.0, -434.6, -428.3]),
    ):
        Z = linkage(X, method)
        costs = [description_length_cost(fcluster(Z, k, "maxclust"), X) for k in range(2, 6)]
        np.testing.assert_allclose(costs, expected, atol=10)  # of another order of the many equal distances
        assert np.argmin(costs) == 0
    assert description_length_cost(np.zeros(150, int), X) == pytest.approx(-392.2, abs=10)


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
    for penalty in (-1, np.inf, "1"):
        with pytest.raises(ValueError, match="penalty"):
            description_length_cost([0] * 8, LINE, penalty=penalty)
    with pytest.warns(UserWarning, match="penalty alone"):
        assert description_length_cost(range(8), LINE) == pytest.approx(4 * np.log(8))
    duplicates = np.repeat([[0.0], [1], [5], [12]], 5, axis=0)
    assert np.isfinite(description_length_cost(np.repeat([0, 1], 10), duplicates))
    assert np.isfinite(description_length_cost(np.repeat([0, 1, 2, 3], 5), duplicates))

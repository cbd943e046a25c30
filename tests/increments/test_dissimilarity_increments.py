import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.stats import special_ortho_group

from pluribus.increments import IncrementsDistribution, dissimilarity_increments
from pluribus.increments._shared import dissimilarities

LINE = np.array([[0.0], [1], [3], [7]])


def slow_nearest(D):
    """Of each object its nearest j, and of j its nearest but for the object; the first of equals."""
    n = len(D)
    triplets = []
    for i in range(n):
        j = min((m for m in range(n) if m != i), key=lambda m: (D[i, m], m))
        k = min((m for m in range(n) if m not in (i, j)), key=lambda m: (D[j, m], m))
        triplets.append((i, j, k))
    return np.array([abs(D[i, j] - D[j, k]) for i, j, k in triplets]), np.array(triplets)


def slow_growth(D):
    """Kruskal's steps: where an edge reaches an object that has company, how much longer it is than the first one."""
    n = len(D)
    part, first = list(range(n)), {}
    found, triplets = [], []
    for length, i, j in sorted((D[a, b], a, b) for a in range(n) for b in range(a + 1, n)):
        if part[i] == part[j]:
            continue
        for end, other in ((i, j), (j, i)):
            if end in first:
                found.append(length - first[end][0])
                triplets.append((first[end][1], end, other))
            else:
                first[end] = (length, other)
        joined = part[j]
        part = [part[i] if p == joined else p for p in part]
    order = np.lexsort(np.array(triplets).T[::-1])
    return np.array(found)[order], np.array(triplets)[order]


def by_triplet(found):
    order = np.lexsort(found[1].T[::-1])
    return found[0][order], found[1][order]


def test_by_hand():
    value, triplet = dissimilarity_increments(LINE, return_triplets=True)
    assert value.tolist() == [1, 2, 1, 2]
    assert LINE[triplet, 0].tolist() == [[0, 1, 3], [1, 0, 3], [3, 1, 0], [7, 3, 1]]
    assert IncrementsDistribution.fit(value).scale == 1.5
    assert dissimilarity_increments(LINE, kind="tree").tolist() == [1, 2]
    assert dissimilarity_increments(LINE[:3], kind="tree").tolist() == [1]


def test_a_lattice_has_no_increments():
    grid = np.argwhere(np.ones((10, 10))).astype(float)
    assert (dissimilarity_increments(grid) == 0).all()
    assert (dissimilarity_increments(grid, kind="tree") == 0).all()


@given(st.integers(0, 10**6), st.integers(3, 25), st.integers(1, 3), st.sampled_from([2, 4, 1000]))
def test_by_loops_with_ties_and_duplicates(seed, n, d, values):
    X = np.random.default_rng(seed).integers(0, values, (n, d)).astype(float)
    D = cdist(X, X)
    for source in ({"X": X}, {"distances": D}):
        value, triplet = dissimilarity_increments(return_triplets=True, **source)
        expected = slow_nearest(D)
        np.testing.assert_array_equal(triplet, expected[1])
        np.testing.assert_allclose(value, expected[0], atol=1e-9)
        value, triplet = by_triplet(dissimilarity_increments(kind="tree", return_triplets=True, **source))
        expected = slow_growth(D)
        np.testing.assert_array_equal(triplet, expected[1])
        np.testing.assert_allclose(value, expected[0], atol=1e-9)
        assert len(value) == n - 2
        assert (value >= 0).all()


def test_dissimilarities_that_are_no_metric():
    rng = np.random.default_rng(0)
    D = rng.exponential(size=(30, 30)) ** 3
    D = D + D.T
    np.fill_diagonal(D, 0)
    np.testing.assert_allclose(dissimilarity_increments(distances=D), slow_nearest(D)[0])
    grown = by_triplet(dissimilarity_increments(distances=D, kind="tree", return_triplets=True))
    np.testing.assert_allclose(grown[0], slow_growth(D)[0])


@pytest.mark.parametrize("kind", ["nearest", "tree"])
@pytest.mark.parametrize("d", [1, 2, 5, 12])
def test_invariance(kind, d):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(80, d))
    value = dissimilarity_increments(X, kind=kind)
    np.testing.assert_allclose(dissimilarity_increments(1e3 * X, kind=kind), 1e3 * value)
    rotation = special_ortho_group.rvs(d, random_state=0) if d > 1 else -np.eye(1)
    moved = dissimilarity_increments(X @ rotation + 7, kind=kind)
    np.testing.assert_allclose(np.sort(moved), np.sort(value), atol=1e-9)
    order = rng.permutation(80)
    np.testing.assert_allclose(np.sort(dissimilarity_increments(X[order], kind=kind)), np.sort(value), atol=1e-12)
    np.testing.assert_allclose(dissimilarity_increments(X.astype("float32"), kind=kind), value, atol=1e-4)


@pytest.mark.parametrize("kind", ["nearest", "tree"])
def test_large_and_small_take_the_same_ways(kind, monkeypatch):
    """With the limits lowered, the k-d tree and Borůvka's rounds find what looking at all pairs finds."""
    rng = np.random.default_rng(0)
    for X in (rng.normal(size=(200, 2)), rng.integers(0, 9, (200, 2)).astype(float)):
        value, triplet = dissimilarity_increments(X, kind=kind, return_triplets=True)
        with monkeypatch.context() as patch:
            patch.setattr(dissimilarities, "_DENSE_TREE", 3)
            patch.setattr("pluribus.increments._shared.nearest._ALL_PAIRS", 3)
            other, others = dissimilarity_increments(X, kind=kind, return_triplets=True)
        found, expected = by_triplet((other, others)), by_triplet((value, triplet))
        np.testing.assert_array_equal(found[1], expected[1])
        np.testing.assert_allclose(found[0], expected[0], atol=1e-12)


def test_a_bound_for_the_diameter_of_many(monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 3))
    exact = dissimilarities.FeatureDissimilarities(X).diameter()
    assert exact == cdist(X, X).max()
    assert dissimilarities.GivenDissimilarities(cdist(X, X)).diameter() == exact
    monkeypatch.setattr(dissimilarities, "_EXACT_DIAMETER", 10)
    bound = dissimilarities.FeatureDissimilarities(X).diameter()
    assert exact < bound < 1.5 * exact


D4 = cdist(LINE, LINE)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "either X .* or distances; got neither"),
        ({"X": LINE, "distances": D4}, "got both"),
        ({"X": LINE[:2]}, "at least 3 objects; got 2"),
        ({"distances": D4[:2, :2]}, "at least 3 objects; got 2"),
        ({"X": [[0.0], [np.nan], [1]]}, "NaN"),
        ({"X": [[0.0], [np.inf], [1]]}, "infinity"),
        ({"X": [["a"], ["b"], ["c"]]}, "must hold numbers"),
        ({"X": sparse.csr_array(LINE)}, "X is sparse"),
        ({"X": 1e200 * LINE}, "whose squares"),
        ({"distances": np.where(D4 == 7, np.nan, D4)}, "NaN"),
        ({"distances": np.where(D4 == 7, np.inf, D4)}, "infinity"),
        ({"distances": D4[:, :3]}, "must be square"),
        ({"distances": D4 + np.triu(D4)}, "symmetric"),
        ({"distances": -D4}, "not be negative"),
        ({"distances": D4 + np.eye(4)}, "0 on the diagonal"),
        ({"X": LINE, "kind": "mst"}, "kind must be 'nearest' or 'tree'"),
        ({"X": LINE, "kind": ["tree"]}, "kind must be"),
    ],
)
def test_refused(given, message):
    with pytest.raises(ValueError, match=message):
        dissimilarity_increments(**given)

"""DBCV: by hand, against its definitions computed slowly, and at its edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.stats import special_ortho_group
from scipy.stats import t as student
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons

from pluribus.validate import choose_k, choose_partition, dbcv_index, density


def slow(labels, D, dim):
    """Definitions 1 to 8 with squared distances. Edges in the order of length, least core distance, distance, ends."""
    S = D**2
    n = len(S)
    clusters = [np.flatnonzero(labels == c) for c in np.unique(labels) if c >= 0]
    clusters = [members for members in clusters if len(members) > 1]
    if len(clusters) < 2:
        return 0.0
    core = np.zeros(n)
    for members in clusters:
        for i in members:
            others = [S[i, j] for j in members if j != i]
            if min(others) > 0:
                core[i] = (sum((1 / s) ** dim for s in others) / len(others)) ** (-1 / dim)

    def reach(i, j):
        return max(core[i], core[j], S[i, j])

    sparseness, inside = [], []
    for members in clusters:
        pairs = [(i, j) for i in members for j in members if i < j]
        part = {i: i for i in members}
        tree = []
        for i, j in sorted(pairs, key=lambda e: (reach(*e), min(core[e[0]], core[e[1]]), S[e], *e)):
            if part[i] != part[j]:
                tree.append((i, j))
                joined = part[j]
                part = {m: part[i] if p == joined else p for m, p in part.items()}
        degree = {i: sum(i in edge for edge in tree) for i in members}
        internal = [e for e in tree if degree[e[0]] > 1 and degree[e[1]] > 1]
        sparseness.append(max(reach(*e) for e in internal or tree))
        inside.append([i for i in members if degree[i] > 1] or list(members))
    total = 0.0
    for a, members in enumerate(clusters):
        separation = min(reach(i, j) for b in range(len(clusters)) if b != a for i in inside[a] for j in inside[b])
        largest = max(separation, sparseness[a])
        total += len(members) / n * ((separation - sparseness[a]) / largest if largest > 0 else 0)
    return total


def test_by_hand():
    """0, 1, 3 and 10, 12, 13 on a line.

    Squared distances of the first cluster are 1, 9 and 4; core distances 2 / (1 + 1/9) = 1.8, 2 / (1 + 1/4) = 1.6 and
    2 / (1/9 + 1/4) = 72/13. So 0 and 1 are joined at 1.8, and 3 at 72/13 to either: to 1, which is denser. No edge is
    inside the tree, so the sparseness is 72/13. The second cluster mirrors the first. Only 1 and 12 are no leaves, and
    they are 11 apart: the separation is 121.
    """
    X = np.array([0.0, 1, 3, 10, 12, 13])[:, None]
    expected = (121 - 72 / 13) / 121
    assert dbcv_index([0, 0, 0, 1, 1, 1], X) == pytest.approx(expected, abs=1e-14)
    # Two noise points between the clusters change nothing but the share of objects that are in clusters.
    with_noise = np.vstack([X, [[5.0], [6.0]]])
    labels = [0, 0, 0, 1, 1, 1, -1, None]
    assert dbcv_index(labels, with_noise) == pytest.approx(6 / 8 * expected, abs=1e-14)
    assert dbcv_index(labels, with_noise, missing="ignore") == pytest.approx(expected, abs=1e-14)
    # A cluster of one object is noise, too.
    assert dbcv_index([0, 0, 0, 1, 1, 1, 2, 3], with_noise) == pytest.approx(6 / 8 * expected, abs=1e-14)
    with pytest.raises(ValueError, match="no cluster for 2 of 8"):
        dbcv_index(labels, with_noise, missing="error")


def test_clusters_of_two_by_hand():
    """0, 1 and 4, 6: core distances 1 and 4, both ends count, and 1 and 4 are 3 apart."""
    X = np.array([[0.0], [1], [4], [6]])
    assert dbcv_index([0, 0, 1, 1], X) == pytest.approx(((9 - 1) / 9 + (9 - 4) / 9) / 2)


@given(st.integers(0, 10**6), st.integers(4, 30), st.integers(1, 4), st.sampled_from([0, 3, 8]))
def test_by_definition(seed, n, d, values):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (n, d)).astype(float) if values else rng.normal(size=(n, d))
    labels = rng.integers(-1, 3, n)
    labels[:2] = 0, 1
    D = cdist(X, X)
    expected = slow(labels, D, d)
    assert -1 <= expected <= 1
    assert dbcv_index(labels, X) == pytest.approx(expected, abs=1e-9)
    if D.max() > 0:
        assert dbcv_index(labels, distances=D, dim=d) == pytest.approx(expected, abs=1e-9)
    assert dbcv_index(labels, X, dim=2.5) == pytest.approx(slow(labels, D, 2.5), abs=1e-9)


def test_invariance():
    rng = np.random.default_rng(0)
    X, labels = make_blobs(90, 3, centers=3, cluster_std=2, random_state=1)
    labels[::10] = -1
    value = dbcv_index(labels, X)
    order = rng.permutation(90)
    moved = 1e3 * X @ special_ortho_group.rvs(3, random_state=0) + 7
    assert dbcv_index(labels, moved) == pytest.approx(value, abs=1e-9)
    assert dbcv_index(labels[order], X[order]) == pytest.approx(value, abs=1e-12)
    assert dbcv_index(np.array([7, 5, 9, -1])[labels], X) == value
    assert dbcv_index(labels, sparse.csr_array(X)) == pytest.approx(value, abs=1e-9)
    assert dbcv_index(labels, X.astype("float32")) == pytest.approx(value, abs=1e-5)
    D = cdist(X, X)
    for scale in (1, 1e-200, 1e200):
        assert dbcv_index(labels, distances=scale * D, dim=3) == pytest.approx(value, abs=1e-9)


def test_many_dimensions():
    """Powers of distances in 2,000 dimensions would overflow."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 20)
    X = 1e-3 * rng.normal(size=(40, 2000)) + labels[:, None]
    found = dbcv_index(labels, X)
    assert 0.99 < found < 1
    S = cdist(X, X) ** 2
    np.fill_diagonal(S, np.inf)
    # In so many dimensions the core distance is near that of the nearest neighbor.
    nearest = max(S[:20, :20].min(axis=1).max(), S[20:, 20:].min(axis=1).max())
    assert found == pytest.approx(1 - nearest / 2000, abs=2e-5)


def test_shapes():
    for made in (
        make_moons(300, noise=0.05, random_state=0),
        make_circles(400, factor=0.45, noise=0.05, random_state=0),
    ):
        X, truth = made
        value = dbcv_index(truth, X)
        assert value > 0.7
        assert all(value > dbcv_index(KMeans(k, n_init=3, random_state=0).fit_predict(X), X) for k in range(2, 8))


def test_noise_that_is_left_out_pays():
    X, labels = make_moons(300, noise=0.05, random_state=0)
    rng = np.random.default_rng(0)
    between = rng.uniform(X.min(axis=0), X.max(axis=0), (60, 2))
    together = np.vstack([X, between])
    as_noise = np.r_[labels, np.full(60, -1)]
    in_clusters = np.r_[labels, labels[cdist(between, X).argmin(axis=1)]]
    assert dbcv_index(as_noise, together) == pytest.approx(300 / 360 * dbcv_index(labels, X))
    assert dbcv_index(as_noise, together) > dbcv_index(in_clusters, together)


def test_edges():
    X = np.array([0.0, 1, 3, 7, 20, 22, 25])[:, None]
    assert dbcv_index(range(7), X) == 0
    assert dbcv_index([0, 0, 0, 0, 0, 0, 1], X) == 0  # nothing to be apart from
    assert dbcv_index([0, 0, 0, 0, 1, 1, 1], np.zeros((7, 2))) == 0
    assert dbcv_index([0, 0, 1, 1], [[0.0], [0], [5], [5]]) == 1
    assert dbcv_index([0, 1, 0, 1], [[0.0], [0], [5], [5]]) == 0  # as far within as between


def test_samples():
    X, labels = make_blobs(4000, centers=4, cluster_std=0.6, random_state=3)
    values = [dbcv_index(labels, X, sample_size=400, random_state=seed) for seed in range(12)]
    assert all(value.n_sampled == 400 and -1 <= value.low <= value <= value.high <= 1 for value in values)
    middle = np.mean(values)
    assert sum(value.low <= middle <= value.high for value in values) >= 9
    assert values[0] == dbcv_index(labels, X, sample_size=400, random_state=0)
    assert len(set(values)) > 1
    with_noise = np.where(np.arange(4000) % 4 == 0, -1, labels)
    some = dbcv_index(with_noise, X, sample_size=400)
    assert some == pytest.approx(0.75 * dbcv_index(with_noise, X, sample_size=400, missing="ignore"))
    assert dbcv_index(labels, X).exact


def test_what_a_sample_stands_for(monkeypatch):
    """Clusters count by their sizes, not by those in the sample; the interval is that of the ten groups."""
    X, labels = make_blobs([3960, 40], random_state=0)
    monkeypatch.setattr(density, "_validities", lambda pairs, codes, dim: np.array([1.0, 0.0]))
    assert dbcv_index(labels, X, sample_size=100) == pytest.approx(3960 / 4000)
    groups = np.random.default_rng(0).uniform(0.4, 0.6, 10)
    values = iter([0.5, *groups])
    monkeypatch.setattr(density, "_validities", lambda pairs, codes, dim: np.full(2, next(values)))
    found = dbcv_index(labels, X, sample_size=100)
    half = student.ppf(0.975, 9) * np.std(groups, ddof=1) * np.sqrt(1 - found.n_sampled / 4000)
    assert (found.low, found, found.high) == pytest.approx((0.5 - half, 0.5, 0.5 + half))


def test_criterion():
    X, labels = make_moons(200, noise=0.05, random_state=0)
    halves = (X[:, 0] > 0.5).astype(int)
    noisy = np.where(np.arange(200) < 20, -1, labels)
    choice = choose_partition(
        {"halves": halves, "moons": labels, "noisy": noisy}, X, criteria=["dbcv"], missing="ignore"
    )
    assert choice.name == "moons"
    assert choice.frame["dbcv"].tolist() == [dbcv_index(found, X) for found in (halves, labels, noisy)]
    assert "DBCV (clusters are dense inside" in choice.sentence
    assert "dbcv" not in choose_partition([labels], X).frame
    found = choose_k(X, (2, 5), ["dbcv"], n_members=20)
    assert found.frame["dbcv"].notna().all()
    with pytest.raises(ValueError, match="'dbcv' needs X: distances do not tell"):
        choose_partition([labels], distances=cdist(X, X), criteria=["dbcv"])


LINE = np.arange(6.0)[:, None] ** 2
HALVES = [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dbcv_index(HALVES), "Give one of X"),
        (lambda: dbcv_index(HALVES, LINE, distances=cdist(LINE, LINE)), "got X and distances"),
        (lambda: dbcv_index(HALVES, distances=cdist(LINE, LINE)), "give dim"),
        (lambda: dbcv_index(HALVES[:5], LINE), "labels has 5 objects, but X has 6"),
        (lambda: dbcv_index([0] * 6, LINE), "one cluster only"),
        (lambda: dbcv_index([-1] * 6, LINE), "no cluster"),
        (lambda: dbcv_index(HALVES, np.where(LINE == 25, np.nan, LINE)), "NaN"),
        (lambda: dbcv_index(HALVES, distances=-cdist(LINE, LINE), dim=1), "not be negative"),
        (lambda: dbcv_index(HALVES, distances=np.triu(cdist(LINE, LINE)), dim=1), "symmetric"),
        (lambda: dbcv_index(HALVES, LINE, missing="drop"), "missing must be 'noise', 'error' or 'ignore'"),
        (lambda: dbcv_index(HALVES, LINE, missing=["noise"]), "missing must be"),
        (lambda: dbcv_index(HALVES, LINE, sample_size=3), "sample_size must be"),
        *((lambda dim=dim: dbcv_index(HALVES, LINE, dim=dim), "dim=") for dim in (0, -1, np.inf, np.nan, "2", True)),
    ],
)
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()

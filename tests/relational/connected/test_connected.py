import itertools
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from pluribus._kernels.graphs.connected_partitions import best_connected_partition
from pluribus.relational import ConnectedKCenter, ConnectedKMeans, NetScan, by_name
from pluribus.relational.connected import _space
from pluribus.relational.connected._base import by_degree, farthest_first
from pluribus.relational.connected._space import Space

LINE = np.arange(6.0)[:, None]
SHUFFLED = [(0, 2), (2, 4), (4, 1), (1, 3), (3, 5)]
METHODS = [ConnectedKCenter, NetScan, ConnectedKMeans]


def matrix(edges, n):
    i, j = np.array(edges).reshape(-1, 2).T
    half = sparse.coo_array((np.ones(len(i)), (i, j)), shape=(n, n))
    return sparse.csr_array(half + half.T)


def random_graph(rng, n, extra):
    """A random tree and some more edges, and points in the plane."""
    edges = {(int(rng.integers(v)), v) for v in range(1, n)}
    while len(edges) < n - 1 + extra:
        i, j = sorted(rng.choice(n, 2, replace=False).tolist())
        edges.add((i, j))
    return rng.normal(size=(n, 2)), sorted(edges)


def is_connected(edges, n, members):
    part = matrix(edges, n)[members][:, members]
    return connected_components(part, directed=False)[0] == 1


def radius_of(D, members):
    return D[np.ix_(members, members)].max(axis=1).min()


def partitions(items, k):
    """All ways to divide a list into k parts."""
    if len(items) < k:
        return
    if k == 1:
        yield [items]
        return
    first, rest = items[0], items[1:]
    for parts in partitions(rest, k - 1):
        yield [[first], *parts]
    for parts in partitions(rest, k):
        for place in range(k):
            yield [[first, *part] if place == p else part for p, part in enumerate(parts)]


def optimum(D, edges, k):
    """By looking at all partitions."""
    n = len(D)
    return min(
        max(radius_of(D, part) for part in parts)
        for parts in partitions(list(range(n)), k)
        if all(is_connected(edges, n, part) for part in parts)
    )


def reach_by_paths(D, edges, c):
    """ρ(c → v) by trying all radii."""
    n = len(D)
    out = np.full(n, np.inf)
    for radius in sorted(set(D[c].tolist()), reverse=True):
        inside = np.flatnonzero(D[c] <= radius)
        part = connected_components(matrix(edges, n)[inside][:, inside], directed=False)[1]
        out[inside[part == part[inside.tolist().index(c)]]] = radius
    return out


@pytest.mark.parametrize(("k", "radius"), [(1, 3.0), (2, 2.0), (3, 2.0)])
def test_line_in_another_order(k, radius):
    exact = ConnectedKCenter(k, method="exact").fit(LINE, graph=SHUFFLED)
    assert exact.radius_ == exact.lower_bound_ == radius
    greedy = ConnectedKCenter(k, random_state=0, verbose=False).fit(LINE, graph=SHUFFLED)
    assert greedy.radius_ == radius


def test_exact_is_the_best_of_all_partitions():
    rng = np.random.default_rng(0)
    for _ in range(15):
        n = int(rng.integers(4, 8))
        X, edges = random_graph(rng, n, int(rng.integers(0, 3)))
        D = cdist(X, X)
        for k in (1, 2, 3):
            assert ConnectedKCenter(k, method="exact").fit(X, graph=edges).radius_ == pytest.approx(
                optimum(D, edges, k)
            )


def test_one_variable_of_a_formula():
    """The gadget of the proof of hardness: radius 1 if and only if the formula can be satisfied."""
    X = np.array([1.0, 3, 2, 2, 4, 0, 4])[:, None]  # p0 p1 u not-u a b clause
    edges = [(u, other) for u in (2, 3) for other in (0, 1, 4, 5)] + [(6, 2)]
    assert ConnectedKCenter(2, method="exact").fit(X, graph=edges).radius_ == 1
    contradiction = np.append(X, [[4.0]], axis=0)
    found = ConnectedKCenter(2, method="exact").fit(contradiction, graph=[*edges, (7, 3)])
    assert found.radius_ == 2
    greedy = ConnectedKCenter(2, random_state=0, verbose=False).fit(contradiction, graph=[*edges, (7, 3)])
    assert greedy.lower_bound_ <= 1


def satisfiable(clauses, n_variables):
    return any(
        all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses)
        for values in itertools.product([False, True], repeat=n_variables)
    )


def formula(clauses, n_variables):
    """Points and edges for a formula: p0, p1, then u, not u, a, b for each variable, then the clauses."""
    X, edges = [1.0, 3.0], []
    for variable in range(n_variables):
        base = 2 + 4 * variable
        X += [2.0, 2.0, 4.0, 0.0]
        edges += [(u, other) for u in (base, base + 1) for other in (0, 1, base + 2, base + 3)]
    for clause in clauses:
        place = len(X)
        X.append(4.0)
        edges += [(place, 2 + 4 * (abs(x) - 1) + (x < 0)) for x in clause]
    return np.array(X)[:, None], edges


def test_formulas():
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(12):
        clauses = [
            tuple(int(v) * int(rng.choice([-1, 1])) for v in rng.choice([1, 2], int(rng.integers(1, 3)), replace=False))
            for _ in range(int(rng.integers(2, 6)))
        ]
        X, edges = formula(clauses, 2)
        possible = satisfiable(clauses, 2)
        seen.add(possible)
        radius = ConnectedKCenter(2, method="exact").fit(X, graph=edges).radius_
        assert (radius == 1) == possible
    assert seen == {True, False}


def test_how_far_a_center_reaches():
    path = Space(np.array([0.0, 2, -2, 1])[:, None], matrix([(0, 1), (1, 2), (2, 3)], 4), "euclidean")
    assert path.reach(0)[3] == 2
    assert path.reach(3)[0] == 3
    rng = np.random.default_rng(2)
    for _ in range(20):
        X, edges = random_graph(rng, 12, 4)
        space = Space(X, matrix(edges, 12), "euclidean")
        for c in range(12):
            np.testing.assert_allclose(space.reach(c), reach_by_paths(cdist(X, X), edges, c))


def test_starts_need_at_most_twice_the_radius_of_overlapping_clusters():
    rng = np.random.default_rng(3)
    for _ in range(20):
        X, edges = random_graph(rng, 7, int(rng.integers(0, 5)))
        space = Space(X, matrix(edges, 7), "euclidean")
        reach = np.array([space.reach(c) for c in range(7)])
        for k in (2, 3):
            best = min(reach[list(c)].min(axis=0).max() for c in itertools.combinations(range(7), k))
            _, radius = farthest_first(space, k, int(rng.integers(7)))
            assert radius <= 2 * best + 1e-12
            assert best <= optimum(cdist(X, X), edges, k) + 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_clusters_are_connected_and_all_there(method):
    rng = np.random.default_rng(4)
    for _ in range(10):
        n, k = int(rng.integers(6, 40)), int(rng.integers(1, 6))
        X, edges = random_graph(rng, n, int(rng.integers(0, 10)))
        model = method(k, n_init=3, random_state=0, verbose=False).fit(X, graph=edges)
        assert model.n_clusters_ == k
        assert np.bincount(model.labels_, minlength=k).min() >= 1
        for j in range(k):
            members = np.flatnonzero(model.labels_ == j)
            assert is_connected(edges, n, members)
            assert model.centers_[j] in members
            assert model.radii_[j] == pytest.approx(cdist(X[[model.centers_[j]]], X[members]).max())
        assert np.diff(np.bincount(model.labels_)).max(initial=0) <= 0
        if method is not ConnectedKMeans:
            assert model.radius_ >= model.lower_bound_ - 1e-12


def test_greedy_is_near_the_best():
    rng = np.random.default_rng(5)
    ratios = []
    for _ in range(20):
        X, edges = random_graph(rng, 8, int(rng.integers(0, 5)))
        for k in (2, 3):
            best = ConnectedKCenter(k, method="exact").fit(X, graph=edges).radius_
            ratios.append(ConnectedKCenter(k, random_state=0, verbose=False).fit(X, graph=edges).radius_ / best)
    assert min(ratios) >= 1 - 1e-12
    assert np.mean(ratios) < 1.1


def test_complete_graph_is_plain_k_center():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(9, 2))
    D = cdist(X, X)
    edges = list(itertools.combinations(range(9), 2))
    for k in (2, 3):
        best = min(D[list(c)].min(axis=0).max() for c in itertools.combinations(range(9), k))
        assert ConnectedKCenter(k, method="exact").fit(X, graph=edges).radius_ == pytest.approx(best)


def test_as_many_clusters_as_objects():
    for method in METHODS:
        model = method(6, random_state=0, verbose=False).fit(LINE, graph=SHUFFLED)
        assert model.radius_ == 0
        assert sorted(model.labels_.tolist()) == list(range(6))


def test_scale_and_order():
    rng = np.random.default_rng(7)
    X, edges = random_graph(rng, 30, 10)
    one = ConnectedKCenter(3, random_state=0, verbose=False).fit(X, graph=edges)
    large = ConnectedKCenter(3, random_state=0, verbose=False).fit(1000 * X, graph=edges)
    np.testing.assert_array_equal(one.labels_, large.labels_)
    assert large.radius_ == pytest.approx(1000 * one.radius_)
    order = rng.permutation(30)
    place = np.argsort(order)
    moved = [(int(place[i]), int(place[j])) for i, j in edges]
    exact = ConnectedKCenter(3, n_init=30, random_state=0, verbose=False)
    radius = exact.fit(X, graph=edges).radius_
    assert exact.fit(X[order], graph=moved).radius_ == pytest.approx(radius, rel=0.3)


def test_a_bridge_goes_where_those_behind_it_are_nearer():
    X = np.array([0.0, 4, 1.9, 2.2])[:, None]
    space = Space(X, matrix([(0, 2), (1, 2), (2, 3)], 4), "euclidean")
    assert space.grow(np.array([0, 1])).labels.tolist() == [0, 1, 0, 0]  # the second center is farther than the radius
    # Reached by way of an object as far as the second center: both are within the radius, and the leaf decides.
    X = np.array([0.0, 4, -2.1, 1.9, 2.2])[:, None]
    edges = [(0, 2), (2, 3), (1, 3), (3, 4)]
    assert Space(X, matrix(edges, 5), "euclidean").grow(np.array([0, 1])).labels.tolist() == [0, 1, 0, 1, 1]
    without = Space(X[:4], matrix(edges[:3], 4), "euclidean")
    assert without.grow(np.array([0, 1])).labels.tolist() == [0, 1, 0, 0]


def test_growth_by_definition():
    """Always the object that needs the least radius, looked for among all."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        X, edges = random_graph(rng, 15, 6)
        D, links = cdist(X, X), matrix(edges, 15).toarray() > 0
        seeds = rng.choice(15, 3, replace=False)
        labels, radius = np.full(15, -1), np.zeros(15)
        labels[seeds] = range(3)
        while (labels < 0).any():
            options = [
                (max(radius[u], D[v, seeds[labels[u]]]), D[v, seeds[labels[u]]], v, labels[u])
                for u in range(15)
                for v in range(15)
                if labels[u] >= 0 and labels[v] < 0 and links[u, v]
            ]
            at, _, v, j = min(options)
            behind = [w for w in range(15) if links[v, w] and labels[w] < 0]
            sides = {labels[u] for u in range(15) if links[u, v] and labels[u] >= 0 and D[v, seeds[labels[u]]] <= at}
            if behind and len({labels[u] for u in range(15) if links[u, v] and labels[u] >= 0} - {j}):
                leaves = [w for w in behind if links[w].sum() == 1]
                j = min(sides, key=lambda i: (max(D[s, seeds[i]] for s in [v, *leaves]), D[v, seeds[i]], i))
            labels[v], radius[v] = j, at
        found = Space(X, matrix(edges, 15), "euclidean").grow(seeds)
        np.testing.assert_array_equal(found.labels, labels)
        np.testing.assert_allclose(found.absorbed, radius)


def test_parts_of_the_graph():
    X = np.array([[0.0], [1], [2], [10], [11], [50]])
    edges = [(0, 1), (1, 2), (3, 4)]  # the last object is alone
    for method in METHODS:
        with pytest.raises(ValueError, match="3 parts that are not linked"):
            method(2, verbose=False).fit(X, graph=edges)
        labels = method(3, random_state=0, verbose=False).fit(X, graph=edges).labels_
        assert labels.tolist() == [0, 0, 0, 1, 1, 2]
        assert len(np.unique(method(4, random_state=0, verbose=False).fit(X, graph=edges).labels_)) == 4
    space = Space(X, matrix(edges, 6), "euclidean")
    for seed in range(20):
        chosen = by_degree(space, 4, np.random.default_rng(seed))
        assert len(set(chosen.tolist())) == 4
        assert set(space.component[chosen]) == {0, 1, 2}


def test_cosine_and_sparse():
    rng = np.random.default_rng(9)
    X, edges = np.abs(rng.normal(size=(40, 5))), random_graph(rng, 40, 20)[1]
    dense = ConnectedKMeans(3, metric="cosine", random_state=0, verbose=False).fit(X, graph=edges)
    thin = ConnectedKMeans(3, metric="cosine", random_state=0, verbose=False).fit(sparse.csr_array(X), graph=edges)
    np.testing.assert_array_equal(dense.labels_, thin.labels_)
    longer = ConnectedKMeans(3, metric="cosine", random_state=0, verbose=False).fit(
        X * rng.uniform(1, 5, size=(40, 1)), graph=edges
    )
    np.testing.assert_array_equal(dense.labels_, longer.labels_)
    center = ConnectedKCenter(3, metric="cosine", random_state=0, verbose=False).fit(X, graph=edges)
    D = cdist(X, X, "cosine")
    assert center.radius_ == pytest.approx(max(radius_of(D, np.flatnonzero(center.labels_ == j)) for j in range(3)))


def test_given_distances():
    rng = np.random.default_rng(10)
    X, edges = random_graph(rng, 25, 10)
    D = cdist(X, X)
    for method in (ConnectedKCenter, NetScan):
        model = method(3, metric="precomputed", random_state=0, verbose=False).fit(D, graph=edges)
        assert model.radius_ >= model.lower_bound_
    one = ConnectedKCenter(3, metric="precomputed", random_state=0, verbose=False).fit(D, graph=edges)
    same = ConnectedKCenter(3, random_state=0, verbose=False).fit(X, graph=edges)
    assert one.radius_ == pytest.approx(same.radius_)
    crooked = D**3
    assert ConnectedKCenter(3, metric="precomputed", verbose=False).fit(crooked, graph=edges).lower_bound_ is None


def test_smoothing_averages_over_neighbors():
    space = Space(np.array([[1.0], [0], [0]]), matrix([(0, 1), (1, 2)], 3), "euclidean")
    space.smooth(1)
    np.testing.assert_allclose(space.X[:, 0], [1 / 2, 1 / np.sqrt(6), 0])


def test_same_seed_same_result():
    X, edges = random_graph(np.random.default_rng(11), 60, 40)
    for method in METHODS:
        labels = [method(4, random_state=3, verbose=False).fit(X, graph=edges).labels_ for _ in range(2)]
        np.testing.assert_array_equal(*labels)


def test_graphs_in_other_forms():
    links = matrix(SHUFFLED, 6)
    expected = NetScan(2, random_state=0, verbose=False).fit(LINE, graph=links).labels_
    for graph in (SHUFFLED, links.toarray(), np.array(SHUFFLED)):
        np.testing.assert_array_equal(
            NetScan(2, random_state=0, verbose=False).fit(LINE, graph=graph).labels_, expected
        )
    two = pd.DataFrame({"one": [1, 2], "other": [2, 3]})  # as many rows as columns, but no matrix
    assert NetScan(2, random_state=0, verbose=False).fit(LINE[:4], graph=two).labels_.tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("method", METHODS)
def test_bad_input(method):
    for k in (0, 7, 2.5, True, "2"):
        with pytest.raises(ValueError, match="n_clusters"):
            method(k, verbose=False).fit(LINE, graph=SHUFFLED)
    with pytest.raises(ValueError, match="graph is missing"):
        method(2, verbose=False).fit(LINE)
    with pytest.raises(ValueError, match="nodes, but X has"):
        method(2, verbose=False).fit(LINE, graph=np.ones((5, 5)))
    with pytest.raises(ValueError, match="NaN"):
        method(2, verbose=False).fit([[np.nan]] * 6, graph=SHUFFLED)
    with pytest.raises(ValueError, match="metric"):
        method(2, metric="hamming", verbose=False).fit(LINE, graph=SHUFFLED)


def test_numbers_whose_squares_overflow():
    for method in METHODS:
        with pytest.raises(ValueError, match="squares"):
            method(2, verbose=False).fit(1e300 * LINE, graph=SHUFFLED)


def test_infinite_distances_are_reached_once():
    space = Space(np.full((3, 3), np.inf), matrix([(0, 1), (1, 2), (0, 2)], 3), "precomputed")
    assert space.reach(0).tolist() == [np.inf] * 3


def test_more_bad_input():
    with pytest.raises(ValueError, match="symmetric"):
        ConnectedKCenter(2, metric="precomputed").fit(np.triu(np.ones((6, 6)), 1), graph=SHUFFLED)
    X, edges = random_graph(np.random.default_rng(0), 19, 0)
    with pytest.raises(ValueError, match="18 objects at most"):
        ConnectedKCenter(2, method="exact").fit(X, graph=edges)
    X, edges = random_graph(np.random.default_rng(12), 200, 100)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        NetScan(5, n_init=1, max_iter=1, random_state=0, verbose=False).fit(X, graph=edges)


def test_smoothing_has_an_end():
    with pytest.raises(ValueError, match="smoothing"):
        ConnectedKMeans(2, smoothing=10**9, verbose=False).fit([[0.0], [1], [2]], graph=[(0, 1), (1, 2)])
    ConnectedKMeans(2, smoothing=100, verbose=False).fit([[0.0], [1], [2]], graph=[(0, 1), (1, 2)])


def test_dense_graphs_take_time_by_their_links():
    X = np.random.default_rng(0).normal(size=(1200, 2))
    graph = np.ones((1200, 1200)) - np.eye(1200)
    ConnectedKMeans(2, n_init=1, verbose=False).fit(X[:50], graph=graph[:50, :50])  # compiles
    started = time.process_time()
    ConnectedKMeans(10, n_init=1, max_iter=3, random_state=0, verbose=False).fit(X, graph=graph)
    assert time.process_time() - started < 10  # pairs of neighbors took minutes


def test_duplicates_and_one_object():
    same = np.zeros((6, 2))
    for method in METHODS:
        assert len(np.unique(method(3, random_state=0, verbose=False).fit(same, graph=SHUFFLED).labels_)) == 3
        assert method(1, verbose=False).fit([[1.0]], graph=np.zeros((1, 1))).labels_.tolist() == [0]


def test_by_name():
    assert isinstance(by_name("ckc")(n_clusters=2), ConnectedKCenter)
    assert isinstance(by_name("NetScan")(), NetScan)


def test_no_partition():
    labels, radius = best_connected_partition(np.zeros(3, dtype=np.int64), np.zeros((3, 3)), 2)
    assert labels.tolist() == [-1, -1, -1]
    assert radius == np.inf


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_centers_are_the_best_members(form, monkeypatch):
    """Whatever number of distances is held at once."""
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(40, 3)), rng.integers(3, size=40)
    graph = sparse.csr_array(np.ones((40, 40)) - np.eye(40))
    for held in (1, 25, 1_000_000):
        monkeypatch.setattr(_space, "_PAIRS", held)
        centers, radii = _space.Space(form(X), graph, "euclidean").centers(labels, 3)
        for j in range(3):
            inside = np.flatnonzero(labels == j)
            far = cdist(X[inside], X[inside]).max(axis=1)
            assert centers[j] == inside[far.argmin()]
            assert radii[j] == pytest.approx(far.min())


def test_bounds_are_below_the_optimum():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, edges = random_graph(rng, 9, 2)
        k = int(rng.integers(1, 4))
        best = ConnectedKCenter(k, method="exact", verbose=False).fit(X, graph=edges).radius_
        for method in (NetScan, ConnectedKCenter):
            assert method(k, n_init=1, random_state=0, verbose=False).fit(X, graph=edges).lower_bound_ <= best + 1e-9


def test_the_best_bound_of_all_starts_counts():
    model = ConnectedKCenter(1, n_init=40, random_state=0, verbose=False).fit(
        LINE, graph=[(i, i + 1) for i in range(5)]
    )
    assert model.lower_bound_ == 2.5  # from an end of the line


def test_more_iterations_are_never_worse():
    for seed in range(10):
        X, edges = random_graph(np.random.default_rng(seed), 30, 8)
        errors = []
        for most in range(1, 9):
            model = ConnectedKMeans(4, init="degree", n_init=1, max_iter=most, random_state=seed, verbose=False)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                errors.append(model.fit(X, graph=edges).inertia_)
        assert (np.diff(errors) <= 1e-12).all()

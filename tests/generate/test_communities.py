"""Communities as members: planted groups, an oracle for graph and modularity, the same result on threads, bad input."""

import random
import sys
import threading

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import euclidean_distances

from pluribus import Constraints, EnsembleClusterer
from pluribus.consensus import EvidenceAccumulation
from pluribus.generate import Communities, Generator, communities, mix
from pluribus.generate._latest import Latest
from pluribus.generate.communities import neighbor_graph, resolution_range

igraph = pytest.importorskip("igraph")
X, Y = make_blobs(150, centers=5, n_features=3, cluster_std=0.6, random_state=0)
CLOUD = np.random.default_rng(0).normal(size=(200, 3))  # without groups, so that members differ


def slow_weights(X, p):
    """Weights of all pairs: of those that are neighbors in either direction, the share of common neighbors."""
    n, distances = len(X), euclidean_distances(X)
    near = [{i, *[j for j in np.argsort(distances[i], kind="stable").tolist() if j != i][:p]} for i in range(n)]
    weights = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j and (j in near[i] or i in near[j]):
                weights[i, j] = len(near[i] & near[j]) / len(near[i] | near[j])
    return weights


def slow_modularity(weights, labels, resolution):
    """Newman's, pair by pair."""
    total, strength, score = weights.sum(), weights.sum(axis=1), 0.0
    for i in range(len(labels)):
        for j in range(len(labels)):
            if labels[i] == labels[j]:
                score += weights[i, j] - resolution * strength[i] * strength[j] / total
    return score / total


# -- the graph and its communities -----------------------------------------------------------------------------------


def test_four_rows_exactly():
    graph = neighbor_graph(np.array([[0.0], [1.0], [10.0], [12.0]]), 1)
    assert graph.get_edgelist() == [(0, 1), (2, 3)]
    assert graph.es["weight"] == [1.0, 1.0]
    model = Communities(1.0, n_neighbors=1, random_state=0).fit([[0.0], [1.0], [10.0], [12.0]])
    assert model.labels_.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    assert model.quality_ == pytest.approx(0.5)


@pytest.mark.parametrize(("p", "d"), [(1, 3), (4, 3), (15, 3), (4, 10)])
def test_weights_by_a_slow_oracle(p, d):
    rows = np.random.default_rng(2).normal(size=(60, d))
    graph = neighbor_graph(rows, p)
    weights = np.zeros((60, 60))
    for edge in graph.es:
        weights[edge.source, edge.target] = weights[edge.target, edge.source] = edge["weight"]
    np.testing.assert_allclose(weights, slow_weights(rows, p))


@pytest.mark.parametrize("resolution", [0.3, 1.0, 3.0])
def test_quality_is_the_modularity(resolution):
    model = Communities(resolution, n_neighbors=6, random_state=1).fit(X)
    weights = slow_weights(X, 6)
    assert model.resolution_ == pytest.approx(resolution)
    assert model.quality_ == pytest.approx(slow_modularity(weights, model.labels_, resolution))
    # No object does better in another community, or the planted one: Leiden has converged to something good.
    assert model.quality_ >= slow_modularity(weights, Y, resolution) - 1e-9
    assert model.quality_ > slow_modularity(weights, np.zeros(150), resolution)


def test_modularity_by_networkx():
    networkx = pytest.importorskip("networkx")
    model = Communities(1.0, n_neighbors=6, random_state=1).fit(X)
    graph = networkx.from_numpy_array(slow_weights(X, 6))
    groups = [set(np.flatnonzero(model.labels_ == h).tolist()) for h in range(model.n_clusters_)]
    assert model.quality_ == pytest.approx(networkx.community.modularity(graph, groups, resolution=1.0))


def test_planted_groups_are_found():
    far, y = make_blobs(200, centers=5, n_features=6, random_state=3)
    model = Communities(0.3, random_state=0).fit(far)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.n_clusters_ == 5
    rings, y = make_circles(300, factor=0.3, noise=0.02, random_state=0)
    fine = Generator("communities", n_members=20, random_state=0, verbose=False).generate(rings)
    found = EvidenceAccumulation(2, linkage="single", verbose=False).fit(fine)
    assert adjusted_rand_score(y, found.labels_) == 1


def test_a_higher_resolution_makes_more_communities():
    numbers = [Communities(r, random_state=0).fit(X).n_clusters_ for r in (0.1, 1.0, 4.0, 20.0)]
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[-1]
    dense, loose = (Communities(r, objective="cpm", random_state=0).fit(X).n_clusters_ for r in (0.5, 0.01))
    assert dense > loose


def test_resolutions_are_drawn_from_the_range():
    drawn = [Communities((0.5, 4.0), random_state=seed).fit(X[:20]).resolution_ for seed in range(40)]
    assert 0.5 <= min(drawn) < 0.8 < 2.5 < max(drawn) <= 4.0
    assert 0.3 < np.mean(np.array(drawn) < 2**0.5) < 0.7  # half of the draws are below the geometric mean


# -- the same result on any number of threads ------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{}, {"subsample": 0.7}, {"subspace": 2}])
def test_the_same_ensemble_for_any_n_jobs(how):
    made = [
        Generator("communities", n_members=12, random_state=7, n_jobs=n_jobs, verbose=False, **how).generate(CLOUD)
        for n_jobs in (1, 2, 4)
    ]
    for other in made[1:]:
        np.testing.assert_array_equal(other.labels, made[0].labels)
    assert len(set(made[0].n_clusters.tolist())) > 1


def test_threads_and_the_callers_random_numbers_do_not_matter():
    many = np.random.default_rng(0).normal(size=(800, 3))
    expected = [Communities(3.0, random_state=seed).fit(many).labels_ for seed in range(8)]
    found = [None] * 8

    def work(seed):
        found[seed] = Communities(3.0, random_state=seed).fit(many).labels_

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns within a search
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    np.testing.assert_array_equal(found, expected)
    random.seed(5)
    before = random.getstate()
    Communities(random_state=0).fit(X)
    assert random.getstate() == before  # igraph drew from a generator of ours
    igraph.Graph.Erdos_Renyi(20, m=30)
    assert random.getstate() != before  # and draws from Python's again


def test_the_generator_of_igraph_is_set_by_one_thread_at_a_time(monkeypatch):
    held = []
    monkeypatch.setattr(igraph, "set_random_number_generator", lambda _: held.append(communities._RANDOM.locked()))
    Communities(random_state=0).fit(X)
    assert held == [True, True]


def test_seeds_make_different_members():
    labels = [Communities(3.0, random_state=seed).fit(CLOUD).labels_ for seed in range(5)]
    assert min(adjusted_rand_score(labels[0], other) for other in labels[1:]) < 1


def test_what_members_share_is_made_once():
    latest, made = Latest(kept=2), []

    def make(key):
        made.append(key)
        return key * 10

    assert [latest.get(key, lambda key=key: make(key)) for key in (1, 1, 2, 3, 3, 1)] == [10, 10, 20, 30, 30, 10]
    assert made == [1, 2, 3, 1]  # 1 was let go when 3 came


# -- as members ------------------------------------------------------------------------------------------------------


def test_members_by_name_and_by_class():
    named = Generator("communities", n_members=4, random_state=0, verbose=False).generate(X)
    own = Generator(Communities(), n_members=4, random_state=0, verbose=False).generate(X)
    np.testing.assert_array_equal(named.labels, own.labels)
    assert named.names[0] == f"communities-0 k={named.n_clusters[0]}"
    both = mix(Generator("communities", n_members=2), Generator(n_members=3), random_state=0, verbose=False)
    assert both.generate(X).n_partitions == 5


def test_an_ensemble_clusterer_of_communities():
    far, y = make_blobs(200, centers=4, n_features=6, random_state=3)
    generator = Generator("communities", n_members=15)
    model = EnsembleClusterer(generator, n_clusters=4, random_state=0, verbose=False).fit(far)
    assert adjusted_rand_score(y, model.labels_) == 1


def test_a_stopped_job_continues(tmp_path):
    generator = Generator("communities", n_members=3, random_state=0, verbose=False)
    generator.generate(X, store=tmp_path / "members")
    more = clone(generator).set_params(n_members=5).generate(X, store=tmp_path / "members")
    np.testing.assert_array_equal(more.labels, clone(generator).set_params(n_members=5).generate(X).labels)


def test_sparse_rows():
    thin = Communities(1.0, random_state=0).fit(sparse.csr_array(X))
    assert adjusted_rand_score(thin.labels_, Communities(1.0, random_state=0).fit(X).labels_) > 0.9


# -- bad input -------------------------------------------------------------------------------------------------------


def test_few_and_equal_rows():
    assert Communities(random_state=0).fit([[1.0, 2.0]]).labels_.tolist() == [0]
    assert Communities(random_state=0).fit([[1.0], [2.0]]).n_clusters_ >= 1
    equal = Communities(random_state=0).fit(np.ones((30, 2)))
    assert len(equal.labels_) == 30
    assert Generator("communities", n_members=3, random_state=0).generate(np.arange(8.0)[:, None]).n_objects == 8


def test_without_igraph(monkeypatch):
    monkeypatch.setattr(communities, "find_spec", lambda name: None)
    for model in (Communities(), Generator("communities"), Generator(Communities())):
        with pytest.raises(ImportError, match=r"need the package igraph.*pip install 'pluribus\[graph\]'") as raised:
            model.fit(X) if isinstance(model, Communities) else model.generate(X)
        assert not hasattr(raised.value, "__notes__")  # not from within a member
    assert Generator(n_members=2, random_state=0).generate(X).n_partitions == 2


@pytest.mark.parametrize(
    "resolution", [0, -1.0, np.inf, np.nan, (0, 1), (2, 1), (1, 2, 3), (1,), ("a", "b"), "high", True, (True, 2), None]
)
def test_wrong_resolutions(resolution):
    with pytest.raises(ValueError, match="resolution"):
        Communities(resolution).fit(X)
    assert resolution_range([1, 2]) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_neighbors": 2.5}, "n_neighbors"),
        ({"objective": "cut"}, "objective"),
        ({"random_state": "a"}, "random_state"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        Communities(**parameters).fit(X)


def test_wrong_tables_and_combinations():
    for wrong in ([[np.nan], [1.0]], [["a"], ["b"]], np.zeros((0, 2)), 1e300 * np.eye(3)):
        with pytest.raises(ValueError):
            Communities().fit(wrong)
    for clusterer in ("communities", Communities()):
        with pytest.raises(ValueError, match="n_clusters=5, but communities find the number of clusters"):
            Generator(clusterer, n_clusters=5).generate(X)
    with pytest.raises(ValueError, match="'communities' does not support sample_weight"):
        Generator("communities", n_members=2).generate(X, sample_weight=np.ones(150))
    with pytest.raises(ValueError, match="'communities' does not support constraints"):
        Generator("communities", n_members=2).generate(X, constraints=Constraints(150, must_link=[(0, 1)]))

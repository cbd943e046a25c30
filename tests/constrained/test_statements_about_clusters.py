"""Allowed labels, sizes and graphs in fit(X, constraints=...): kept by those who declare it, refused by all others."""

import inspect
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from pluribus import Constraints, EnsembleClusterer, cluster, combine
from pluribus._engine import Registry
from pluribus.constrained import BalancedKMeans, CopKMeans, SizeConstrainedKMeans
from pluribus.constrained._shared.errors import NoFeasibleAssignmentError
from pluribus.constrained.sizes._allowed_points import AllowedPoints
from pluribus.constraints import ConstraintError, InfeasibleError
from pluribus.generate import Generator
from pluribus.relational import ConnectedKCenter, ConnectedKMeans, CorrelationClustering, NetScan

QUIET = {"random_state": 0, "verbose": False}
BLOBS = np.concatenate([np.random.default_rng(0).normal(center, 0.3, (10, 2)) for center in ([0, 0], [4, 4], [0, 4])])
STATED = {
    "allowed labels": Constraints(30, allowed={1: ["a", "b"]}),
    "sizes": Constraints(30, min_size=2),
    "a graph": Constraints(30, graph=[(i, i + 1) for i in range(29)]),
}
KEPT_BY = {
    "allowed labels": {"CopKMeans", "SizeConstrainedKMeans"},
    "sizes": {"BalancedKMeans", "SizeConstrainedKMeans"},
    "a graph": {"ConnectedKCenter", "ConnectedKMeans", "NetScan"},
}


def _methods() -> list:
    rooms = ("pluribus.constrained", "pluribus.relational", "pluribus.consensus", "pluribus.similarity")
    found = {entry.method for room in rooms for entry in Registry(room).entries()}
    return sorted(
        (method for method in found if "constraints" in inspect.signature(method.fit).parameters),
        key=lambda method: method.__name__,
    )


def test_the_methods_that_keep_statements():
    assert len(_methods()) >= 18
    for kind, names in KEPT_BY.items():
        assert {method.__name__ for method in _methods() if kind in getattr(method, "keeps", ())} == names


@pytest.mark.parametrize("kind", STATED)
@pytest.mark.parametrize("method", _methods(), ids=lambda method: method.__name__)
def test_others_refuse_and_name_those_that_keep(method, kind):
    if method.__name__ in KEPT_BY[kind]:
        pytest.skip("keeps it")
    room = method.__module__.split(".")[1]
    data = np.repeat([0, 1, 2], 10)[:, None] if room == "consensus" else np.abs(BLOBS)
    data = (data > 1).astype(float) if method.__name__ == "ConstrainedCoClustering" else data
    data = np.eye(30) - 1 if method is CorrelationClustering else data
    needed = {"n_clusters": 3} if "n_clusters" in inspect.signature(method).parameters else {}
    more = {"graph": [(0, 1)]} if kind != "a graph" and "graph" in inspect.signature(method.fit).parameters else {}
    if method.__name__ == "PairwiseKernelClassifier":
        more = {"y": np.repeat([0, 1, 2], 10)}
    other_data = method.__name__ in ("CategorySegmentation", "CollectiveRelational")
    with pytest.raises((TypeError, ValueError) if other_data else ConstraintError) as raised:
        method(**needed).fit(data, constraints=STATED[kind], **more)
    if not other_data:
        assert f"constraints state {kind}" in str(raised.value)
        assert all(name in str(raised.value) for name in KEPT_BY[kind])


def _cheapest(X, centers, k, is_fine):
    distances = ((X[:, None] - centers) ** 2).sum(axis=2)
    every = [labels for labels in itertools.product(range(k), repeat=len(X)) if is_fine(labels)]
    return min(distances[np.arange(len(X)), labels].sum() for labels in every)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", [CopKMeans, SizeConstrainedKMeans])
def test_allowed_labels_hold_at_the_least_cost(method, seed):
    X = np.random.default_rng(seed).normal(size=(7, 2))
    known = Constraints(7, [(0, 1)], [(2, 3)], labels=["a", *[None] * 6], allowed={2: ["b", "c"], 4: ["a", "c"]})
    model = method(3, random_state=seed, verbose=False).fit(X, constraints=known)
    assert known.classes.tolist() == ["a", "b", "c"]

    def is_fine(labels):
        fits = labels[0] == labels[1] == 0 and labels[2] in (1, 2) and labels[4] in (0, 2)
        return fits and labels[2] != labels[3] and len(set(labels)) == 3

    assert is_fine(model.labels_)
    assert model.violations_.count == 0
    least = _cheapest(X, model.cluster_centers_, 3, is_fine)
    spent = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert spent <= least + 1e-9 or method is CopKMeans  # which may leave a cluster to fill
    assert model.inertia_ == pytest.approx(spent)


@pytest.mark.parametrize("seed", range(6))
def test_sizes_of_labels_hold_at_the_least_cost(seed):
    X = np.random.default_rng(seed).normal(size=(7, 2))
    known = Constraints(7, labels=["a", *[None] * 6], min_size={None: 1, "b": 3}, max_size={"a": 2})
    model = SizeConstrainedKMeans(3, random_state=seed, verbose=False).fit(X, constraints=known)

    def is_fine(labels):
        sizes = np.bincount(labels, minlength=3)
        return labels[0] == 0 and sizes[0] <= 2 and sizes[1] >= 3 and sizes[2] >= 1

    assert is_fine(model.labels_)
    spent = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert spent == pytest.approx(_cheapest(X, model.cluster_centers_, 3, is_fine))


def test_centers_find_their_labels():
    """Whatever the seed, the clusters are the blobs that the labels lie in."""
    known = Constraints(
        30, allowed={3: ["x", "y"], 5: ["z", "x"], 13: ["y", "z"], 15: ["y", "x"], 25: ["z", "y"], 27: ["z", "x"]}
    )
    name = known.classes.tolist().index
    for method in (CopKMeans, SizeConstrainedKMeans):
        for seed in range(5):
            labels = method(3, n_init=1, random_state=seed, verbose=False).fit_predict(BLOBS, constraints=known)
            assert labels.tolist() == np.repeat([name("x"), name("y"), name("z")], 10).tolist()


def test_given_centers_are_in_the_order_of_the_labels():
    known = Constraints(4, labels=["a", None, None, None], allowed={3: ["a", "b"]})
    X = np.array([[0.0], [1.0], [8.0], [9.0]])
    for method in (CopKMeans, SizeConstrainedKMeans):
        assert method(2, init=[[0.0], [9.0]]).fit(X, constraints=known).labels_.tolist() == [0, 0, 1, 1]


def test_sizes_of_the_parameters_and_of_the_constraints_both_hold():
    known = Constraints(30, max_size=14)
    sizes = SizeConstrainedKMeans(3, min_size=9, **QUIET).fit(BLOBS[:29], constraints=known.restrict(range(29)))
    assert 9 <= sizes.cluster_sizes_.min() <= sizes.cluster_sizes_.max() <= 14
    model = SizeConstrainedKMeans(2, max_size=20, **QUIET).fit(BLOBS, constraints=Constraints(30, max_size=16))
    assert model.cluster_sizes_.tolist() == [16, 14]
    model = SizeConstrainedKMeans(2, max_size=16, **QUIET).fit(BLOBS, constraints=Constraints(30, max_size=20))
    assert model.cluster_sizes_.tolist() == [16, 14]
    with pytest.raises(ValueError, match="min_size"):
        SizeConstrainedKMeans(2, min_size=15, **QUIET).fit(BLOBS, constraints=Constraints(30, max_size=14))


def test_what_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="asks for 33 objects"):
        SizeConstrainedKMeans(3, **QUIET).fit(BLOBS, constraints=Constraints(30, min_size=11))
    with pytest.raises(InfeasibleError, match="name 4 labels"):
        CopKMeans(3, **QUIET).fit(BLOBS, constraints=Constraints(30, allowed={0: ["a", "b"], 1: ["c", "d"]}))
    with pytest.raises(ConstraintError, match="outlier_cost and min_labeled do not support"):
        SizeConstrainedKMeans(3, outlier_cost=1, **QUIET).fit(BLOBS, constraints=STATED["sizes"])
    with pytest.raises(ConstraintError, match="in-order"):
        CopKMeans(3, assignment="in-order", **QUIET).fit(BLOBS, constraints=STATED["allowed labels"])
    all_in_a = Constraints(4, allowed={i: ["a", "b"] for i in range(4)})
    with pytest.raises((NoFeasibleAssignmentError, InfeasibleError)):
        SizeConstrainedKMeans(3, min_size=1, **QUIET).fit(BLOBS[:4], constraints=all_in_a)


def test_balanced_takes_one_minimum():
    model = BalancedKMeans(2, **QUIET).fit(BLOBS, constraints=Constraints(30, min_size=14))
    assert model.cluster_sizes_.tolist() == [16, 14]
    assert BalancedKMeans(2, **QUIET).fit(BLOBS, constraints=Constraints(30)).cluster_sizes_.min() == 12
    for wrong in (
        Constraints(30, max_size=20),
        Constraints(30, min_size=2, max_size=28),
        Constraints(30, min_size={"a": 3}),
    ):
        with pytest.raises(ConstraintError, match="SizeConstrainedKMeans"):
            BalancedKMeans(2, **QUIET).fit(BLOBS, constraints=wrong)
    with pytest.raises(ConstraintError, match="leave out"):
        BalancedKMeans(2, min_size=3, **QUIET).fit(BLOBS, constraints=STATED["sizes"])
    with pytest.raises(ConstraintError, match="constraints state pairs"):
        BalancedKMeans(2, **QUIET).fit(BLOBS, constraints=Constraints(30, [(0, 1)]))


@pytest.mark.parametrize("method", [ConnectedKCenter, ConnectedKMeans, NetScan])
def test_the_graph_of_constraints_is_the_graph(method):
    links = [(i, i + 1) for i in range(29)]
    by_graph = method(3, **QUIET).fit(BLOBS, graph=links).labels_
    assert method(3, **QUIET).fit(BLOBS, constraints=STATED["a graph"]).labels_.tolist() == by_graph.tolist()
    assert method(3, **QUIET).fit_predict(BLOBS, constraints=STATED["a graph"]).tolist() == by_graph.tolist()
    assert STATED["a graph"].violations(by_graph).count == 0
    with pytest.raises(ValueError, match="two graphs"):
        method(3, **QUIET).fit(BLOBS, graph=links, constraints=STATED["a graph"])
    with pytest.raises(ValueError, match="graph is missing"):
        method(3, **QUIET).fit(BLOBS, constraints=Constraints(30))
    with pytest.raises(ConstraintError, match="constraints state pairs"):
        method(3, **QUIET).fit(BLOBS, graph=links, constraints=Constraints(30, [(0, 1)]))


def test_correlation_clustering_of_constraints_refuses_more():
    with pytest.raises(ConstraintError, match="constraints state sizes"):
        CorrelationClustering().fit(STATED["sizes"])


def test_generators_refuse_what_their_clusterer_does_not_keep():
    with pytest.raises(ConstraintError, match="constraints state sizes"):
        Generator(CopKMeans(n_init=1), n_members=2, verbose=False).generate(BLOBS, constraints=STATED["sizes"])
    with pytest.raises(ValueError, match="does not support constraints"):
        Generator(BalancedKMeans(n_init=1), n_members=2, verbose=False).generate(BLOBS, constraints=Constraints(30))


def test_cluster_keeps_stated_sizes_like_min_size():
    stated = cluster(BLOBS, 2, constraints=Constraints(30, min_size=14), seed=0, verbose=False)
    given = cluster(BLOBS, 2, min_size=14, seed=0, verbose=False)
    assert stated.labels.tolist() == given.labels.tolist()
    assert np.bincount(stated.labels).min() >= 14
    assert stated.parameters["min_size"] == 14
    model = EnsembleClusterer(n_clusters=2, **QUIET).fit(BLOBS, constraints=Constraints(30, max_size=16))
    assert np.bincount(model.labels_).tolist() == [16, 14]


def test_cluster_with_pairs_and_sizes_or_labels():
    pairs_too = Constraints(30, [(0, 10)], min_size=14)
    with pytest.raises(ValueError, match="method='size-constrained'"):
        cluster(BLOBS, 2, constraints=pairs_too, verbose=False)
    result = cluster(BLOBS, 2, constraints=pairs_too, method="size-constrained", seed=0, verbose=False)
    assert np.bincount(result.labels).min() >= 14
    assert result.labels[0] == result.labels[10]
    with pytest.raises(ConstraintError, match="size of the label 'a'"):
        cluster(BLOBS, 2, constraints=Constraints(30, min_size={"a": 14}), verbose=False)
    with pytest.raises(ConstraintError, match="constraints state allowed labels"):
        cluster(BLOBS, 2, constraints=STATED["allowed labels"], verbose=False)
    with pytest.raises(ConstraintError, match="constraints state a graph, which is not kept here: leave it out"):
        cluster(BLOBS, 2, constraints=STATED["a graph"], verbose=False)
    with pytest.raises(ConstraintError, match="constraints state allowed labels, which are not kept here: leave them"):
        cluster(BLOBS, 2, constraints=STATED["allowed labels"], method="balanced", verbose=False)
    barred = Constraints(30, allowed=[["a", "b"]] * 30)
    with pytest.raises(ValueError, match=r"but only 0 may be in it\. Give another k"):  # no object proves it
        cluster(BLOBS, 3, constraints=barred, method="cop-kmeans", verbose=False)
    kept = cluster(BLOBS, 2, constraints=STATED["allowed labels"], method="cop-kmeans", seed=0, verbose=False)
    assert kept.constraints == STATED["allowed labels"]
    with pytest.raises(ValueError, match="min_size is given twice"):
        cluster(BLOBS, 2, constraints=STATED["sizes"], min_size=3, verbose=False)


def test_combine_keeps_stated_sizes():
    labels = np.array([np.repeat([0, 1, 2], 10), np.repeat([0, 1, 1], 10)]).T
    result = combine(labels, 2, constraints=Constraints(30, min_size=14), verbose=False)
    assert sorted(np.bincount(result.labels).tolist()) == [14, 16]
    with pytest.raises(ConstraintError, match="constraints state allowed labels"):
        combine(labels, 2, constraints=STATED["allowed labels"], verbose=False)


def test_a_barred_cluster_costs_more_than_all_that_others_could_gain():
    costs = np.array([[0.0, 5.0, -3.0], [4.0, 1.0, 2.0]])
    nothing = dict.fromkeys(["rows", "weights", "shift", "variance"])
    given = SimpleNamespace(costs=lambda centers, out: np.copyto(out, costs), **nothing)
    may = np.array([[True, False, True], [False, True, True]])
    out = np.empty((2, 3))
    AllowedPoints(given, may).costs(np.zeros((3, 1)), out)
    np.testing.assert_array_equal(out[may], costs[may])
    assert out[~may].min() - costs.max() > 3 * np.ptp(costs)  # a cycle through three clusters

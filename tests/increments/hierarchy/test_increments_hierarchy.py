import warnings

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, is_monotonic, is_valid_linkage, linkage
from scipy.spatial.distance import cdist, squareform
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.utils.estimator_checks import parametrize_with_checks

from benchmarks._increments_sets import held_out_sets, tuning_sets
from pluribus._engine import MemoryLimitError, memory_budget
from pluribus._kernels.linkage.cluster_neighbors import commit, join, single_objects
from pluribus._kernels.linkage.isolation import MERGE, decide, single_standing
from pluribus.compare import accuracy_index, purity_index
from pluribus.increments import DegenerateIncrementsError, IncrementsHierarchy, by_name, names
from pluribus.increments._shared.dissimilarities import FeatureDissimilarities
from pluribus.increments.hierarchy._near_lists import near_lists
from pluribus.validate import description_length_cost

A = np.array([0, 1, 2.2, 3.1, 4.3, 5.2])
B = np.array([20, 21.1, 22, 23.2, 24.1, 25.3])
FORMS = ["all", "tree"]
CRITERIA = ["lrt", "bic", "mml", None]


def fitted(X, **parameters):
    X = np.asarray(X, dtype=float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return IncrementsHierarchy(**parameters, verbose=False).fit(X[:, None] if X.ndim == 1 else X)


def same_partition(a, b):
    return accuracy_index(a, b) == 1


@parametrize_with_checks(
    [
        IncrementsHierarchy(verbose=False),
        IncrementsHierarchy("aglo", isolation=4.0, n_clusters=2, neighbors="tree", verbose=False),
        IncrementsHierarchy("aglo", verbose=False),
    ]
)
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*of the increments are exactly 0")
        check(estimator)


@pytest.mark.parametrize("neighbors", FORMS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_two_clusters_with_a_gap(criterion, neighbors):
    model = fitted(np.concatenate([A, B]), criterion=criterion, neighbors=neighbors)
    assert model.labels_.tolist() == [0] * 6 + [1] * 6
    assert model.isolated_.tolist() == [True, False]
    np.testing.assert_allclose(model.mean_increments_, [0.583333, 0.266667], atol=1e-6)
    last = model.tests_.iloc[-1]
    assert last["distance"] == pytest.approx(14.8)
    assert last["statistic"] == pytest.approx(13.9 / 0.5833333, rel=1e-6)
    assert str(last["outcome"]).startswith("isolate")
    assert model.merges_.shape == (10, 4)
    assert model.linkage_.shape == (11, 4)
    assert model.linkage_[-1, 2] == pytest.approx(14.8)


@pytest.mark.parametrize("neighbors", FORMS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_same_clusters_without_a_gap(criterion, neighbors):
    model = fitted(np.concatenate([A, B - 13.8]), criterion=criterion, neighbors=neighbors)
    assert model.n_clusters_ == 1
    assert model.mean_increments_ == pytest.approx([0.325])


def test_message_lengths_of_the_two_clusters():
    X = np.concatenate([A, B - 13.8])[:, None]
    clusters, standing = single_objects(X, False, *near_lists(X, False)), single_standing(12)
    for start in (0, 6):
        for other in range(start + 1, start + 6):
            commit(clusters, start, other, *join(clusters, start, other))
    rules = IncrementsHierarchy(criterion="mml")._rules(1e-9)
    outcome, difference = decide(clusters, standing, rules, 0, 6, 5, 6, 1.0)
    assert outcome == MERGE
    assert difference == pytest.approx(-0.8491148 - (2.9321295 - 2.6994417), abs=1e-6)


@pytest.mark.parametrize("neighbors", FORMS)
def test_lattices(neighbors):
    line = np.arange(100.0)
    assert fitted(line, criterion=None, neighbors=neighbors).n_clusters_ == 1
    for criterion in ("mml", "bic", "lrt"):
        with pytest.warns(UserWarning, match="99% of the increments are exactly 0"):
            model = IncrementsHierarchy(criterion=criterion, neighbors=neighbors).fit(line[:, None])
        assert model.n_clusters_ == 12
    two = np.concatenate([np.arange(12), np.arange(100, 112)])
    for criterion in CRITERIA:
        assert fitted(two, criterion=criterion, neighbors=neighbors).labels_.tolist() == [0] * 12 + [1] * 12


@pytest.mark.parametrize("neighbors", FORMS)
def test_far_outliers(neighbors):
    X = np.append(A, 1000.0)
    kept = fitted(X, neighbors=neighbors)
    assert kept.labels_.tolist() == [0] * 6 + [1]
    assert kept.tests_["outcome"].iloc[-1] == "small-reject"
    assert np.isnan(kept.mean_increments_[1])
    assert fitted(X, small_rule="mean", neighbors=neighbors).n_clusters_ == 1


@pytest.mark.parametrize("neighbors", FORMS)
@pytest.mark.parametrize("seed", range(4))
def test_without_tests_it_is_single_link(seed, neighbors):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2)) if seed < 2 else rng.integers(0, 9, (80, 2)).astype(float)
    model = fitted(X, tail_factor=np.inf, criterion=None, neighbors=neighbors)
    assert model.n_clusters_ == 1
    assert not model.isolated_.any()
    heights = linkage(X, "single")[:, 2]
    np.testing.assert_allclose(model.linkage_[:, 2], heights, atol=1e-12)
    np.testing.assert_allclose(np.sort(model.merges_[:, 2]), heights, atol=1e-12)


@pytest.mark.parametrize("parameters", [{}, {"rule": "aglo"}, {"criterion": None}, {"neighbors": "tree"}])
def test_invariance(parameters):
    X, _ = make_moons(120, noise=0.06, random_state=3)
    X = np.concatenate([X, np.random.default_rng(0).normal([3, 0], 0.2, size=(40, 2))])
    plain = fitted(X, **parameters).labels_
    turn = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    for moved in (X * 1000, X * 1e-3 + 7, X @ turn):
        assert same_partition(plain, fitted(moved, **parameters).labels_)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(X))
        assert same_partition(plain[order], fitted(X[order], **parameters).labels_)
    assert same_partition(plain, fitted(cdist(X, X), metric="precomputed", **parameters).labels_)


@pytest.mark.parametrize("parameters", [{}, {"rule": "aglo", "isolation": 2.0}, {"neighbors": "tree"}])
def test_the_forest_and_the_dendrogram(parameters):
    X = tuning_sets(0)["rings"][0]
    model = fitted(X, **parameters)
    n, k = len(X), model.n_clusters_
    assert k > 1
    assert model.merges_.shape == (n - k, 4)
    assert is_valid_linkage(model.linkage_)
    assert is_monotonic(model.linkage_)
    np.testing.assert_array_equal(model.merges_[:, [0, 1, 3]], model.linkage_[: n - k, [0, 1, 3]])
    np.testing.assert_array_equal(np.maximum.accumulate(model.merges_[:, 2]), model.linkage_[: n - k, 2])
    for fewer in range(2, k + 1):
        cut = fitted(X, **parameters, n_clusters=fewer).labels_
        assert same_partition(fcluster(model.linkage_, fewer, "maxclust"), cut)
    assert same_partition(cut, model.labels_)
    D = cdist(X, X)
    members = {i: [i] for i in range(n)}
    for t, (a, b, height, size) in enumerate(model.merges_):  # each height is a single-link distance
        assert height == pytest.approx(D[np.ix_(members[a], members[b])].min(), abs=1e-12)
        members[n + t] = members.pop(a) + members.pop(b)
        assert len(members[n + t]) == size
    merged = model.tests_[model.tests_["outcome"].isin(["merge", "small-merge"])]
    np.testing.assert_array_equal(np.sort(merged[["first", "second"]], axis=1), model.merges_[:, :2])
    # Single link of the clusters that are left.
    links = np.array([[D[np.ix_(model.labels_ == a, model.labels_ == b)].min() for a in range(k)] for b in range(k)])
    rest = linkage(squareform(links, checks=False), "single")[:, 2]
    floor = model.merges_[:, 2].max()
    np.testing.assert_allclose(model.linkage_[n - k :, 2], np.maximum(rest, floor), atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 40, 150])
def test_cuts(k):
    X = load_iris().data
    free, cut = fitted(X), fitted(X, n_clusters=k)
    assert cut.n_clusters_ == k == len(np.unique(cut.labels_)) == len(cut.isolated_) == len(cut.mean_increments_)
    assert (np.diff(np.bincount(cut.labels_)) <= 0).all()
    assert purity_index(cut.labels_, free.labels_) == 1 or purity_index(free.labels_, cut.labels_) == 1
    for cluster in np.flatnonzero(cut.isolated_):
        own = free.labels_[cut.labels_ == cluster]
        assert len(own) == (free.labels_ == own[0]).sum() == (own == own[0]).sum()
        assert free.isolated_[own[0]]
    if k == free.n_clusters_:
        np.testing.assert_array_equal(cut.isolated_, free.isolated_)
        np.testing.assert_array_equal(cut.labels_, free.labels_)


def test_published_result_on_iris():
    """As printed for SL-DID: two clusters, consistency index and purity 0.6667."""
    X, y = load_iris(return_X_y=True)
    model = fitted(X, criterion="mml", small_rule="mean")
    assert model.n_clusters_ == 2
    assert accuracy_index(y, model.labels_) == pytest.approx(2 / 3)


def test_purity_on_shapes():
    for name, (X, y) in tuning_sets(0).items():
        assert purity_index(y, fitted(X, criterion="mml").labels_) >= 0.97, name
    X, y = tuning_sets(0)["spiral"]
    assert same_partition(fitted(X, criterion=None).labels_, y)


@pytest.mark.slow
def test_held_out_sets():
    scores = [accuracy_index(y, fitted(X).labels_) for seed in range(500, 504) for X, y in held_out_sets(seed).values()]
    assert np.mean(scores) >= 0.93


def test_the_isolation_parameter_is_that_of_the_shortest_description():
    X, y = held_out_sets(500)["nested circles"]
    model = fitted(X, rule="aglo")
    scores = model.isolation_scores_.set_index("isolation")
    assert scores.index.tolist() == np.arange(1, 10.5, 0.5).tolist()
    assert scores["description_length"].idxmin() == model.isolation_
    assert description_length_cost(model.labels_, X) == pytest.approx(scores["description_length"].min())
    again = fitted(X, rule="aglo", isolation=model.isolation_)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    assert not hasattr(again, "isolation_scores_")
    assert again.isolation_ == model.isolation_
    assert scores.loc[model.isolation_, "n_clusters"] == model.n_clusters_
    assert accuracy_index(y, model.labels_) > 0.95


def test_the_threshold_of_sl_aglo_includes_its_bound():
    """0, 1, 3 has one gap, 1; the next one, to 6, is 1 as well, so that isolation=1 stops there."""
    for isolation, k in ((1.0, 2), (1.01, 1)):
        model = fitted([0, 1, 3, 6], rule="aglo", isolation=isolation, small_clusters="min_size", min_size=3)
        assert model.n_clusters_ == k


@pytest.mark.parametrize("alpha", [0.05, 0.5])
def test_what_is_left_over_was_rejected_as_it_is(alpha):
    """Each edge of the tree between two clusters of the result that are not isolated was tested with these clusters."""
    X = np.random.default_rng(0).normal(size=(1500, 2))
    model = fitted(X, neighbors="tree", alpha=alpha)
    node = np.arange(len(X))
    for t, (a, b, *_) in enumerate(model.merges_):
        node[np.isin(node, (a, b))] = len(X) + t
    rejected = model.tests_[model.tests_["outcome"].isin(["reject", "small-reject"])]
    pairs = set(zip(rejected["first"], rejected["second"], strict=True))
    tree = FeatureDissimilarities(X).tree()
    open_ends = ~model.isolated_[model.labels_]
    left = [
        tuple(sorted((node[i], node[j])))
        for i, j in zip(tree.first, tree.second, strict=True)
        if node[i] != node[j] and open_ends[i] and open_ends[j]
    ]
    assert len(left) >= 3
    assert pairs >= set(left)


def test_infinite_distances_never_merge():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    D = cdist(X, X)
    D[:12, 12:] = D[12:, :12] = np.inf
    for neighbors in FORMS:
        for parameters in ({}, {"rule": "aglo", "isolation": 100.0}):
            model = fitted(
                D, metric="precomputed", tail_factor=np.inf, criterion=None, neighbors=neighbors, **parameters
            )
            assert model.labels_.tolist() == [1] * 12 + [0] * 18
            assert np.isinf(model.linkage_[-1, 2])
            assert np.isfinite(model.merges_).all()
            assert np.isfinite(model.mean_increments_).all()
    with pytest.raises(ValueError, match="n_clusters=1, but infinite distances separate 2 groups: use 2 or more"):
        IncrementsHierarchy(metric="precomputed", n_clusters=1).fit(D)
    with pytest.raises(ValueError, match="isolation='auto' needs finite distances"):
        IncrementsHierarchy("aglo", metric="precomputed").fit(D)


def test_few_objects():
    assert fitted([0.0, 5.0]).labels_.tolist() == [0, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert IncrementsHierarchy("aglo").fit([[0.0], [5.0]]).labels_.tolist() == [0, 0]
    assert fitted(A, min_size=2**64).n_clusters_ == 1
    assert fitted([0.0, 5.0], n_clusters=2).labels_.tolist() == [0, 1]
    assert fitted([0.0, 1.0, 5.0]).n_clusters_ == 1
    for rule in ("did", "aglo"):
        model = fitted(np.zeros(30), rule=rule, isolation=3.0)
        assert model.n_clusters_ == 1


def test_names():
    assert {"sl-did", "sl-aglo"} <= set(names())
    assert by_name("sl-aglo")().rule == "aglo"
    with pytest.raises(ValueError, match="No method on increments is called 'dbscan'"):
        by_name("dbscan")
    assert clone(by_name("sl-aglo")(isolation=3)).get_params()["isolation"] == 3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_size": 2}, "min_size"),
        ({"tail_factor": 0}, "tail_factor"),
        ({"isolation": 0}, "isolation"),
        ({"isolation": "best"}, "isolation"),
        ({"alpha": 1}, "alpha"),
        ({"alpha": 0}, "alpha"),
        ({"criterion": "aic"}, "criterion"),
        ({"rule": "single"}, "rule"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 13}, "n_clusters=13 is more than the n_samples=12"),
        ({"n_clusters": True}, "n_clusters=True is not a number"),
        ({"neighbors": "mst"}, "neighbors"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        IncrementsHierarchy(**parameters).fit(np.concatenate([A, B])[:, None])


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        ([[1.0]], {}, "minimum of 2"),
        ([[1.0], [np.nan]], {}, "NaN"),
        ([[1.0], [np.inf]], {}, "infinity"),
        ([[1e300], [0.0]], {}, "squares"),
        ([[0, 1], [2, 0.0]], {"metric": "precomputed"}, "symmetric"),
        ([[0, -1], [-1, 0.0]], {"metric": "precomputed"}, "negative"),
        ([[0, -np.inf], [-np.inf, 0.0]], {"metric": "precomputed"}, "negative|infinity"),
        ([[0, np.nan], [np.nan, 0.0]], {"metric": "precomputed"}, "NaN"),
        ([[1, 1], [1, 0.0]], {"metric": "precomputed"}, "diagonal"),
        ([[np.inf, 1], [1, 0.0]], {"metric": "precomputed"}, "diagonal"),
        ([[0, np.inf], [1, 0.0]], {"metric": "precomputed"}, "one direction"),
        ([[0, np.inf, 1], [1, 0.0, 1]], {"metric": "precomputed"}, "square"),
    ],
)
def test_bad_input(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        IncrementsHierarchy(**parameters).fit(X)


def test_isolation_cannot_be_found_on_a_lattice():
    with (
        pytest.raises(DegenerateIncrementsError, match="Give a number for isolation"),
        pytest.warns(UserWarning, match="exactly 0"),
    ):
        IncrementsHierarchy("aglo").fit(np.arange(20.0)[:, None])


def test_all_pairs_must_fit():
    X = np.random.default_rng(0).normal(size=(1000, 2))
    with memory_budget("1MB"), pytest.raises(MemoryLimitError, match="4.0 MB for 1,000 objects.*Use neighbors='tree'"):
        IncrementsHierarchy(neighbors="all").fit(X)
    with pytest.raises(ValueError, match="up to 32,768 objects; got 40,000"):
        IncrementsHierarchy(neighbors="all").fit(np.zeros((40_000, 1)))


def test_auto_takes_the_tree_for_many_objects():
    X = np.random.default_rng(0).normal(size=(10_001, 2))
    model = fitted(X)
    assert model.neighbors_ == "tree"
    assert fitted(X[:50]).neighbors_ == "all"
    np.testing.assert_array_equal(fitted(X.astype(np.float32), neighbors="tree").labels_.shape, (10_001,))

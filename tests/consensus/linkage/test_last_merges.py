"""The last merges: three rules, the one that halves of the ensemble find again, and groups without evidence."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, ward
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from helpers import noisy_members
from pluribus import Ensemble, EnsembleClusterer
from pluribus._kernels.linkage.merge_groups import merge_groups
from pluribus.consensus import LocallyWeightedConsensus
from pluribus.consensus._shared.evidence_linkages import average_link
from pluribus.consensus.linkage._last_merges import RULES, LastMerges, _Between, last_groups
from pluribus.generate import Generator


def merge_slowly(evidence, seen, places, sizes, k, rule, faint=0.0):
    """Clusters of groups as sets, each score from all pairs of their objects."""
    clusters = [frozenset([g]) for g in range(len(sizes))]

    def mean(a, b):
        pairs = np.ix_(sorted(a), sorted(b))
        total = seen[pairs].sum()
        return evidence[pairs].sum() / total if total else 0.0

    def spread(a):
        weights, points = sizes[sorted(a)], places[sorted(a)]
        center = np.average(points, axis=0, weights=weights)
        return (weights * ((points - center) ** 2).sum(axis=1)).sum()

    def score(a, b):
        if mean(a, b) <= faint * np.sqrt(mean(a, a) * mean(b, b)):
            return spread(a) + spread(b) - spread(a | b)
        if rule == "per object":
            return mean(a, b) * sizes[sorted(a | b)].sum()
        return mean(a, b) / (np.sqrt(mean(a, a) * mean(b, b)) if rule == "relative" else 1)

    while len(clusters) > k:
        a, b = max(combinations(clusters, 2), key=lambda pair: score(*pair))
        clusters = [c for c in clusters if c not in (a, b)] + [a | b]
    labels = np.empty(len(sizes), int)
    for number, cluster in enumerate(clusters):
        labels[sorted(cluster)] = number
    return labels


def groups_of(seed, n=14, holes=0.0):
    """Groups of some sizes, their places, and evidence that falls with distance."""
    rng = np.random.default_rng(seed)
    sizes, points = rng.integers(1, 30, n).astype(float), rng.normal(size=(n, 2))
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    seen = np.outer(sizes, sizes)
    evidence = seen * np.exp(-2 * squared) * rng.uniform(0.5, 1, (n, n))
    evidence = (evidence + evidence.T) / 2
    cut = rng.random((n, n)) < holes
    evidence[(cut | cut.T) & ~np.eye(n, dtype=bool)] = 0
    return evidence, seen, points, squared, sizes


def apart(squared, sizes):
    return squared * np.outer(sizes, sizes) / np.add.outer(sizes, sizes)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("holes", "faint"), [(0.0, 0.0), (0.9, 0.0), (0.3, 0.05)])
@pytest.mark.parametrize("seed", range(2))
def test_merges_are_those_of_the_definition(rule, holes, faint, seed):
    evidence, seen, points, squared, sizes = groups_of(seed, holes=holes)
    for k in (1, 2, 5, 13, 14):
        found = merge_groups(evidence, seen, faint, apart(squared, sizes), sizes, k, RULES[rule])
        assert len(np.unique(found)) == found.max() + 1 == k
        assert adjusted_rand_score(found, merge_slowly(evidence, seen, points, sizes, k, rule, faint)) == 1


def test_without_any_evidence_it_is_ward():
    X, _ = make_blobs(40, centers=6, random_state=0)
    sizes, nothing = np.ones(40), np.zeros((40, 40))
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    for k in (2, 3, 6, 20):
        found = merge_groups(nothing, nothing, 0.0, apart(squared, sizes), sizes, k, RULES["average"])
        assert adjusted_rand_score(found, fcluster(ward(X), k, "maxclust")) == 1


def planted(sizes, r=24, noise=0.02):
    """True clusters, and members that split each of them in pieces of their own."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return truth, Ensemble(noisy_members(truth, r, noise, pieces=5, rng=np.random.default_rng(0)))


def merge(ensemble, k, seed=0, rows=None):
    weights = np.ones(ensemble.offsets[-1])
    tree = average_link(ensemble, weights, verbose=False)
    merges = last_groups(ensemble, weights, tree, k, np.random.default_rng(seed), rows).merge(k)
    return merges.labels, merges


def test_clear_clusters_by_average_link():
    truth, ensemble = planted([90, 60, 30])
    labels, merges = merge(ensemble, 3)
    assert adjusted_rand_score(truth, labels) == 1
    assert merges.rule == "average"
    assert min(merges.stability.values()) > 0.9
    assert "(average link)" in merges.sentence
    assert "no other rule is clearly better" in merges.sentence


def test_another_rule_is_taken_if_it_is_found_again():
    stability = {"average": 0.6, "per object": 0.95, "relative": 0.65}
    assert "0.95; average link gets 0.60." in LastMerges("per object", stability).sentence
    # A long chain, and a small cluster at its end: average link cuts the chain, each time elsewhere.
    place = np.append(np.sort(np.random.default_rng(0).uniform(0, 100, 380)), np.linspace(115, 117, 20))
    rng = np.random.default_rng(3)
    members = [np.digitize(place, np.sort(rng.uniform(0, 130, rng.integers(20, 40)))) for _ in range(40)]
    model = LocallyWeightedConsensus(2, extraction="stable", random_state=0, verbose=False).fit(members)
    merges = model.last_merges_
    assert merges.rule == "relative" == max(merges.stability, key=merges.stability.get)
    assert merges.stability["average"] + 0.1 < merges.stability["relative"]
    assert adjusted_rand_score(place > 110, model.labels_) == 1
    assert not hasattr(model, "linkage_")  # that of average link, which is another result


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_no_reason_for_another_rule(seed):
    rng = np.random.default_rng(seed)
    _, merges = merge(Ensemble([rng.integers(20, size=1000) for _ in range(40)]), 3, seed)
    assert merges.rule == "average"


@pytest.mark.parametrize(
    ("k", "r", "sizes"), [(1, 24, [50, 50]), (40, 24, [50, 50, 50]), (2, 3, [50, 50]), (2, 24, [5, 5])]
)
def test_where_there_is_no_choice(k, r, sizes):
    _, ensemble = planted(sizes, r=r)
    model = LocallyWeightedConsensus(k, extraction="stable", random_state=0, verbose=False).fit(ensemble)
    merges = model.last_merges_
    assert (merges.rule, merges.stability) == ("average", {})
    assert len(np.unique(model.labels_)) == k
    assert merges.sentence == "Groups were merged by the mean evidence between them (average link)."


def test_the_groups_can_be_merged_to_another_number():
    truth, ensemble = planted([90, 60, 30])
    model = LocallyWeightedConsensus(2, extraction="stable", random_state=0, verbose=False).fit(ensemble)
    again = LocallyWeightedConsensus(3, extraction="stable", random_state=0, verbose=False).fit(ensemble)
    merges = model.last_groups_.merge(3)
    assert adjusted_rand_score(truth, merges.labels) == 1
    assert (merges.rule, merges.stability) == (again.last_merges_.rule, again.last_merges_.stability)
    assert adjusted_rand_score(merges.labels, again.labels_) == 1


def test_halves_depend_on_the_seed_only():
    _, ensemble = planted([60, 40, 20], noise=0.3)
    one, again, other = (merge(ensemble, 3, seed)[1].stability for seed in (0, 0, 1))
    assert one == again
    assert one != other


FAR = [[0, 0], [4, 0], [0, 4], [40, 0], [44, 0], [0, 40], [0, 44]]
NEAR = np.array([0, 0, 0, 1, 1, 2, 2])


def cluster(X, k, n_members=8):
    generator = Generator("landmarks", n_members=n_members, n_clusters="coarse")
    return EnsembleClusterer(generator, "lwsm", k, random_state=0, verbose=False).fit(X)


@pytest.mark.parametrize("n_members", [3, 8])  # with 3 the rule is not chosen
def test_far_groups_are_merged_by_their_distance(n_members):
    X, y = make_blobs(350, centers=FAR, cluster_std=0.3, random_state=0)
    for shifted in (X, X + 1e6, sparse.csr_matrix(X)):
        assert adjusted_rand_score(NEAR[y], cluster(shifted, 3, n_members).labels_) == 1


def test_values_near_the_largest_there_are():
    X, y = make_blobs(350, centers=FAR, cluster_std=0.3, random_state=0)
    assert adjusted_rand_score(NEAR[y], cluster(X * 1e148, 3).labels_) == 1


def test_more_far_groups_than_average_link_leaves():
    corners = np.array([[0, 0], [900, 0], [0, 900], [900, 900]])
    centers = np.repeat(corners, 20, axis=0) + np.tile(np.arange(20), 4)[:, None]
    X, y = make_blobs(1600, centers=centers, cluster_std=0.1, random_state=0)
    rng = np.random.default_rng(0)
    singles = Ensemble([2 * y + rng.integers(2, size=len(y)) for _ in range(6)])
    model = LocallyWeightedConsensus(4, extraction="stable", random_state=0, verbose=False).fit(singles, X=X)
    assert adjusted_rand_score(y // 20, model.labels_) == 1


def test_features_in_a_file_are_the_same(tmp_path):
    X, y = make_blobs(350, centers=FAR, cluster_std=0.3, random_state=0)
    np.save(tmp_path / "far.npy", X)
    from_file = cluster(tmp_path / "far.npy", 3)
    assert np.array_equal(from_file.labels_, cluster(X, 3).labels_)
    assert adjusted_rand_score(NEAR[y], from_file.labels_) == 1


def test_of_many_objects_a_sample_is_merged(monkeypatch):
    monkeypatch.setattr("pluribus.consensus.linkage.locally_weighted.LINKED", 200)
    X, y = make_blobs(500, centers=FAR, cluster_std=0.3, random_state=0)
    assert adjusted_rand_score(NEAR[y], cluster(X, 3, 20).labels_) == 1


@pytest.mark.parametrize(
    ("X", "message"),
    [(np.zeros((179, 2)), "X has 179 rows, but the ensemble is of 180 objects"), (np.full((180, 1), np.nan), "NaN")],
)
def test_features_are_looked_at_first(X, message):
    _, ensemble = planted([90, 60, 30])
    with pytest.raises(ValueError, match=message):
        LocallyWeightedConsensus(3, extraction="stable").fit(ensemble, X=X)


@pytest.mark.parametrize("seed", range(3))
def test_evidence_between_groups_with_missing_labels_and_weights(seed):
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random((40, 6)) < 0.3, -1, rng.integers(4, size=(40, 6)))
    ensemble = Ensemble(labels, weights=[1, 2, 0.5, 1, 0, 3])
    groups, members = np.arange(40) % 7, np.array([0, 2, 3, 4])
    weights = rng.random(ensemble.offsets[-1]) * np.repeat(ensemble.weights, ensemble.n_clusters)
    together, seen = _Between(ensemble, weights, groups).sums(members)
    for a, b in ((0, 0), (0, 1), (3, 6)):
        pairs = [(i, j, p) for i in np.flatnonzero(groups == a) for j in np.flatnonzero(groups == b) for p in members]
        codes = ensemble.labels
        both = [(i, j, p) for i, j, p in pairs if codes[i, p] >= 0 and codes[j, p] >= 0]
        assert seen[a, b] == pytest.approx(sum(ensemble.weights[p] for _, _, p in both))
        same = sum(weights[ensemble.offsets[p] + codes[i, p]] for i, j, p in both if codes[i, p] == codes[j, p])
        assert together[a, b] == pytest.approx(same)


def test_dendrogram_is_kept_where_it_is_that_of_the_result():
    truth, ensemble = planted([90, 60, 30])
    model = LocallyWeightedConsensus(3, extraction="stable", random_state=0, verbose=False).fit(ensemble)
    assert model.linkage_.shape == (179, 4)
    assert model.last_merges_.rule == "average"
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert not hasattr(model.set_params(extraction="linkage").fit(ensemble), "last_merges_")

"""The last merges: three rules, the one that halves of the ensemble find again, and groups without evidence."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, ward
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from pluribus import Ensemble, EnsembleClusterer
from pluribus._kernels._merge_groups import merge_groups
from pluribus.consensus import LocallyWeightedConsensus
from pluribus.consensus._merging import RULES, Merging, merged
from pluribus.consensus._trees import average_link


def merge_slowly(evidence, seen, distances, sizes, k, rule, faint=0.0):
    """Clusters of groups as sets, each score from all pairs of their objects."""
    clusters = [frozenset([g]) for g in range(len(sizes))]

    def mean(a, b):
        places = np.ix_(sorted(a), sorted(b))
        total = seen[places].sum()
        return evidence[places].sum() / total if total else 0.0

    def spread(a):
        weights, points = sizes[sorted(a)], distances[sorted(a)]
        center = np.average(points, axis=0, weights=weights)
        return (weights * ((points - center) ** 2).sum(axis=1)).sum()

    def score(a, b):
        if mean(a, b) <= faint:
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
@pytest.mark.parametrize("seed", range(8))
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


def planted(sizes, r=24, pieces=5, wrong=0.02, seed=0):
    """True clusters, and members that split each of them in pieces of their own."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    n, most = len(truth), len(sizes) * pieces
    labels = [truth * pieces + rng.integers(pieces, size=n) for _ in range(r)]
    return truth, Ensemble([np.where(rng.random(n) < wrong, rng.integers(most, size=n), column) for column in labels])


def merge(ensemble, k, seed=0, rows=None):
    weights = np.ones(ensemble.offsets[-1])
    tree = average_link(ensemble, weights, verbose=False)
    return merged(ensemble, weights, tree, k, np.random.default_rng(seed), rows)


def test_clear_clusters_by_average_link():
    truth, ensemble = planted([90, 60, 30])
    labels, merging = merge(ensemble, 3)
    assert adjusted_rand_score(truth, labels) == 1
    assert merging.rule == "average"
    assert min(merging.stability.values()) > 0.9
    assert "(average link)" in merging.sentence
    assert "no other clearly better" in merging.sentence


def test_another_rule_is_taken_if_it_is_found_again():
    stability = {"average": 0.6, "per object": 0.95, "relative": 0.65}
    assert "0.95, that of average link with 0.60." in Merging("per object", stability).sentence
    # A long chain, and a small cluster at its end: average link cuts the chain, each time elsewhere.
    rng = np.random.default_rng(0)
    place = np.concatenate([np.sort(rng.uniform(0, 100, 380)), 115 + rng.uniform(0, 2, 20)])
    members = [np.digitize(place, np.sort(rng.uniform(0, 130, rng.integers(20, 40)))) for _ in range(40)]
    labels, merging = merge(Ensemble(members), 2)
    assert merging.rule == "relative" == max(merging.stability, key=merging.stability.get)
    assert merging.stability["average"] < 0.2
    assert adjusted_rand_score(place > 110, labels) == 1


@pytest.mark.parametrize(
    ("k", "r", "sizes"), [(1, 24, [50, 50]), (21, 24, [50, 50, 50]), (2, 3, [50, 50]), (2, 24, [5, 5])]
)
def test_where_there_is_no_choice(k, r, sizes):
    _, ensemble = planted(sizes, r=r)
    labels, merging = merge(ensemble, k)
    assert merging == ("average", {})
    assert len(np.unique(labels)) == k
    assert merging.sentence == "Groups were merged by the mean evidence between them (average link)."


def test_halves_depend_on_the_seed_only():
    _, ensemble = planted([60, 40, 20], wrong=0.3)
    one, again, other = (merge(ensemble, 3, seed)[1].stability for seed in (0, 0, 1))
    assert one == again
    assert one != other


@pytest.mark.parametrize("as_sparse", [False, True])
def test_far_groups_are_merged_by_their_distance(as_sparse):
    centers = [[0, 0], [4, 0], [0, 4], [40, 0], [44, 0], [0, 40], [0, 44]]
    X, y = make_blobs(350, centers=centers, cluster_std=0.3, random_state=0)
    near = np.array([0, 0, 0, 1, 1, 2, 2])[y]
    X = sparse.csr_matrix(X) if as_sparse else X
    for k, truth in ((7, y), (3, near)):
        model = EnsembleClusterer(n_clusters=k, random_state=0, verbose=False).fit(X)
        assert adjusted_rand_score(truth, model.labels_) == 1


def test_of_many_objects_a_sample_is_merged(monkeypatch):
    monkeypatch.setattr("pluribus.consensus._locally_weighted.LINKED", 200)
    centers = [[0, 0], [4, 0], [40, 0], [44, 0]]
    X, y = make_blobs(500, centers=centers, cluster_std=0.3, random_state=0)
    model = EnsembleClusterer(n_clusters=2, random_state=0, verbose=False).fit(X)
    assert adjusted_rand_score(y // 2, model.labels_) == 1


def test_dendrogram_is_kept_where_it_is_that_of_the_result():
    truth, ensemble = planted([90, 60, 30])
    model = LocallyWeightedConsensus(3, extraction="chosen", random_state=0, verbose=False).fit(ensemble)
    assert model.linkage_.shape == (179, 4)
    assert model.merging_.rule == "average"
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert not hasattr(model.set_params(extraction="linkage").fit(ensemble), "merging_")

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cut_tree, is_valid_linkage
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score

from helpers import planted
from pluribus import Ensemble
from pluribus.consensus import EvidenceAccumulation
from pluribus.consensus._shared.bipartite_cut import transfer_cut
from pluribus.consensus._shared.cluster_graph import tabulate
from pluribus.consensus._shared.evidence_linkages import average_link
from pluribus.consensus.linkage.locally_weighted import LocallyWeightedConsensus, mean_entropies
from pluribus.evidence import mean_evidence

EXTRACTIONS = ["linkage", "stable", "graph"]


def lw(k, **options):
    return LocallyWeightedConsensus(k, **({"random_state": 0, "verbose": False} | options))


def slow_weights(e, theta):
    """The definition, cluster by cluster; a list for each partition."""
    out = []
    for p in range(len(e)):
        out.append([])
        for c in range(e.n_clusters[p]):
            inside = e.labels[e.labels[:, p] == c]
            entropies, weights = [], []
            for m in range(len(e)):
                there = inside[:, m][inside[:, m] >= 0]
                if len(there):
                    share = np.unique(there, return_counts=True)[1] / len(there)
                    entropies.append(-(share * np.log2(share)).sum())
                    weights.append(e.weights[m])
            out[-1].append(np.exp(-np.average(entropies, weights=weights) / theta))
    return out


def slow_evidence(e, theta):
    """What all pairs have together, each by its cluster's weight, and what saw both: two n × n matrices."""
    together, seen = np.zeros((2, e.n_objects, e.n_objects))
    for p, weights in enumerate(slow_weights(e, theta)):
        column = e.labels[:, p]
        covered = column >= 0
        both = np.outer(covered, covered)
        same = (column[:, None] == column) & both
        together += e.weights[p] * same * np.where(covered, np.array(weights)[column], 0)
        seen += e.weights[p] * both
    return together, seen


ENSEMBLES = {
    "plain": lambda: Ensemble(planted(50, 7, 3, 0.4)[1]),
    "equal rows": lambda: Ensemble(np.repeat(planted(20, 7, 3, 0.5)[1], np.arange(20) % 4 + 1, axis=0)),
    "weights": lambda: Ensemble(planted(50, 5, 3, 0.4)[1], weights=[1, 2, 0.5, 1.3, 3]),
    "missing": lambda: Ensemble(planted(50, 7, 3, 0.4, missing=0.3)[1], weights=[1, 2, 0.5, 1.3, 3, 1, 0.7]),
}


@pytest.mark.parametrize("kind", ENSEMBLES)
def test_weights_of_clusters_are_those_of_the_definition(kind):
    e = ENSEMBLES[kind]()
    model = lw(3).fit(e)
    expected = slow_weights(e, 0.4)
    assert [len(w) for w in model.cluster_weights_] == e.n_clusters.tolist()
    for ours, theirs in zip(model.cluster_weights_, expected, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-12)
    assert mean_entropies(e, n_jobs=2) == pytest.approx(mean_entropies(e), abs=0)


@pytest.mark.parametrize("kind", ["plain", "equal rows", "weights"])
@pytest.mark.parametrize("theta", [0.2, 0.4, 2.0])
def test_linkage_is_average_link_on_the_weighted_matrix(kind, theta):
    e = ENSEMBLES[kind]()
    together, seen = slow_evidence(e, theta)
    dissimilarity = 1 - together / seen
    np.fill_diagonal(dissimilarity, 0)
    expected = scipy_linkage(squareform(dissimilarity, checks=False), "average")
    model = lw(3, theta=theta).fit(e)
    assert is_valid_linkage(model.linkage_)
    assert model.linkage_[:, 2] == pytest.approx(expected[:, 2], abs=1e-9)
    for k in (2, 3, 5, 8):
        theirs = cut_tree(expected, k).ravel()
        assert adjusted_rand_score(theirs, lw(k, theta=theta).fit_predict(e)) == 1


@given(st.integers(0, 10**6), st.booleans())
def test_each_merge_is_the_best_there_is(seed, missing):
    rng = np.random.default_rng(seed)
    labels = rng.integers(-1 if missing else 0, 3, (9, 4))
    labels[:, 0] = np.abs(labels[:, 0])
    labels[0] = np.abs(labels[0])
    e = Ensemble(labels, weights=rng.random(4) + 0.1)
    together, seen = slow_evidence(e, 0.4)
    z = lw(1).fit(e).linkage_
    groups = {i: [i] for i in range(9)}

    def between(a, b):
        pairs = np.ix_(a, b)
        return together[pairs].sum() / seen[pairs].sum()

    for t, (a, b, height, _) in enumerate(z):
        best = max(between(groups[i], groups[j]) for i in groups for j in groups if i < j)
        merged = between(groups[int(a)], groups[int(b)])
        assert merged == pytest.approx(best, abs=1e-9)
        assert height == pytest.approx(1 - merged, abs=1e-9)
        groups[9 + t] = groups.pop(int(a)) + groups.pop(int(b))


@pytest.mark.parametrize("kind", ENSEMBLES)
def test_graph_has_the_singular_vectors_of_the_weighted_edges(kind):
    e = ENSEMBLES[kind]()
    weights = np.concatenate(slow_weights(e, 0.4)) * np.repeat(e.weights, e.n_clusters)
    E = e.one_hot().toarray() * weights
    A = E / np.sqrt(E.sum(axis=1, keepdims=True)) / np.sqrt(E.sum(axis=0))
    U, _, V = np.linalg.svd(A, full_matrices=False)
    expected = np.concatenate([U[:, :3], V[:3].T])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    table = tabulate(e, np.arange(len(e)))
    objects, clusters = transfer_cut(table._replace(weights=weights[table.position]), 3, None)
    rows = np.concatenate([objects[table.inverse], clusters[np.argsort(table.position)]]).astype(float)
    np.testing.assert_allclose(rows @ rows.T, expected @ expected.T, atol=1e-4)  # equal up to a rotation
    # The labels are those of k-means on these rows.
    found = lw(3, extraction="graph", n_init=20).fit_predict(e)
    own = rows[: e.n_objects]
    centers = np.array([own[found == c].mean(axis=0) for c in range(3)])
    nearest = ((own[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == found).mean() > 0.9


@pytest.mark.parametrize("kind", ENSEMBLES)
@pytest.mark.parametrize("extraction", EXTRACTIONS)
def test_memberships_are_the_mean_weighted_evidence(kind, extraction):
    e = ENSEMBLES[kind]()
    model = lw(3, extraction=extraction).fit(e)
    together, seen = slow_evidence(e, 0.4)
    indicator = np.eye(model.n_clusters_)[model.labels_]
    mean = (together @ indicator) / (seen @ indicator)
    np.testing.assert_allclose(model.membership_, mean / mean.sum(axis=1, keepdims=True), atol=1e-12)


def test_mean_evidence_takes_weights_of_clusters():
    e = Ensemble([[0, 0, 1, 1], [0, 1, 1, -1]])
    found = mean_evidence(e, np.array([0, 0, 1, 1]), 2, cluster_weights=np.array([0.5, 1, 0.2, 1]))
    np.testing.assert_allclose(found, [[0.3, 0], [0.5, 1 / 3], [0.25, 1], [0, 1]])


@pytest.mark.parametrize("extraction", EXTRACTIONS)
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_finds_a_planted_partition(extraction, missing):
    truth, labels = planted(600, 15, 4, 0.25, missing=missing)
    model = lw(4, extraction=extraction).fit(labels)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert model.n_clusters_ == 4


@pytest.mark.parametrize("extraction", EXTRACTIONS)
def test_partitions_may_be_right_in_one_place_and_wrong_in_the_next(extraction):
    # Each partition knows one cluster and scatters the rest: all are equally bad, but their clusters are not.
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), 60)
    labels = [np.where(truth == p % 4, 9, rng.integers(0, 6, 240)) for p in range(12)]
    model = lw(4, extraction=extraction).fit(labels)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    known = [w[e.tolist().index(9)] for w, e in zip(model.cluster_weights_, Ensemble(labels).classes, strict=True)]
    junk = [np.delete(w, w.argmax()).max() for w in model.cluster_weights_]
    assert min(known) > 1.5 * max(junk)


@pytest.mark.parametrize("extraction", EXTRACTIONS)
def test_weights_count(extraction):
    halves, other = [0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 0, 0]
    for weights, expected in (([5, 1], halves), ([1, 5], other), ([1, 0], halves)):
        model = lw(2, extraction=extraction).fit(Ensemble([halves, other], weights=weights))
        assert adjusted_rand_score(expected, model.labels_) == 1


@pytest.mark.parametrize("extraction", EXTRACTIONS)
def test_names_order_and_threads_do_not_matter(extraction):
    _, labels = planted(150, 7, 4, 0.4, missing=0.1)
    model = lw(4, extraction=extraction).fit(labels)
    named = [[None if c < 0 else f"x{(3 * c + p) % 7}" for c in column] for p, column in enumerate(labels.T)]
    assert lw(4, extraction=extraction, n_jobs=2).fit_predict(named).tolist() == model.labels_.tolist()
    order = np.random.default_rng(1).permutation(150)
    assert adjusted_rand_score(lw(4, extraction=extraction).fit_predict(labels[order]), model.labels_[order]) == 1


def test_without_entropy_it_is_evidence_accumulation():
    _, labels = planted(120, 9, 3, 0.3)
    plain = EvidenceAccumulation(3, linkage="average", verbose=False).fit(labels)
    model = lw(3, theta=1e6).fit(labels)
    assert adjusted_rand_score(plain.labels_, model.labels_) == 1
    np.testing.assert_allclose(model.membership_, plain.membership_, atol=1e-5)
    unweighted = Ensemble(labels)
    same = average_link(unweighted, np.ones(unweighted.offsets[-1]), verbose=False)
    np.testing.assert_array_equal(same, average_link(unweighted, verbose=False))


@pytest.mark.parametrize("extraction", EXTRACTIONS)
def test_edges(extraction):
    assert lw(1, extraction=extraction).fit([["a"]]).labels_.tolist() == [0]
    assert lw(1, extraction=extraction).fit([[0, 0, 1, 1], [0, 1, 2, 3]]).n_clusters_ == 1
    assert lw(4, extraction=extraction).fit_predict([[0, 1, 2, 3], [0, 1, 2, 3]]).tolist() == [0, 1, 2, 3]
    assert lw(2, extraction=extraction, theta=1e-6).fit_predict([[0, 0, 1, 1], [0, 1, 1, 0], [0, 0, 1, 1]]).max() == 1
    part = Ensemble([[0, 0, 1, 1, 2], [0, 0, 1, 1, 1]]).take_objects([0, 1, 2, 3])  # leaves a cluster empty
    assert lw(2, extraction=extraction).fit_predict(part).tolist() == [0, 0, 1, 1]
    soft = Ensemble.from_memberships([[[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]])
    assert lw(2, extraction=extraction).fit_predict(soft).tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("parameters", "ensemble", "message"),
    [
        ({"extraction": "graph"}, [[0, 1]], "needs n_clusters"),
        ({"n_clusters": 3}, [[0, 1]], "n_clusters=3 is more than the number of objects, 2"),
        ({"n_clusters": 2, "theta": 0}, [[0, 1]], "theta"),
        ({"n_clusters": 2, "extraction": "nope"}, [[0, 1]], "extraction"),
        ({"n_clusters": 2}, [], "empty"),
        ({"n_clusters": 2, "extraction": "graph"}, [[0, 0, 0]], "Every partition has a single cluster"),
    ],
)
def test_bad_input(parameters, ensemble, message):
    with pytest.raises(ValueError, match=message):
        LocallyWeightedConsensus(**parameters, verbose=False).fit(ensemble)

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score

from helpers import ensembles, noisy_members
from pluribus import Ensemble
from pluribus.consensus import PropagatedSimilarities, by_name
from pluribus.consensus.graph_cuts.propagated_similarities import walked_similarities
from pluribus.evidence import MemoryLimitError


def fit(labels, k, **options):
    return PropagatedSimilarities(k, random_state=0, verbose=False, **options).fit(labels)


def slow_similarities(e, n_steps):
    """By sets of objects, and walks one step at a time."""
    clusters = [set(np.flatnonzero(e.labels[:, p] == c)) for p in range(len(e)) for c in range(e.n_clusters[p])]
    weight = np.repeat(e.weights, e.n_clusters)
    q = len(clusters)
    S = np.array([[len(a & b) / len(a | b) for b in clusters] for a in clusters]) * np.outer(weight, weight)
    np.fill_diagonal(S, 0)
    P = np.array([row / row.sum() if row.sum() else row for row in S])
    out = np.eye(q)
    paths = []
    for start in range(q):
        here, path = np.eye(q)[start], []
        for _ in range(n_steps):
            here = here @ P
            path.append(here)
        paths.append(np.concatenate(path))
    for a in range(q):
        for b in range(q):
            both = np.linalg.norm(paths[a]) * np.linalg.norm(paths[b])
            if a != b and both:
                out[a, b] = paths[a] @ paths[b] / both
    return out


def slow_evidence(e, similar):
    start = e.offsets
    n = e.n_objects
    out = np.eye(n)
    for i in range(n):
        for j in range(n):
            seen = [p for p in range(len(e)) if e.labels[i, p] >= 0 and e.labels[j, p] >= 0]
            if i != j and seen:
                values = [similar[start[p] + e.labels[i, p], start[p] + e.labels[j, p]] for p in seen]
                out[i, j] = np.average(values, weights=e.weights[seen])
    return out


def several(e):
    """Partitions with more than one cluster: the others are left out."""
    return (e.n_clusters > 1).all()


@given(ensembles(n=(3, 10)))
def test_similarities_are_cosines_of_walks(e):
    if several(e):
        found = fit(e, 1, n_steps=4)
        assert found.similarities_ == pytest.approx(slow_similarities(e, 4), abs=1e-9)
        assert fit(e, 1, n_steps=1).similarities_ == pytest.approx(slow_similarities(e, 1), abs=1e-9)


def test_average_link_of_the_enhanced_evidence():
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels = rng.integers(0, 3, (9, 12))
        labels[rng.random((9, 12)) < 0.1] = -1
        labels[:, 0] = rng.permutation([0, 1, 2] * 3)
        e = Ensemble(labels, weights=rng.random(12) + 0.1)
        evidence = slow_evidence(e, slow_similarities(e, 5))
        tree = scipy_linkage(squareform(np.clip(1 - evidence, 0, None), checks=False), "average")
        groups = {i: {i} for i in range(9)}
        for t in range(6):
            groups[9 + t] = groups.pop(int(tree[t, 0])) | groups.pop(int(tree[t, 1]))
        found = fit(e, 3, extraction="average", n_steps=5).labels_
        assert {frozenset(np.flatnonzero(found == c).tolist()) for c in range(3)} == set(
            map(frozenset, groups.values())
        )


def test_clusters_without_common_objects_are_similar_through_others():
    # a and b share no object, but both lie in the first cluster of the second partition; c does not.
    e = Ensemble([[0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]])
    a_b, a_c = fit(e, 1).similarities_[0, [1, 2]]
    assert a_b == pytest.approx(1)
    assert a_c == 0
    for extraction in ("meta", "average"):
        assert fit(e, 2, extraction=extraction).labels_.tolist() == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("name", ["ecpcs-mc", "ecpcs-hc"])
def test_planted_clusters(name):
    truth = np.arange(120) % 3
    members = noisy_members(truth, 10, 0.15, pieces=4, missing=0.0, rng=np.random.default_rng(0))
    found = by_name(name)(3, random_state=0, verbose=False).fit(members)
    assert adjusted_rand_score(truth, found.labels_) > 0.9
    assert found.membership_.sum(axis=1) == pytest.approx(1)


def test_a_vertex_without_edges():
    alone = walked_similarities(sparse.csr_array((3, 3)), 3)
    assert alone.tolist() == np.eye(3).tolist()


def test_refused(monkeypatch):
    with pytest.raises(ValueError, match="needs n_clusters"):
        PropagatedSimilarities().fit([[0, 0, 1]])
    with pytest.raises(ValueError, match="only 2 clusters"):
        fit([[0, 0, 1, 1]], 3)
    with pytest.raises(ValueError, match="extraction"):
        fit([[0, 0, 1, 1]], 2, extraction="single")
    with pytest.raises(ValueError, match="n_steps"):
        fit([[0, 0, 1, 1]], 2, n_steps=0)
    with pytest.raises(MemoryLimitError, match="Use extraction='meta'"):
        fit(np.arange(20_000)[:, None] % 3, 3, extraction="average")

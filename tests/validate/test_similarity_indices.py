"""The indices of the similarity level: the exact examples of the source's definitions, loops, and all forms alike."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

from pluribus import Ensemble
from pluribus.evidence import CoAssociation
from pluribus.validate import davies_bouldin_cost, dunn_index, neighbor_density_index, silhouette_index

MEMBERS = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]
EXAMPLES = [
    ([0, 0, 0, 1, 1, 1], F(101, 108), F(1, 4), 0, F(64, 729)),
    ([0, 0, 1, 1, 1, 1], F(23, 36), 0, 0, F(9, 128)),
    ([0, 1, 0, 1, 0, 1], F(-11, 24), 0, 0, F(64, 729)),
    ([0, 0, 1, 2, 2, 2], F(1, 2), F(1, 5), F(2, 9), 1),
]
FORMS = [
    lambda e: e,
    lambda e: CoAssociation(e, form="dense"),
    lambda e: CoAssociation(e, form="sparse"),
    lambda e: CoAssociation(e, form="operator"),
    lambda e: CoAssociation(e).to_dense(),
    lambda e: sparse.csr_matrix(CoAssociation(e).to_dense()),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("labels", "silhouette", "dunn", "cost", "density"), EXAMPLES)
def test_examples(form, labels, silhouette, dunn, cost, density):
    C = form(Ensemble(MEMBERS))
    assert silhouette_index(labels, similarity=C) == pytest.approx(float(silhouette), abs=1e-12)
    assert dunn_index(labels, similarity=C) == pytest.approx(float(dunn), abs=1e-12)
    assert davies_bouldin_cost(labels, similarity=C) == pytest.approx(float(cost), abs=1e-12)
    value = neighbor_density_index(labels, similarity=C, n_neighbors=2)
    assert np.exp(value + value.log_volume) == pytest.approx(float(density), rel=1e-12)


def test_silhouette_of_similarities_is_not_that_of_distances():
    C = CoAssociation(MEMBERS).to_dense()
    assert silhouette_index(EXAMPLES[0][0], distances=1 - C) == pytest.approx(0.649306, abs=1e-6)


def test_blocks_of_the_partition_itself():
    labels = [0, 0, 0, 1, 1, 2, 2, 2]
    C = CoAssociation([labels])
    assert silhouette_index(labels, similarity=C) == 1
    for within in ("extreme", "quantile", "bottleneck"):
        assert dunn_index(labels, similarity=C, within=within) == 1
    for between in ("medoids", "mean"):
        assert davies_bouldin_cost(labels, similarity=C, between=between) == 0


def slow(C, labels):
    """Silhouette, Dunn's index in its three forms, and Davies and Bouldin's cost in its two, pair by pair."""
    n = len(labels)
    groups = [np.flatnonzero(labels == c) for c in np.unique(labels)]
    own = {i: g for g in groups for i in g}
    scores = []
    for i in range(n):
        if len(own[i]) == 1:
            scores.append(0)
            continue
        a = sum(C[i, j] for j in own[i] if j != i) / (len(own[i]) - 1)
        b = max(sum(C[i, j] for j in g) / len(g) for g in groups if i not in g)
        scores.append((a - b) / max(a, b) if max(a, b) > 0 else 0)
    cross = max(C[i, j] for i in range(n) for j in range(i) if labels[i] != labels[j])
    inside = [sorted(C[i, j] for i in g for j in g if j < i) or [1] for g in groups]
    weakest = [_bottleneck(C, g) for g in groups]
    dunn = {
        "extreme": min(v[0] for v in inside),
        "quantile": min(v[int(np.floor(0.05 * (len(v) - 1)))] for v in inside),
        "bottleneck": min(weakest),
    }
    medoids = [max(g, key=lambda i: (round(sum(C[i, j] for j in g if j != i), 9), -i)) for g in groups]
    delta = [np.mean(v) for v in inside]
    costs = {}
    for name in ("medoids", "mean"):
        terms = []
        for p, g in enumerate(groups):
            alike = [
                (C[medoids[p], medoids[q]] if name == "medoids" else np.mean(C[np.ix_(g, h)]), delta[p] + delta[q])
                for q, h in enumerate(groups)
                if q != p
            ]
            terms.append(max(a / d if d > 0 else (0 if a == 0 else np.inf) for a, d in alike))
        costs[name] = np.mean(terms)
    return np.mean(scores), {k: v / (1 + cross) for k, v in dunn.items()}, costs


def _bottleneck(C, group):
    """The highest threshold at which the group still holds together."""
    if len(group) == 1:
        return 1
    for level in sorted(set(C[np.ix_(group, group)].ravel()), reverse=True):
        reached, todo = {group[0]}, [group[0]]
        while todo:
            i = todo.pop()
            new = [j for j in group if j not in reached and C[i, j] >= level]
            reached |= set(new)
            todo += new
        if len(reached) == len(group):
            return level
    return 0


@given(st.integers(0, 10**6), st.integers(4, 14), st.booleans())
@example(475, 10, False)  # two clusters without any similarity inside, but some between them
def test_by_loops(seed, n, missing):
    rng = np.random.default_rng(seed)
    members = rng.integers(0, 4, (n, 7))
    if missing:
        members[rng.random((n, 7)) < 0.2] = -1
        members[0] = 0
    k = int(rng.integers(2, n))
    labels = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)]))
    ensemble = Ensemble(members)
    C = CoAssociation(ensemble).to_dense()
    silhouette, dunn, costs = slow(C, labels)
    for similarity in (ensemble, CoAssociation(ensemble, form="sparse"), CoAssociation(ensemble, form="operator")):
        assert silhouette_index(labels, similarity=similarity) == pytest.approx(silhouette, abs=1e-9)
        for within, value in dunn.items():
            assert dunn_index(labels, similarity=similarity, within=within) == pytest.approx(value, abs=1e-9)
        assert davies_bouldin_cost(labels, similarity=similarity, between="mean") == pytest.approx(costs["mean"])


def test_medoids_by_loops():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        C = rng.random((12, 12))
        C = (C + C.T) / 2
        np.fill_diagonal(C, 1)
        labels = rng.permutation(np.repeat([0, 1, 2], 4))
        assert davies_bouldin_cost(labels, similarity=C) == pytest.approx(slow(C, labels)[2]["medoids"], rel=1e-12)


def test_multiplied_evidence_gives_the_same_silhouette():
    C = CoAssociation(MEMBERS).to_dense()
    for labels, value, *_ in EXAMPLES:
        assert silhouette_index(labels, similarity=C / 3) == pytest.approx(float(value), abs=1e-12)


def test_objects_without_any_evidence_count_nothing():
    C = np.eye(5)
    C[0, 1] = C[1, 0] = 1
    assert silhouette_index([0, 0, 1, 1, 1], similarity=C) == pytest.approx(2 / 5)


@pytest.mark.parametrize(
    ("C", "what"),
    [
        ([[1, 2], [2, 1]], "between 0"),
        ([[1, 0.5], [0.4, 1]], "symmetric"),
        ([[1, 0.5, 0], [0.5, 1, 0]], "square"),
    ],
)
def test_errors(C, what):
    for index in (silhouette_index, dunn_index, davies_bouldin_cost, neighbor_density_index):
        with pytest.raises(ValueError, match=what):
            index([0, 1], similarity=C)


def test_neighbor_limited_evidence():
    rng = np.random.default_rng(0)
    members = rng.integers(0, 5, (200, 10))
    C = CoAssociation(members, form="neighbors", n_neighbors=5)
    labels = members[:, 0]
    assert silhouette_index(labels, similarity=C) == pytest.approx(silhouette_index(labels, similarity=C.to_dense()))
    kept = np.where(np.arange(200) < 20, -1, labels)
    part = C.to_dense()[20:, 20:]
    assert silhouette_index(kept, similarity=C, missing="ignore") == pytest.approx(
        silhouette_index(labels[20:], similarity=part)
    )

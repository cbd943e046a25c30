from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_moons

from pluribus.evidence import CoAssociation
from pluribus.generate import Generator
from pluribus.validate import neighbor_density_index, silhouette_index

MEMBERS = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]]


def log_g(value):
    return value + value.log_volume


def test_own_variant_tells_what_the_source_cannot():
    good, nonsense = [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]
    C = CoAssociation(MEMBERS)
    source = [neighbor_density_index(p, similarity=C, n_neighbors=2) for p in (good, nonsense)]
    assert source[0] == pytest.approx(source[1])
    assert source[0] == pytest.approx(-6.884039, abs=1e-6)
    own = [neighbor_density_index(p, similarity=C, n_neighbors=2, variant="own") for p in (good, nonsense)]
    np.testing.assert_allclose(np.exp([log_g(v) for v in own]), [16 / 243, 1 / 5832])


def slow(D, labels, k):
    """log Σ of the density, and the mean log purity, neighbor by neighbor with fractional ties."""
    n = len(labels)
    size = {c: list(labels).count(c) for c in labels}
    total, purity = 0, 0
    for i in range(n):
        others = sorted(D[i, j] for j in range(n) if j != i)
        last = others[k - 1]
        closer = [j for j in range(n) if j != i and D[i, j] < last]
        tied = [j for j in range(n) if j != i and D[i, j] == last]
        share = (k - len(closer)) / len(tied)
        weight = dict.fromkeys(closer, 1) | dict.fromkeys(tied, share)
        total += np.log(sum(w / size[labels[j]] for j, w in weight.items()))
        purity += np.log(max(sum(w for j, w in weight.items() if labels[j] == labels[i]), 0.5) / k)
    return total, purity / n


@given(st.integers(0, 10**6), st.integers(3, 20))
def test_by_loops_with_ties(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)).astype(float)
    labels = rng.integers(0, 3, n)
    k = int(rng.integers(1, n))
    D = np.abs(X[:, None] - X).sum(axis=2)
    total, purity = slow(D, labels, k)
    for source in ({"X": X, "metric": "cityblock"}, {"distances": D}):
        value = neighbor_density_index(labels, n_neighbors=k, **source)
        assert log_g(value) == pytest.approx(total, abs=1e-9)
        assert value.mean_log_purity == pytest.approx(purity, abs=1e-9)
    own = neighbor_density_index(labels, distances=D, n_neighbors=k, variant="own")
    assert log_g(own) == pytest.approx(n * (np.log(k / n) + own.entropy + own.mean_log_purity), abs=1e-8)
    order = rng.permutation(n)
    assert neighbor_density_index(labels[order], X[order], n_neighbors=k, metric="cityblock") == pytest.approx(
        neighbor_density_index(labels, X, n_neighbors=k, metric="cityblock")
    )


def test_splitting_never_lowers_it_and_equal_sizes_tie():
    X = np.random.default_rng(0).normal(size=(24, 2))
    splits = [np.zeros(24), np.arange(24) // 12, np.arange(24) // 6, np.arange(24) // 3, np.arange(24)]
    values = [neighbor_density_index(labels.astype(int), X, n_neighbors=5) for labels in splits]
    assert all(a <= b + 1e-9 for a, b in pairwise(values))
    assert log_g(values[-1]) == pytest.approx(24 * np.log(5))
    shuffled = np.random.default_rng(1).permutation(splits[2]).astype(int)
    assert neighbor_density_index(shuffled, X, n_neighbors=5) == pytest.approx(values[2])


def test_where_it_is_wrong_and_the_silhouette_of_the_evidence_is_right():
    X, truth = make_moons((400, 100), noise=0.05, random_state=0)
    median = (X[:, 0] > np.median(X[:, 0])).astype(int)
    ensemble = Generator(n_members=60, n_clusters=30, random_state=0).generate(X)
    L = [neighbor_density_index(labels, similarity=ensemble) for labels in (truth, median)]
    S = [silhouette_index(labels, similarity=ensemble) for labels in (truth, median)]
    assert L[0] < L[1]
    assert L[0].mean_log_purity > L[1].mean_log_purity
    assert S[0] > S[1]


def test_objects_with_few_similar_ones():
    C = np.eye(5)
    C[0, 1] = C[1, 0] = 0.5
    value = neighbor_density_index([0, 0, 1, 1, 1], similarity=C, n_neighbors=3)
    # 0 and 1 have one similar object, which stands for three; the others have none.
    assert log_g(value) == pytest.approx(2 * np.log(3 / 2) + 3 * np.log(3 / 3))
    assert value.mean_log_purity == 0


def test_errors():
    X = np.arange(4.0)[:, None]
    with pytest.raises(ValueError, match="n_neighbors=4"):
        neighbor_density_index([0, 0, 1, 1], X, n_neighbors=4)
    for n_neighbors in (0, 1.5, "2"):
        with pytest.raises(ValueError, match="n_neighbors="):
            neighbor_density_index([0, 0, 1, 1], X, n_neighbors=n_neighbors)
    with pytest.raises(ValueError, match="at least two"):
        neighbor_density_index([0], X[:1])
    with pytest.raises(ValueError, match="variant must be"):
        neighbor_density_index([0, 0, 1, 1], X, variant="mine")
    assert np.isfinite(neighbor_density_index([0, 0, 0, 0], np.zeros((4, 1))))


@pytest.mark.filterwarnings("error")
def test_objects_without_any_neighbor():
    """Nothing is similar to anything: the index is low, but a number."""
    assert np.isfinite(neighbor_density_index([0, 0], similarity=np.eye(2)))

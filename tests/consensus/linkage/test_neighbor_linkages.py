import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import is_monotonic, is_valid_linkage
from scipy.sparse.csgraph import minimum_spanning_tree

from helpers import random_ensemble
from pluribus.consensus._shared import evidence_linkages
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.consensus.linkage import _graph_groups, _neighbor_linkages
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble


def all_pairs(ensemble):
    return CoAssociation(ensemble, form="neighbors", n_neighbors=ensemble.n_objects)


def single(ensemble):
    return _neighbor_linkages.neighbor_single_link(ensemble, verbose=False)


def average(ensemble):
    return _neighbor_linkages.neighbor_average_link(ensemble, verbose=False)


seeds = st.integers(0, 10_000)
cases = st.builds(random_ensemble, seeds, st.integers(2, 60), missing=st.sampled_from([0, 0.4]), weighted=st.booleans())


@given(cases)
def test_with_all_neighbors_single_link_is_exact(ensemble):
    exact = evidence_linkages.single_link(ensemble, verbose=False)
    linkage = _neighbor_linkages.spanning_tree_link(all_pairs(ensemble))
    assert is_valid_linkage(linkage)
    np.testing.assert_allclose(linkage[:, 2], exact[:, 2], atol=1e-12)


@given(cases)
def test_with_all_neighbors_average_link_is_exact(ensemble):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_graph_groups, "EXACT_PAIRS", 0)
        linkage = _neighbor_linkages.graph_average_link(all_pairs(ensemble), verbose=False)
    assert is_valid_linkage(linkage)
    assert is_monotonic(linkage)
    if not ensemble.has_missing and len(np.unique(ensemble.weights)) > 1:  # no ties but those of equal rows
        exact = evidence_linkages.average_link(ensemble, verbose=False)
        np.testing.assert_allclose(linkage[:, 2], exact[:, 2], atol=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_average_link_without_ties_is_exact(missing, monkeypatch):
    monkeypatch.setattr(_graph_groups, "EXACT_PAIRS", 0)
    ensemble = random_ensemble(1, n=80, r=25, k=4, missing=missing, weighted=True)
    linkage = _neighbor_linkages.graph_average_link(all_pairs(ensemble), verbose=False)
    exact = evidence_linkages.average_link(ensemble, verbose=False)
    np.testing.assert_allclose(linkage, exact, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_single_link_is_the_spanning_tree_of_the_graph(weighted):
    ensemble = random_ensemble(3, n=300, r=8, k=4, weighted=weighted)
    c = CoAssociation(ensemble, form="neighbors", n_neighbors=4)
    weights = c.to_sparse().copy()
    weights.data = 2 - weights.data
    tree = np.sort(minimum_spanning_tree(weights).data) - 1
    found = _neighbor_linkages.spanning_tree_link(c)[:, 2]
    np.testing.assert_allclose(np.sort(found)[: len(tree)], tree, atol=1e-12)


@pytest.mark.parametrize("missing", [False, True])
def test_components_are_joined_at_the_strongest_evidence_between_them(missing):
    """Two clumps of ten equal rows each: their three neighbors are in the clump."""
    labels = np.array([[0, 0, 0, 0]] * 10 + [[0, 1, 1, 1]] * 10 + [[2, 2, 2, 2]] * 10)
    labels[12, 1] = 0  # together with the first ten in two of four
    labels[7, 3] = -1 if missing else 0
    c = CoAssociation(labels, form="neighbors", n_neighbors=3)
    linkage = _neighbor_linkages.spanning_tree_link(c)
    np.testing.assert_allclose(linkage[-2:, 2], [1 / 3 if missing else 0.5, 1])


@pytest.mark.parametrize("link", [single, average])
@pytest.mark.parametrize(
    "labels",
    [np.zeros((7, 3), int), np.arange(7)[:, None], np.array([[0, 1]]), np.array([[0], [0]]), np.array([[0], [1]])],
)
def test_equal_rows_singletons_and_tiny_ensembles(link, labels, monkeypatch):
    monkeypatch.setattr(_graph_groups, "EXACT_PAIRS", 0)
    linkage = link(Ensemble(labels))
    assert linkage.shape == (len(labels) - 1, 4)
    np.testing.assert_array_equal(linkage[:, 2], float(len(np.unique(labels)) > 1 and labels.shape[1] == 1))


@pytest.mark.parametrize("link", [single, average])
@pytest.mark.parametrize(("missing", "crowd"), [(0.0, 64), (0.2, 64), (0.2, 1)])
def test_clear_groups_are_found_whatever_their_names_and_order(link, missing, crowd, monkeypatch):
    monkeypatch.setattr(_graph_groups, "EXACT_PAIRS", 0)
    monkeypatch.setattr(_graph_groups, "_CROWD", crowd)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 600)
    labels = y[:, None] * 6 + rng.integers(0, 6, (600, 20))
    labels[rng.random(labels.shape) < missing] = -1
    order = rng.permutation(600)
    for some, truth in ((labels, y), (np.where(labels < 0, -1, 50 - labels), y), (labels[order], y[order])):
        found = cut_into(link(Ensemble(some)), 3)
        assert len(np.unique(np.stack([found, truth]), axis=1).T) == 3


def test_a_crowd_around_one_group_merges_by_eighths(monkeypatch):
    """Each object leaves the core in a few partitions, some in more: all have the core as their nearest."""
    monkeypatch.setattr(_graph_groups, "EXACT_PAIRS", 0)
    rng = np.random.default_rng(0)
    labels = np.where(rng.random((1500, 20)) < rng.uniform(0, 0.8, (1500, 1)), rng.integers(1, 300, (1500, 20)), 0)
    rounds = []
    merge = _graph_groups.GraphGroups._merge
    monkeypatch.setattr(_graph_groups.GraphGroups, "_merge", lambda *given: rounds.append(merge(*given)))
    linkage = average(Ensemble(labels))
    assert is_valid_linkage(linkage)
    assert is_monotonic(linkage)
    assert len(rounds) < 150


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("crowd", [1, 64])
def test_heights_are_mean_evidence_unless_raised(missing, crowd, monkeypatch):
    """Each height is 1 - the mean evidence of the two groups, or that of a merge before it if this is higher."""
    monkeypatch.setattr(_graph_groups, "EXACT_PAIRS", 0)
    monkeypatch.setattr(_graph_groups, "_CROWD", crowd)
    rng = np.random.default_rng(0)
    labels = np.where(rng.random((400, 20)) < rng.uniform(0, 0.8, (400, 1)), rng.integers(1, 100, (400, 20)), 0)
    labels[rng.random(labels.shape) < missing] = -1
    groups = _graph_groups.GraphGroups(CoAssociation(Ensemble(labels), form="neighbors"), np.ones(400, np.int64))
    heights = groups.merge_all(verbose=False)[2]
    left, right, value = (np.concatenate(part) for part in zip(*groups.merges, strict=True))
    together = sum((c[:, None] == c) & (c[:, None] >= 0) for c in labels.T).astype(float)
    both = sum((c[:, None] >= 0) & (c >= 0) for c in labels.T).astype(float)
    root = np.arange(400)
    for a, b, mean, height in zip(left, right, value, heights, strict=True):
        one, other = root == root[a], root == root[b]
        pairs = np.ix_(one, other)
        assert mean == pytest.approx(together[pairs].sum() / both[pairs].sum(), abs=1e-12)
        assert height >= 1 - mean - 1e-12
        root[other] = root[a]
    assert len(np.unique(root)) == 400 - len(left)

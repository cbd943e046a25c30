"""What the pipeline asks of the verdict: the dendrogram, the evidence, and candidates if there are some."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from pluribus import EnsembleClusterer
from pluribus.pipeline import _structure
from pluribus.validate._internal import deepest_valley


@pytest.fixture
def asked(monkeypatch):
    """The arguments of the verdict, in its place."""
    monkeypatch.setattr(_structure, "find_structure", lambda X, tree, **options: {"X": X, "tree": tree, **options})


def consensus(**more):
    return SimpleNamespace(tree_="tree", linked_=np.arange(2, 62), **more)


def candidates(places, *partitions):
    best = [SimpleNamespace(value=value, labels=labels.astype(np.int32)) for value, labels in partitions]
    return SimpleNamespace(first=best, places=places, features=two_groups()[2:62])


def structure_of(consensus, X, levels, *, with_candidates=True, seed=0):
    return _structure.structure_of(consensus, X, levels, with_candidates=with_candidates, seed=seed, n_jobs=None)


def two_groups():
    X = np.random.default_rng(0).normal(size=(64, 2))
    X[32:, 0] += 8
    return X


@pytest.mark.usefixtures("asked")
def test_the_best_candidate_and_the_deepest_valley_count():
    X, places = two_groups(), np.arange(0, 60, 2)
    sampled = X[2:][places]
    right, wrong = (sampled[:, 0] > 4).astype(int), np.arange(30) % 2
    levels = candidates(places, (0.2, wrong), (0.9, right), (0.4, wrong))
    found = structure_of(consensus(), X, levels, seed=3)
    assert found["agreement"] == 0.9
    assert found["valley"] == deepest_valley(sampled, [right], random_state=3) > 0
    assert found["random_state"] == 3
    np.testing.assert_array_equal(found["X"], X[2:62])
    above = structure_of(consensus(), X, candidates(places, (1.2, right)), seed=3)
    assert above["agreement"] == 1


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("levels", [None, candidates(np.arange(60))])
def test_without_candidates_there_is_the_dendrogram_alone(levels):
    found = structure_of(consensus(), two_groups(), levels, seed=0)
    assert not {"agreement", "valley", "lifetimes"} & set(found)


@pytest.mark.usefixtures("asked")
def test_candidates_do_not_count_if_the_number_is_given():
    levels = candidates(np.arange(60), (0.9, np.arange(60) // 30))
    assert "valley" in structure_of(consensus(), two_groups(), levels)
    assert not {"agreement", "valley"} & set(structure_of(consensus(), two_groups(), levels, with_candidates=False))


@pytest.mark.usefixtures("asked")
def test_the_evidence_is_asked_if_halves_were_compared():
    steps = SimpleNamespace(lifetimes=[1.0], stability=[0.5])
    found = structure_of(consensus(k_stability_=steps), two_groups(), None, seed=0)
    assert (found["lifetimes"], found["stability"]) == ([1.0], [0.5])


@pytest.mark.usefixtures("asked")
def test_components_stand_for_sparse_rows():
    levels = candidates(np.arange(60))
    found = structure_of(consensus(), sparse.csr_array(np.eye(64)), levels, seed=0)
    np.testing.assert_array_equal(found["X"], levels.features)


def test_sparse_rows_without_candidates_and_consensus_without_a_dendrogram_have_no_verdict():
    assert structure_of(consensus(), sparse.csr_array(two_groups()), None, seed=0) is None
    assert structure_of(SimpleNamespace(), two_groups(), None, seed=0) is None


@pytest.mark.parametrize(
    "X",
    [
        np.random.default_rng(0).poisson(2, (400, 3)).astype(float),
        np.random.default_rng(1).poisson(1, (400, 4)).astype(float),
        np.hstack([np.eye(3)[np.random.default_rng(part).integers(3, size=400)] for part in range(4)]),
    ],
    ids=["counts", "small counts", "categories"],
)
@pytest.mark.parametrize("n_clusters", [None, 3])
def test_a_narrow_sparse_table_has_the_verdict_of_the_dense_one(X, n_clusters):
    model = EnsembleClusterer(n_clusters=n_clusters, n_members=20, random_state=0, verbose=False)
    assert [model.fit(rows).verdict_ for rows in (X, sparse.csr_array(X))] == ["none", "none"]

"""A consensus within bounds on sizes."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from pluribus.consensus import EvidenceAccumulation, VotingConsensus, with_sizes
from pluribus.generate import Generator
from pluribus.partitions import SizeError


@pytest.fixture(scope="module")
def ensemble():
    X, _ = make_blobs([120, 50, 30], cluster_std=3, random_state=0)
    return Generator(n_members=20, n_clusters=(3, 8), random_state=0, verbose=False).generate(X)


@pytest.mark.parametrize("consensus", [EvidenceAccumulation(3), VotingConsensus(3)])
@pytest.mark.parametrize("bounds", [(50, None), (None, 80), (66, 67), (0.3, 0.4), ([20, 30, 100], None)])
def test_sizes_are_within_bounds(ensemble, consensus, bounds):
    model = consensus.fit(ensemble)
    labels = with_sizes(model, *bounds)
    sizes = np.bincount(labels, minlength=3)
    lower, upper = (
        {None: default, 0.3: 60, 0.4: 80}.get(b, b) if np.ndim(b) == 0 else b
        for b, default in zip(bounds, (0, 200), strict=True)
    )
    assert (sizes >= lower).all()
    assert (sizes <= upper).all()


def test_what_fits_already_stays(ensemble):
    model = EvidenceAccumulation(3).fit(ensemble)
    np.testing.assert_array_equal(with_sizes(model, 1, 199), model.labels_)


@given(st.integers(0, 10_000))
def test_it_is_the_most_likely_of_all(seed):
    rng = np.random.default_rng(seed)
    membership = rng.dirichlet(np.ones(3), 6)
    found = with_sizes(membership, 1, 3)
    all_of_them = np.array(list(itertools.product(range(3), repeat=6)))
    sizes = (all_of_them[:, :, None] == np.arange(3)).sum(axis=1)
    fit = all_of_them[((sizes >= 1) & (sizes <= 3)).all(axis=1)]
    likelihood = np.log(membership)[np.arange(6), fit].sum(axis=1)
    assert np.log(membership)[np.arange(6), found].sum() == pytest.approx(likelihood.max())


def test_objects_without_a_label_get_none(ensemble):
    model = EvidenceAccumulation(3).fit(ensemble)
    model.labels_ = model.labels_.copy()
    model.labels_[:20] = -1
    labels = with_sizes(model, min_size=60, max_size=60)
    assert (labels[:20] == -1).all()
    assert np.bincount(labels[20:]).tolist() == [60, 60, 60]


def test_bad_input(ensemble):
    with pytest.raises(SizeError, match="asks for 240 objects in 3 clusters, but there are 200"):
        with_sizes(EvidenceAccumulation(3).fit(ensemble), 80)
    with pytest.raises(NotFittedError):
        with_sizes(EvidenceAccumulation(3), 80)
    with pytest.raises(ValueError, match="finite"):
        with_sizes([[0.5, np.nan]], 1)
    with pytest.raises(ValueError, match="KMeans has no memberships"):
        with_sizes(KMeans(2, n_init=1).fit([[0.0], [1.0], [2.0]]), 1)

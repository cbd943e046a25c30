import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pluribus.partitions._internal import stratified_sample
from pluribus.report._shared.sampling import spread_sample


@given(st.lists(st.integers(1, 400), min_size=1, max_size=70), st.integers(1, 500))
def test_a_sample_keeps_its_size_and_every_cluster_that_has_room(sizes, size):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    sample = stratified_sample(labels, size)
    assert len(np.unique(sample)) == len(sample) <= max(size, 0)
    assert len(sample) > size - len(sizes) or len(sample) == len(labels)
    if len(sizes) <= size:
        assert set(labels[sample]) == set(labels)


def test_all_objects_if_they_fit():
    assert stratified_sample(np.zeros(5, int), 5).tolist() == [0, 1, 2, 3, 4]
    assert spread_sample(np.zeros(5, int), np.zeros(5), 5).tolist() == [0, 1, 2, 3, 4]


def test_the_most_uncertain_are_kept_and_small_clusters_too():
    labels = np.repeat([0, 1, -1], [9000, 4, 1000])
    uncertainty = np.random.default_rng(0).random(len(labels))
    sample = spread_sample(labels, uncertainty, 500)
    assert len(sample) <= 500
    assert set(np.argsort(-uncertainty)[:100]) <= set(sample)
    assert (labels[sample] == 1).sum() == 4
    assert (np.diff(sample) > 0).all()


def test_more_clusters_than_places():
    labels = np.arange(100_000) % 400
    assert len(stratified_sample(labels, 300)) == 300

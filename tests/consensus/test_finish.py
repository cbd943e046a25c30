"""The end of every consensus function: clusters numbered from the largest, with their memberships."""

import numpy as np
import pytest

from pluribus import Ensemble
from pluribus.consensus import EvidenceAccumulation
from pluribus.consensus._internal import normalize_rows


@pytest.mark.parametrize("labels", [[0, 1, 1, 1], [1, 0, 0, 0]])
def test_memberships_follow_the_numbers_of_clusters(labels):
    labels = np.array(labels)
    membership = np.where(labels[:, None] == np.arange(2), 0.9, 0.1)
    found = EvidenceAccumulation()._finish(Ensemble([labels]), labels, membership)
    assert found.labels_.tolist() == [1, 0, 0, 0]
    assert found.membership_.argmax(axis=1).tolist() == [1, 0, 0, 0]
    assert found.membership_.flags.c_contiguous


@pytest.mark.parametrize("in_place", [False, True])
def test_rows_sum_to_one_and_zeros_are_uniform(in_place):
    affinity = np.array([[1.0, 3.0], [0.0, 0.0]])
    before = affinity.copy()
    found = normalize_rows(affinity, in_place=in_place)
    assert found.tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert (found is affinity) == in_place
    assert in_place or (affinity == before).all()

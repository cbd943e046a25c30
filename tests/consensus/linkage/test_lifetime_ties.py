"""Which number of clusters wins if several have the longest lifetime."""

import numpy as np
import pytest

from pluribus.consensus import EvidenceAccumulation
from pluribus.consensus._shared.dendrogram import lifetimes, longest_lived


def test_the_smallest_number_wins_a_tie():
    assert longest_lived(np.array([0, 0.1, 0.3, 0.1, 0.3, 0.3, 0]), None, False) == 2
    assert longest_lived(np.array([0, 0.1, 0.2, 0.1, 0.3, 0.3, 0]), None, False) == 4
    assert longest_lived(np.array([0, 0.3, 0.3, 0.1, 0.0]), None, True) == 1
    assert longest_lived(np.array([0, 0.3, 0.3, 0.1, 0.3, 0.0]), (3, 5), False) == 4


@pytest.mark.parametrize(("more", "winner"), [(0.0, 2), (5e-10, 2), (5e-9, 4)])
def test_lifetimes_that_differ_by_rounding_are_ties(more, winner):
    assert longest_lived(np.array([0, 0.1, 0.3, 0.1, 0.3 + more, 0.0, 0.0]), None, False) == winner


def test_all_numbers_are_candidates_if_none_has_a_lifetime():
    assert longest_lived(np.array([0, 1.0, 0, 0, 0]), None, False) == 1
    assert longest_lived(np.array([0, 0.0, 0, 0, 1.0]), None, False) == 4
    assert longest_lived(np.array([0, 1.0, 5e-10, 0, 0]), None, False) == 1


def test_a_tie_in_a_dendrogram():
    """Heights 0, 1/3, 2/3 and the top 1: four, three, two and one cluster live for 0, 1/3, 1/3 and 1/3."""
    linkage = np.array([[0, 1, 1 / 3, 2], [2, 4, 2 / 3, 3], [3, 5, 1.0, 4]])
    lengths = lifetimes(linkage, 1.0)
    np.testing.assert_allclose(lengths, [0, 0, 1 / 3, 1 / 3, 1 / 3])
    assert longest_lived(lengths, None, False) == 2


def test_evidence_accumulation_takes_the_smaller_number():
    """Evidence of 0–1 in two of three members, of 2 with these in one: 2 and 3 clusters live equally long."""
    members = np.array([[0, 0, 0, 1], [0, 0, 1, 2], [0, 1, 2, 3]]).T
    model = EvidenceAccumulation(linkage="single").fit(members)
    np.testing.assert_allclose(np.sort(model.linkage_[:, 2]), [1 / 3, 2 / 3, 1])
    assert model.n_clusters_ == 2
    assert model.labels_.tolist() == [0, 0, 0, 1]

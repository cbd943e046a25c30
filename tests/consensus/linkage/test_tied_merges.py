import warnings

import numpy as np
import pytest

from pluribus.consensus import EvidenceAccumulation

CHAIN = [[0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 1, 1]]  # the middle pair belongs to both others


def fit(labels, **how):
    return EvidenceAccumulation(verbose=False, **how).fit(labels)


def test_equal_evidence_for_two_merges_is_said():
    with pytest.warns(UserWarning, match="tied: other merges into 2 clusters"):
        model = fit(CHAIN, n_clusters=2)
    assert model.uncertainty_[2:4].min() > 0.9


def test_equal_heights_at_the_cut_are_said_for_single_link():
    with pytest.warns(UserWarning, match="tied"):
        fit(CHAIN, n_clusters=2, linkage="single")


@pytest.mark.parametrize("k", [1, 3, 6])
def test_nothing_is_said_where_the_evidence_decides(k):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(CHAIN if k != 6 else [[0, 0, 1, 1, 2, 2], [0, 1, 2, 3, 4, 5]], n_clusters=k)


def test_a_small_difference_decides():
    heavier = np.array([*CHAIN, [0, 0, 0, 0, 1, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit(list(heavier), n_clusters=2).labels_.tolist() == [0, 0, 0, 0, 1, 1]


def test_ties_among_merges_that_are_all_made_do_not_matter():
    pairs = [[0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 1, 1, 1]]  # the two merges into halves are tied, and both made
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(set(fit(pairs, n_clusters=2).labels_)) == 2

"""Mean evidence of objects for clusters, against sums over all pairs."""

import numpy as np
import pytest

from pluribus.evidence import CoAssociation, mean_evidence
from pluribus.partitions import Ensemble


def over_pairs(ensemble, labels, k):
    """Together-sum / both-seen-sum by looking at every pair."""
    a, b = ensemble.labels.astype(int)[:, None], ensemble.labels.astype(int)[None]
    seen = (a >= 0) & (b >= 0)
    together, both = ((a == b) & seen) @ ensemble.weights, seen @ ensemble.weights
    member = (labels[:, None] == np.arange(k)).astype(float)
    above, below = together @ member, both @ member
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


@pytest.mark.parametrize("missing", [0.0, 0.6])
@pytest.mark.parametrize("weighted", [False, True])
def test_against_all_pairs(missing, weighted):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, (300, 7))
    labels[rng.random(labels.shape) < missing] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    ensemble = Ensemble(labels, weights=rng.random(7) if weighted else None)
    consensus = rng.integers(-1, 4, 300)  # some objects in no cluster; cluster 4 is empty
    found = mean_evidence(ensemble, consensus, 5)
    np.testing.assert_allclose(found, over_pairs(ensemble, consensus, 5), rtol=1e-12)
    assert not found[:, 4].any()


def test_without_missing_labels_it_is_the_mean_of_the_matrix():
    rng = np.random.default_rng(1)
    ensemble = Ensemble(rng.integers(0, 4, (80, 6)))
    consensus = rng.integers(0, 3, 80)
    by_labels = mean_evidence(CoAssociation(ensemble), consensus, 3)
    by_matrix = mean_evidence(CoAssociation.from_matrix(CoAssociation(ensemble).to_dense()), consensus, 3)
    np.testing.assert_allclose(by_labels, by_matrix, rtol=1e-12)


def test_the_threads_do_not_matter():
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 4, (40_000, 3))
    consensus = rng.integers(0, 3, 40_000)
    one, two = (mean_evidence(labels, consensus, 3, n_jobs=j) for j in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1], "3 whole numbers"),
        ([0.5, 0, 1], "3 whole numbers"),
        ([0, 1, 2], "between -1 and n_clusters - 1 = 1"),
        ([0, 1, -2], "between -1"),
    ],
)
def test_bad_labels(labels, message):
    with pytest.raises(ValueError, match=message):
        mean_evidence([[0, 0, 1]], np.array(labels), 2)

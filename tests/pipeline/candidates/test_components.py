"""The components of a sparse table."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from pluribus.pipeline.candidates._components import components


@pytest.fixture(scope="module")
def thin():
    drawn = sparse.random(120, 70, density=0.2, format="csr", random_state=0)
    return sparse.csr_matrix(drawn.multiply(np.geomspace(1, 1e-3, 70)))  # so that the random solver is close


def by_hand(X, n_components):
    """The rows in the space of the first right singular vectors, in coordinates of the columns."""
    axes = np.linalg.svd(X, full_matrices=False)[2][:n_components]
    return X @ axes.T @ axes


def test_rows_of_length_one_keep_the_angles_of_their_centered_components(thin):
    rows = normalize(thin)
    found = components(rows, 0)
    kept = by_hand(rows.toarray(), 20)
    expected = normalize(kept - kept.mean(axis=0))
    assert found.shape == (120, 20)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-3)


def test_components_of_directions_hardly_depend_on_the_seed():
    rows = normalize(sparse.random(120, 70, density=0.2, format="csr", random_state=0))
    one, other = (components(rows, seed) for seed in (0, 1))
    np.testing.assert_allclose(one @ one.T, other @ other.T, atol=1e-6)


def test_rows_of_other_lengths_keep_their_distances(thin):
    found = components(thin, 0)
    kept = by_hand(thin.toarray(), 50)
    assert found.shape == (120, 50)
    np.testing.assert_allclose(found @ found.T, kept @ kept.T, atol=1e-4)


@pytest.mark.parametrize(("length", "n_components"), [(1.0005, 20), (0.9995, 20), (1.01, 50), (0.99, 50)])
def test_a_single_row_of_another_length_counts(thin, length, n_components):
    rows = normalize(thin)
    rows[0] *= length
    assert components(rows, 0).shape[1] == n_components


def test_rows_without_entries_are_no_exception(thin):
    rows = normalize(thin)
    rows[3] *= 0
    found = components(rows, 0)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1)


def test_the_lengths_that_components_lose_do_not_count():
    """A text of rare words keeps little of its length, and lies where its few common words point."""
    rng, topic = np.random.default_rng(0), np.arange(240) % 4
    shares = 0.5 * rng.dirichlet(np.full(100, 0.3)) + 0.5 * rng.dirichlet(np.full(100, 0.1), 4)
    common = normalize(rng.multinomial(60, shares[topic]).astype(float))
    kept = np.repeat([1.0, 0.4], 120)[:, None]  # the length of the common words; each rare word is in one text
    rows = sparse.csr_matrix(np.hstack([kept * common, np.diag(np.sqrt(1 - kept.ravel() ** 2))]))

    def agreement(found):
        return adjusted_rand_score(topic, KMeans(4, n_init=5, random_state=0).fit_predict(found))

    assert agreement(components(rows, 0)) > 0.95
    assert agreement(by_hand(rows.toarray(), 20)) < 0.7  # where lengths count


@pytest.mark.filterwarnings("error")
def test_no_entries_at_all():
    np.testing.assert_array_equal(components(sparse.csr_matrix((40, 60)), 0), np.zeros((40, 39)))


@pytest.mark.filterwarnings("error")
def test_equal_rows_are_not_told_apart_by_rounding():
    rows = normalize(sparse.csr_matrix(np.tile(np.arange(1.0, 61.0), (60, 1))))
    np.testing.assert_array_equal(components(rows, 0), np.zeros((60, 20)))


def test_few_rows_keep_their_distances(thin):
    few = normalize(thin[:20])
    found = components(few, 0)
    assert found.shape == (20, 19)
    assert np.linalg.norm(found, axis=1).std() > 1e-4  # not scaled
    np.testing.assert_array_equal(components(thin[:2], 0), thin[:2].toarray())


@pytest.mark.parametrize("n_columns", [1, 20, 50])
def test_narrow_tables_are_taken_as_they_are(thin, n_columns):
    for rows in (thin[:, :n_columns], normalize(thin[:, :n_columns])):
        np.testing.assert_array_equal(components(rows, 0), rows.toarray())
    assert components(thin[:, :51], 0).shape == (120, 50)
    assert components(normalize(thin[:, :51]), 0).shape == (120, 20)

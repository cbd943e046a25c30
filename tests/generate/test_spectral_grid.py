import numpy as np
import pytest
from sklearn.datasets import make_blobs

from pluribus.compare import adjusted_rand_index
from pluribus.generate import Generator, SpectralGrid, mix
from pluribus.generate import _spectral_widths as widths_module
from pluribus.generate._internal import grid_partitions, squared_distances
from pluribus.generate._spectral_widths import basis_of

X, TRUTH = make_blobs(90, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)


def test_the_grid_of_the_source():
    assert SpectralGrid().n_members == 280
    assert SpectralGrid(cuts=["njw"]).n_members == 140
    assert SpectralGrid(widths=[1, 2], n_clusters=3).n_members == 4


def test_members_find_blobs():
    members = SpectralGrid([2, 4], n_clusters=3, random_state=0, verbose=False).generate(X)
    assert all(adjusted_rand_index(labels, TRUTH) == 1 for labels in members.labels.T)
    assert members.names == ("njw-0 k=3", "ncut-1 k=3", "njw-2 k=3", "ncut-3 k=3")


def test_eigenvectors_are_those_of_the_normalized_similarities():
    squared = squared_distances(X)
    nearest = np.sqrt(np.sort(((X[:, None] - X) ** 2).sum(axis=2), axis=1)[:, 1])
    plain = ((X[:, None] - X) ** 2).sum(axis=2) / np.median(nearest**2)
    np.testing.assert_allclose(squared, plain, atol=1e-9)
    A = np.exp(-plain / (2 * 1.5**2)) + 1e-12
    np.fill_diagonal(A, 0)
    L = A / np.sqrt(np.outer(A.sum(axis=0), A.sum(axis=0)))
    vectors, scale = basis_of(squared, 1.5, 4)
    values = np.einsum("ij,ij->j", vectors, L @ vectors)
    np.testing.assert_allclose(L @ vectors, vectors * values, atol=1e-8)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(L)[::-1][:4], atol=1e-9)
    np.testing.assert_allclose(scale, 1 / np.sqrt(A.sum(axis=1)))


def test_one_decomposition_serves_all_members_of_a_width(monkeypatch):
    made = []

    def counted(*given):
        made.append(given[1])
        return basis_of(*given)

    monkeypatch.setattr(widths_module, "basis_of", counted)
    rows = X + np.random.default_rng(1).normal(size=X.shape)
    for n_jobs in (1, 2):
        made.clear()
        SpectralGrid([0.7, 1.1, 1.9], random_state=0, n_jobs=n_jobs, verbose=False).generate(rows + n_jobs)
        assert sorted(made) == [0.7, 1.1, 1.9]


def test_the_same_for_any_number_of_threads_and_in_a_mix(tmp_path):
    grid = SpectralGrid([1.0, 2.0], random_state=0, verbose=False)
    one, two = (grid.set_params(n_jobs=jobs).generate(X).labels for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(grid.generate(X, tmp_path).labels, one)
    np.testing.assert_array_equal(grid.generate(X, tmp_path).labels, one)
    both = mix(grid, Generator(n_members=3), random_state=0, verbose=False).generate(X)
    assert both.n_partitions == 23


def test_widths_do_not_depend_on_the_scale():
    a, b = (grid_partitions(squared_distances(X * scale), [0.5, 2], [2, 4], ["njw"], 0) for scale in (1, 1e-8))
    np.testing.assert_array_equal(a, b)


@pytest.mark.filterwarnings("ignore:.*fewer clusters")
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_few_rows_and_equal_rows(n):
    labels = SpectralGrid([1.0], random_state=0, verbose=False).generate(X[:n]).labels
    assert labels.shape[0] == n
    assert SpectralGrid([1.0], random_state=0, verbose=False).generate(np.zeros((n, 2))).labels.max() == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"widths": []}, "widths"),
        ({"widths": [0.0]}, "widths"),
        ({"widths": [1, np.inf]}, "widths"),
        ({"widths": ["a"]}, "widths"),
        ({"widths": 3}, "widths"),
        ({"widths": [[1], [1, 2]]}, "widths"),
        ({"cuts": []}, "cuts"),
        ({"cuts": ["mincut"]}, "cuts"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": (4, 2)}, "n_clusters"),
    ],
)
def test_bad_parameters(change, words):
    with pytest.raises(ValueError, match=words):
        SpectralGrid(**change).generate(X)


def test_too_many_rows_are_refused():
    with pytest.raises(ValueError, match="at most 5,000"):
        SpectralGrid().generate(np.random.default_rng(0).normal(size=(5001, 1)))

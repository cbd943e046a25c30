import numpy as np
import pytest
from scipy import sparse

from pluribus.generate import Generator
from pluribus.tables import open_rows
from pluribus.tables._internal import ArrayRows


class Elsewhere(ArrayRows):
    """Rows that have to be read."""

    in_memory = None

    def take(self, rows):
        return self._array[rows]

    def blocks(self, size):
        return ((start, self._array[start : start + size]) for start in range(0, len(self._array), size))


@pytest.mark.parametrize("clusterer", ["kmeans", "landmarks"])
@pytest.mark.parametrize(
    ("size", "dtype"), [(1e300, float), (1e-200, float), (1e38, np.float32), (1e30, np.float32), (1e-25, np.float32)]
)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, open_rows])
def test_sizes_that_squares_cannot_hold(clusterer, size, dtype, kind):
    X = (np.random.default_rng(0).uniform(-1, 1, size=(60, 2)) * size).astype(dtype)
    with pytest.raises(ValueError, match="squares float.. cannot hold: scale X"):
        Generator(clusterer, n_members=2, n_clusters=3, verbose=False).generate(kind(X))


@pytest.mark.parametrize(("size", "dtype"), [(1e150, float), (1e-150, float), (1e16, np.float32), (1e-16, np.float32)])
def test_sizes_that_squares_can_hold(size, dtype):
    X = np.repeat([[0, 0], [0, 1], [1, 0]], 20, axis=0) + np.random.default_rng(0).uniform(0, 0.1, size=(60, 2))
    X = (X * size).astype(dtype)
    assert Generator(n_members=2, n_clusters=3, random_state=0, verbose=False).generate(X).n_clusters.tolist() == [3, 3]


def test_rows_in_parts():
    X = np.random.default_rng(0).uniform(-1, 1, size=(10_001, 2)).astype(np.float32)
    with pytest.raises(ValueError, match="squares float32 cannot hold"):
        Generator(n_members=2, n_clusters=3, verbose=False).generate(Elsewhere(X * np.float32(1e30)))

"""Seeds: sparse vectors that stand for categories, and the documents near them."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.preprocessing import normalize

from pluribus._engine import over_blocks
from pluribus._kernels.points.seed_cosines import all_cosines, nearest_seeds, ranked_seeds
from pluribus._kernels.points.sparse_sums import CLIP, LOG1P, NONE, SQRT, projected_sums
from pluribus.constrained.categories._terms import by_group

DAMPING = {"sqrt": SQRT, "log1p": LOG1P, "clip": CLIP, "none": NONE}
_ROWS, _SEEDS = 16_384, 32  # at a time


class Documents(NamedTuple):
    """Counts of terms in documents, and the weights of both; a term of weight 0 is not used."""

    X: Any  # (n, d) csr
    term_weights: np.ndarray  # (d,)
    weights: np.ndarray  # (n,), in seeds
    damping: str
    n_jobs: int | None

    def damped_centroids(self, labels: np.ndarray, k: int, n_words: int) -> sparse.csr_array:
        """The sum of the damped documents of each category, of which only the ``n_words`` largest entries stay."""
        order, starts = by_group(labels, k)
        n_words = min(n_words, int(np.count_nonzero(self.term_weights)))
        columns, values = np.empty((k, n_words), np.int64), np.empty((k, n_words))
        how = self.weights, self.term_weights, DAMPING[self.damping], n_words

        def of_categories(first: int, last: int) -> np.ndarray:
            return projected_sums(first, last, order, starts, *self._counts, *how, columns, values)

        sizes = np.concatenate(over_blocks(of_categories, k, n_jobs=self.n_jobs, block=_SEEDS))
        filled = np.arange(n_words) < sizes[:, None]
        ends = np.concatenate([[0], np.cumsum(sizes)])
        return sparse.csr_array((values[filled], columns[filled], ends), shape=(k, self.X.shape[1]))

    def nearest(self, seeds: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
        """The nearest seed of each document, -1 if it has no term in common with any; and the cosine."""
        n = self.X.shape[0]
        nearest, cosines = np.empty(n, np.int32), np.empty(n)
        self._over_rows(nearest_seeds, seeds, seeds.shape[0], nearest, cosines)
        return nearest, cosines

    def cosines(self, seeds: sparse.csr_array) -> np.ndarray:
        """The cosines of all documents to all seeds."""
        cosines = np.empty((self.X.shape[0], seeds.shape[0]))
        self._over_rows(all_cosines, seeds, cosines)
        return cosines

    def ranked(self, seeds: sparse.csr_array, k: int, delta: float) -> np.ndarray:
        """The k nearest seeds of each document, from the one that dominates most of the others."""
        ranked = np.empty((self.X.shape[0], min(k, seeds.shape[0])), np.int32)
        self._over_rows(ranked_seeds, seeds, seeds.indptr, seeds.indices, seeds.data, delta, ranked)
        return ranked

    @property
    def _counts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.X.indptr, self.X.indices, self.X.data

    def _over_rows(self, kernel: Any, seeds: sparse.csr_array, *arrays: Any) -> None:
        by_term = sparse.csc_array(normalize(seeds))
        arrays = (by_term.indptr, by_term.indices, by_term.data, *arrays)
        over_blocks(
            lambda start, stop: kernel(start, stop, *self._counts, self.term_weights, *arrays),
            self.X.shape[0],
            n_jobs=self.n_jobs,
            block=_ROWS,
        )


def similar_groups(seeds: sparse.csr_array, threshold: float) -> tuple[int, np.ndarray]:
    """Connected components of the graph of seeds with a cosine above the threshold: their number, and that of each."""
    unit = sparse.csr_array(normalize(seeds))
    cosines = sparse.coo_array(unit @ unit.T)
    close = np.minimum(cosines.data, 1) > threshold
    edges = close[close], (cosines.row[close], cosines.col[close])
    return connected_components(sparse.csr_array(edges, shape=cosines.shape), directed=False)

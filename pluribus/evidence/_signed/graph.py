"""Signed evidence as a graph, and what a partition of it costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from pluribus._kernels.graphs.signed_moves import contract, sum_inside


@dataclass(frozen=True, eq=False)
class SignedGraph:
    """Scores of pairs of nodes, positive if they belong together, and the cost of keeping all nodes apart.

    The score of nodes u and v is entry(u, v) - background · size(u) · size(v). The cost of a partition is the weight of
    the pairs that it puts together and that belong apart, and of those that it parts and that belong together. It is
    ``apart_cost`` minus the sum of the scores of all pairs that are together, whatever the weights were.

    Attributes
    ----------
    indptr, indices, data : arrays of a symmetric CSR matrix
        Without a diagonal, indices sorted.
    sizes : ndarray of shape (n,)
        The number of objects in each node.
    background : float
        0: pairs that are not listed say nothing. Otherwise they belong apart.
    apart_cost : float
        The cost if all nodes are apart.
    total : float
        The weight of all pairs for and against: agreements and disagreements together.
    forbidden : float
        Entries at or below this are pairs that must not be together; minus infinity if there are none.
    """

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    sizes: np.ndarray
    background: float
    apart_cost: float
    total: float
    forbidden: float = -np.inf

    @classmethod
    def of(
        cls,
        matrix: Any,
        sizes: np.ndarray,
        background: float,
        apart_cost: float,
        total: float,
        forbidden: float = -np.inf,
    ) -> SignedGraph:
        """From a symmetric sparse matrix without a diagonal."""
        matrix = sparse.csr_array(matrix)
        matrix.sort_indices()
        return cls(
            matrix.indptr.astype(np.int64, copy=False),
            matrix.indices.astype(np.int32, copy=False),  # one type each, so that kernels are compiled once
            np.ascontiguousarray(matrix.data, dtype=np.float64),
            np.ascontiguousarray(sizes, dtype=np.float64),
            float(background),
            float(apart_cost),
            float(total),
            float(forbidden),
        )

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.indptr) - 1

    @cached_property
    def tolerance(self) -> float:
        """The gain that is too small to be one."""
        allowed = np.abs(self.data[self.data > self.forbidden])
        return 1e-9 * max(float(allowed.max(initial=0.0)), self.background)

    @property
    def has_forbidden(self) -> bool:
        """Whether some pairs must not be together."""
        return self.forbidden > -np.inf

    def together(self, labels: np.ndarray) -> float:
        """The sum of the scores of all pairs that are together."""
        inside = sum_inside(self.indptr, self.indices, self.data, labels)
        if self.background == 0:
            return inside
        clusters = pd.factorize(labels)[0]
        squares = (np.bincount(clusters, weights=self.sizes) ** 2).sum() - (self.sizes**2).sum()
        return inside - self.background * squares / 2

    def cost(self, labels: np.ndarray) -> float:
        """The disagreements of a partition of the nodes.

        Examples
        --------
        >>> import numpy as np
        >>> from pluribus.evidence._internal import SignedGraph
        >>> path = np.array([[0, 1, -1], [1, 0, 1], [-1, 1, 0]])  # 0-1 and 1-2 belong together, 0-2 apart
        >>> graph = SignedGraph.of(path, np.ones(3), 0, apart_cost=2, total=3)
        >>> [graph.cost(np.array(labels)) for labels in ([0, 0, 0], [0, 0, 1], [0, 1, 2])]
        [1.0, 1.0, 2.0]
        """
        return max(self.apart_cost - self.together(labels), 0.0)

    def contracted(self, chunk_of: np.ndarray) -> SignedGraph:
        """The graph of chunks, numbered 0 … L - 1, whose nodes stay together."""
        n_chunks = int(chunk_of.max(initial=-1)) + 1
        if n_chunks == self.n_nodes and np.array_equal(chunk_of, np.arange(n_chunks)):
            return self
        sizes = np.bincount(chunk_of, weights=self.sizes, minlength=n_chunks)
        indptr, indices, data = contract(self.indptr, self.indices, self.data, chunk_of, n_chunks)
        apart_cost = self.apart_cost - self.together(chunk_of)
        return SignedGraph(indptr, indices, data, sizes, self.background, apart_cost, self.total, self.forbidden)

    def forbidding(self, pairs: np.ndarray) -> SignedGraph:
        """The same graph, but these pairs of nodes must not be together."""
        if not len(pairs):
            return self
        n = self.n_nodes
        far = 2 * (np.abs(self.data).sum() + self.background * self.sizes.sum() ** 2) + 1
        one, other = pairs.T
        ends = np.concatenate([one, other]), np.concatenate([other, one])
        wall = sparse.coo_array((np.full(2 * len(pairs), -far), ends), shape=(n, n)).tocsr()
        matrix = sparse.csr_array((self.data, self.indices, self.indptr), shape=(n, n)) + wall
        return SignedGraph.of(matrix, self.sizes, self.background, self.apart_cost, self.total, -far / 2)

    def scores(self) -> np.ndarray:
        """The n × n array of scores, for small graphs; minus infinity where a pair must not be together."""
        n = self.n_nodes
        scores = sparse.csr_array((self.data, self.indices, self.indptr), shape=(n, n)).toarray()
        walls = scores <= self.forbidden
        scores -= self.background * np.outer(self.sizes, self.sizes)
        scores[walls] = -np.inf
        np.fill_diagonal(scores, 0.0)
        return scores

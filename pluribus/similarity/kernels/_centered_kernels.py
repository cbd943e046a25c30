"""Kernels as operators on chunklets: centered, of equal size, without a combined matrix."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from pluribus.similarity.kernels._kernel_set import KernelSet

_DENSE = 500  # up to as many chunklets, all eigenvectors are computed


class CenteredKernels:
    """K_m with zero mean in its feature space and the trace n, between normalized indicators of chunklets."""

    def __init__(self, kernels: KernelSet, chunk_of: np.ndarray) -> None:
        kernels.check_memory()
        sizes = np.bincount(chunk_of)
        n, n_chunks = len(chunk_of), len(sizes)
        self.chunks = sparse.csr_array((1 / np.sqrt(sizes)[chunk_of], (np.arange(n), chunk_of)), shape=(n, n_chunks))
        self.blocks = [kernels.block(m) for m in range(len(kernels))]
        self.explicit = [kernel.form == "features" for kernel in kernels.kernels]
        self.traces = np.array([self._trace(m) for m in range(len(kernels))])
        flat = self.traces <= 1e-12 * np.array([abs(self._diagonal(m)).sum() for m in range(len(kernels))])
        if flat.any():
            m = int(np.flatnonzero(flat)[0])
            raise ValueError(
                f"kernels[{m}] ({kernels.kernels[m].name!r}) is the same for all objects: it cannot tell them apart. "
                "Leave it out."
            )

    def _diagonal(self, m: int) -> np.ndarray:
        block = self.blocks[m]
        if not self.explicit[m]:
            return block.diagonal()
        return np.asarray((block.multiply(block) if sparse.issparse(block) else block * block).sum(axis=1)).ravel()

    def _trace(self, m: int) -> float:
        """Of the centered kernel."""
        n = self.chunks.shape[0]
        mean = self._raw_product(m, np.full((n, 1), 1 / n)).mean()
        return float(self._diagonal(m).sum(dtype=np.float64) - n * mean)

    def _raw_product(self, m: int, V: np.ndarray) -> np.ndarray:
        block = self.blocks[m]
        return block @ (block.T @ V) if self.explicit[m] else block @ V

    def product(self, m: int, V: np.ndarray) -> np.ndarray:
        """K_m V for V over chunklets."""
        spread = self.chunks @ V
        spread = self._raw_product(m, spread - spread.mean(axis=0))
        return self.chunks.T @ (spread - spread.mean(axis=0)) * (len(spread) / self.traces[m])

    def top(self, weights: np.ndarray, pairs: Any, k: int) -> np.ndarray:
        """The k leading eigenvectors of Σ weights_m K_m + pairs."""
        n_chunks = self.chunks.shape[1]

        def product(V: np.ndarray) -> np.ndarray:
            V = V.reshape(n_chunks, -1)
            return sum(weight * self.product(m, V) for m, weight in enumerate(weights)) + pairs @ V

        if n_chunks <= max(_DENSE, 2 * k):
            matrix = product(np.eye(n_chunks))
            return eigh((matrix + matrix.T) / 2, subset_by_index=[n_chunks - k, n_chunks - 1])[1]
        operator = LinearOperator((n_chunks, n_chunks), matvec=product, matmat=product, dtype=np.float64)
        start = np.random.default_rng(0).normal(size=n_chunks)  # for all seeds
        return eigsh(operator, k=k, which="LA", v0=start)[1]

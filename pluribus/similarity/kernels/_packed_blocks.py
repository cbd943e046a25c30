"""All kernels as arrays for the compiled passes."""

from typing import Any

import numpy as np
from scipy import sparse

from pluribus.similarity.kernels._kernel_set import KernelSet


class PackedBlocks:
    """All blocks side by side: the dense ones in one array, then the sparse ones in one."""

    def __init__(self, kernels: KernelSet, n_classes: int) -> None:
        n, dtype = kernels.n, kernels.dtype
        is_kernel = np.array([kernel.form != "features" for kernel in kernels.kernels])
        kernels.check_memory(n_classes)
        widths = np.where(is_kernel, n, kernels.widths)
        most = sum(int(widths[m]) for m in range(len(kernels)) if kernels.may_be_dense(m))
        self.dense = np.empty((n, most), dtype)
        rest, used, dense_blocks = {}, 0, []
        for m in range(len(kernels)):
            block = kernels.block(m)
            if sparse.issparse(block):
                rest[m] = block
                continue
            self.dense[:, used : used + widths[m]] = block
            used += widths[m]
            dense_blocks.append(m)
        if used < most:
            self.dense = self.dense[:, :used].copy()
        self.n_dense = len(dense_blocks)
        self.order = np.array([*dense_blocks, *rest])  # the block at each place
        self.is_kernel, self.starts = is_kernel[self.order], np.cumsum([0, *widths[self.order]])
        self._pack_sparse(list(rest.values()), n, dtype)

    def _pack_sparse(self, rest: list[Any], n: int, dtype: Any) -> None:
        counts = np.array([np.diff(block.indptr) for block in rest], dtype=np.int64).reshape(len(rest), n)
        self.pointer = np.zeros((n, len(rest) + 1), np.int64)
        self.pointer[:, 1:] = counts.cumsum(axis=0).T
        self.pointer += np.concatenate([[0], self.pointer[:, -1].cumsum()[:-1]])[:, None]
        self.data, self.indices = np.empty(counts.sum(), dtype), np.empty(counts.sum(), np.int64)
        for place, block in enumerate(rest):
            within = np.arange(block.nnz) - np.repeat(block.indptr[:-1], counts[place])
            at = np.repeat(self.pointer[:, place], counts[place]) + within
            self.data[at], self.indices[at] = block.data, block.indices

    def arguments(self, S: np.ndarray) -> tuple[Any, ...]:
        """The blocks as the compiled passes take them."""
        return (
            self.dense, self.data, self.indices, self.pointer, self.starts, self.n_dense, self.is_kernel, S,
        )  # fmt: skip

    def part(self, place: int) -> slice:
        """The columns of a block."""
        return slice(int(self.starts[place]), int(self.starts[place + 1]))

    def features(self, place: int) -> Any:
        """A block of features."""
        if place < self.n_dense:
            return self.dense[:, self.part(place)]
        column = place - self.n_dense
        counts = self.pointer[:, column + 1] - self.pointer[:, column]
        at = np.repeat(self.pointer[:, column] - np.concatenate([[0], counts.cumsum()[:-1]]), counts)
        entries = at + np.arange(len(at))
        indptr = np.concatenate([[0], counts.cumsum()])
        width = int(self.starts[place + 1] - self.starts[place])
        return sparse.csr_array((self.data[entries], self.indices[entries], indptr), shape=(len(self.dense), width))

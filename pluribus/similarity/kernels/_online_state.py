"""The weights of online multiple kernel learning while they are learned: packed for the compiled passes."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus._engine import MemoryLimitError, in_bytes, memory_limit
from pluribus._kernels.proximal.online_steps import losses, one_pass
from pluribus.similarity.kernels._examples import Examples
from pluribus.similarity.kernels._kernel_set import KernelSet
from pluribus.similarity.kernels._regularizers import Regularizer


class Problem(NamedTuple):
    """What is minimized: λΩ(θ) plus the mean loss of the examples."""

    examples: Examples
    regularizer: Regularizer
    lam: float
    hinge: bool
    learned: bool  # whether the weight of the transitions is learned, too
    radius: float


class Weights(NamedTuple):
    """A model: weights of features or scores of all objects, dual coefficients, weights of label steps."""

    S: np.ndarray  # (C, width of all blocks)
    A: np.ndarray  # (M, n, C)
    transitions: np.ndarray  # (C, C)


class PackedBlocks:
    """All blocks side by side: the dense ones in one array, then the sparse ones in one."""

    def __init__(self, kernels: KernelSet) -> None:
        n, dtype = kernels.n, np.result_type(*(rows.dtype for rows in kernels.rows))
        is_kernel = np.array([kernel.form != "features" for kernel in kernels.kernels])
        self._check_memory(kernels, is_kernel)
        widths = np.where(is_kernel, n, kernels.widths)
        self.dense = np.empty((n, int(widths.sum())), dtype)  # memory is only taken by what is written
        rest, used, dense_blocks = {}, 0, []
        for m in range(len(kernels)):
            block = kernels.block(m)
            if sparse.issparse(block):
                rest[m] = block
                continue
            self.dense[:, used : used + widths[m]] = block
            used += widths[m]
            dense_blocks.append(m)
        if used < self.dense.shape[1]:
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

    @staticmethod
    def _check_memory(kernels: KernelSet, is_kernel: np.ndarray) -> None:
        n_dense = sum(
            is_kernel[m] and kernel.name != "spline" and not sparse.issparse(kernels.rows[m])
            for m, kernel in enumerate(kernels.kernels)
        )
        size = n_dense * kernels.n**2 * kernels.rows[0].dtype.itemsize
        if size > memory_limit():
            raise MemoryLimitError(
                f"{n_dense} kernels between {kernels.n:,} objects take {in_bytes(size)}, more than the "
                f"{in_bytes(memory_limit())} allowed. Give float32, sparse kernels such as 'spline', or features of "
                "each kernel (sklearn.kernel_approximation) as 'linear' blocks."
            )

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


class OnlineState:
    """θ, starting at 0, after any number of passes."""

    def __init__(self, blocks: PackedBlocks, problem: Problem, eta0: float, rng: np.random.Generator) -> None:
        n, n_classes, n_blocks = len(blocks.dense), len(problem.examples.classes), len(blocks.is_kernel)
        self.blocks, self.problem, self.eta0, self.rng = blocks, problem, eta0, rng
        self.n_steps, self.n_passes = 0, 0
        self._S = np.zeros((n_classes, int(blocks.starts[-1])))
        self._A = np.zeros((n_blocks if blocks.is_kernel.any() else 0, n, n_classes))
        self._transitions = np.zeros((n_classes, n_classes))
        self._scale, self.squares = np.ones(n_blocks + 1), np.zeros(n_blocks + 1)
        self._start_mean(False)

    def _start_mean(self, wanted: bool) -> None:
        self._first_step = self.n_steps
        whole = [np.zeros_like(part) for part in (self._S, self._A, self._transitions)]
        past = whole if wanted else [part[:0] for part in whole]
        self._sums = (np.zeros_like(self._scale), *past)

    def run(self, *, average: bool = False) -> None:
        """One pass. Pairs join from the second pass on, when the labels have shaped the model."""
        problem, examples = self.problem, self.problem.examples
        if average and not len(self._sums[1]):
            self._start_mean(True)
        chosen = examples.labeled if self.n_passes == 0 else np.arange(len(examples.kinds))
        order = self.rng.permutation(chosen)
        regularizer = problem.regularizer
        failed = one_pass(
            order, examples.rows, examples.pointers, examples.kinds, examples.weights, examples.truth,
            self.blocks.arguments(self._S), self._A, self._scale, self.squares, self._transitions, self._sums,
            self.n_steps, self.eta0, problem.lam, problem.hinge, regularizer.number, regularizer.q, regularizer.mix,
            problem.radius, examples.chained, problem.learned and examples.chained,
        )  # fmt: skip
        if failed >= 0:
            raise ValueError(
                f"kernels[{self.blocks.order[failed]}] is not positive semidefinite: a squared norm became negative. "
                "Repair the kernel, for instance by leaving out its negative eigenvalues, or leave it out."
            )
        self.n_steps += len(order)
        self.n_passes += 1
        self.squares[:] = self.squares_of(self.last())

    def last(self) -> Weights:
        """The model after the last step."""
        S = self._S.copy()
        for place in range(len(self.blocks.is_kernel)):
            S[:, self.blocks.part(place)] *= self._scale[place]
        return Weights(S, self._A * self._scale[: len(self._A), None, None], self._transitions * self._scale[-1])

    def mean(self) -> Weights:
        """The mean of the models after each step since the mean was asked for."""
        totals, past, past_dual, past_transitions = self._sums
        count = self.n_steps - self._first_step
        S = -past
        for place in range(len(self.blocks.is_kernel)):
            part = self.blocks.part(place)
            S[:, part] += totals[place] * self._S[:, part]
        A = totals[: len(self._A), None, None] * self._A - past_dual
        return Weights(S / count, A / count, (totals[-1] * self._transitions - past_transitions) / count)

    def squares_of(self, weights: Weights) -> np.ndarray:
        """‖θ_m‖² of each block, last of the transitions."""
        squares = np.empty(len(self.squares))
        for place, is_kernel in enumerate(self.blocks.is_kernel):
            part = weights.S[:, self.blocks.part(place)]
            squares[place] = np.vdot(weights.A[place], part.T) if is_kernel else np.vdot(part, part)
        squares[-1] = np.vdot(weights.transitions, weights.transitions)
        return np.maximum(squares, 0)

    def scores(self, weights: Weights) -> np.ndarray:
        """The scores (n, C) of all objects."""
        total = np.zeros((len(self.blocks.dense), len(weights.S)))
        for place, is_kernel in enumerate(self.blocks.is_kernel):
            part = weights.S[:, self.blocks.part(place)]
            total += part.T if is_kernel else self.blocks.features(place) @ part.T
        return total

    def objective(self, weights: Weights) -> float:
        """λΩ(θ) + the mean loss."""
        problem, examples = self.problem, self.problem.examples
        norms = np.sqrt(self.squares_of(weights))
        entries = float(np.abs(weights.S).sum()) if problem.regularizer.name == "sparse_group_lasso" else 0.0
        of_transitions = 0.0
        if examples.chained and not problem.learned:
            of_transitions, norms = norms[-1] ** 2 / 2, norms[:-1]
        penalty = problem.regularizer.value(norms, entries) + of_transitions
        found = np.zeros(len(examples.kinds))
        losses(
            np.arange(len(found)), examples.rows, examples.pointers, examples.kinds, examples.truth,
            self.scores(weights), weights.transitions, problem.hinge, examples.chained, found,
        )  # fmt: skip
        return float(problem.lam * penalty + (examples.weights * found).mean())


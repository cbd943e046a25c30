"""Models of multiple kernel learning while they are learned: by online steps, or by steps in the dual."""

from typing import NamedTuple

import numpy as np

from pluribus._kernels.proximal.dual_steps import dual_pass
from pluribus._kernels.proximal.online_steps import losses, one_pass
from pluribus.similarity.kernels._examples import Examples
from pluribus.similarity.kernels._packed_blocks import PackedBlocks
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


class ModelState:
    """What both kinds of steps share: the problem, and what a model is worth."""

    def __init__(self, blocks: PackedBlocks, problem: Problem, rng: np.random.Generator) -> None:
        self.blocks, self.problem, self.rng = blocks, problem, rng
        self.n_classes = len(problem.examples.classes)
        self._S = np.zeros((self.n_classes, int(blocks.starts[-1])))
        self._transitions = np.zeros((self.n_classes, self.n_classes))

    def _scaled(self, scale: np.ndarray, A: np.ndarray) -> Weights:
        """The model with each block multiplied by its scale."""
        S = self._S.copy()
        for place in range(len(self.blocks.is_kernel)):
            S[:, self.blocks.part(place)] *= scale[place]
        return Weights(S, A, self._transitions * scale[-1])

    def squares_of(self, weights: Weights) -> np.ndarray:
        """‖θ_m‖² of each block, last of the transitions."""
        squares = np.empty(len(self.blocks.is_kernel) + 1)
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


class OnlineState(ModelState):
    """θ, starting at 0, after any number of passes."""

    def __init__(self, blocks: PackedBlocks, problem: Problem, eta0: float, rng: np.random.Generator) -> None:
        super().__init__(blocks, problem, rng)
        n_blocks = len(blocks.is_kernel)
        self.eta0, self.n_steps, self.n_passes = eta0, 0, 0
        self._A = np.zeros((n_blocks if blocks.is_kernel.any() else 0, len(blocks.dense), self.n_classes))
        self._scale, self.squares = np.ones(n_blocks + 1), np.zeros(n_blocks + 1)
        self._sums = (np.zeros_like(self._scale), self._S[:0], self._A[:0], self._transitions[:0])

    @property
    def averages(self) -> bool:
        """Whether the mean of the iterates is kept."""
        return len(self._sums[1]) > 0

    def start_mean(self) -> None:
        """Keep the mean of the iterates from here on."""
        self._first_step = self.n_steps
        zeros = np.zeros_like
        self._sums = (zeros(self._scale), zeros(self._S), zeros(self._A), zeros(self._transitions))

    def run(self) -> None:
        """One pass. Pairs join from the second pass on, when the labels have shaped the model."""
        problem, examples = self.problem, self.problem.examples
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
        return self._scaled(self._scale, self._A * self._scale[: len(self._A), None, None])

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


class DualState(ModelState):
    """θ_m = β_m ψ_m, starting at 0: each pass changes ψ for these β, then β for these norms (Gauss and Seidel)."""

    def __init__(self, blocks: PackedBlocks, problem: Problem, rng: np.random.Generator) -> None:
        super().__init__(blocks, problem, rng)
        n, examples = len(blocks.dense), problem.examples
        self._A = np.zeros((n, self.n_classes))
        self._gains = np.zeros(len(examples.kinds))
        self._own = np.zeros((len(examples.kinds) if examples.chained else 0, self.n_classes, self.n_classes))
        self._beta = np.ones(len(blocks.is_kernel) + 1)
        self._weigh(self._beta)

    def run(self) -> None:
        """One pass, and new weights of the kernels for the next."""
        examples, n = self.problem.examples, len(self.problem.examples.kinds)
        if self._any_step:
            self._weigh(np.sqrt(self.squares_of(self.last())))
        dual_pass(
            self.rng.permutation(n), examples.rows, examples.pointers, examples.truth, self.blocks.arguments(self._S),
            self._A, self._transitions, self._own, self._gains, self._beta, self.problem.lam, n, examples.chained,
        )  # fmt: skip

    @property
    def _any_step(self) -> bool:
        return bool(self._gains.any())

    def _weigh(self, norms: np.ndarray) -> None:
        """The best β for these norms ‖θ_m‖; 1 for label steps of a fixed weight."""
        learned = self.problem.learned and self.problem.examples.chained
        used = norms if learned else norms[:-1]
        self._beta[: len(used)] = self.problem.regularizer.scales(used)

    def last(self) -> Weights:
        """The model after the last step."""
        A = self._beta[:-1, None, None] * self._A if self.blocks.is_kernel.any() else np.zeros((0, *self._A.shape))
        return self._scaled(self._beta, A)

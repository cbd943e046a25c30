"""Learn a model of many kernels: choose the solver and its step size, then pass over the examples."""

from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import track
from pluribus.similarity.kernels._kernel_set import KernelSet
from pluribus.similarity.kernels._model_state import DualState, ModelState, OnlineState, Problem, Weights
from pluribus.similarity.kernels._packed_blocks import PackedBlocks

_RATES, _TRIAL_PASSES = (0.01, 0.1, 1.0, 10.0), 5  # of the source


class Course(NamedTuple):
    """How to learn: the parameters of the estimator that say so."""

    solver: str
    epochs: int
    eta0: Any
    average: bool
    verbose: bool


class Learned(NamedTuple):
    """The model after all passes, the objective after each, and the step size of online steps."""

    state: ModelState
    weights: Weights
    path: np.ndarray
    rate: float | None


def learn(kernels: KernelSet, problem: Problem, course: Course, seed: int) -> Learned:
    """Pass over the examples."""
    blocks = PackedBlocks(kernels, len(problem.examples.classes))
    if course.solver == "dual":
        return _passes(DualState(blocks, problem, np.random.default_rng(seed)), course, None)
    rate = _rate(blocks, problem, course, seed)
    return _passes(OnlineState(blocks, problem, rate, np.random.default_rng(seed)), course, rate)


def _passes(state: Any, course: Course, rate: float | None) -> Learned:
    path = []
    for epoch in track(range(course.epochs), "passes", verbose=course.verbose):
        averaging = course.solver == "online" and course.average and epoch >= course.epochs // 2
        if averaging and not state.averages:
            state.start_mean()
        state.run()
        weights = state.mean() if averaging else state.last()
        path.append(state.objective(weights))
    return Learned(state, weights, np.array(path), rate)


def _rate(blocks: PackedBlocks, problem: Problem, course: Course, seed: int) -> float:
    """The first step size: given, or the one of four with the lowest objective after a few passes."""
    if course.eta0 != "auto":
        return float(course.eta0)
    objectives = []
    for rate in _RATES:
        state = OnlineState(blocks, problem, rate, np.random.default_rng(seed))
        for _ in range(min(_TRIAL_PASSES, course.epochs)):
            state.run()
        objectives.append(state.objective(state.last()))
    return _RATES[int(np.argmin(objectives))]


def choose_solver(solver: str, problem: Problem) -> str:
    """The solver; raises if it cannot solve the problem."""
    unfit = [
        (not problem.hinge, "loss='log'"),
        (problem.regularizer.name == "sparse_group_lasso", "regularizer='sparse_group_lasso'"),
        (problem.examples.has_pairs, "pairs of objects without labels"),
    ]
    reasons = [reason for holds, reason in unfit if holds]
    if solver == "dual" and reasons:
        raise ValueError(f"solver='dual' cannot take {' and '.join(reasons)}: use solver='online' or 'auto'.")
    return ("online" if reasons else "dual") if solver == "auto" else solver


def check_linear(kernels: KernelSet, problem: Problem) -> None:
    """Raise if single features are to be shrunk, and a kernel has none."""
    for m, kernel in enumerate(kernels.kernels):
        if problem.regularizer.name == "sparse_group_lasso" and kernel.form != "features":
            raise ValueError(
                f"regularizer='sparse_group_lasso' shrinks single features, but kernels[{m}]={kernel.name!r} has "
                "none: use linear kernels only, or another regularizer."
            )

"""How conditions on clusters are satisfied: by assignments to fixed representatives, or by moves of single rows."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import seeds
from pluribus.constrained.conditions._aggregate_points import MeanPoints, Points
from pluribus.constrained.conditions._count_classes import (
    Assigns,
    CountClass,
    Flow,
    Pivots,
    Program,
    disjoint_classes,
)
from pluribus.constrained.conditions._micro_clusters import MicroClusters
from pluribus.constrained.conditions._micro_points import MicroFlow, MicroPivots, MicroPoints
from pluribus.constrained.conditions._representatives import DistancePoints
from pluribus.constrained.conditions._requirements import Requirements


class Solver(NamedTuple):
    """The points to assign, and the assignment step."""

    points: Points  # the rows, or micro-clusters of them
    assignment: Callable[[int], Assigns] | None  # made from a seed; None if only moves can keep the conditions


def choose_solver(model: Any, X: np.ndarray, requirements: Requirements, n_jobs: int | None) -> Solver:
    """The solver that suits the conditions and the parameters of an ``AggregateConstrainedKMeans``.

    Conditions on counts have an assignment step: classes of rows one by one if they are disjoint, an integer program if
    they overlap. All other conditions are kept by moves.
    """
    classes, program = disjoint_classes(requirements), None
    if classes is None and model.solver == "flow":
        program = Program.of(requirements, model.n_clusters)
    _check(model, classes, program)
    if model.representative != "mean":
        points: Points = DistancePoints(X, requirements, model.n_clusters, model.representative)
    else:
        points = means = MeanPoints(X, requirements, model.n_clusters, n_jobs)
    if program is not None:
        integer_program = program
        return Solver(points, lambda seed: integer_program)
    if classes is None:
        return Solver(points, None)
    look_ahead = model.look_ahead if model.heuristic == "look-ahead" else 0
    if model.micro_clusters is not None:
        micro = MicroClusters.of(X, model.micro_clusters, classes, seeds(model.random_state, 1)[0])
        points = MicroPoints(micro, means)
        if model.solver == "flow":
            return Solver(points, lambda seed: MicroFlow(micro, classes))
        return Solver(points, lambda seed: MicroPivots(micro, Pivots(classes, look_ahead, model.deadlock, seed)))
    if model.solver == "flow":
        return Solver(points, lambda seed: Flow(classes))
    return Solver(points, lambda seed: Pivots(classes, look_ahead, model.deadlock, seed))


def _check(model: Any, classes: list[CountClass] | None, program: Program | None) -> None:
    """Refuse parameters that only support conditions on counts, if there are others."""
    if classes is None and program is None and model.representative != "mean":
        raise ValueError(
            f"representative={model.representative!r} supports only conditions on counts (AtLeast, and Aggregate of "
            "count, min, max), and few rows or none that count twice: use representative='mean'."
        )
    if model.micro_clusters is not None and (classes is None or model.representative != "mean"):
        raise ValueError(
            "micro_clusters supports only conditions on counts in which no row counts twice, and representative="
            "'mean': leave micro_clusters out."
        )
    if model.micro_clusters is not None and model.micro_clusters < model.n_clusters:
        raise ValueError(
            f"micro_clusters={model.micro_clusters} is less than n_clusters={model.n_clusters}: give many times more."
        )
    if model.solver == "pivot" and any(counted.high < counted.size for counted in classes or ()):
        raise ValueError("solver='pivot' does not support upper bounds on counts: use solver='flow'.")

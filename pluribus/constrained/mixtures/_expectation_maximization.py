"""EM from one start."""

from collections.abc import Callable
from typing import NamedTuple

from pluribus.constrained.mixtures._chunklet_network import Beliefs
from pluribus.constrained.mixtures._linked_data import Mixture

Expect = Callable[[Mixture, Beliefs | None], tuple[Beliefs, float]]
Maximize = Callable[[Beliefs, Mixture], Mixture]


class EMRun(NamedTuple):
    """The result of EM from one start."""

    mixture: Mixture
    beliefs: Beliefs
    path: list[float]  # the objective at the start and after each iteration
    converged: bool


def expectation_maximization(
    mixture: Mixture, expect: Expect, maximize: Maximize, *, max_iter: int, tol: float
) -> EMRun:
    """E step and M step in turn, until the objective changes by less than `tol`.

    Parameters
    ----------
    mixture : Mixture
        The start.
    expect : callable
        E step: ``expect(mixture, beliefs before)`` gives beliefs and the objective.
    maximize : callable
        M step: ``maximize(beliefs, mixture before)``.
    max_iter : int
    tol : float
    """
    beliefs, objective = expect(mixture, None)
    path, converged = [objective], False
    while len(path) <= max_iter and not converged:
        # Converged before this iteration, which is then the last one, as in scikit-learn.
        converged = len(path) > 1 and abs(path[-1] - path[-2]) < tol
        mixture = maximize(beliefs, mixture)
        beliefs, objective = expect(mixture, beliefs)
        path.append(objective)
    return EMRun(mixture, beliefs, path, converged)

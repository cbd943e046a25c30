"""Decision functions: one for two classes, else one for each class against the rest."""

from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import run_tasks
from pluribus.similarity.pairwise._given import Labels, Pairs, balanced
from pluribus.similarity.pairwise._hinge import ascend
from pluribus.similarity.pairwise._logistic import convex_loss, likelihood_loss
from pluribus.similarity.pairwise._newton import Fitted, minimize
from pluribus.similarity.pairwise._terms import Terms


class Objective(NamedTuple):
    """What each function minimizes, and how closely: the parameters of the estimator that say so."""

    loss: str
    pairwise: str
    mu: float
    lam: float
    tol: float
    max_iter: int


class Statements(NamedTuple):
    """What is known of the points that functions are fitted to; rows are numbers of rows of X."""

    support: np.ndarray  # the rows that are points
    labels: Labels
    weight: np.ndarray  # of each label
    is_balanced: bool
    pairs: Pairs

    def terms(self, positive: int, mu: float) -> Terms:
        """The labels and pairs of one class against the others, by places among the points."""
        is_positive = self.labels.codes == positive
        one, other = np.searchsorted(self.support, self.pairs.rows.T)
        return Terms(
            len(self.support),
            np.searchsorted(self.support, self.labels.rows),
            np.where(is_positive, 1.0, -1.0),
            balanced(self.weight, is_positive) if self.is_balanced else self.weight,
            one,
            other,
            self.pairs.same,
            mu * self.pairs.weight,
            exclusive=len(self.labels.classes) > 2,
        )


def fit_functions(
    known: Statements, space: Any, objective: Objective, seed: int, *, n_jobs: int | None, verbose: Any
) -> list[Fitted]:
    """The functions of all classes; of two classes, that of the second."""
    n_classes = len(known.labels.classes)
    return run_tasks(
        lambda positive: _fit_function(known.terms(positive, objective.mu), space, objective, seed),
        [1] if n_classes == 2 else list(range(n_classes)),
        n_jobs=n_jobs,
        description="decision functions",
        verbose=verbose,
    )


def _fit_function(terms: Terms, space: Any, objective: Objective, seed: int) -> Fitted:
    lam = objective.lam
    how: dict[str, Any] = {"tol": objective.tol, "max_iter": objective.max_iter}
    if objective.loss == "hinge":
        return ascend(terms, space, lam, seed, **how)
    zero = np.zeros(space.n_coefficients)
    if objective.pairwise == "convex":
        return minimize(convex_loss(terms), space, lam, zero, **how)
    start = minimize(convex_loss(terms.without_pairs()), space, lam, zero, **how).coefficients
    return minimize(likelihood_loss(terms), space, lam, start, **how)

"""The objective of soft correspondence, and the steps that lower it.

One matrix S has all correspondences, with a row for each of the q clusters of the ensemble, partition by partition. The
consensus M has a row for each object. A_h is the indicator (or membership) matrix of partition h.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from pluribus._kernels.points.simplex import project_rows
from pluribus.consensus._shared.base import normalize_rows
from pluribus.consensus._shared.label_rows import LabelRows
from pluribus.partitions import Ensemble

_INNER = {"simplex": 5, "multiplicative": 50}
_TINY = 1e-300
_LARGEST_PENALTY = 1e150


class Penalty(NamedTuple):
    """α and β of each partition, (r,); β only for the multiplicative step."""

    alpha: np.ndarray
    beta: np.ndarray


class CorrespondenceFit:
    """f(M, S) = Σ_h w_h (‖M - A_h S_h‖² - α_h ‖S_h - S̄_h‖² + β_h ‖S_h 1 1ᵀ - 1 1ᵀ‖²), eq. (3).

    M has one row for each distinct object.

    Parameters
    ----------
    ensemble : Ensemble
    uniform : bool
        Whether an object without a label in partition h counts as 1/k_h in each of its clusters, or not at all.

    Attributes
    ----------
    rows : LabelRows
        The distinct objects and their counts.
    sizes : ndarray of shape (q, 1)
        Sums of the columns of A_h, without missing objects.
    present : ndarray of shape (q, 1)
        Clusters that are not empty; empty ones (columns of memberships that are all 0) have no correspondence.
    n_present : ndarray of shape (r,)
        The number of such clusters of each partition.
    informative : ndarray of r bools
        Partitions with a weight and more than one cluster; only these determine the consensus.
    covered : ndarray of shape (distinct objects, 1)
        The weight of the informative partitions that label an object.
    """

    def __init__(self, ensemble: Ensemble, *, uniform: bool) -> None:
        self.ensemble, self.uniform = ensemble, uniform
        self.rows = rows = LabelRows(ensemble)
        self.counts = rows.counts[:, None]
        self.sizes = rows.sum_by(self.counts)
        self.present = self.sizes > 0
        self.n_present = rows.by_partition(self.present.ravel().astype(float))
        self.informative = (ensemble.weights > 0) & (self.n_present > 1)
        weights = np.where(self.informative, ensemble.weights, 0.0)
        self.weights = rows.spread(weights)[:, None]
        self.covered = rows.look_up(self.weights)
        self.observed = np.full_like(self.covered, weights.sum()) if uniform else self.covered
        n_missing = np.maximum(ensemble.n_objects - rows.by_partition(self.sizes), 0.0)
        self.missing_share = n_missing / self.n_present[:, None]  # of each cluster, if missing objects count
        self.gram = self._gram()
        # diag(bound) - AᵀA is positive semi-definite, and 0 for hard partitions: the bound gives the step of each row.
        self.bound = np.where(self.present, self.gram_times(self.present.astype(float)), 1.0)

    def _gram(self) -> sparse.csr_array | None:
        """The blocks A_hᵀ A_h; None if they are diagonal and equal to ``sizes``."""
        if self.ensemble.memberships is None:
            return None
        return sparse.csr_array(sparse.block_diag([sparse.csr_array(u.T @ u) for u in self.ensemble.memberships]))

    # -- over the clusters of each partition -------------------------------------------------------------------------

    def mean_of_members(self, S: np.ndarray) -> np.ndarray:
        """The mean over the clusters of each partition, (r, k)."""
        return self.rows.by_partition(S) / self.n_present[:, None]

    def spread_of(self, S: np.ndarray) -> np.ndarray:
        """S - S̄, (q, k)."""
        return (S - self.rows.spread(self.mean_of_members(S))) * self.present

    def gram_times(self, S: np.ndarray) -> np.ndarray:
        """A_hᵀ A_h S_h for all h."""
        product = self.sizes * S if self.gram is None else np.asarray(self.gram @ S)
        if self.uniform:
            product += self.rows.spread(self.missing_share * self.mean_of_members(S))
        return product * self.present

    # -- between objects and clusters --------------------------------------------------------------------------------

    def cross(self, M: np.ndarray) -> np.ndarray:
        """A_hᵀ M for all h."""
        weighted = self.counts * M
        sums = self.rows.sum_by(weighted)
        if self.uniform:
            missing = weighted.sum(axis=0) - self.rows.by_partition(sums)
            sums = sums + self.rows.spread(missing / self.n_present[:, None])
        return sums * self.present

    def consensus(self, S: np.ndarray) -> np.ndarray:
        """The best M for S: the mean of the rows of S for the clusters of each object, eq. (6)."""
        weighted = self.weights * S
        if not self.uniform:
            return self.rows.look_up(weighted) / self.observed
        mean = self.mean_of_members(weighted)
        return (self.rows.look_up(weighted - self.rows.spread(mean)) + mean.sum(axis=0)) / self.observed

    def averaged(self, cross: np.ndarray) -> np.ndarray:
        """The mean of M over each cluster, from AᵀM; uniform if M is 0 there."""
        return normalize_rows(cross) * self.present

    def objective(self, M: np.ndarray, cross: np.ndarray, S: np.ndarray, penalty: Penalty) -> float:
        """f(M, S)."""
        data = float((self.observed * self.counts).ravel() @ np.einsum("ij,ij->i", M, M))
        fit = ((self.gram_times(S) - 2 * cross) * S).sum(axis=1)
        spread = (self.spread_of(S) ** 2).sum(axis=1)
        off = self.present.ravel() * (S.sum(axis=1) - 1) ** 2
        alpha, beta = self.rows.spread(penalty.alpha), self.rows.spread(penalty.beta)
        return data + float(self.weights.ravel() @ (fit - alpha * spread + beta * S.shape[1] * off))


def simplex_step(fit: CorrespondenceFit, cross: np.ndarray, S: np.ndarray, penalty: Penalty) -> np.ndarray:
    """Move each row to the minimum, over the simplex, of a bound of the objective that is tight at S.

    The concave term is replaced by its tangent and AᵀA by ``fit.bound``; for hard partitions this is
    S_i ← Π(m_i + α/n_i (S_i - s̄)) with m_i the mean of M over cluster i.
    """
    gradient = fit.gram_times(S) - cross - fit.rows.spread(penalty.alpha)[:, None] * fit.spread_of(S)
    new = S - gradient / fit.bound
    project_rows(new)
    return new * fit.present


def multiplicative_step(fit: CorrespondenceFit, cross: np.ndarray, S: np.ndarray, penalty: Penalty) -> np.ndarray:
    """S ← S ∘ (AᵀM + βk) / (AᵀAS - αS + α/k_h 1 1ᵀS + βk S 1 1ᵀ), eqs. (9) and (10)."""
    pull, push = fit.rows.spread(penalty.alpha)[:, None], S.shape[1] * fit.rows.spread(penalty.beta)[:, None]
    below = fit.gram_times(S) - pull * fit.spread_of(S) + push * S.sum(axis=1, keepdims=True)
    return S * (cross + push) / (below + _TINY)


STEPS: dict[str, Callable[..., np.ndarray]] = {"simplex": simplex_step, "multiplicative": multiplicative_step}


class FittedCorrespondences(NamedTuple):
    """The correspondences at the end of a descent; ``path`` is the objective at the start and after each iteration."""

    S: np.ndarray
    path: list[float]
    converged: bool


def descend(
    fit: CorrespondenceFit, M: np.ndarray, S: np.ndarray, penalty: Penalty, *, solver: str, max_iter: int, tol: float
) -> FittedCorrespondences:
    """Alternate between the correspondences for the consensus and the consensus for the correspondences.

    A row of M is a mean of rows of S: if no entry of S changes by ``tol``, no entry of M does. The first iteration is
    not tested, because its M does not come from S.
    """
    step = STEPS[solver]
    cross = fit.cross(M)
    path = [fit.objective(M, cross, S, penalty)]
    for iteration in range(max_iter):
        before = S
        for _ in range(_INNER[solver]):
            last, S = S, step(fit, cross, S, penalty)
            if np.abs(S - last).max() < tol:
                break
        M = fit.consensus(S)
        cross = fit.cross(M)
        path.append(fit.objective(M, cross, S, penalty))
        if iteration > 0 and np.abs(S - before).max() < tol:
            return FittedCorrespondences(S, path, True)
    return FittedCorrespondences(S, path, False)


def choose_penalty(
    fit: CorrespondenceFit, k: int, *, alpha: float | None, beta: float | None, alpha_rel: float, theta: float
) -> Penalty:
    """α and β as given, or in proportion to the mean size of each partition's clusters."""
    n_clusters = fit.n_present
    n_covered = fit.ensemble.n_objects if fit.uniform else fit.rows.by_partition(fit.sizes.ravel())
    with np.errstate(over="ignore"):
        alphas = float(alpha_rel) * n_covered / n_clusters if alpha is None else np.full(len(n_clusters), float(alpha))
        betas = alphas * (1 - 1 / n_clusters) / (theta * k) if beta is None else np.full(len(n_clusters), float(beta))
    largest = max(float(alphas.max()), float(betas.max()))
    if not largest <= _LARGEST_PENALTY:
        raise ValueError(
            f"alpha, beta, alpha_rel and 1 / theta give penalties of up to {largest:.3g}, which overflow when summed: "
            f"choose them so that none is above {_LARGEST_PENALTY:g}."
        )
    return Penalty(alphas, betas)


def check_bounded(fit: CorrespondenceFit, penalty: Penalty, k: int) -> None:
    """Refuse an objective without a lower bound: if row sums are not fixed at 1, β must be large enough for α."""
    pull = penalty.alpha * (1 - 1 / fit.n_present)
    unbounded = np.flatnonzero(fit.informative & (pull > 0) & (pull >= penalty.beta * k))
    if unbounded.size:
        h = unbounded[0]
        raise ValueError(
            f"The objective is unbounded below: alpha * (1 - 1/k_h) must be less than beta * n_clusters, but for "
            f"partition {fit.ensemble.names[h]!r} with {fit.n_present[h]:.0f} clusters alpha={penalty.alpha[h]:g} "
            f"gives {pull[h]:g} and beta={penalty.beta[h]:g} gives {penalty.beta[h] * k:g}. Raise beta or lower alpha."
        )

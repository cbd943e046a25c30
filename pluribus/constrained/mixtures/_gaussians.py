"""Gaussian densities with the four kinds of covariances of scikit-learn, from weighted rows."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus._engine import over_blocks
from pluribus.constrained.mixtures._multinomials import KIND as MULTINOMIAL
from pluribus.constrained.mixtures._multinomials import log_probabilities, term_shares

_FAR = -1e300  # the logarithm of a density whose square of a distance is beyond all floats; sums of it are not


class CollapsedError(ValueError):
    """A cluster has no spread in some direction."""


class Gaussians(NamedTuple):
    """k Gaussians in d dimensions.

    Covariances are (k, d, d) if full, (d, d) if tied, (k, d) if diag and (k,) if spherical. The whitening W has the
    same shape, and W Wᵀ is the precision. If the kind is "multinomial", the means are shares of counts, and the
    covariances have no entries.
    """

    kind: str
    means: np.ndarray
    covariances: np.ndarray
    whitening: np.ndarray


def estimate(X: Any, resp: np.ndarray, kind: str, reg_covar: float) -> Gaussians:
    """The most likely Gaussians for rows of X with (weighted) responsibilities; raises if one is degenerate."""
    n = X.shape[0]
    if kind == MULTINOMIAL:
        return multinomials(term_shares(X, resp, reg_covar))
    counts = resp.sum(axis=0) + 10 * np.finfo(np.float64).eps
    means = np.sum(over_blocks(lambda a, b: resp[a:b].T @ X[a:b], n), axis=0) / counts[:, None]
    total = np.sum(over_blocks(lambda a, b: _scatters(X[a:b], resp[a:b], means, kind), n), axis=0)
    if kind == "tied":
        covariances = total.sum(axis=0) / counts.sum()
    else:
        covariances = total / counts.reshape(-1, *[1] * (total.ndim - 1))
    if kind in ("full", "tied"):
        diagonal = np.arange(X.shape[1])
        covariances[..., diagonal, diagonal] += reg_covar
    else:
        covariances += reg_covar
    return Gaussians(kind, means, covariances, _whiten(covariances, kind))


def multinomials(shares: np.ndarray) -> Gaussians:
    """Multinomials with these shares."""
    nothing = np.empty((len(shares), 0))
    return Gaussians(MULTINOMIAL, shares, nothing, nothing)


def from_precisions(means: np.ndarray, precisions: np.ndarray, kind: str) -> Gaussians:
    """Gaussians with given precisions."""
    if kind in ("full", "tied"):
        return Gaussians(kind, means, np.linalg.inv(precisions), np.linalg.cholesky(precisions))
    return Gaussians(kind, means, 1 / precisions, np.sqrt(precisions))


def log_densities(X: Any, gaussians: Gaussians) -> np.ndarray:
    """Logarithm of the density of each row under each Gaussian, (n, k); raises if a row has no density in any."""
    if gaussians.kind == MULTINOMIAL:
        return log_probabilities(X, gaussians.means)
    of_rows = _log_densities_of_sparse if sparse.issparse(X) else _log_densities

    def finite(start: int, stop: int) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.nan_to_num(of_rows(X[start:stop], gaussians), nan=_FAR, neginf=_FAR)

    result = np.concatenate(over_blocks(finite, X.shape[0]))
    far = np.flatnonzero((result <= _FAR).all(axis=1))
    if len(far):
        raise ValueError(
            f"row {far[0]} of X is so far from all clusters that its squared distances overflow: check its values, "
            "and give means_init and precisions_init, if any, in the unit of X."
        )
    return result


def _scatters(X: Any, resp: np.ndarray, means: np.ndarray, kind: str) -> np.ndarray:
    """Weighted sums of squares about each mean; sparse rows are not centered, which would make them dense."""
    if sparse.issparse(X):
        squares = resp.T @ X.power(2) - 2 * means * (resp.T @ X) + resp.sum(axis=0)[:, None] * means**2
        squares = np.maximum(squares, 0)
        return squares.mean(axis=1) if kind == "spherical" else squares
    return np.stack([_scatter(X - mean, column, kind) for mean, column in zip(means, resp.T, strict=True)])


def _scatter(centered: np.ndarray, weights: np.ndarray, kind: str) -> np.ndarray:
    if kind in ("full", "tied"):
        return (centered * weights[:, None]).T @ centered
    squares = weights @ centered**2
    return squares.mean() if kind == "spherical" else squares


def _whiten(covariances: np.ndarray, kind: str) -> np.ndarray:
    try:
        if kind in ("full", "tied"):
            lower = np.linalg.cholesky(covariances)
            return np.swapaxes(np.linalg.solve(lower, np.broadcast_to(np.eye(lower.shape[-1]), lower.shape)), -1, -2)
        if (covariances <= 0).any():
            raise np.linalg.LinAlgError
    except np.linalg.LinAlgError:
        raise CollapsedError(
            "a cluster has no spread in some direction, so its density is infinite: raise reg_covar, lower n_clusters, "
            "scale X, or use covariance_type='diag' or 'spherical'."
        ) from None
    return 1 / np.sqrt(covariances)


def _log_densities(X: np.ndarray, gaussians: Gaussians) -> np.ndarray:
    kind, means, _, whitening = gaussians
    k, d = means.shape
    result = np.empty((len(X), k))
    for component in range(k):
        W = whitening if kind == "tied" else whitening[component]
        centered = X - means[component]
        if kind in ("full", "tied"):
            white, log_det = centered @ W, np.log(np.diag(W)).sum()
        else:
            white, log_det = centered * W, np.log(W).sum() * (d if kind == "spherical" else 1)
        result[:, component] = log_det - 0.5 * np.einsum("ij,ij->i", white, white)
    return result - 0.5 * d * np.log(2 * np.pi)


def _log_densities_of_sparse(X: Any, gaussians: Gaussians) -> np.ndarray:
    _, means, _, whitening = gaussians
    k, d = means.shape
    W = np.broadcast_to(whitening.reshape(k, -1), (k, d))
    precisions = W**2
    squares = X.power(2) @ precisions.T - 2 * (X @ (means * precisions).T) + (means**2 * precisions).sum(axis=1)
    return np.log(W).sum(axis=1) - 0.5 * np.maximum(squares, 0) - 0.5 * d * np.log(2 * np.pi)

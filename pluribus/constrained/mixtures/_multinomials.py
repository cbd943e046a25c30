"""Multinomial densities of rows of counts, from weighted rows; sparse rows stay sparse."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from pluribus._engine import over_blocks

KIND = "multinomial"


def term_shares(X: Any, resp: np.ndarray, smoothing: float) -> np.ndarray:
    """The share of each feature in the counts of each cluster (k, d): the most probable ones under a Dirichlet prior.

    They maximize Σ_i r_ih Σ_t x_it log θ_ht + smoothing Σ_t log θ_ht.
    """
    counts = np.sum(over_blocks(lambda a, b: _dense(resp[a:b].T @ X[a:b]), X.shape[0]), axis=0) + smoothing
    totals = counts.sum(axis=1, keepdims=True)
    return np.where(totals > 0, counts / np.where(totals > 0, totals, 1), 1 / X.shape[1])


def log_probabilities(X: Any, shares: np.ndarray) -> np.ndarray:
    """Logarithm of the probability of each row under each cluster, (n, k); -inf where it is 0."""
    logs = np.log(np.maximum(shares, np.finfo(float).tiny))
    impossible = (shares == 0).astype(float)

    def of_rows(start: int, stop: int) -> np.ndarray:
        rows = X[start:stop]
        result = _dense(rows @ logs.T) + _arrangements(rows)[:, None]
        return np.where(_dense(rows @ impossible.T) > 0, -np.inf, result) if impossible.any() else result

    return np.concatenate(over_blocks(of_rows, X.shape[0]))


def log_prior(shares: np.ndarray, smoothing: float) -> float:
    """What the Dirichlet prior adds to the objective, up to a constant."""
    return float(smoothing * np.log(shares).sum()) if smoothing else 0.0


def _arrangements(rows: Any) -> np.ndarray:
    """Logarithm of the number of orders of the counted things: log (Σ_t x_t)! - Σ_t log x_t!."""
    total = np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()
    if sparse.issparse(rows):
        logs = sparse.csr_array(rows, dtype=np.float64, copy=True)
        logs.data = gammaln(logs.data + 1)
        return gammaln(total + 1) - np.asarray(logs.sum(axis=1)).ravel()
    return gammaln(total + 1) - gammaln(rows.astype(np.float64) + 1).sum(axis=1)


def _dense(product: Any) -> np.ndarray:
    return product.toarray() if sparse.issparse(product) else np.asarray(product)

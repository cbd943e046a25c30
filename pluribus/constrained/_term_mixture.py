"""A mixture of multinomials over terms that have weights, and which weights tell two documents apart."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import logsumexp


class TermMixture(NamedTuple):
    """k distributions over V terms, fitted from one start."""

    theta: np.ndarray  # (k, V)
    prior: np.ndarray  # (k,)
    path: np.ndarray  # the objective after each iteration

    def scores(self, X: Any, term_weights: np.ndarray) -> np.ndarray:
        """Log of prior and likelihood of each document in each cluster, (n, k); X itself is never scaled."""
        return np.asarray(X @ (term_weights * np.log(self.theta)).T) + np.log(self.prior)


def fit_mixture(
    X: Any,
    weights: np.ndarray,
    term_weights: np.ndarray,
    n_clusters: int,
    *,
    smoothing: float,
    max_iter: int,
    tol: float,
    seed: int,
) -> TermMixture:
    """EM from prototypes that are randomly weighted samples of the documents; the objective never falls."""
    rng = np.random.default_rng(seed)
    n = X.shape[0]
    start = rng.exponential(size=(n, n_clusters)) * weights[:, None]
    start *= weights.sum() / n_clusters / start.sum(axis=0)
    mixture = maximize(X, start, term_weights, smoothing)._replace(prior=np.full(n_clusters, 1 / n_clusters))
    path: list[float] = []
    for _ in range(max_iter):
        scores = mixture.scores(X, term_weights)
        evidence = logsumexp(scores, axis=1)
        log_prior = np.log(mixture.theta).sum() + np.log(mixture.prior).sum()
        path.append(float(weights @ evidence + smoothing * log_prior))
        if len(path) > 1 and path[-1] - path[-2] <= tol * abs(path[-1]):
            break
        mixture = maximize(X, np.exp(scores - evidence[:, None]) * weights[:, None], term_weights, smoothing)
    return mixture._replace(path=np.array(path))


def maximize(X: Any, resp: np.ndarray, term_weights: np.ndarray, smoothing: float) -> TermMixture:
    """The mixture for given (weighted) responsibilities; terms count as they weigh, or this would not be EM."""
    counts = np.asarray(X.T @ resp).T * term_weights + smoothing
    sizes = resp.sum(axis=0) + smoothing
    return TermMixture(counts / counts.sum(axis=1, keepdims=True), sizes / sizes.sum(), np.empty(0))


def divergences(one: Any, other: Any, smoothing: float) -> Any:
    """How much each term tells document one[t] from other[t], a sparse (pairs, V) of numbers from 0.

    They sum to the log-likelihood ratio of two multinomials against one. Terms in neither document are left out.
    """
    n_terms = one.shape[1]
    parts = [part.tocoo() for part in (one, other)]
    places = [part.row.astype(np.int64) * n_terms + part.col for part in parts]
    union = np.unique(np.concatenate(places))
    pair, term = np.divmod(union, n_terms)
    counts = [np.zeros(len(union)), np.zeros(len(union))]
    for count, part, place in zip(counts, parts, places, strict=True):
        count[np.searchsorted(union, place)] = part.data
    x, y = (np.asarray(part.sum(axis=1)).ravel()[pair] for part in (one, other))  # lengths of the documents
    p = (smoothing + counts[0]) / (smoothing * n_terms + x)
    q = (smoothing + counts[1]) / (smoothing * n_terms + y)
    mean = (x * p + y * q) / (x + y)
    each = np.maximum(x * p * np.log(p / mean) + y * q * np.log(q / mean), 0)
    return sparse.coo_array((each, (pair, term)), shape=one.shape).tocsr()


def warp(term_weights: np.ndarray, gradient: np.ndarray, n_steps: int, step_size: float) -> np.ndarray:
    """Raise the weights along the gradient in a few steps; their mean stays 1."""
    lowest, highest = 1e-3, 1e3
    direction = gradient / np.abs(gradient).max()
    for _ in range(n_steps):
        term_weights = np.clip(term_weights * np.exp(step_size * direction), lowest, highest)
        term_weights = term_weights * (len(term_weights) / term_weights.sum())
    return term_weights

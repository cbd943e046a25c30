"""A mixture of multinomials over weighted terms, and how much each term separates two documents."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

_BLOCK = 1_000_000  # counts that are dense at a time


class TermMixture(NamedTuple):
    """k distributions over V terms, fitted from one start."""

    theta: np.ndarray  # (k, V)
    prior: np.ndarray  # (k,)
    path: np.ndarray  # the objective after each iteration

    def scores(self, X: Any, term_weights: np.ndarray) -> np.ndarray:
        """U: log of prior times likelihood of each document in each cluster, (n, k); X itself is never scaled."""
        return np.asarray(X @ (term_weights * np.log(self.theta)).T) + np.log(self.prior)

    def take(self, clusters: np.ndarray) -> "TermMixture":
        """The mixture of these clusters, in this order."""
        prior = self.prior[clusters]
        return TermMixture(self.theta[clusters], prior / prior.sum(), self.path)


class Corpus(NamedTuple):
    """Documents, and the parameters of EM."""

    X: Any  # (n, V) counts
    weights: np.ndarray  # (n,)
    smoothing: float
    max_iter: int
    tol: float
    rows: np.ndarray  # documents with forbidden clusters
    barred: np.ndarray  # (rows, k) minus infinity where forbidden, zero elsewhere
    raw: bool = False  # whether the M step counts terms without their weights

    def unbarred(self) -> "Corpus":
        """The same documents without forbidden clusters."""
        return self._replace(rows=self.rows[:0], barred=np.zeros((0, 1)))

    def fit(self, n_clusters: int, term_weights: np.ndarray, seed: int) -> TermMixture:
        """EM from prototypes that are randomly weighted samples of the documents."""
        return self.climb(self.draw(n_clusters, term_weights, seed), term_weights)

    def draw(self, n_clusters: int, term_weights: np.ndarray, seed: int) -> TermMixture:
        """Prototypes that are randomly weighted samples of the documents."""
        shares = np.random.default_rng(seed).exponential(size=(self.X.shape[0], n_clusters)) * self.weights[:, None]
        shares *= self.weights.sum() / n_clusters / shares.sum(axis=0)
        drawn = self.maximize(shares, term_weights)
        return drawn._replace(prior=np.full(n_clusters, 1 / n_clusters))

    def climb(self, mixture: TermMixture, term_weights: np.ndarray) -> TermMixture:
        """EM from this mixture; the objective never falls, and a raw M step ends where it would."""
        path: list[float] = []
        for _ in range(self.max_iter):
            scores = mixture.scores(self.X, term_weights)  # E step
            scores[self.rows] += self.barred
            evidence = logsumexp(scores, axis=1)
            log_prior = np.log(mixture.theta).sum() + np.log(mixture.prior).sum()
            path.append(float(self.weights @ evidence + self.smoothing * log_prior))
            if len(path) > 1 and path[-1] - path[-2] <= self.tol * abs(path[-1]):
                break
            shares = np.exp(scores - evidence[:, None]) * self.weights[:, None]
            mixture = self.maximize(shares, term_weights)  # M step
        return mixture._replace(path=np.array(path))

    def maximize(self, resp: np.ndarray, term_weights: np.ndarray) -> TermMixture:
        """The mixture for given (weighted) responsibilities."""
        return maximize(self.X, resp, np.ones_like(term_weights) if self.raw else term_weights, self.smoothing)


def maximize(X: Any, resp: np.ndarray, term_weights: np.ndarray, smoothing: float) -> TermMixture:
    """The mixture for given (weighted) responsibilities; counts are weighted as in the E step, or this is not EM."""
    counts = np.asarray(X.T @ resp).T * term_weights + smoothing
    sizes = resp.sum(axis=0) + smoothing
    return TermMixture(counts / counts.sum(axis=1, keepdims=True), sizes / sizes.sum(), np.empty(0))


class Separation(NamedTuple):
    """How documents are compared: what is added to their counts, and the mean that they are compared with."""

    smoothing: float
    equal_mean: bool = False  # of the two documents alike, and not by their lengths


def divergences(one: Any, other: Any, separation: Separation) -> Any:
    """How much each term separates document one[t] from other[t]: a sparse (pairs, V) matrix of numbers, 0 or more.

    A row sums to the log-likelihood ratio of two multinomials against one. Terms in neither document are left out.
    With an equal mean, the numbers of documents with unequal lengths may be negative.
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
    each = _shares(counts[0], counts[1], x, y, separation, n_terms)
    return sparse.coo_array((each, (pair, term)), shape=one.shape).tocsr()


def divergences_from(counts: np.ndarray, X: Any, separation: Separation) -> np.ndarray:
    """How much each term separates the documents from a set with these counts, summed over the documents, (V,)."""
    n, n_terms = X.shape
    total = np.zeros(n_terms)
    block = max(1, _BLOCK // n_terms)
    for start in range(0, n, block):
        rows = X[start : start + block]
        rows = rows.toarray() if sparse.issparse(rows) else rows
        lengths = rows.sum(axis=1, keepdims=True)
        total += _shares(rows, counts, lengths, counts.sum(), separation, n_terms).sum(axis=0)
    return total


def _shares(one: Any, other: Any, x: Any, y: Any, separation: Separation, n_terms: int) -> np.ndarray:
    """Shares of terms, with counts `one` of x and `other` of y, in the log-likelihood ratio of two against one."""
    smoothing, equal_mean = separation
    p = (smoothing + one) / (smoothing * n_terms + x)
    q = (smoothing + other) / (smoothing * n_terms + y)
    tiny = np.finfo(np.float64).tiny  # two empty documents are equal
    if equal_mean:
        mean = (p + q) / 2
        return x * p * np.log(p / mean) + y * q * np.log(q / mean)
    mean = np.maximum((x * p + y * q) / np.maximum(x + y, tiny), tiny)
    return np.maximum(x * p * np.log(p / mean) + y * q * np.log(q / mean), 0)


def warp(
    term_weights: np.ndarray, gradient: np.ndarray, n_steps: int, step_size: float, *, additive: bool = False
) -> np.ndarray:
    """Raise the weights along the gradient in a few steps: by factors, with a mean of 1, or by addends."""
    lowest, highest = 1e-3, 1e3
    direction = gradient / np.abs(gradient).max()
    for _ in range(n_steps):
        if additive:
            term_weights = np.clip(term_weights + step_size * direction, lowest, highest)
            continue
        term_weights = np.clip(term_weights * np.exp(step_size * direction), lowest, highest)
        term_weights = term_weights * (len(term_weights) / term_weights.sum())
    return term_weights

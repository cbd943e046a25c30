"""Deterministic annealing of an information bottleneck: clusters split one by one as the temperature falls."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

_START = 0.95  # of the first critical β
_HOTTEST_TO_COLDEST = 1e6
_FAST_COOLING = 1.3  # once all clusters have split
_HARD = 1e-3  # memberships within this of 0 and 1 are hard
_SPLIT = 0.5  # the halves of a split cluster differ by this share at most
_DEAD = 1e-12  # clusters of less weight are dropped
_SAME = 1e-3  # clusters are the same if q(c|x) / P(c) differ by less
_NEGLIGIBLE = 1e-6  # rows with less of their root weight in a cluster do not tell how it splits
_DENSE = 64  # rows up to which the operator is written out


class Scores(Protocol):
    """What annealing asks of the data."""

    n: int
    weights: np.ndarray

    def scores(self, q: np.ndarray, coordination: float) -> np.ndarray: ...

    def fluctuations(self, member: np.ndarray, coordination: float) -> Any: ...


class Annealed(NamedTuple):
    """The memberships at the last temperature, and the way there."""

    q: np.ndarray  # (n, k)
    beta: float
    first_beta: float  # the first critical point
    betas: np.ndarray  # of each iteration
    objective: np.ndarray  # I(C;F|Z) + λ I(C;F) - I(C;X) / β after each iteration, in nats, up to one constant
    hard: bool


def update(q: np.ndarray, scores: np.ndarray, weights: np.ndarray, beta: float) -> tuple[np.ndarray, float]:
    """q(c|x) ∝ P(c) exp(β E(x, c)), eq. (11.6), and the objective of the memberships before."""
    sizes = weights @ q
    log_sizes = np.log(np.maximum(sizes, 1e-300))
    ratio = np.log(np.maximum(q, 1e-300)) - log_sizes
    objective = float(weights @ (q * (scores - ratio / beta)).sum(axis=1))
    return soft_assignment(log_sizes + beta * scores), objective


def soft_assignment(exponent: np.ndarray) -> np.ndarray:
    """Rows in proportion to exp(exponent) that sum to 1."""
    out = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return out / out.sum(axis=1, keepdims=True)


def critical(data: Scores, member: np.ndarray, coordination: float) -> tuple[float, np.ndarray]:
    """The largest eigenvalue of a cluster's fluctuations, and the direction in which it splits."""
    product, n = data.fluctuations(member, coordination), data.n
    if n <= _DENSE:
        matrix = np.column_stack([product(row) for row in np.eye(n)])
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
        value, vector = values[-1], vectors[:, -1]
    else:
        start = np.random.default_rng(0).normal(size=n)
        operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
        try:
            values, vectors = eigsh(operator, k=1, which="LA", v0=start, tol=1e-4, maxiter=300)
            value, vector = values[0], vectors[:, 0]
        except ArpackError:  # the rows of the cluster are all the same, or no direction stands out
            vector = product(product(start))
            length = np.linalg.norm(vector)
            vector = vector / length if length > 0 else start
            value = float(vector @ product(vector)) / float(vector @ vector)
    root = np.sqrt(data.weights * member)
    return float(value), np.divide(vector, root, out=np.zeros(n), where=root > _NEGLIGIBLE * root.max())


def anneal(
    data: Scores,
    n_clusters: int,
    coordination: float,
    *,
    cooling: float = 1.1,
    tol: float = 1e-4,
    max_iter: int = 200,
    max_information: float = np.inf,
) -> Annealed:
    """Cool from the first critical point until memberships are hard, or I(C;X) reaches ``max_information`` (nats).

    At each temperature a cluster splits if it has passed its own critical point, along the direction in which it is
    unstable. So the result depends on the data alone, and not on noise.
    """
    q, weights = np.ones((data.n, 1)), data.weights
    first = _beta(critical(data, q[:, 0], coordination)[0])
    beta, betas, objectives, hard = _START * first, [], [], False
    while np.isfinite(first) and beta <= _HOTTEST_TO_COLDEST * first:
        if q.shape[1] < n_clusters:
            q = _split(data, q, coordination, beta, n_clusters)
        for _ in range(max_iter):
            before = q
            q, objective = update(q, data.scores(q, coordination), weights, beta)
            betas.append(beta)
            objectives.append(objective)
            if np.abs(q - before).max() < tol:
                break
        q = _alive(q, weights)
        complete = q.shape[1] == n_clusters
        hard = complete and bool((q.max(axis=1) >= 1 - _HARD).all())
        if hard or information_with_rows(q, weights) >= max_information:
            break
        beta *= max(cooling, _FAST_COOLING) if complete else cooling
    return Annealed(q, beta, first, np.array(betas), np.array(objectives), hard)


def _beta(eigenvalue: float) -> float:
    return 1 / eigenvalue if eigenvalue > 1e-14 else np.inf


def _split(data: Scores, q: np.ndarray, coordination: float, beta: float, n_clusters: int) -> np.ndarray:
    """Split the clusters that are past their critical point, the most unstable first, up to ``n_clusters``."""
    found = [critical(data, member, coordination) for member in q.T]
    unstable = [c for c in np.argsort([-value for value, _ in found]) if beta * found[c][0] > 1]
    halves = []
    for c in unstable[: n_clusters - q.shape[1]]:
        direction = found[c][1]
        scale = np.sqrt(data.weights @ (q[:, c] * direction**2) / (data.weights @ q[:, c]))
        half = q[:, c] * (1 + _SPLIT * np.tanh(direction / scale)) / 2
        q[:, c] -= half
        halves.append(half)
    return np.column_stack([q, *halves])


def _alive(q: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Without the clusters that died, and with one for each pair whose memberships are in proportion."""
    sizes = weights @ q
    q = q[:, sizes > _DEAD]
    shares = q / (weights @ q)
    kept: list[int] = []
    for c in range(q.shape[1]):
        same = [other for other in kept if np.abs(shares[:, c] - shares[:, other]).max() < _SAME]
        if same:
            q[:, same[0]] += q[:, c]
        else:
            kept.append(c)
    q = q[:, kept]
    return q / q.sum(axis=1, keepdims=True)


def information_with_rows(q: np.ndarray, weights: np.ndarray) -> float:
    """I(C;X) in nats."""
    sizes = weights @ q
    ratio = np.log(np.maximum(q, 1e-300)) - np.log(np.maximum(sizes, 1e-300))
    return float(weights @ (q * ratio).sum(axis=1))

"""What one would write without pluribus: the pairwise matrix with numpy, then scipy. Nothing of ours is imported."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from benchmarks._ensembles import load
from benchmarks._scores import rand_score
from benchmarks._worker import Task


def average_link(ensemble: str, n_clusters: int, way: str) -> Task:
    """Average link on 1 - C, in one of the ``WAYS``."""
    condensed = WAYS[way]

    def work(labels: np.ndarray) -> np.ndarray:
        return fcluster(linkage(condensed(labels), "average"), n_clusters, "maxclust")

    work(np.arange(20).reshape(10, 2) % 3)
    labels, truth = load(ensemble)
    return Task(lambda: work(labels), rand_score(truth))


def plainly(labels: np.ndarray) -> np.ndarray:
    """1 - C, condensed, as one writes it: one comparison of all pairs for each partition."""
    return squareform(1 - by_equality(labels), checks=False)


def frugally(labels: np.ndarray) -> np.ndarray:
    """1 - C, condensed: C in float32 by BLAS, nothing held twice that need not be."""
    c = by_product(labels, np.float32)
    return squareform(np.subtract(1, c, out=c), checks=False)


def sparsely(labels: np.ndarray) -> np.ndarray:
    """1 - C, condensed: C by the product of the sparse one-hot, then dense, in float32."""
    c = by_sparse_product(labels)
    return squareform(np.subtract(1, c, out=c), checks=False)


def by_equality(labels: np.ndarray) -> np.ndarray:
    """C (n, n): one comparison of all pairs for each partition."""
    n, r = labels.shape
    together = np.zeros((n, n))
    for p in range(r):
        together += labels[:, p, None] == labels[None, :, p]
    together /= r
    return together


def by_product(labels: np.ndarray, dtype: Any) -> np.ndarray:
    """C (n, n): the product of the dense one-hot with itself, by BLAS."""
    n, r = labels.shape
    first = np.concatenate([[0], np.cumsum(labels.max(axis=0) + 1)])
    one_hot = np.zeros((n, first[-1]), dtype=dtype)
    one_hot[np.arange(n)[:, None], labels + first[:-1]] = 1
    together = one_hot @ one_hot.T
    together /= r
    return together


def by_sparse_product(labels: np.ndarray) -> np.ndarray:
    """C (n, n): the product of the sparse one-hot with itself, made dense for scipy's linkage."""
    n, r = labels.shape
    first = np.concatenate([[0], np.cumsum(labels.max(axis=0) + 1)])
    column = (labels + first[:-1]).ravel()
    one_hot = sparse.csr_array((np.ones(n * r, np.float32), column, np.arange(0, n * r + 1, r)), shape=(n, first[-1]))
    together = (one_hot @ one_hot.T).toarray()
    together /= r
    return together


def ppc(ensemble: str, n_clusters: int, n_starts: int, seed: int) -> Task:
    """Pairwise probabilistic clustering on the dense C: the method of ours, projected gradient from random starts."""

    def work(labels: np.ndarray, k: int) -> np.ndarray:
        c = by_product(labels, np.float64)
        rng = np.random.default_rng(seed)
        ends = [_descend(c, rng.dirichlet(np.ones(k), len(c))) for _ in range(n_starts)]
        return min(ends, key=lambda end: end[0])[1].argmax(axis=1)

    work(np.arange(20).reshape(10, 2) % 3, 2)
    labels, truth = load(ensemble)
    return Task(lambda: work(labels, n_clusters), rand_score(truth))


def _descend(c: np.ndarray, y: np.ndarray, max_iter: int = 500, tol: float = 1e-5) -> tuple[float, np.ndarray]:
    """Minimize ‖C - Y Yᵀ‖² over rows on the simplex; the step size by backtracking."""
    constant = np.vdot(c, c)

    def evaluate(y: np.ndarray) -> tuple[float, np.ndarray]:
        pull, push = c @ y, y @ (y.T @ y)
        return constant - 2 * np.vdot(y, pull) + np.vdot(y, push), 4 * (push - pull)

    curvature = 1.0
    value, gradient = evaluate(y)
    for _ in range(max_iter):
        while True:
            step = _onto_simplex(y - gradient / curvature)
            new_value, new_gradient = evaluate(step)
            moved = step - y
            if new_value <= value + np.vdot(gradient, moved) + curvature / 2 * np.vdot(moved, moved) + 1e-12 * constant:
                break
            curvature *= 2
        done = np.abs(moved).max() < tol and value - new_value < 1e-7 * value
        y, value, gradient = step, new_value, new_gradient
        if done:
            break
        curvature /= 1.5
    return value, y


def _onto_simplex(y: np.ndarray) -> np.ndarray:
    """Each row's nearest point on the simplex."""
    falling = np.sort(y, axis=1)[:, ::-1]
    excess = (np.cumsum(falling, axis=1) - 1) / np.arange(1, y.shape[1] + 1)
    last = (falling > excess).sum(axis=1) - 1
    return np.maximum(y - excess[np.arange(len(y)), last][:, None], 0)


WAYS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "plain": plainly,
    "BLAS, float32, in place": frugally,
    "sparse product, float32, in place": sparsely,
}

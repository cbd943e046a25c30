"""`k-means-constrained` (`make peers`) on a mixture of clusters of unequal size. Nothing of ours is imported."""

from typing import Any

import numpy as np

from benchmarks._worker import Task

D = 10


def mixture(n: int, k: int, seed: int, scale: float = 1.0, d: int = D) -> tuple[np.ndarray, np.ndarray]:
    """k Gaussians of unequal weight that overlap, and centers to start from: rows drawn at random."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(k, 2.0))
    X = 1.5 * rng.normal(size=(k, d))[rng.choice(k, n, p=weights)] + rng.normal(size=(n, d))
    return scale * X, scale * X[rng.choice(n, k, replace=False)]


def figures(X: np.ndarray, labels: np.ndarray, scale: float = 1.0) -> dict[str, Any]:
    """The inertia of the partition, about the means of its clusters, and the sizes."""
    k = int(labels.max()) + 1
    sizes = np.bincount(labels, minlength=k)
    inertia = sum(((X[labels == h] - X[labels == h].mean(axis=0)) ** 2).sum() for h in range(k) if sizes[h])
    return {"inertia": float(inertia) / scale**2, "smallest": int(sizes.min()), "largest": int(sizes.max())}


def k_means_constrained(n: int, k: int, min_size: int, max_size: int, seed: int, scale: float = 1.0) -> Task:
    """The package's fit, from given centers."""
    from k_means_constrained import KMeansConstrained

    X, start = mixture(n, k, seed, scale)
    model = KMeansConstrained(k, size_min=min_size, size_max=max_size, init=start, n_init=1)

    def score(labels: np.ndarray) -> dict[str, Any]:
        return {**figures(X, labels, scale), "n_iter": int(model.n_iter_)}

    return Task(lambda: model.fit(X).labels_.astype(int), score)


def one_assignment(n: int, k: int, min_size: int, max_size: int, seed: int) -> Task:
    """The package's assignment of rows to given centers: the sum of squared distances that it leads to."""
    from k_means_constrained.k_means_constrained_ import _labels_constrained

    X, start = mixture(n, k, seed)

    def work() -> np.ndarray:
        labels = _labels_constrained(X, start, min_size, max_size, np.zeros(n))[0]
        return np.asarray(labels, dtype=int)

    return Task(work, lambda labels: {"cost": float(((X - start[labels]) ** 2).sum())})

"""`active-semi-supervised-clustering` (`make peers`) on a mixture with known pairs. Nothing of ours is imported."""

from typing import Any, NamedTuple

import numpy as np

from benchmarks._scores import rand_score
from benchmarks._worker import Task

D = K = 10


class Known(NamedTuple):
    X: np.ndarray
    truth: np.ndarray
    must_link: np.ndarray
    cannot_link: np.ndarray


def problem(n: int, n_pairs: int, seed: int) -> Known:
    """10 Gaussians in 10 dimensions that overlap a little, and pairs of objects drawn at random."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(K, size=n)
    X = 1.3 * rng.normal(size=(K, D))[truth] + rng.normal(size=(n, D))
    pairs = rng.integers(n, size=(n_pairs, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Known(X, truth, pairs[same], pairs[~same])


def active_semi_clustering(method: str, n: int, n_pairs: int, seed: int) -> Task:
    """A method of the package, on one problem."""
    from active_semi_clustering.semi_supervised.pairwise_constraints import COPKMeans, MPCKMeans, PCKMeans

    peer: Any = {"cop-kmeans": COPKMeans, "pckmeans": PCKMeans, "mpckmeans": MPCKMeans}[method](n_clusters=K)
    known = problem(n, n_pairs, seed)
    must, cannot = known.must_link.tolist(), known.cannot_link.tolist()

    def work() -> np.ndarray:
        np.random.seed(seed)  # noqa: NPY002 (theirs is the global one)
        return peer.fit(known.X, ml=must, cl=cannot).labels_

    return Task(work, rand_score(known.truth))

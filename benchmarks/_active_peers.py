"""Active learning of `active-semi-supervised-clustering` (`make peers`), in an environment of its own.

``python -m benchmarks._active_peers REQUEST ANSWER``, two npz files. Nothing of ours is imported.
"""

import sys
from pathlib import Path

import numpy as np

METHODS = ("MinMax + MPCKMeans", "Explore + PCKMeans")


def labels(method: str, X: np.ndarray, y: np.ndarray, n_answers: int, seed: int) -> np.ndarray:
    """The clusters after some answers; those that the package fails on are one cluster."""
    from active_semi_clustering.active.pairwise_constraints import ExampleOracle, ExploreConsolidate, MinMax
    from active_semi_clustering.semi_supervised.pairwise_constraints import MPCKMeans, PCKMeans

    np.random.seed(seed)  # noqa: NPY002 (theirs is the global one)
    k = len(np.unique(y))
    learner = (MinMax if method.startswith("MinMax") else ExploreConsolidate)(n_clusters=k)
    must, cannot = [], []
    if n_answers:
        learner.fit(X, oracle=ExampleOracle(y, n_answers))
        must, cannot = learner.pairwise_constraints_
    for _ in range(5):  # they give up if a cluster is empty
        try:
            model = (MPCKMeans if "MPCK" in method else PCKMeans)(n_clusters=k)
            return model.fit(X, ml=must, cl=cannot).labels_
        except Exception:  # whatever it is: another start
            continue
    return np.zeros(len(X), dtype=np.int64)


def main(request: str, answer: str) -> None:
    with np.load(request) as given:
        found = {
            f"{method}/{n}": labels(method, given["X"], given["y"], int(n), int(given["seed"]))
            for method in METHODS
            for n in given["answers"]
        }
    np.savez(Path(answer), **found)


if __name__ == "__main__":
    main(*sys.argv[1:])

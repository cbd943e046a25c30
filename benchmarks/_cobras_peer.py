"""COBRAS of `cobras-ts`, the package of its authors (`make peers`), in an environment of its own.

``python -m benchmarks._cobras_peer REQUEST ANSWER``, two npz files. Nothing of ours is imported.
"""

import sys
from pathlib import Path

import numpy as np

NAME = "cobras-ts"


class Labels:
    """Answers by labels; the package's own class needs packages for pages in a browser."""

    def __init__(self, y: np.ndarray) -> None:
        self.y = y

    def query_points(self, one: int, other: int) -> bool:
        return bool(self.y[one] == self.y[other])

    def update_clustering(self, clustering: object) -> None:
        """Nobody looks."""

    def continue_cluster_process(self) -> bool:
        return True


def labels_after(X: np.ndarray, y: np.ndarray, levels: list[int], seed: int) -> dict[str, np.ndarray]:
    """The clusters after some numbers of questions; before the first, all rows are one."""
    vars(np)["int"] = int  # the package is older than numpy 1.24
    np.random.seed(seed)  # noqa: NPY002 (theirs is the global one)
    from cobras_ts.cobras_kmeans import COBRAS_kmeans

    _, after, *_ = COBRAS_kmeans(X, Labels(y), max(levels)).cluster()
    none = np.zeros(len(y), dtype=np.int64)
    return {str(q): np.asarray(after[min(q, len(after)) - 1]) if q else none for q in levels}


def main(request: str, answer: str) -> None:
    with np.load(request) as given:
        found = labels_after(given["X"], given["y"], given["levels"].tolist(), int(given["seed"]))
    np.savez(Path(answer), **found)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Given ensembles of a known mixture, made in a process of their own and kept in a file.

The data are 10 Gaussians in 5 dimensions that overlap a little. Three kinds of members, none of them chosen to please:
fine k-means is what evidence accumulation wants, and its evidence is sparse; coarse k-means members agree, so that many
rows of labels are equal; coarse random Voronoi members neither agree nor leave sparse evidence.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import cKDTree

from benchmarks._worker import Task

if TYPE_CHECKING:
    from benchmarks._session import Session

N_COMPONENTS = 10
N_FEATURES = 5
KINDS = {
    "fine k-means": "k-means, √n / 2 to √n clusters",
    "coarse k-means": "k-means, 5 to 15 clusters",
    "coarse Voronoi": "cells of random objects, 5 to 15 clusters",
}


def gaussian_mixture(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Objects and their components."""
    rng = np.random.default_rng(seed)
    centers = 3 * rng.normal(size=(N_COMPONENTS, N_FEATURES))
    y = rng.integers(N_COMPONENTS, size=n)
    return centers[y] + rng.normal(size=(n, N_FEATURES)), y


def make(path: str, kind: str, n: int, r: int, jobs: int = 1) -> Task:
    """Write an ensemble and the truth to ``path``."""

    def work() -> None:
        X, truth = gaussian_mixture(n)
        labels = _voronoi(X, r) if kind == "coarse Voronoi" else _k_means(X, r, kind, jobs)
        np.savez(path, labels=labels, truth=truth)

    return Task(work)


def prepared(session: "Session", kind: str, n: int, r: int) -> str:
    """Make an ensemble in a process of its own, once in a session; where it is kept."""
    path = session.scratch / f"{kind.replace(' ', '-')}-{n}-{r}.npz"
    if not path.exists():
        case = f"(making {r} partitions: {kind}, n = {n:,})"
        session.prepare(case, make, path=str(path), kind=kind, n=n, r=r, jobs=session.jobs)
    return str(path)


def load(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Labels (n, r) and the truth (n,)."""
    with np.load(path) as kept:
        return kept["labels"], kept["truth"]


def tiny_like(labels: np.ndarray) -> np.ndarray:
    """A tiny ensemble for warming up: labels as large as these, hence of the same integer type in the kernels."""
    k = int(labels.max()) + 1
    return np.stack([np.arange(k), np.arange(k)[::-1], np.zeros(k, dtype=np.int64)], axis=1)


def _k_means(X: np.ndarray, r: int, kind: str, jobs: int) -> np.ndarray:
    from pluribus.generate import Generator

    k = "sqrt" if kind == "fine k-means" else (5, 15)
    generator = Generator("kmeans", n_members=r, n_clusters=k, random_state=0, n_jobs=jobs)
    return generator.generate(X).labels


def _voronoi(X: np.ndarray, r: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    columns = []
    for _ in range(r):
        centers = rng.choice(len(X), rng.integers(5, 16), replace=False)
        columns.append(cKDTree(X[centers]).query(X)[1])
    return np.array(columns, dtype=np.int16).T.copy()

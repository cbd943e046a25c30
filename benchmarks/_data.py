"""The data sets of the papers' tables: from scikit-learn, made here, or read from a folder of CSV files.

The folder is ``shared/data`` beside the repository, or what the environment variable PLURIBUS_DATA names. Each file is
NAME.csv.gz: features, and a last column ``label``; or NAME.npz: ``X`` and ``y``, of documents the arrays of a sparse
matrix and ``y``. Nothing is copied into the repository.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FOLDER = Path(os.environ.get("PLURIBUS_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
READ = (
    "house_votes",
    "ionosphere",
    "breast_w",
    "pima",
    "optdigits",
    "pendigits",
    "pendigits_test",
    "glass",
    "soybean_small",
    "mnist_test",
    "balance_scale",
    "text_k1a",
    "text_wap",
    "text_re0",
    "text_tr41",
    "text_fbis",
    "text_tr31",
    "crabs",
    "aggregation",
    "compound",
    "engytime",
    "flame",
    "jain",
    "lsun",
    "pathbased",
    "r15",
    "s1",
    "spiral",
    "target",
    "twodiamonds",
    "wingnut",
)
ARRAYS = ("mnist_test", *(name for name in READ if name.startswith("text_")))  # of READ, those in NAME.npz


class DataSet(NamedTuple):
    """Objects, and the classes that a consensus should find."""

    X: Any
    y: np.ndarray


def missing_sets() -> list[str]:
    """Sets that the folder should hold and does not."""
    return [name for name in READ if not _file(name).exists()]


def available(name: str) -> bool:
    return name not in missing_sets()


def load(name: str, seed: int = 0) -> DataSet:
    """A set by its name. The seed is for those that are drawn here."""
    if name in _MADE:
        return _MADE[name](np.random.default_rng(seed))
    return _LOADED[name]()


def load_text(name: str) -> DataSet:
    """Documents as counts of terms, sparse."""
    from scipy import sparse

    with np.load(_file(name)) as arrays:
        parts = arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"]
        return DataSet(sparse.csr_array(parts, shape=tuple(arrays["shape"])), arrays["y"])


def load_raw(name: str) -> DataSet:
    """A set as it was published, its features not scaled."""
    if name == "iris":
        return _iris()
    if name == "wine":
        return _raw_wine()
    return _read(name)


def standardized(X: np.ndarray) -> np.ndarray:
    """Mean 0 and variance 1; constant columns are dropped."""
    spread = X.std(axis=0)
    return (X[:, spread > 0] - X[:, spread > 0].mean(axis=0)) / spread[spread > 0]


def gaussian_line(n: int, seed: int = 0) -> np.ndarray:
    """Ten Gaussians of variance 1 on a line, 12 apart: n / 10 objects of each."""
    rng = np.random.default_rng(seed)
    centers = np.stack([np.zeros(10), 12.0 * np.arange(1, 11)], axis=1)
    return np.repeat(centers, n // 10, axis=0) + rng.normal(size=(n // 10 * 10, 2))


def _iris() -> DataSet:
    from sklearn.datasets import load_iris

    return DataSet(*load_iris(return_X_y=True))


def _raw_wine() -> DataSet:
    from sklearn.datasets import load_wine

    return DataSet(*load_wine(return_X_y=True))


def _wine() -> DataSet:
    X, y = _raw_wine()
    return DataSet(standardized(X), y)


def _file(name: str) -> Path:
    return FOLDER / (f"{name}.npz" if name in ARRAYS else f"{name}.csv.gz")


def _read(name: str) -> DataSet:
    """The complete rows of a file; yes and no become 1 and 0."""
    if name in ARRAYS:
        with np.load(_file(name)) as arrays:
            return DataSet(arrays["X"].astype(np.float64), arrays["y"])
    import pandas as pd

    frame = pd.read_csv(_file(name)).dropna()
    features = frame.drop(columns=["label", "species"], errors="ignore").replace({"y": 1, "n": 0})
    return DataSet(features.to_numpy(dtype=np.float64), frame["label"].to_numpy())


def _scaled(name: str) -> DataSet:
    X, y = _read(name)
    return DataSet(standardized(X), y)


def _digits() -> DataSet:
    """The first 100 of each digit."""
    X, y = _read("optdigits")
    first = np.sort(np.concatenate([np.flatnonzero(y == digit)[:100] for digit in np.unique(y)]))
    return DataSet(X[first], y[first])


def _spiral(rng: np.random.Generator) -> DataSet:
    """Two arms of 100."""
    y = np.repeat([0, 1], 100)
    t = 2.5 * np.pi * np.sqrt(rng.random(200))
    angle = t + np.pi * y
    X = 2 / np.pi * t[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return DataSet(X + rng.normal(scale=0.03, size=X.shape), y)


def _cigar(rng: np.random.Generator) -> DataSet:
    """Two long clusters of 100, close to each other, and two small round ones of 25."""
    parts = [
        rng.normal([0, 0], [0.15, 1.6], size=(100, 2)),
        rng.normal([1.5, 0], [0.15, 1.6], size=(100, 2)),
        rng.normal([0.75, 4.5], 0.15, size=(25, 2)),
        rng.normal([0.75, -4.5], 0.15, size=(25, 2)),
    ]
    return DataSet(np.concatenate(parts), np.repeat(np.arange(4), [100, 100, 25, 25]))


def _rings(rng: np.random.Generator) -> DataSet:
    """Three rings of 150 around one center."""
    y = np.repeat([0, 1, 2], 150)
    radius = np.array([1.0, 3.0, 5.0])[y] + rng.normal(scale=0.15, size=450)
    angle = rng.uniform(0, 2 * np.pi, size=450)
    return DataSet(radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1), y)


def _bars(rng: np.random.Generator) -> DataSet:
    """Two bars of 200, one above the other, denser to the right."""
    y = np.repeat([0, 1], 200)
    return DataSet(np.stack([4 * np.sqrt(rng.random(400)), rng.random(400) + 1.1 * y], axis=1), y)


def _half_rings(rng: np.random.Generator) -> DataSet:
    """Two half rings of 200, each reaching into the other."""
    y = np.repeat([0, 1], 200)
    t = rng.uniform(0, np.pi, 400)
    X = np.stack([np.where(y, 1 - np.cos(t), np.cos(t)), np.where(y, 0.3 - np.sin(t), np.sin(t))], axis=1)
    return DataSet(X + rng.normal(scale=0.08, size=X.shape), y)


_LOADED: dict[str, Callable[[], DataSet]] = {
    "iris": _iris,
    "wine": _wine,
    "house_votes": lambda: _read("house_votes"),
    "breast_w": lambda: _read("breast_w"),
    "ionosphere": lambda: _scaled("ionosphere"),
    "pima": lambda: _scaled("pima"),
    "glass": lambda: _scaled("glass"),
    "balance_scale": lambda: _scaled("balance_scale"),
    "optdigits": _digits,
}
_MADE: dict[str, Callable[[np.random.Generator], DataSet]] = {
    "spiral": _spiral,
    "cigar": _cigar,
    "rings": _rings,
    "bars": _bars,
    "half_rings": _half_rings,
}

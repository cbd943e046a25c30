"""Data with two partitions: drawn as in Gondek's experiments, digits in two brightnesses, files with two labelings."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from benchmarks import _data


class TwoPartitions(NamedTuple):
    """Rows, the partition that is known, and the one to be found."""

    X: Any
    known: np.ndarray
    wanted: np.ndarray


def two_partitions(k: int, draws: int, alpha: float, seed: int, n: int = 800) -> TwoPartitions:
    """Two binomial features: the first follows the known partition, the second a mix of both.

    With alpha = 1 the second follows the wanted partition alone; the smaller alpha, the more the known one dominates.
    """
    rng = np.random.default_rng(seed)
    rates = np.arange(1, k + 1) / (k + 1)
    known, wanted = rng.integers(0, k, n), rng.integers(0, k, n)
    first = rng.binomial(draws, rates[known])
    second = rng.binomial(draws, alpha * rates[wanted] + (1 - alpha) * rates[known])
    return TwoPartitions(np.column_stack([first, draws - first, second, draws - second]).astype(float), known, wanted)


def three_partitions(seed: int, n: int = 200, k: int = 3) -> TwoPartitions:
    """Answers of which 8 follow the first partition, 8 the second (both known) and 4 the third (wanted)."""
    rng = np.random.default_rng(seed)
    labels = [rng.integers(0, k, n) for _ in range(3)]
    chances = [np.where(j % k == own, 0.9, 0.1) for own, d in zip(labels, (8, 8, 4), strict=True) for j in range(d)]
    X = (rng.random((n, 20)) < np.column_stack(chances)).astype(float)
    return TwoPartitions(X, np.column_stack(labels[:2]), labels[2])


def bright_digits(one: int, other: int) -> TwoPartitions:
    """Two kinds of digits, half of them brighter by 8: the brightness is known."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    inside = np.isin(y, (one, other))
    bright = np.random.default_rng(0).integers(0, 2, inside.sum())
    return TwoPartitions(X[inside] + 8.0 * bright[:, None], bright, y[inside])


def stick_figures(wanted: str) -> TwoPartitions:
    """Stick figures: the pose of the upper body given that of the lower one, or the reverse."""
    with np.load(_data.FOLDER / "alt_stickfigures.npz") as arrays:
        X, y = arrays["X"].reshape(len(arrays["X"]), -1).astype(float), arrays["y"]
    return _labeled(X, y[:, 0], y[:, 1], wanted == "upper body")


SCALES = ("as they are", "standardized", "divided by deviations within groups", "whitened within groups")


def fruit(wanted: str, scale: str = SCALES[0]) -> TwoPartitions:
    """Images of fruit: the kind given the color, or the reverse.

    The fourth of the six columns is 0 but for rounding errors, so scales other than the first leave it out.
    """
    import pandas as pd

    frame = pd.read_csv(_data.FOLDER / "alt_fruit.csv.gz")
    X = frame.iloc[:, :6].to_numpy(float)
    X, known, truth = _labeled(X, frame["fruit"].to_numpy(), frame["colour"].to_numpy(), wanted == "fruit")
    if scale == SCALES[0]:
        return TwoPartitions(X, known, truth)
    X = np.delete(X, 3, axis=1)
    left = X - np.array([X[known == group].mean(axis=0) for group in np.unique(known)])[_codes(known)]
    if scale == SCALES[1]:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    elif scale == SCALES[2]:
        X = X / left.std(axis=0)
    else:
        X = X @ np.linalg.inv(np.linalg.cholesky(np.cov(left.T, bias=True))).T
    return TwoPartitions(X, known, truth)


@lru_cache(maxsize=4)
def pages(wanted: str, weighted: bool = True) -> TwoPartitions:
    """WebKB: the type of a page given its university, or the reverse; its words, weighted by how rare they are."""
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfTransformer

    with np.load(_data.FOLDER / "graph_webkb.npz") as arrays:
        parts = arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"]
        X = sparse.csr_array(parts, shape=tuple(arrays["shape"]))
        kind, university = arrays["y"], arrays["university"]
    X = sparse.csr_array(TfidfTransformer(smooth_idf=False).fit_transform(X)) if weighted else X
    return _labeled(X, kind, university, wanted == "page type")


def precision(labels: np.ndarray, classes: np.ndarray) -> float:
    """The share of rows in the most frequent class of their cluster."""
    codes = _codes(classes)
    counts = np.zeros((labels.max() + 1, codes.max() + 1))
    np.add.at(counts, (labels, codes), 1)
    return float(counts.max(axis=1).sum() / len(labels))


def _labeled(X: Any, first: np.ndarray, second: np.ndarray, first_is_wanted: bool) -> TwoPartitions:
    return TwoPartitions(X, second, first) if first_is_wanted else TwoPartitions(X, first, second)


def _codes(labels: np.ndarray) -> np.ndarray:
    return np.unique(labels, return_inverse=True)[1]

"""The sets of ``answers``, in two halves: one to choose defaults on, one held out; and how a partition is scored.

    from benchmarks._answers_sets import load, score, sets
    for name in sets("chosen on"):
        X, y, k, keep = load(name)
        print(name, score(some_clusterer(k).fit_predict(X), y, keep))

Every method gets the same X, by one rule for each kind:

- shapes: coordinates in two or three dimensions have one unit, an arbitrary one: they are centered and divided by one
  number, such that the variances have the mean 1. Most methods do not see that; defaults in absolute units do;
- tables: the complete rows, prepared as ``pluribus cluster`` does by default (numbers to mean 0 and variance 1, the
  columns of one category together as one number, names and constant columns dropped); pixels are numbers too;
- text: term counts as tf-idf in rows of length 1, as scikit-learn's TfidfTransformer makes them.

No table counts twice: scikit-learn's wine and breast_cancer are the folder's wine and wdbc, and segment is statlog.
What is part of another set (digits of optdigits, pendigits_test of pendigits) or from one source with it (k1a and wap)
is in the same half. The others alternate by name within their kind; no score was looked at.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from benchmarks import _data

Half = Literal["chosen on", "held out"]
HALVES: tuple[Half, Half] = ("chosen on", "held out")
SETS: dict[Half, dict[str, tuple[str, ...]]] = {
    "chosen on": {
        "shapes": (
            "atom", "blobs_stretched", "chainlink", "compound", "flame", "jain", "moons", "r15", "target",
            "twodiamonds",
        ),
        "tables": (
            "breast_w", "digits", "ecoli", "house_votes", "iris", "sonar", "statlog", "vowel", "wine", "zoo",
        ),
        "large": ("birch1", "mnist_test", "optdigits", "s1"),
        "text": ("text_re0", "text_tr41"),
    },
    "held out": {
        "shapes": (
            "aggregation", "blobs", "blobs_varied", "circles", "engytime", "hepta", "lsun", "pathbased", "spiral",
            "tetra", "wingnut",
        ),
        "tables": (
            "balance_scale", "dermatology", "glass", "ionosphere", "pendigits_test", "pima", "soybean_small",
            "vehicle", "wdbc", "yeast",
        ),
        "large": ("chameleon_t7_10k", "mushroom", "pendigits"),
        "text": ("text_k1a", "text_wap"),
    },
}  # fmt: skip
NOISY = ("chameleon_t7_10k",)  # the label 0 is noise; elsewhere it is a class, or does not occur
PLAIN = ("birch1", "chameleon_t7_10k", "s1")  # of the large ones, those that are shapes
RAW_PENDIGITS = "pendigits_raw"  # not among the sets: the features of the published figures


class Loaded(NamedTuple):
    """What every method gets, and what its partition is compared with."""

    X: Any  # array (n, d), or csr matrix
    y: np.ndarray  # classes, coded from 0
    k: int  # number of classes
    keep: np.ndarray  # objects that are scored: all but noise


def sets(half: Half | None = None, kind: str | None = None) -> list[str]:
    """Names of the sets that are here: of one half or of both, of one kind or of all."""
    kinds = ("shapes", "tables", "text", "large")
    if (half is not None and half not in HALVES) or (kind is not None and kind not in kinds):
        raise ValueError(f"half={half!r}, kind={kind!r}: halves are {HALVES}, kinds {kinds}.")
    return [
        name
        for each_kind in kinds
        if kind in (None, each_kind)
        for each in HALVES
        if half in (None, each)
        for name in SETS[each][each_kind]
        if name in _MADE or _file(name).exists()
    ]


def half_of(name: str) -> str:
    return next((half for half in HALVES if any(name in names for names in SETS[half].values())), "")


def kind_of(name: str) -> str:
    return next((kind for half in HALVES for kind, names in SETS[half].items() if name in names), "")


def load(name: str) -> Loaded:
    """A set by its name, prepared by the rule of its kind."""
    if name in _MADE:
        X, y = _MADE[name]()
        X = _prepared(X, name) if name in ("iris", "digits") else _in_one_unit(X)
    elif name.startswith("text_"):
        X, y = _text(name)
    elif name == "mnist_test":
        X, y = _data.load_raw(name)
        X = _prepared(X, name)
    else:
        X, y = _table(name)
    keep = y != 0 if name in NOISY else np.ones(len(y), dtype=bool)
    classes, y = np.unique(y, return_inverse=True)
    return Loaded(X, y.astype(np.int64), len(classes) - (name in NOISY), keep)


def score(labels: Any, y: np.ndarray, keep: np.ndarray) -> float:
    """Adjusted Rand index over the objects that are no noise; those left unclustered (-1) count as one cluster."""
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(y[keep], np.asarray(labels)[keep]))


def write(path: Path, data: Loaded) -> None:
    """Keep a set for processes that have nothing but numpy and scipy."""
    if isinstance(data.X, np.ndarray):
        parts = {"X": data.X}
    else:
        parts = {"data": data.X.data, "indices": data.X.indices, "indptr": data.X.indptr, "shape": data.X.shape}
    np.savez(path, y=data.y, k=data.k, keep=data.keep, **parts)


def read(path: str | Path) -> Loaded:
    with np.load(path) as arrays:
        X = arrays["X"] if "X" in arrays else _csr(arrays)
        return Loaded(X, arrays["y"], int(arrays["k"]), arrays["keep"])


def fingerprint(data: Loaded) -> str:
    """Of what is clustered and what it is compared with."""
    parts = [data.X] if isinstance(data.X, np.ndarray) else [data.X.data, data.X.indices, data.X.indptr]
    digest = hashlib.sha256()
    for part in (*parts, data.y, data.keep):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:16]


def _file(name: str) -> Path:
    return _data.FOLDER / (f"{name}.npz" if name.startswith(("text_", "mnist")) else f"{name}.csv.gz")


def _table(name: str) -> tuple[np.ndarray, np.ndarray]:
    import pandas as pd

    frame = pd.read_csv(_file(name.removesuffix("_raw"))).dropna().reset_index(drop=True)
    features, y = frame.drop(columns="label"), frame["label"].to_numpy()
    if kind_of(name) == "shapes" or name in PLAIN:
        return _in_one_unit(features.to_numpy(dtype=np.float64)), y
    if name == RAW_PENDIGITS:
        return features.to_numpy(dtype=np.float64), y
    return _prepared(features, name), y


def _in_one_unit(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / np.sqrt(X.var(axis=0).mean())


def _prepared(features: Any, name: str) -> np.ndarray:
    import pandas as pd

    from pluribus.tables import Table, prepare

    frame = pd.DataFrame(features)
    frame.columns = frame.columns.astype(str)
    return prepare(Table(frame, np.arange(len(frame)).astype(str), name)).X


def _text(name: str) -> tuple[Any, np.ndarray]:
    from sklearn.feature_extraction.text import TfidfTransformer

    with np.load(_file(name)) as arrays:
        return TfidfTransformer().fit_transform(_csr(arrays).astype(np.float64)), arrays["y"]


def _csr(arrays: Any) -> Any:
    from scipy import sparse

    return sparse.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"]))


def _made(maker: str, n: int = 500, **options: Any) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    def make() -> tuple[np.ndarray, np.ndarray]:
        from sklearn import datasets

        return getattr(datasets, maker)(n, **options)

    return make


def _stretched() -> tuple[np.ndarray, np.ndarray]:
    X, y = _made("make_blobs", random_state=170)()
    return X @ np.array([[0.6, -0.6], [-0.4, 0.8]]), y


def _shipped(loader: str) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    def read_it() -> tuple[np.ndarray, np.ndarray]:
        from sklearn import datasets

        return getattr(datasets, loader)(return_X_y=True)

    return read_it


# The toy sets are those of scikit-learn's comparison of clustering algorithms.
_MADE: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "iris": _shipped("load_iris"),
    "digits": _shipped("load_digits"),
    "circles": _made("make_circles", factor=0.5, noise=0.05, random_state=30),
    "moons": _made("make_moons", noise=0.05, random_state=30),
    "blobs": _made("make_blobs", random_state=30),
    "blobs_varied": _made("make_blobs", cluster_std=[1.0, 2.5, 0.5], random_state=170),
    "blobs_stretched": _stretched,
}

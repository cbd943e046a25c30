"""Families of data with two partitions, drawn: what a choice among methods is made on, and what it is checked on.

Each family has a known and a wanted partition, with 3 to 6 clusters and 120 to 500 rows, drawn by the seed. Families of
``DESIGN`` may be looked at while a rule is made, those of ``CHECK`` once, when it is fixed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks._alternative_sets import TwoPartitions, two_partitions

_RNG = np.random.Generator


def drawn(name: str, seed: int) -> TwoPartitions:
    """A set of a family; dense ones of odd seeds are standardized."""
    number = list(FAMILIES).index(name)
    X, known, wanted = FAMILIES[name](np.random.default_rng([number, seed]))
    if seed % 2 and not sparse.issparse(X):
        spread = X.std(axis=0)
        X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return TwoPartitions(X, known, wanted)


def _labels(rng: _RNG, *, tied: float = 0.0, uneven: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Known and wanted clusters; a share of rows has a wanted cluster that follows from the known one."""
    n, k_known, k = int(rng.integers(120, 501)), int(rng.integers(2, 6)), int(rng.integers(3, 7))
    sizes = (rng.dirichlet(np.full(c, 3.0)) if uneven else np.full(c, 1 / c) for c in (k_known, k))
    known, wanted = (rng.choice(len(share), n, p=share) for share in sizes)
    return known, np.where(rng.random(n) < tied, known % k, wanted)


def _centers(rng: _RNG, k: int, d: int, apart: float) -> np.ndarray:
    """Random centers whose nearest two are ``apart`` deviations from each other."""
    centers = rng.normal(size=(k, d))
    distance = np.linalg.norm(centers[:, None] - centers, axis=2)[np.triu_indices(k, 1)].min()
    return centers * apart / distance


def _view(rng: _RNG, labels: np.ndarray, d: int, apart: float) -> np.ndarray:
    """Features of which the clusters are round, with deviation 1."""
    centers = _centers(rng, int(labels.max()) + 1, d, apart)
    return centers[labels] + rng.normal(size=(len(labels), d))


def _two_views(rng: _RNG, known_apart: float, apart: float, **how: Any) -> TwoPartitions:
    known, wanted = _labels(rng, **how)
    X = np.hstack([_view(rng, known, 3, known_apart), _view(rng, wanted, 3, apart)])
    return TwoPartitions(X, known, wanted)


def even_views(rng: _RNG) -> TwoPartitions:
    """Both partitions are equally clear."""
    return _two_views(rng, 3.5, 3.5)


def strong_known(rng: _RNG) -> TwoPartitions:
    """The known partition has ten times the variance."""
    return _two_views(rng, 10.0, 3.0)


def tied_partitions(rng: _RNG) -> TwoPartitions:
    """The wanted partition depends on the known one."""
    return _two_views(rng, 3.5, 3.5, tied=0.4)


def tied_shapes(rng: _RNG) -> TwoPartitions:
    """Dependent partitions; each cluster has its own deviations in features of different units."""
    known, wanted, X = _shaped(rng, tied=0.3)
    return TwoPartitions(X, known, wanted)


def shapes(rng: _RNG) -> TwoPartitions:
    """Clusters have their own deviations, and features different units."""
    known, wanted, X = _shaped(rng)
    return TwoPartitions(X, known, wanted)


def _shaped(rng: _RNG, **how: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    known, wanted = _labels(rng, uneven=True, **how)
    d = 4
    spread = np.exp(rng.normal(scale=0.6, size=(int(wanted.max()) + 1, d)))
    own = _centers(rng, len(spread), d, 3.5)[wanted] + spread[wanted] * rng.normal(size=(len(wanted), d))
    X = np.hstack([own, _view(rng, known, 2, 3.5)])
    return known, wanted, X * np.exp(rng.normal(scale=0.7, size=X.shape[1]))


def noise(rng: _RNG) -> TwoPartitions:
    """Twelve features say nothing."""
    X, known, wanted = _two_views(rng, 4.0, 4.0)
    return TwoPartitions(np.hstack([X, rng.normal(size=(len(X), 12))]), known, wanted)


def mixed_features(rng: _RNG) -> TwoPartitions:
    """Each feature mixes both views: no direction belongs to one alone."""
    known, wanted = _labels(rng, tied=0.1)
    X = np.hstack([_view(rng, known, 2, 4.0), _view(rng, wanted, 2, 4.0)])
    return TwoPartitions(X @ rng.normal(size=(4, 6)) + 0.3 * rng.normal(size=(len(X), 6)), known, wanted)


def shared_features(rng: _RNG) -> TwoPartitions:
    """Both partitions shift the same three features."""
    known, wanted = _labels(rng)
    X = _centers(rng, int(known.max()) + 1, 3, 2.0)[known] + _view(rng, wanted, 3, 4.0)
    return TwoPartitions(X, known, wanted)


def spread_by_group(rng: _RNG) -> TwoPartitions:
    """The known groups differ in their deviations, too."""
    X, known, wanted = _two_views(rng, 3.0, 5.0, uneven=True)
    return TwoPartitions(X * np.exp(rng.normal(scale=0.4, size=int(known.max()) + 1))[known, None], known, wanted)


def moved_by_group(rng: _RNG) -> TwoPartitions:
    """The centers of the wanted clusters move a little from group to group."""
    X, known, wanted = _two_views(rng, 3.0, 5.0)
    moves = rng.normal(scale=0.7, size=(int(known.max()) + 1, int(wanted.max()) + 1, 3))
    X[:, 3:] += moves[known, wanted]
    return TwoPartitions(X, known, wanted)


def curved(rng: _RNG) -> TwoPartitions:
    """The wanted clusters are arcs on a circle, thin and bent."""
    known, wanted = _labels(rng, tied=0.1)
    k = int(wanted.max()) + 1
    angle = 2 * np.pi * (wanted + 0.75 * rng.random(len(wanted))) / k
    arcs = 3 * k * np.column_stack([np.cos(angle), np.sin(angle)]) / np.pi + rng.normal(size=(len(wanted), 2)) / 2
    return TwoPartitions(np.hstack([_view(rng, known, 2, 4.0), arcs]), known, wanted)


def outliers(rng: _RNG) -> TwoPartitions:
    """Tails are heavy, and sizes uneven."""
    known, wanted = _labels(rng, uneven=True)
    views = [_centers(rng, int(labels.max()) + 1, 3, 6.0)[labels] for labels in (known, wanted)]
    X = np.hstack(views)
    return TwoPartitions(X + rng.standard_t(3, size=X.shape), known, wanted)


def answers(rng: _RNG) -> TwoPartitions:
    """Zeros and ones: some follow the known partition, some the wanted one, some neither."""
    known, wanted = _labels(rng, tied=0.15)
    chances = [
        np.where(rng.random(int(labels.max()) + 1) < 0.5, 0.85, 0.15)[labels]
        for labels, d in ((known, 12), (wanted, 16))
        for _ in range(d)
    ]
    p = np.column_stack([*chances, np.full((len(known), 6), 0.5)])
    return TwoPartitions((rng.random(p.shape) < p).astype(float), known, wanted)


def texts(rng: _RNG) -> TwoPartitions:
    """Counts of words: a common background, words of the known group and words of the wanted topic; sparse."""
    return _texts(rng, 0.2, 0.2, 0.0)


def tied_texts(rng: _RNG) -> TwoPartitions:
    """The same with dependent partitions, more words of the known group, and weights of rare words (tf-idf)."""
    from sklearn.feature_extraction.text import TfidfTransformer

    X, known, wanted = _texts(rng, 0.25, 0.15, 0.25)
    return TwoPartitions(sparse.csr_array(TfidfTransformer().fit_transform(X)), known, wanted)


def _texts(rng: _RNG, of_known: float, of_wanted: float, tied: float) -> TwoPartitions:
    known, wanted = _labels(rng, tied=tied)
    n_words = 600
    common = rng.permutation(1 / np.arange(1.0, n_words + 1))
    own = [rng.dirichlet(np.full(n_words, 0.1), int(labels.max()) + 1)[labels] for labels in (known, wanted)]
    p = (1 - of_known - of_wanted) * common / common.sum() + of_known * own[0] + of_wanted * own[1]
    X = np.array([rng.multinomial(length, row) for length, row in zip(20 + rng.poisson(60, len(p)), p, strict=True)])
    X = X[:, X.sum(axis=0) > 0].astype(float)
    return TwoPartitions(sparse.csr_array(X), known, wanted)


def binomials(rng: _RNG) -> TwoPartitions:
    """The generator of the specification's sweep, with random draws, mix and number of clusters."""
    k, (draws, alpha) = int(rng.integers(2, 5)), ((20, 1.0), (100, 0.5), (100, 0.25))[rng.integers(3)]
    return two_partitions(k, draws, alpha, int(rng.integers(1000, 10**6)), n=400)


DESIGN: dict[str, Callable[[_RNG], TwoPartitions]] = {
    "even views": even_views,
    "tied partitions": tied_partitions,
    "shapes": shapes,
    "mixed features": mixed_features,
    "moved by group": moved_by_group,
    "outliers": outliers,
    "texts": texts,
    "binomials": binomials,
}
CHECK: dict[str, Callable[[_RNG], TwoPartitions]] = {
    "strong known": strong_known,
    "tied shapes": tied_shapes,
    "noise": noise,
    "shared features": shared_features,
    "spread by group": spread_by_group,
    "curved": curved,
    "answers": answers,
    "tied texts": tied_texts,
}
FAMILIES = DESIGN | CHECK

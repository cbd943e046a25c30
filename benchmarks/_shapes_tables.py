"""Clustered families that are tables: many columns, of which few tell the groups, categories, counts, words.

Columns of text are categories. The rest is numbers.
"""

import numpy as np
import pandas as pd

from benchmarks._shapes_parts import Drawn, Rng, apart, gaussians, joined, rotation, sizes, sphere, split, texts

Table = tuple[np.ndarray | pd.DataFrame, np.ndarray]


def few_informative(rng: Rng, n: int) -> Drawn:
    """Two to six columns tell the groups, two to five times as many are noise."""
    X, y = _groups(rng, n, d=rng.integers(2, 7), distance=rng.uniform(4.5, 7))
    return np.column_stack([X, rng.normal(size=(n, rng.integers(2, 6) * X.shape[1]))]), y


def low_rank(rng: Rng, n: int) -> Drawn:
    """Groups in two to four hidden columns, seen through many sums of them."""
    X, y = _groups(rng, n, d=rng.integers(2, 5), distance=rng.uniform(3.5, 5.5))
    X = X @ rng.normal(size=(X.shape[1], rng.integers(20, 61)))
    return X + rng.normal(0, rng.uniform(0.5, 1.5), X.shape), y


def correlated(rng: Rng, n: int) -> Drawn:
    """Two factors that have nothing to do with the groups move all columns."""
    X, y = _groups(rng, n, d=rng.integers(6, 16), distance=rng.uniform(5, 7))
    return X + rng.normal(0, rng.uniform(0.7, 1.2), (n, 2)) @ rng.normal(size=(2, X.shape[1])), y


def subspaces(rng: Rng, n: int) -> Drawn:
    """Each group differs from all others in three or four columns of its own."""
    k, own = rng.integers(3, 7), rng.integers(3, 5)
    centers = np.kron(np.eye(k), np.full(own, rng.uniform(1.8, 2.8)))
    return gaussians(rng, sizes(rng, n, k), centers)


def planes(rng: Rng, n: int) -> Drawn:
    """Each group is spread in one or two directions of its own, and tight in all others."""
    k, d = rng.integers(3, 6), rng.integers(6, 13)
    centers = apart(rng, np.full(k, rng.uniform(1.2, 1.8)), d)
    parts = []
    for center, size in zip(centers, sizes(rng, n, k), strict=True):
        own = rotation(rng, d)[: rng.integers(1, 3)]
        parts.append(center + rng.normal(0, 2, (size, len(own))) @ own + rng.normal(0, 0.2, (size, d)))
    return joined(parts)


def several_modes(rng: Rng, n: int) -> Drawn:
    """Classes far from each other, each with two or three modes that overlap."""
    d, k = rng.integers(4, 9), rng.integers(2, 5)
    modes = [apart(rng, np.full(rng.integers(2, 4), 1.4), d) for _ in range(k)]
    far = apart(rng, np.full(k, rng.uniform(4, 5)), d)
    counts = sizes(rng, n, k)
    parts = []
    for center, own, size in zip(far, modes, counts, strict=True):
        parts.append(gaussians(rng, split(size, np.ones(len(own))), center + own - own.mean(axis=0))[0])
    return joined(parts)


def curved(rng: Rng, n: int) -> Drawn:
    """Groups in two hidden columns, seen through many bent functions of them."""
    X, y = _groups(rng, n, d=2, distance=rng.uniform(4.5, 6))
    X = (X - X.mean(axis=0)) / X.std()
    d = rng.integers(8, 21)
    X = np.tanh(X @ rng.normal(0, 1, (2, d)) + rng.normal(0, 0.7, d))
    return X + rng.normal(0, 0.1, X.shape), y


def skewed_columns(rng: Rng, n: int) -> Drawn:
    """Positive measurements whose logarithms are Gaussian."""
    X, y = _groups(rng, n, d=rng.integers(4, 11), distance=rng.uniform(5, 7))
    return np.exp(rng.uniform(0.25, 0.4) * X), y


def rare_group(rng: Rng, n: int) -> Drawn:
    """Two or three common groups, and one with few rows."""
    k, rare = rng.integers(2, 4), max(12, int(n * rng.uniform(0.03, 0.06)))
    counts = np.append(sizes(rng, n - rare, k), rare)
    return gaussians(rng, counts, apart(rng, np.full(k + 1, rng.uniform(2.5, 3.5)), rng.integers(4, 11)))


def outlying_rows(rng: Rng, n: int) -> Drawn:
    """Groups, and a few rows far from everything: noise."""
    n_far, d = int(n * rng.uniform(0.01, 0.05)), rng.integers(4, 11)
    X, y = _groups(rng, n - n_far, d=d, distance=rng.uniform(4.5, 6))
    far = X.mean(axis=0) + sphere(rng, n_far, d) * rng.uniform(12, 30, (n_far, 1))
    return np.concatenate([X, far]), np.concatenate([y, np.full(n_far, -1)])


def profiles(rng: Rng, n: int) -> Drawn:
    """Courses over time: each group has a form, each row its height and its level."""
    k, times = rng.integers(3, 7), np.linspace(0, 1, rng.integers(20, 61))
    waves = np.concatenate([[np.sin(np.pi * j * times), np.cos(np.pi * j * times)] for j in (1, 2, 3)])
    forms = 2.5 * sphere(rng, k, len(waves)) @ waves
    y = np.repeat(np.arange(k), sizes(rng, n, k))
    heights, levels = rng.normal(1, 0.15, (n, 1)), rng.normal(0, 0.4, (n, 1))
    return heights * forms[y] + levels + rng.normal(0, rng.uniform(0.5, 1), (n, len(times))), y


def directions(rng: Rng, n: int) -> Drawn:
    """Rows of length 1 around the direction of their group, as embeddings are."""
    k, d = rng.integers(3, 9), rng.integers(10, 41)
    y = np.repeat(np.arange(k), sizes(rng, n, k))
    X = sphere(rng, k, d)[y] + rng.normal(0, rng.uniform(0.6, 1) / np.sqrt(d), (n, d))
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def compositions(rng: Rng, n: int) -> Drawn:
    """Shares that sum to 1."""
    k, d = rng.integers(3, 7), rng.integers(5, 16)
    typical = rng.dirichlet(np.full(d, 0.8), k)
    y = np.repeat(np.arange(k), sizes(rng, n, k))
    weights = rng.gamma(0.3 + rng.uniform(20, 50) * typical[y])
    return weights / weights.sum(axis=1, keepdims=True), y


def counts(rng: Rng, n: int) -> Drawn:
    """Poisson counts, at rates of each group."""
    k, d = rng.integers(3, 8), rng.integers(8, 31)
    rates = np.exp(rng.normal(1, rng.uniform(0.5, 0.9), (k, d)))
    y = np.repeat(np.arange(k), sizes(rng, n, k))
    return rng.poisson(rates[y]).astype(float), y


def expression(rng: Rng, n: int) -> Drawn:
    """Logarithms of overdispersed counts: a fifth of the columns tells the groups, rows differ in depth."""
    k, d = rng.integers(3, 8), rng.integers(60, 151)
    levels = np.tile(rng.normal(0.5, 1, d), (k, 1))
    markers = rng.random((k, d)) < 0.2
    levels[markers] += rng.choice([-1, 1], markers.sum()) * rng.uniform(0.7, 1.5, markers.sum())
    y = np.repeat(np.arange(k), sizes(rng, n, k))
    means = np.exp(levels[y] + rng.normal(0, 0.3, (n, 1)))
    found = rng.poisson(means * rng.gamma(3, 1 / 3, (n, d)))
    return np.log1p(found / found.sum(axis=1, keepdims=True) * np.median(found.sum(axis=1))), y


def text(rng: Rng, n: int) -> Drawn:
    """Counts of words in short texts, each on one topic in the main."""
    k, n_words = rng.integers(3, 9), rng.integers(200, 401)
    common = rng.dirichlet(np.full(n_words, 0.3))
    share = rng.uniform(0.2, 0.5)
    topics = (1 - share) * common + share * rng.dirichlet(np.full(n_words, 0.05), k)
    y = np.repeat(np.arange(k), sizes(rng, n, k))
    return texts(rng, topics[y]), y


def binary(rng: Rng, n: int) -> Drawn:
    """Columns of 0 and 1, each with a chance of its own in each group."""
    k, d = rng.integers(3, 7), rng.integers(16, 31)
    chances = rng.beta(0.5, 0.5, (k, d)).clip(0.1, 0.9)
    y = np.repeat(np.arange(k), sizes(rng, n, k))
    return (rng.random((n, d)) < chances[y]).astype(float), y


def ordinal(rng: Rng, n: int) -> Drawn:
    """Grades from 1 to 5."""
    X, y = _groups(rng, n, d=rng.integers(6, 16), distance=rng.uniform(4, 6))
    return np.clip(np.round(3 + 0.8 * (X - X.mean(axis=0))), 1, 5), y


def categorical(rng: Rng, n: int) -> Table:
    """Columns of three to six values; each group prefers one of them."""
    y = np.repeat(np.arange(k := rng.integers(3, 7)), sizes(rng, n, k))
    return _categories(rng, y, k, rng.integers(7, 16)), y


def numbers_and_categories(rng: Rng, n: int) -> Table:
    X, y = _groups(rng, n, d=rng.integers(3, 7), distance=rng.uniform(3, 4.5))
    numbers = pd.DataFrame(X).add_prefix("number ")
    return pd.concat([numbers, _categories(rng, y, y.max() + 1, rng.integers(3, 8))], axis=1), y


def _groups(rng: Rng, n: int, d: int, distance: float) -> Drawn:
    """Three to six round Gaussians of width 1, neighbors at about this distance."""
    k = rng.integers(3, 7)
    return gaussians(rng, sizes(rng, n, k), apart(rng, np.full(k, distance / 2), d))


def _categories(rng: Rng, y: np.ndarray, k: int, d: int) -> pd.DataFrame:
    """Columns of text: a row has the value that its group prefers with a chance of 0.6 to 0.85, else any."""
    columns = {}
    for column in range(d):
        n_values = rng.integers(3, 7)
        preferred = rng.integers(n_values, size=k)[y]
        values = np.where(rng.random(len(y)) < rng.uniform(0.6, 0.85), preferred, rng.integers(n_values, size=len(y)))
        columns[f"category {column}"] = np.array(list("abcdef"))[values]
    return pd.DataFrame(columns)

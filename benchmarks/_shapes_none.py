"""Families without clusters: one group that fills a region, or one that lies along a curve or a surface.

Each returns its rows alone.
"""

import numpy as np
import pandas as pd

from benchmarks._shapes_parts import Rng, along, arc, ball, on_circle, rotation, sphere, texts, wandering


def gaussian(rng: Rng, n: int) -> np.ndarray:
    """Any covariance."""
    d = _some_columns(rng)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d))


def gaussian_in_many_columns(rng: Rng, n: int) -> np.ndarray:
    return rng.normal(size=(n, rng.integers(30, 101)))


def elongated_gaussian(rng: Rng, n: int) -> np.ndarray:
    """Five to twenty times as long as wide."""
    d = rng.integers(2, 6)
    return rng.normal(size=(n, d)) * np.append(rng.uniform(5, 20), np.ones(d - 1))


def equicorrelated(rng: Rng, n: int) -> np.ndarray:
    """Every two columns have the same correlation, from 0.5 to 0.9."""
    share = rng.uniform(0.5, 0.9)
    return np.sqrt(share) * rng.normal(size=(n, 1)) + np.sqrt(1 - share) * rng.normal(size=(n, _some_columns(rng)))


def uniform_box(rng: Rng, n: int) -> np.ndarray:
    d = _some_columns(rng)
    return rng.random((n, d)) * rng.uniform(0.5, 2, d)


def uniform_ball(rng: Rng, n: int) -> np.ndarray:
    return ball(rng, n, _some_columns(rng))


def triangle(rng: Rng, n: int) -> np.ndarray:
    return rng.dirichlet([1, 1, 1], n) @ np.array([[0, 0], [rng.uniform(1, 3), 0], [rng.uniform(0, 1), 1]])


def banana(rng: Rng, n: int) -> np.ndarray:
    """A Gaussian, bent."""
    X = rng.normal(size=(n, rng.integers(2, 6)))
    X[:, 1] = rng.uniform(0.5, 0.9) * X[:, 1] + rng.uniform(0.3, 0.7) * X[:, 0] ** 2
    return X


def student_t(rng: Rng, n: int) -> np.ndarray:
    freedom = rng.uniform(2.5, 5)
    return rng.normal(size=(n, _some_columns(rng))) / np.sqrt(rng.chisquare(freedom, (n, 1)) / freedom)


def laplace(rng: Rng, n: int) -> np.ndarray:
    return rng.laplace(size=(n, _some_columns(rng)))


def exponential(rng: Rng, n: int) -> np.ndarray:
    return rng.exponential(size=(n, _some_columns(rng)))


def gamma(rng: Rng, n: int) -> np.ndarray:
    return rng.gamma(rng.uniform(1, 4), size=(n, _some_columns(rng)))


def lognormal(rng: Rng, n: int) -> np.ndarray:
    return rng.lognormal(0, rng.uniform(0.4, 0.9), (n, _some_columns(rng)))


def skewed_in_ten_columns(rng: Rng, n: int) -> np.ndarray:
    """Sums of skewed columns."""
    return rng.gamma(rng.uniform(0.8, 2), size=(n, 10)) @ (np.eye(10) + 0.3 * rng.normal(size=(10, 10)))


def poisson_counts(rng: Rng, n: int) -> np.ndarray:
    """Columns at different rates."""
    rates = rng.uniform(1, 10, _some_columns(rng))
    return rng.poisson(rates, (n, len(rates))).astype(float)


def mixed_discrete(rng: Rng, n: int) -> np.ndarray:
    """Half of the columns are counts from 0 to 4, half are Gaussian."""
    half = rng.integers(2, 11)
    return np.column_stack([rng.binomial(4, 0.5, (n, half)), rng.normal(size=(n, half))])


def grades_of_one_factor(rng: Rng, n: int) -> np.ndarray:
    """Grades from 1 to 7 that rise with one hidden number."""
    d = rng.integers(6, 16)
    hidden = rng.normal(size=(n, 1)) * rng.uniform(0.5, 1, d) + rng.normal(0, 0.8, (n, d))
    return np.clip(np.round(4 + 1.3 * hidden), 1, 7)


def coin_flips(rng: Rng, n: int) -> np.ndarray:
    """Independent columns of 0 and 1."""
    d = rng.integers(12, 41)
    return (rng.random((n, d)) < rng.uniform(0.2, 0.8, d)).astype(float)


def independent_categories(rng: Rng, n: int) -> pd.DataFrame:
    """Columns of three to six values that do not depend on each other."""
    columns = {}
    for column in range(rng.integers(10, 26)):
        chances = rng.dirichlet(np.full(rng.integers(3, 7), 6.0))
        columns[f"category {column}"] = rng.choice(list("abcdef")[: len(chances)], n, p=chances)
    return pd.DataFrame(columns)


def one_topic(rng: Rng, n: int) -> np.ndarray:
    """Counts of words, all drawn from the same shares."""
    words = rng.dirichlet(np.full(rng.integers(200, 401), 0.3))
    return texts(rng, np.tile(words, (n, 1)))


def filament(rng: Rng, n: int) -> np.ndarray:
    """A thin line that wanders."""
    return _curve(rng, n, wandering(rng), rng.uniform(0.05, 0.15))


def one_moon(rng: Rng, n: int) -> np.ndarray:
    return _curve(rng, n, arc(1, 0, rng.uniform(0.7, 1.4) * np.pi), rng.uniform(0.04, 0.15))


def one_ring(rng: Rng, n: int) -> np.ndarray:
    return _curve(rng, n, arc(1, 0, 2 * np.pi), rng.uniform(0.03, 0.15))


def one_spiral(rng: Rng, n: int) -> np.ndarray:
    t = np.linspace(0.3, rng.uniform(1.3, 2.5), 600)
    return _curve(rng, n, t[:, None] * on_circle(2 * np.pi * t), rng.uniform(0.04, 0.12))


def one_helix(rng: Rng, n: int) -> np.ndarray:
    t = np.linspace(0, rng.uniform(1.5, 3), 600)
    return _curve(
        rng, n, np.column_stack([on_circle(2 * np.pi * t), rng.uniform(0.7, 1.5) * t]), rng.uniform(0.04, 0.1)
    )


def one_shell(rng: Rng, n: int) -> np.ndarray:
    """The surface of a ball in three to five dimensions."""
    X = sphere(rng, n, rng.integers(3, 6))
    return X + rng.normal(0, rng.uniform(0.03, 0.12), X.shape)


def swiss_roll(rng: Rng, n: int) -> np.ndarray:
    """A rolled sheet."""
    t = np.linspace(0.5, rng.uniform(1.3, 1.8), 600)
    rolled = along(rng, t[:, None] * on_circle(2 * np.pi * t), n)
    X = np.column_stack([rolled, rng.uniform(0, rng.uniform(1.5, 3), n)])
    return X + rng.normal(0, rng.uniform(0.03, 0.08), X.shape)


def saddle_sheet(rng: Rng, n: int) -> np.ndarray:
    """A sheet bent in two directions."""
    flat = rng.uniform(-1, 1, (n, 2))
    X = np.column_stack([flat, rng.uniform(0.5, 1) * (flat[:, 0] ** 2 - flat[:, 1] ** 2)])
    return X @ rotation(rng, 3) + rng.normal(0, rng.uniform(0.03, 0.1), X.shape)


def _some_columns(rng: Rng) -> int:
    return int(rng.choice([2, 3, 5, 10, 20, 50]))


def _curve(rng: Rng, n: int, line: np.ndarray, noise: float) -> np.ndarray:
    X = along(rng, line, n)
    return X + rng.normal(0, noise, X.shape)

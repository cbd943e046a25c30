"""Parts of the generated families: sizes of groups, centers that keep apart, points along a line, background noise."""

from collections.abc import Sequence

import numpy as np

Rng = np.random.Generator
Drawn = tuple[np.ndarray, np.ndarray]  # rows, and the group of each; -1 is noise


def split(n: int, weights: Sequence[float] | np.ndarray) -> np.ndarray:
    """Whole numbers in proportion to the weights, which sum to n."""
    ends = np.round(n * np.cumsum(weights) / np.sum(weights)).astype(int)
    return np.diff(ends, prepend=0)


def sizes(rng: Rng, n: int, k: int) -> np.ndarray:
    """Sizes of k groups of n rows together; each has at least 0.4 of its share."""
    return split(n, 0.4 / k + 0.6 * rng.dirichlet(np.full(k, 4.0)))


def unequal_sizes(rng: Rng, n: int, k: int, ratio: float, least: int = 15) -> np.ndarray:
    """Sizes of k groups in random order, each the same factor below the next; the first and last are at this ratio."""
    return rng.permutation(least + split(n - k * least, np.geomspace(1, ratio, k)))


def apart(rng: Rng, radii: Sequence[float] | np.ndarray, d: int) -> np.ndarray:
    """Centers of balls that do not overlap, packed about as closely as chance finds places."""
    radii = np.asarray(radii, dtype=float)
    centers = np.zeros((len(radii), d))
    side, tries = 2 * radii.max() / np.sqrt(d), 0
    for placed, radius in enumerate(radii):
        while True:
            place = rng.uniform(-side / 2, side / 2, d)
            if np.all(np.linalg.norm(centers[:placed] - place, axis=1) >= radii[:placed] + radius):
                break
            tries += 1
            if tries % 20 == 0:
                side *= 1.05
        centers[placed] = place
    return centers


def rotation(rng: Rng, d: int) -> np.ndarray:
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


def joined(parts: Sequence[np.ndarray]) -> Drawn:
    """One group for each part."""
    return np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(part) for part in parts])


def gaussians(rng: Rng, counts: np.ndarray, centers: np.ndarray, widths: np.ndarray | float = 1.0) -> Drawn:
    """Round Gaussians, with one width for all or one for each."""
    y = np.repeat(np.arange(len(counts)), counts)
    noise = rng.normal(size=(len(y), centers.shape[1]))
    return centers[y] + noise * np.broadcast_to(widths, len(counts))[y, None], y


def arc(radius: float, start: float, stop: float, center: Sequence[float] = (0.0, 0.0)) -> np.ndarray:
    """A line of 400 points on a circle, between two angles."""
    return radius * on_circle(np.linspace(start, stop, 400)) + np.asarray(center)


def on_circle(angle: np.ndarray) -> np.ndarray:
    return np.column_stack([np.cos(angle), np.sin(angle)])


def wandering(rng: Rng) -> np.ndarray:
    """A line from left to right that goes up and down."""
    x = np.linspace(0, rng.uniform(6, 10), 600)
    y = sum(rng.uniform(0.3, 0.8) * np.sin(x * rng.uniform(0.4, 1.3) + rng.uniform(0, 2 * np.pi)) for _ in range(3))
    return np.column_stack([x, y])


def length(line: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


def along(rng: Rng, line: np.ndarray, size: int, even: bool = False) -> np.ndarray:
    """Points on a line, uniform in its length; even ones are at random in steps of one length."""
    reached = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    place = (np.arange(size) + rng.random(size)) / size if even else rng.random(size)
    return np.column_stack([np.interp(place * reached[-1], reached, column) for column in line.T])


def curves(rng: Rng, n: int, lines: Sequence[np.ndarray], noise: float) -> Drawn:
    """A group along each line, about as dense as the others, in every second draw without chance gaps."""
    even = rng.random() < 0.5
    counts = split(n, [length(line) * rng.uniform(0.7, 1.4) for line in lines])
    X, y = joined([along(rng, line, size, even) for line, size in zip(lines, counts, strict=True)])
    return X + rng.normal(0, noise, X.shape), y


def ball(rng: Rng, size: int, d: int) -> np.ndarray:
    """Uniform in the ball of radius 1."""
    return sphere(rng, size, d) * rng.random((size, 1)) ** (1 / d)


def sphere(rng: Rng, size: int, d: int) -> np.ndarray:
    """Uniform on the sphere of radius 1."""
    directions = rng.normal(size=(size, d))
    return directions / np.linalg.norm(directions, axis=1, keepdims=True)


def texts(rng: Rng, shares: np.ndarray) -> np.ndarray:
    """Counts of words in texts of different lengths, given the share of each word in each text."""
    lengths = np.round(rng.lognormal(np.log(rng.uniform(50, 120)), 0.4, len(shares))).astype(int)
    return rng.multinomial(lengths, shares).astype(float)


def in_noise(rng: Rng, X: np.ndarray, y: np.ndarray, n_noise: int) -> Drawn:
    """Rows with uniform noise around them, in their bounding box and a tenth beyond."""
    low, high = X.min(axis=0), X.max(axis=0)
    noise = rng.uniform(low - 0.1 * (high - low), high + 0.1 * (high - low), (n_noise, X.shape[1]))
    return np.concatenate([X, noise]), np.concatenate([y, np.full(n_noise, -1)])

"""Clustered families that overlap: mixtures of Gaussians and of their kin, with two to 200 groups."""

import numpy as np

from benchmarks._shapes_parts import (
    Drawn,
    Rng,
    apart,
    ball,
    gaussians,
    joined,
    on_circle,
    rotation,
    sizes,
    sphere,
    split,
    unequal_sizes,
)

# Distances of centers are in standard deviations of the groups: neighbors 3 apart share 7 % of their rows, 5 apart 1 %.


def few_gaussians(rng: Rng, n: int) -> Drawn:
    return _packed(rng, n, rng.integers(2, 6), rng.integers(2, 4), rng.uniform(3, 4.5))


def many_gaussians(rng: Rng, n: int) -> Drawn:
    return _packed(rng, n, rng.integers(15, 51), 2, rng.uniform(4, 6))


def hundreds_of_gaussians(rng: Rng, n: int) -> Drawn:
    return _packed(rng, n, rng.integers(80, 201), rng.integers(2, 9), rng.uniform(4.3, 6))


def ten_touching_gaussians(rng: Rng, n: int) -> Drawn:
    return _packed(rng, n, 10, rng.integers(2, 6), rng.uniform(3.2, 4.2))


def gaussians_in_many_columns(rng: Rng, n: int) -> Drawn:
    return _packed(rng, n, rng.integers(3, 11), rng.integers(15, 51), rng.uniform(3.8, 6))


def two_gaussians_3_apart(rng: Rng, n: int) -> Drawn:
    return _two(rng, n, 3)


def two_gaussians_4_apart(rng: Rng, n: int) -> Drawn:
    return _two(rng, n, 4)


def unbalanced_gaussians(rng: Rng, n: int) -> Drawn:
    """The largest group has 5 to 20 times the rows of the smallest."""
    k = rng.integers(3, 9)
    return gaussians(
        rng, unequal_sizes(rng, n, k, rng.uniform(5, 20)), apart(rng, np.full(k, rng.uniform(1.8, 2.6)), 2)
    )


def unbalanced_in_six_columns(rng: Rng, n: int) -> Drawn:
    k = rng.integers(3, 7)
    return gaussians(
        rng, unequal_sizes(rng, n, k, rng.uniform(5, 15)), apart(rng, np.full(k, rng.uniform(1.9, 2.6)), 6)
    )


def stretched_gaussians(rng: Rng, n: int) -> Drawn:
    """All groups are stretched in the same direction."""
    d = rng.integers(2, 5)
    X, y = _packed(rng, n, rng.integers(3, 7), d, rng.uniform(4, 5.5))
    stretch = np.ones(d)
    stretch[0] = rng.uniform(3, 6)
    return X * stretch, y


def elliptic_gaussians(rng: Rng, n: int) -> Drawn:
    """Each group has directions and widths of its own."""
    k, d = rng.integers(2, 7), rng.integers(2, 5)
    centers = apart(rng, np.full(k, rng.uniform(1.6, 2.3)), d)
    parts = []
    for center, size in zip(centers, sizes(rng, n, k), strict=True):
        widths = np.geomspace(rng.uniform(0.2, 0.5), rng.uniform(1, 1.6), d)
        parts.append(center + rng.normal(size=(size, d)) * widths @ rotation(rng, d))
    return joined(parts)


def crossed_gaussians(rng: Rng, n: int) -> Drawn:
    """Long Gaussians that cross each other."""
    k = rng.integers(2, 4)
    angles = np.pi * (np.arange(k) + rng.uniform(-0.15, 0.15, k)) / k
    parts = []
    for angle, size in zip(angles, sizes(rng, n, k), strict=True):
        along = np.array([np.cos(angle), np.sin(angle)])
        flat = rng.normal(size=(size, 2)) * [1, rng.uniform(0.05, 0.12)] + [rng.uniform(0.3, 1), 0]
        parts.append(flat @ np.array([along, [-along[1], along[0]]]))
    return joined(parts)


def nested_gaussians(rng: Rng, n: int) -> Drawn:
    """One or two tight groups inside a wide one."""
    k = rng.integers(1, 3)
    d = rng.integers(2, 4)
    centers = np.concatenate([np.zeros((1, d)), apart(rng, np.full(k, 0.6), d)])
    widths = np.concatenate([[1.5], rng.uniform(0.1, 0.2, k)])
    return gaussians(rng, sizes(rng, n, k + 1), centers, widths)


def different_widths(rng: Rng, n: int) -> Drawn:
    """Gaussians of widths that differ up to fivefold, side by side."""
    k, d = rng.integers(3, 8), rng.integers(2, 4)
    widths = rng.uniform(0.4, 2, k)
    return gaussians(rng, sizes(rng, n, k), apart(rng, widths * rng.uniform(1.8, 2.4), d), widths)


def heavy_tails(rng: Rng, n: int) -> Drawn:
    """Groups that follow a t distribution with 2 to 4 degrees of freedom."""
    k, d = rng.integers(3, 7), rng.integers(2, 6)
    counts, centers = sizes(rng, n, k), apart(rng, np.full(k, rng.uniform(2.8, 4)), d)
    X, y = gaussians(rng, counts, np.zeros((k, d)))
    freedom = rng.uniform(2, 4)
    return centers[y] + X / np.sqrt(rng.chisquare(freedom, (n, 1)) / freedom), y


def skewed_groups(rng: Rng, n: int) -> Drawn:
    """Each group has a long tail in a direction of its own."""
    k, d = rng.integers(3, 7), rng.integers(2, 5)
    centers = apart(rng, np.full(k, rng.uniform(1.7, 2.5)), d)
    parts = []
    for center, size in zip(centers, sizes(rng, n, k), strict=True):
        tail = rng.gamma(1.2, 1.3, (size, 1)) * sphere(rng, 1, d)
        parts.append(center + tail + rng.normal(0, rng.uniform(0.3, 0.6), (size, d)))
    return joined(parts)


def groups_of_groups(rng: Rng, n: int) -> Drawn:
    """Far groups, each of which is two to four groups close to each other: these are counted."""
    d = rng.integers(2, 5)
    near = [apart(rng, np.full(rng.integers(2, 5), rng.uniform(1.8, 2.5)), d) for _ in range(rng.integers(2, 5))]
    far = apart(rng, np.full(len(near), rng.uniform(10, 16)), d)
    centers = np.concatenate([center + inner for center, inner in zip(far, near, strict=True)])
    return gaussians(rng, sizes(rng, n, len(centers)), centers)


def touching_balls(rng: Rng, n: int) -> Drawn:
    """Filled balls, each in touch with others."""
    k, d = rng.integers(3, 9), rng.integers(2, 4)
    centers = apart(rng, np.full(k, rng.uniform(1, 1.06)), d)
    return joined([center + ball(rng, size, d) for center, size in zip(centers, sizes(rng, n, k), strict=True)])


def gaussian_grid(rng: Rng, n: int) -> Drawn:
    """Gaussians at the crossings of a grid."""
    rows, columns = rng.integers(3, 7, 2)
    crossings = np.stack(np.meshgrid(np.arange(rows), np.arange(columns)), axis=-1).reshape(-1, 2)
    return gaussians(rng, sizes(rng, n, len(crossings)), crossings * rng.uniform(3.8, 5))


def gaussian_chain(rng: Rng, n: int) -> Drawn:
    """Gaussians in one row, which may bend."""
    k = rng.integers(4, 9)
    turns = np.cumsum(rng.uniform(-0.4, 0.4, k))
    centers = np.cumsum(on_circle(turns), axis=0)
    return gaussians(rng, sizes(rng, n, k), centers * rng.uniform(3.3, 4.5))


def _packed(rng: Rng, n: int, k: int, d: int, distance: float) -> Drawn:
    """Round Gaussians of one width, neighbors at about this distance."""
    return gaussians(rng, sizes(rng, n, k), apart(rng, np.full(k, distance / 2), d))


def _two(rng: Rng, n: int, distance: float) -> Drawn:
    """Two round Gaussians of equal sizes in two to five columns."""
    centers = np.zeros((2, rng.integers(2, 6)))
    centers[1, 0] = distance
    return gaussians(rng, split(n, [1, 1]), centers)

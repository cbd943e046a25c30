"""Clustered families of two or three columns: groups that fill regions."""

import numpy as np

from benchmarks._shapes_parts import (
    Drawn,
    Rng,
    along,
    apart,
    arc,
    ball,
    gaussians,
    in_noise,
    joined,
    on_circle,
    rotation,
    sizes,
    sphere,
    split,
)


def bridges(rng: Rng, n: int) -> Drawn:
    """Gaussians in a chain, joined by thin bridges whose rows belong to the nearer end."""
    k = rng.integers(2, 5)
    turns = np.cumsum(rng.uniform(-0.9, 0.9, k))
    steps = rng.uniform(5, 8, k)[:, None] * on_circle(turns)
    centers = np.cumsum(steps, axis=0)
    n_bridge = int(n * rng.uniform(0.02, 0.07)) * (k - 1)
    X, y = gaussians(rng, sizes(rng, n - n_bridge, k), centers)
    between = along(rng, centers, n_bridge) + rng.normal(0, 0.15, (n_bridge, 2))
    nearest = np.linalg.norm(between[:, None] - centers, axis=2).argmin(axis=1)
    return np.concatenate([X, between]), np.concatenate([y, nearest])


def densities(rng: Rng, n: int) -> Drawn:
    """Gaussians of widths that differ up to twentyfold, and of similar sizes."""
    k = rng.integers(3, 7)
    widths = np.geomspace(0.1, rng.uniform(0.6, 2), k)
    centers = apart(rng, rng.uniform(1.9, 2.8) * widths[::-1], 2)[::-1]  # wide ones first, tight ones close to them
    return gaussians(rng, sizes(rng, n, k), centers, widths)


def blobs_in_noise(rng: Rng, n: int) -> Drawn:
    k, n_noise = rng.integers(3, 9), int(n * rng.uniform(0.1, 0.45))
    centers = apart(rng, np.full(k, rng.uniform(2.4, 4)), 2)
    widths = rng.uniform(0.6, 1, k)
    return in_noise(rng, *gaussians(rng, sizes(rng, n - n_noise, k), centers, widths), n_noise)


def boxes(rng: Rng, n: int) -> Drawn:
    """A rectangle cut into rectangles, with narrow gaps along the cuts."""
    rectangles = [(0.0, 0.0, rng.uniform(4, 8), 4.0)]  # left, bottom, width, height
    for _ in range(rng.integers(1, 6)):
        left, bottom, width, height = rectangles.pop(int(np.argmax([box[2] * box[3] for box in rectangles])))
        share = rng.uniform(0.35, 0.65)
        if width > height:
            rectangles += [(left, bottom, share * width, height)]
            rectangles += [(left + share * width, bottom, (1 - share) * width, height)]
        else:
            rectangles += [(left, bottom, width, share * height)]
            rectangles += [(left, bottom + share * height, width, (1 - share) * height)]
    areas = np.array([box[2] * box[3] for box in rectangles])
    gap = rng.uniform(1.1, 2.2) * np.sqrt(areas.sum() / n)  # in mean distances of rows
    counts = split(n, areas * rng.uniform(0.7, 1.4, len(areas)))
    parts = []
    for (left, bottom, width, height), size in zip(rectangles, counts, strict=True):
        inside = rng.random((size, 2)) * [width - gap, height - gap]
        parts.append(inside + [left + gap / 2, bottom + gap / 2])
    return joined(parts)


def diamonds(rng: Rng, n: int) -> Drawn:
    """Squares in a row, corner to corner."""
    k = rng.integers(2, 5)
    step = 2 + rng.uniform(0, 0.1)
    turned = np.array([[1, 1], [-1, 1]]) / 2
    parts = [
        rng.uniform(-1, 1, (size, 2)) @ turned.T + [step * place, 0] for place, size in enumerate(sizes(rng, n, k))
    ]
    return joined(parts)


def slices(rng: Rng, n: int) -> Drawn:
    """A disc cut into slices, with narrow gaps along the cuts."""
    k = rng.integers(3, 7)
    edges = np.cumsum(rng.uniform(0.7, 1.3, k))
    edges = 2 * np.pi * np.append(0, edges / edges[-1])
    gap = rng.uniform(1, 2) * np.sqrt(np.pi / n)  # in mean distances of rows
    parts = []
    for start, stop, size in zip(edges[:-1], edges[1:], split(n, np.diff(edges)), strict=True):
        slice_ = np.sqrt(rng.random((size, 1))) * on_circle(rng.uniform(start, stop, size))
        middle = (start + stop) / 2
        parts.append(slice_ + gap / 2 / np.sin((stop - start) / 2) * np.array([np.cos(middle), np.sin(middle)]))
    return joined(parts)


def sheets(rng: Rng, n: int) -> Drawn:
    """Parallel planes in three dimensions, which may be bent."""
    k, bend, side, noise = rng.integers(2, 5), rng.uniform(0, 0.3), rng.uniform(2, 3.5), rng.uniform(0.05, 0.2)
    parts = []
    for level, size in enumerate(sizes(rng, n, k)):
        flat = rng.uniform(-side / 2, side / 2, (size, 2))
        parts.append(np.column_stack([flat, level + bend * flat[:, 0] ** 2 + rng.normal(0, noise, size)]))
    return joined(parts)


def mixed_shapes(rng: Rng, n: int) -> Drawn:
    """Rings, arcs, discs, boxes, bars and Gaussians next to each other."""
    k = rng.integers(3, 8)
    radii = rng.uniform(0.7, 1.4, k)
    centers = apart(rng, radii * rng.uniform(1, 1.25), 2)
    parts = [
        center + radius * _figure(rng, size) @ rotation(rng, 2)
        for center, radius, size in zip(centers, radii, sizes(rng, n, k), strict=True)
    ]
    return joined(parts)


def noisy_shapes(rng: Rng, n: int) -> Drawn:
    n_noise = int(n * rng.uniform(0.05, 0.25))
    return in_noise(rng, *mixed_shapes(rng, n - n_noise), n_noise)


def core_in_shell(rng: Rng, n: int) -> Drawn:
    """A dense ball inside a wide hollow one, in three dimensions."""
    core, shell = split(n, [1, rng.uniform(0.7, 2)])
    around = sphere(rng, shell, 3) * rng.normal(3, rng.uniform(0.15, 0.35), (shell, 1))
    return joined([rng.normal(0, rng.uniform(0.15, 0.5), (core, 3)), around])


def crescent_and_disc(rng: Rng, n: int) -> Drawn:
    """A disc that lies in the bow of a crescent."""
    inner, outer = split(n, [1, rng.uniform(0.9, 1.6)])
    span = rng.uniform(0.45, 0.65) * np.pi
    bow = along(rng, arc(rng.uniform(1.5, 1.9), 1.5 * np.pi - span, 1.5 * np.pi + span), outer)
    return joined([ball(rng, inner, 2), bow + 0.3 * ball(rng, outer, 2)])


def corners(rng: Rng, n: int) -> Drawn:
    """Four right angles around one place."""
    thick, gap = rng.uniform(0.4, 0.9), rng.uniform(0.25, 0.6)
    parts = []
    for (right, up), size in zip([(1, 1), (1, -1), (-1, 1), (-1, -1)], sizes(rng, n, 4), strict=True):
        flat, upright = split(size, [3, 3 - thick])
        angle = np.concatenate([rng.random((flat, 2)) * [3, thick], rng.random((upright, 2)) * [thick, 3 - thick]])
        angle[flat:, 1] += thick
        parts.append((angle + gap / 2) * [right, up])
    return joined(parts)


def wings(rng: Rng, n: int) -> Drawn:
    """Two boxes, dense where they face each other diagonally, as thin elsewhere as the gap is narrow."""
    gap = rng.uniform(1.2, 2.2) * np.sqrt(9 / n)  # in mean distances of rows
    parts = []
    for side, size in zip((1, -1), sizes(rng, n, 2), strict=True):
        box = rng.beta(1, rng.uniform(1.3, 1.8), (size, 2)) * [1.5, 3]
        parts.append(side * (box + [gap / 2, -1.5]))
    return joined(parts)


def dense_in_sparse(rng: Rng, n: int) -> Drawn:
    """Tight Gaussians in holes of a wide disc."""
    k = rng.integers(1, 4)
    centers = apart(rng, np.full(k, 1.0), 2)
    centers -= centers.mean(axis=0)
    reach = np.linalg.norm(centers, axis=1).max() + rng.uniform(1.5, 2.2)
    inner, outer = split(n, [rng.uniform(0.2, 0.35) * k, 1])
    tight, y = gaussians(rng, sizes(rng, inner, k), centers, rng.uniform(0.12, 0.2))
    disc = reach * ball(rng, 8 * outer, 2)
    free = np.linalg.norm(disc[:, None] - centers, axis=2).min(axis=1) > 0.7
    return np.concatenate([tight, disc[free][:outer]]), np.concatenate([y, np.full(outer, k)])


def _figure(rng: Rng, size: int) -> np.ndarray:
    """One of six shapes, of radius 1 at most."""
    kind = rng.integers(6)
    if kind == 0:
        return rng.normal(0, 0.33, (size, 2))
    if kind == 1:
        return along(rng, arc(0.9, 0, 2 * np.pi), size) + rng.normal(0, 0.05, (size, 2))
    if kind == 2:
        return along(rng, arc(0.85, 0, rng.uniform(0.8, 1.3) * np.pi), size) + rng.normal(0, 0.07, (size, 2))
    if kind == 3:
        return ball(rng, size, 2)
    if kind == 4:
        return rng.uniform(-1, 1, (size, 2)) * [0.85, rng.uniform(0.2, 0.5)]
    return rng.normal(0, 1, (size, 2)) * [0.4, 0.08]

"""Clustered families of two or three columns: groups along lines, which bend around each other."""

import numpy as np

from benchmarks._shapes_parts import (
    Drawn,
    Rng,
    apart,
    arc,
    curves,
    gaussians,
    in_noise,
    joined,
    length,
    on_circle,
    sizes,
    sphere,
    split,
    wandering,
)

# Lines keep a distance of about 1, if nothing else is said; their noise is a small part of it.


def arcs(rng: Rng, n: int) -> Drawn:
    """Parts of circles around one center."""
    lines = []
    for radius in rng.uniform(1, 2) + np.arange(rng.integers(2, min(5, 2 + n // 250) + 1)):
        start = rng.uniform(0, 2 * np.pi)
        lines.append(arc(radius, start, start + rng.uniform(0.5, 1.5) * np.pi))
    return curves(rng, n, lines, rng.uniform(0.06, 0.18))


def many_arcs(rng: Rng, n: int) -> Drawn:
    """Small arcs in all directions."""
    lines = []
    for center in apart(rng, np.ones(rng.integers(6, 13)), 2):
        start = rng.uniform(0, 2 * np.pi)
        lines.append(arc(rng.uniform(0.8, 0.95), start, start + rng.uniform(0.7, 1.3) * np.pi, center))
    return curves(rng, n, lines, rng.uniform(0.03, 0.1))


def spirals(rng: Rng, n: int) -> Drawn:
    """Arms with narrow gaps, as long as n allows without breaking."""
    k = rng.integers(2, 5)
    turns = rng.uniform(0.75, max(0.8, min(1.75, np.sqrt(n / 22) / k)))
    t = np.linspace(0.3, 0.3 + turns, 600)
    arms = [k * t[:, None] * on_circle(2 * np.pi * (t + arm / k)) for arm in range(k)]
    return curves(rng, n, arms, rng.uniform(0.06, 0.16))


def fading_spirals(rng: Rng, n: int) -> Drawn:
    """Two or three arms, less and less dense towards their ends."""
    k = rng.integers(2, 4)
    counts = sizes(rng, n, k)
    turns, noise = rng.uniform(0.6, 1), rng.uniform(0.05, 0.14)
    arms = []
    for arm, size in enumerate(counts):
        t = 0.3 + turns * (np.arange(size) + rng.random(size)) / size
        arms.append(k * t[:, None] * on_circle(2 * np.pi * (t + arm / k)))
    X, y = joined(arms)
    return X + rng.normal(0, noise, X.shape), y


def zigzags(rng: Rng, n: int) -> Drawn:
    """Lines with sharp turns above each other, and tight groups of few rows apart from them."""
    k, n_corners = rng.integers(2, 4), rng.integers(5, 10)
    width, height = rng.uniform(0.8, 1.5), rng.uniform(0.6, 1.2)
    corners = np.column_stack([width * np.arange(n_corners), height * (np.arange(n_corners) % 2)])
    gap = width / np.hypot(width, height)
    n_tight, tight = rng.integers(1, 4), max(10, int(n * rng.uniform(0.02, 0.04)))
    X, y = curves(rng, n - n_tight * tight, [corners + [0, row] for row in range(k)], gap * rng.uniform(0.06, 0.17))
    places = np.column_stack([rng.uniform(0, corners[-1, 0], n_tight), np.where(rng.random(n_tight) < 0.5, -2, k + 2)])
    places[:, 1] += np.sign(places[:, 1]) * 0.8 * np.arange(n_tight)
    outliers, of = gaussians(rng, np.full(n_tight, tight), places, 0.06)
    return np.concatenate([X, outliers]), np.concatenate([y, of + k])


def nested_rings(rng: Rng, n: int) -> Drawn:
    k = rng.integers(2, min(5, 2 + n // 250) + 1)
    radii = rng.uniform(0.5, 1.5) + np.arange(k)
    return curves(rng, n, [arc(radius, 0, 2 * np.pi) for radius in radii], rng.uniform(0.06, 0.16))


def scattered_rings(rng: Rng, n: int) -> Drawn:
    """Rings next to each other, with a group inside some."""
    radii = rng.uniform(0.6, 1.2, rng.integers(3, 7))
    centers = apart(rng, radii + rng.uniform(0.1, 0.25), 2)
    lines = [arc(radius, 0, 2 * np.pi, center) for radius, center in zip(radii, centers, strict=True)]
    filled = centers[: rng.integers(0, 3)]
    cores = split(n // 6, np.ones(len(filled))) if len(filled) else np.zeros(0, dtype=int)
    X, y = curves(rng, n - cores.sum(), lines, rng.uniform(0.04, 0.09))
    inside, of = gaussians(rng, cores, filled, 0.1)
    return np.concatenate([X, inside]), np.concatenate([y, of + len(lines)])


def parabolas(rng: Rng, n: int) -> Drawn:
    """Two parabolas, back to back and nearly touching, or each with an arm inside the other."""
    x = np.linspace(-1.5, 1.5, 400)
    bend, gap = rng.uniform(0.5, 1.2), rng.uniform(0.35, 0.7)
    up = np.column_stack([x, bend * x**2 + gap / 2])
    if rng.random() < 0.5:
        down = [rng.uniform(-0.4, 0.4), 0] - up
    else:
        down = [rng.uniform(1.4, 1.6), rng.uniform(0.7, 0.9) * bend + gap] - up
    return curves(rng, n, [up, down], rng.uniform(0.04, 0.09))


def moons(rng: Rng, n: int) -> Drawn:
    """Two half circles, each with an end inside the other."""
    shift = [1 + rng.uniform(-0.15, 0.15), rng.uniform(0.3, 0.55)]
    lines = [arc(1, 0, np.pi), arc(rng.uniform(0.85, 1.15), np.pi, 2 * np.pi, shift)]
    return curves(rng, n, lines, rng.uniform(0.05, 0.17))


def noisy_moons(rng: Rng, n: int) -> Drawn:
    n_noise = int(n * rng.uniform(0.05, 0.3))
    lines = [arc(1, 0, np.pi), arc(1, np.pi, 2 * np.pi, (1, rng.uniform(0.25, 0.45)))]
    return in_noise(rng, *curves(rng, n - n_noise, lines, rng.uniform(0.04, 0.1)), n_noise)


def half_rings(rng: Rng, n: int) -> Drawn:
    """Two half rings, one several times as dense as the other."""
    ratio = rng.uniform(3, 6)
    lines = [arc(1, 0, np.pi), arc(1, np.pi, 2 * np.pi, (1, rng.uniform(0.2, 0.4)))]
    noise = rng.uniform(0.08, 0.16)
    parts = [curves(rng, size, [line], noise)[0] for line, size in zip(lines, split(n, [1, ratio]), strict=True)]
    return joined(parts)


def helices(rng: Rng, n: int) -> Drawn:
    """Strands wound around one axis."""
    k = rng.integers(2, 4)
    t = np.linspace(0, rng.uniform(1.3, 2.2), 600)
    rise = k * rng.uniform(0.7, 1.2)
    strands = [np.column_stack([on_circle(2 * np.pi * (t + strand / k)), rise * t]) for strand in range(k)]
    return curves(rng, n, strands, rng.uniform(0.05, 0.14))


def links(rng: Rng, n: int) -> Drawn:
    """A chain of rings in three dimensions."""
    step, flat = rng.uniform(1.15, 1.4), arc(1, 0, 2 * np.pi)
    rings = []
    for place in range(rng.integers(2, 5)):
        ring = np.insert(flat, 2 - place % 2, 0, axis=1)
        rings.append(ring + [place * step, 0, 0])
    return curves(rng, n, rings, rng.uniform(0.04, 0.15))


def lines(rng: Rng, n: int) -> Drawn:
    """Parallel straight lines of different lengths."""
    rows = []
    for row in range(rng.integers(3, 8)):
        start = rng.uniform(0, 3)
        rows.append(np.array([[start, row], [start + rng.uniform(3, 8), row]]))
    return curves(rng, n, rows, rng.uniform(0.1, 0.22))


def filament_pairs(rng: Rng, n: int) -> Drawn:
    """Two thin lines that wander side by side."""
    first = wandering(rng)
    return curves(rng, n, [first, first + [0, rng.uniform(0.7, 1.2)]], rng.uniform(0.06, 0.14))


def waves(rng: Rng, n: int) -> Drawn:
    """Sine waves above each other."""
    x = np.linspace(0, rng.uniform(5, 9), 600)
    height, pace = rng.uniform(0.4, 1), rng.uniform(0.8, 1.6)
    rows = [np.column_stack([x, height * np.sin(pace * x) + row]) for row in range(rng.integers(3, 6))]
    return curves(rng, n, rows, rng.uniform(0.06, 0.15))


def ring_and_core(rng: Rng, n: int) -> Drawn:
    core, ring = split(n, [rng.uniform(0.25, 0.6), 1])
    around = arc(rng.uniform(1.5, 2.5), 0, 2 * np.pi)
    noise = rng.uniform(0.12, 0.3)
    return joined([rng.normal(0, rng.uniform(0.25, 0.5), (core, 2)), curves(rng, ring, [around], noise)[0]])


def ring_round_blobs(rng: Rng, n: int) -> Drawn:
    """A ring around two to four groups."""
    k = rng.integers(2, 5)
    centers = apart(rng, np.full(k, rng.uniform(1.6, 2)), 2)
    centers -= centers.mean(axis=0)
    reach = np.linalg.norm(centers, axis=1).max() + rng.uniform(2.4, 3.4)
    inner, ring = split(n, [0.35 * k, length(arc(reach, 0, 2 * np.pi)) / 14])
    X, y = gaussians(rng, sizes(rng, inner, k), centers, rng.uniform(0.5, 0.75))
    around, of = curves(rng, ring, [arc(reach, 0, 2 * np.pi)], rng.uniform(0.15, 0.35))
    return np.concatenate([X, around]), np.concatenate([y, of + k])


def rays(rng: Rng, n: int) -> Drawn:
    """Straight lines away from one place."""
    k = rng.integers(3, 9)
    inner = max(0.5, 0.8 * k / (2 * np.pi))
    directions = on_circle(2 * np.pi * np.arange(k) / k)
    lines = [np.outer([inner, inner + rng.uniform(1.5, 4)], direction) for direction in directions]
    return curves(rng, n, lines, rng.uniform(0.08, 0.17))


def shells(rng: Rng, n: int) -> Drawn:
    """Spheres inside each other."""
    radii = 1 + np.arange(2 if n < 700 else rng.integers(2, 4))
    noise = rng.uniform(0.06, 0.2)
    return joined(
        [
            radius * sphere(rng, size, 3) + rng.normal(0, noise, (size, 3))
            for radius, size in zip(radii, split(n, radii**1.5), strict=True)
        ]
    )

"""Point sets for methods on increments: seven on which their defaults were chosen, and seven that played no part.

The sources show their sets only as figures, so these are in their manner. Rings, spiral and circles are drawn in the
order that gives the reference values of the description length; the rest is ours where no numbers are known.
"""

import numpy as np

Sets = dict[str, tuple[np.ndarray, np.ndarray]]

HELD_OUT_SEEDS = (500, 501, 502, 503)
TUNING_SEEDS = (0, 1, 2)


def tuning_sets(seed: int) -> Sets:
    """Seven sets for choosing rules and defaults, each drawn by a generator of its own."""
    return {
        "rings": _rings(_rng(seed), (50, 150, 250), (1, 2.5, 4), 0.08),
        "spiral": _spiral(_rng(seed)),
        "bars": _squares(_rng(seed), (200, 200), ((0, 0, 1, 4), (1.6, 0, 2.6, 4))),
        "half rings": _half_rings(_rng(seed), (200, 200, 100)),
        "blobs 4": _gaussians(_rng(seed), 50, ((0, 0), (3, 0), (0, 3), (4, 4)), (0.1, 0.3, 0.6, 0.03)),
        "circles": _rings(_rng(seed), (200, 200), (1, 2.2), 0.1),
        "blobs 3": _gaussians(_rng(seed), 100, ((0, 0), (10, 0), (0, 10)), (1, 1, 1)),
    }


def held_out_sets(seed: int) -> Sets:
    """Seven other sets, for figures that nothing was chosen by."""
    from sklearn.datasets import make_blobs, make_circles, make_moons

    corners = ((0, 0), (8, 0), (0, 8), (8, 8))
    X, y = _gaussians(_rng(seed), 100, ((0, 0), (8, 0), (0, 8)), (1, 1, 1))
    return {
        "moons": make_moons(300, noise=0.07, random_state=seed),
        "unequal blobs": _gaussians(_rng(seed), 75, corners, (0.3, 0.6, 0.9, 1.2)),
        "stretched blobs": (X @ np.array([[0.6, -0.6], [-0.4, 0.8]]), y),
        "nested circles": make_circles(400, factor=0.45, noise=0.05, random_state=seed),
        "waves": _waves(_rng(seed), 300),
        "blobs in 5-D": make_blobs(250, 5, centers=4, random_state=seed),
        "squares": _squares(_rng(seed), (150, 150), ((0, 0, 1, 1), (1.5, 0, 4.5, 3))),
    }


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def _rings(rng: np.random.Generator, sizes: tuple, radii: tuple, spread: float) -> tuple[np.ndarray, np.ndarray]:
    parts = []
    for size, radius in zip(sizes, radii, strict=True):
        angle = rng.uniform(0, 2 * np.pi, size)
        parts.append(_at(angle, radius + rng.normal(0, spread, size)))
    return np.concatenate(parts), np.repeat(np.arange(len(sizes)), sizes)


def _spiral(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two arms of 100."""
    t = np.linspace(0.25, 1, 100) * 1.75 * 2 * np.pi
    X = np.concatenate([_at(t + arm * np.pi, t / (2 * np.pi)) for arm in (0, 1)])
    return X + rng.normal(0, 0.015, X.shape), np.repeat([0, 1], 100)


def _half_rings(rng: np.random.Generator, sizes: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Two half rings that reach into each other, and a small one to their right."""
    parts = []
    for size, middle, radius, up in zip(sizes, ((0, 0), (2, 0.6), (6, 0)), (2, 2, 1), (1, -1, 1), strict=True):
        angle = rng.uniform(0, np.pi, size)
        parts.append(np.array(middle) + _at(angle, radius + rng.normal(0, 0.08, size)) * [1, up])
    return np.concatenate(parts), np.repeat(np.arange(len(sizes)), sizes)


def _squares(rng: np.random.Generator, sizes: tuple, boxes: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Uniform in boxes, each given by its lower left and upper right corner."""
    parts = [rng.uniform(box[:2], box[2:], (size, 2)) for size, box in zip(sizes, boxes, strict=True)]
    return np.concatenate(parts), np.repeat(np.arange(len(sizes)), sizes)


def _gaussians(rng: np.random.Generator, size: int, centers: tuple, spreads: tuple) -> tuple[np.ndarray, np.ndarray]:
    parts = [rng.normal(center, spread, (size, 2)) for center, spread in zip(centers, spreads, strict=True)]
    return np.concatenate(parts), np.repeat(np.arange(len(centers)), size)


def _waves(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two parallel sine waves."""
    y = np.repeat([0, 1], n // 2)
    x = rng.uniform(0, 10, n)
    return np.stack([x, np.sin(x) + 1.2 * y + rng.normal(0, 0.1, n)], axis=1), y


def _at(angle: np.ndarray, radius: np.ndarray) -> np.ndarray:
    return radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)

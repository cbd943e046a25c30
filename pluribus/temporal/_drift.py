"""Series that drift without states: a straight line between the means of two segments, and noise as within them."""

from typing import NamedTuple

import numpy as np

_BURN_IN = 50  # steps before the first row, after which the noise does not remember its start
_MOST_MEMORY = 0.99
_ENOUGH = 8  # rows of a segment, for a correction of the first order


class Drift(NamedTuple):
    """A model of drift: the line, how much of the noise of a row passes to the next, and innovations to draw from."""

    line: np.ndarray
    memory: np.ndarray
    innovations: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, first: int, last: int) -> "Drift":
        """Of a series with rows first … last between two segments.

        The line passes through the means of the segments at their centers. Noise is what is left of each segment after
        its own linear trend: that is right for a drift, which goes on within segments, and for states, which do not.
        """
        rows = np.arange(len(X))
        parts = rows[:first], rows[last + 1 :]
        centers = [float(part.mean()) for part in parts]
        means = [X[part].mean(axis=0) for part in parts]
        share = (rows - centers[0]) / (centers[1] - centers[0])
        line = means[0] + np.outer(share, means[1] - means[0])
        rests = [_detrended(X[part]) for part in parts]
        shared = sum((rest[1:] * rest[:-1]).sum(axis=0) for rest in rests)
        own = sum((rest**2).sum(axis=0) for rest in rests)
        memory = _corrected(shared / np.maximum(own, np.finfo(float).tiny), sum(map(len, parts)) / len(parts))
        innovations = np.concatenate([rest[1:] - memory * rest[:-1] for rest in rests])
        return cls(line, memory, innovations - innovations.mean(axis=0))

    def drawn(self, rng: np.random.Generator) -> np.ndarray:
        """A series that drifts like this."""
        n = len(self.line)
        noise = self.innovations[rng.integers(len(self.innovations), size=n + _BURN_IN)]
        for row in range(1, len(noise)):
            noise[row] += self.memory * noise[row - 1]
        return self.line + noise[_BURN_IN:]


def _corrected(memory: np.ndarray, n: float) -> np.ndarray:
    """The memory without the bias -(2 + 4 memory) / n of a series whose trend was removed (Marriott and Pope)."""
    if n > _ENOUGH:
        memory = (n * memory + 2) / (n - 4)
    return np.clip(memory, -_MOST_MEMORY, _MOST_MEMORY)


def _detrended(rows: np.ndarray) -> np.ndarray:
    """Rows without their linear trend, scaled for the two numbers that it took."""
    n = len(rows)
    time = np.arange(n) - (n - 1) / 2
    centered = rows - rows.mean(axis=0)
    trend = np.outer(time, time @ centered) / (time @ time)
    return (centered - trend) * np.sqrt(n / (n - 2))

"""A small problem in which all arguments of a call fit together: objects, partitions of them, and what is known."""

import tempfile
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

SIZES = (1, 2, 3, 5, 8, 20, 20, 50)  # objects; 0 and other sizes come from changing an argument


class Scene:
    """n objects with d features in k groups, and r partitions of them. All follows from the generator of the case."""

    def __init__(self, rng: np.random.Generator, *, plain: bool) -> None:
        self.rng = rng
        self.plain = plain
        self.n = 20 if plain else int(rng.choice(SIZES))
        self.d = 3 if plain else int(rng.choice([1, 2, 3, 6]))
        self.k = 2 if plain else int(rng.integers(1, min(self.n, 5) + 1))
        self.r = 5 if plain else int(rng.choice([1, 2, 3, 5, 12]))
        self.noise = 0.05 if plain else float(rng.choice([0.0, 0.05, 0.3, 1.0]))
        self.missing = 0.0 if plain else float(rng.choice([0.0, 0.0, 0.1, 0.4]))
        self.labels = rng.permutation(np.arange(self.n) % self.k)
        self.X = self._features()
        self.members = np.column_stack([self._member() for _ in range(self.r)])
        self.members[:, 0] = np.maximum(self.members[:, 0], 0)  # every object is in a partition
        self.members[0] = np.maximum(self.members[0], 0)  # no partition is empty

    @property
    def clear(self) -> bool:
        """Whether the partitions agree so well that every method should find the groups."""
        return self.noise <= 0.05 and self.missing == 0 and self.n >= 20 and self.r >= 5 and self.k > 1

    def _features(self) -> np.ndarray:
        rng = self.rng
        X = rng.normal(size=(self.n, self.d)) + 8 * rng.normal(size=(self.k, self.d))[self.labels]
        if self.plain:
            return X
        kind = rng.choice(["as is", "as is", "as is", "duplicates", "constant", "integers", "long", "tiny"])
        if kind == "duplicates":
            return X[rng.integers(0, max(1, self.n // 3), self.n)]
        if kind == "constant":
            return np.full_like(X, 3.0)
        if kind == "integers":
            return np.round(X)
        return X * {"long": 1e12, "tiny": 1e-12}.get(kind, 1.0)

    def _member(self) -> np.ndarray:
        rng = self.rng
        labels = rng.permutation(self.k + 3)[self.labels]
        labels = np.where(rng.random(self.n) < self.noise, rng.integers(0, self.k, self.n), labels)
        return np.where(rng.random(self.n) < self.missing, -1, labels)

    @cached_property
    def folder(self) -> Path:
        """A directory for files of this case; whoever runs the case removes it."""
        return Path(tempfile.mkdtemp(prefix="attack-"))

    def vector(self) -> np.ndarray:
        """A partition of the objects."""
        return self.members[:, self.rng.integers(self.r)] if self.rng.random() < 0.5 else self.labels.copy()

    def full_vector(self) -> np.ndarray:
        """A partition that covers all objects, numbered 0 … k - 1."""
        return np.unique(self.labels, return_inverse=True)[1]

    def membership(self, k: int | None = None) -> np.ndarray:
        """Memberships of the objects, rows on the simplex."""
        u = self.rng.random((self.n, k or self.k)) + 1e-3
        return u / u.sum(axis=1, keepdims=True)

    def names_given(self) -> list[str]:
        """A name for each object, the same for about all of a group."""
        return [f"name {chr(97 + group) * 3}{'' if self.rng.random() < 0.7 else ' jr'}" for group in self.labels]

    def candidate_rows(self) -> np.ndarray:
        """Some pairs of objects with their similarities."""
        i, j = np.triu_indices(self.n, 1)
        kept = self.rng.random(len(i)) < 0.5
        return np.column_stack([i, j, self.similarity()[i, j]])[kept]

    def similarity(self) -> np.ndarray:
        """The share of partitions that put two objects together."""
        return (self.members[:, None, :] == self.members[None, :, :]).mean(axis=2)

    def distances(self) -> np.ndarray:
        """Distances between the objects."""
        return np.sqrt(((self.X[:, None, :] - self.X[None, :, :]) ** 2).sum(axis=2))

    def pairs(self, *, together: bool, most: int = 6) -> list[tuple[int, int]]:
        """Pairs of objects that are in the same group, or in different ones."""
        i, j = self.rng.integers(0, self.n, (2, most))
        fits = (self.labels[i] == self.labels[j]) == together
        return [(int(a), int(b)) for a, b in zip(i[fits], j[fits], strict=True) if a != b]

    def frame(self) -> pd.DataFrame:
        """A table with numbers, categories and ids."""
        frame = pd.DataFrame(self.X, columns=[f"x{c}" for c in range(self.d)])
        frame["color"] = self.rng.choice(["red", "green", "blue"], self.n)
        frame.insert(0, "id", [f"row {i}" for i in range(self.n)])
        return frame

"""The choice among candidates: the one with the highest value, a sum of five terms."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pluribus._engine import one_blas_thread
from pluribus.pipeline.candidates._pool import OWN, Pool
from pluribus.pipeline.candidates._terms import (
    agreements,
    compactness,
    cut,
    gap,
    mean_with_others,
    nearness,
)

# Rounded from a ridge regression on data with known classes. Half or twice as much of each changes little. Compactness
# counts against a candidate because several candidates look for compact clusters, and agree for that reason.
WEIGHTS = {"agree": 0.7, "cut": -0.3, "near": 0.3, "round": -0.25, "gap": 0.15}
_TIE = 1e-12


@dataclass(frozen=True, eq=False)
class Choice:
    """Which candidate was chosen, and why.

    Attributes
    ----------
    names : tuple of str
        The m candidates. "own" is the partition of the ensemble by itself.
    terms : ndarray of shape (m, 5)
        agree (mean adjusted Rand index with the other candidates), cut (edges of the neighbor graph that leave a
        cluster), near (nearest objects in the same cluster), round (simplified silhouette) and gap (edges of a spanning
        tree between clusters against those inside).
    values : ndarray of shape (m,)
        0.7 agree - 0.3 cut + 0.3 near - 0.25 round + 0.15 gap.
    between : ndarray of shape (m, m)
        The adjusted Rand index of each two candidates.
    chosen : int
        The candidate with the highest value; of equal ones the first, which is "own" if that is among them.
    sentence : str
        The choice in words.
    """

    names: tuple[str, ...]
    terms: np.ndarray
    values: np.ndarray
    between: np.ndarray
    chosen: int
    sentence: str

    @property
    def name(self) -> str:
        """The name of the chosen candidate."""
        return self.names[self.chosen]

    def to_json(self) -> dict[str, Any]:
        """Plain values, which ``from_json`` reads."""
        return {
            "names": list(self.names),
            "terms": self.terms.tolist(),
            "values": self.values.tolist(),
            "between": self.between.tolist(),
            "chosen": self.chosen,
            "sentence": self.sentence,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Choice":
        """A choice from plain values; a ValueError if they do not fit together."""
        names = tuple(str(name) for name in stored["names"])
        shapes = {"terms": (len(names), len(WEIGHTS)), "values": (len(names),), "between": (len(names), len(names))}
        arrays = {key: np.array(stored[key], dtype=np.float64) for key in shapes}
        for key, shape in shapes.items():
            if arrays[key].shape != shape or not np.isfinite(arrays[key]).all():
                raise ValueError(f"{key} of a choice among {len(names)} candidates must be {shape} finite numbers.")
        chosen = int(stored["chosen"])
        if not 0 <= chosen < len(names):
            raise ValueError(f"chosen={chosen} is none of the {len(names)} candidates.")
        return cls(names, arrays["terms"], arrays["values"], arrays["between"], chosen, str(stored["sentence"]))


def choose(pool: Pool) -> Choice:
    """Choose the candidate with the highest value.

    Parameters
    ----------
    pool : Pool
        See ``make_candidates``.
    """
    between = agreements(pool.labels)
    ground = pool.ground
    centered = ground.X - ground.X.mean(axis=0)  # distances to means lose digits far from the origin
    with one_blas_thread():
        of_each = [
            (
                cut(labels, ground.links),
                nearness(labels, ground.near),
                compactness(labels, centered),
                gap(labels, ground.reach),
            )
            for labels in pool.labels
        ]
    terms = np.column_stack([mean_with_others(between), np.array(of_each)])
    values = terms @ np.array(list(WEIGHTS.values()))
    chosen = int(np.flatnonzero(values >= values.max() - _TIE)[0])
    return Choice(pool.names, terms, values, between, chosen, _sentence(pool.names, terms, between, chosen))


def _sentence(names: tuple[str, ...], terms: np.ndarray, between: np.ndarray, chosen: int) -> str:
    """The choice in words."""
    agree = f"it agrees with the other {len(names) - 1} candidates at {terms[chosen, 0]:.2f} (mean adjusted Rand index)"
    if names[chosen] == OWN:
        return f"The partition of the ensemble is kept: {agree}."
    said = f"The partition by {_in_words(names[chosen])} is taken: {agree}"
    if OWN not in names:
        return f"{said}."
    own = names.index(OWN)
    if between[own, chosen] == 1:
        return f"{said}, and equals the partition of the ensemble."
    return f"{said}, that of the ensemble at {terms[own, 0]:.2f}; the two agree at {between[own, chosen]:.2f}."


def _in_words(name: str) -> str:
    kind, _, setting = name.partition(" ")
    if kind == "genie":
        return f"Genie (sizes up to a Gini index of {setting})"
    if kind == "mixture":
        return f"a Gaussian mixture ({setting} covariances)"
    return "k-means" if name == "k-means" else f"another merge of the evidence ({name})"

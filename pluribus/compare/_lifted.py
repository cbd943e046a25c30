"""Partitions in the feature space of a kernel: each cluster one vector, and how far these are apart."""

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from pluribus._engine import is_one_of
from pluribus.compare._places import Places, check_columns
from pluribus.partitions._internal import FeatureLift, check_features, check_kernel, lift_map

NORMALIZE = ("unit", "mean", "none")
_MOST_BYTES = 2**31
_SUMS_AT_ONCE = 8  # that the lift map holds, of more objects than one block takes
_ONE_BLOCK = 2_000
_GROUPS = 10  # of random features, each left out once


class Space:
    """The lifted clusters of some partitions: coordinates where the feature space has any, or inner products."""

    def __init__(
        self, sums: np.ndarray | None, products: np.ndarray | None, masses: np.ndarray, normalize: str
    ) -> None:
        self._sums, self._masses, self._normalize = sums, masses, normalize
        if sums is not None:
            self.vectors: np.ndarray | None = sums / self._lengths(np.einsum("ij,ij->i", sums, sums))[:, None]
        else:
            assert products is not None
            lengths = self._lengths(np.diagonal(products))
            self.vectors, self.products = None, products / np.outer(lengths, lengths)

    def _lengths(self, squares: np.ndarray) -> np.ndarray:
        match self._normalize:
            case "unit":
                return np.sqrt(squares)
            case "mean":
                return self._masses
        return np.ones(len(squares))

    def ground(self, first: slice, second: slice) -> np.ndarray:
        """Distances between the clusters of two partitions."""
        if self.vectors is not None:
            return cdist(self.vectors[first], self.vectors[second])
        own = np.diagonal(self.products)
        scale = own[first][:, None] + own[second]
        squares = scale - 2 * self.products[first, second]
        if (squares < -1e-8 * scale).any():
            warnings.warn(
                f"The kernel is not positive semi-definite: a squared distance between two clusters is "
                f"{squares.min():.2g}. What is negative counts as 0.",
                UserWarning,
                stacklevel=2,
            )
        return np.sqrt(np.where(squares > 1e-14 * scale, squares, 0))  # what is left of equal clusters is rounding

    def parts(self) -> Iterator["Space"]:
        """The same with each tenth of the random features left out once."""
        assert self._sums is not None
        half = self._sums.shape[1] // 2
        groups = min(half, _GROUPS)
        for group in range(groups if groups > 1 else 0):
            kept = np.flatnonzero(np.arange(half) % groups != group)
            sums = self._sums[:, np.concatenate([kept, kept + half])] * np.sqrt(half / len(kept))
            yield Space(sums, None, self._masses, self._normalize)


class LiftedPartition(NamedTuple):
    """One partition as a distribution over the lifted clusters."""

    space: Space
    clusters: slice
    shares: np.ndarray
    random: bool  # whether the space is one of random features


def lifted(
    places: Places,
    X: Any,
    *,
    kernel: Any = "gaussian",
    sigma: Any = "median",
    n_features: Any = "auto",
    normalize: str = "unit",
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> list[LiftedPartition]:
    """Lift all clusters of all partitions in one pass over X."""
    if not is_one_of(normalize, NORMALIZE):
        raise ValueError(f"normalize must be one of {', '.join(NORMALIZE)}; got {normalize!r}.")
    check_kernel(kernel, sigma, n_features)
    if not (isinstance(kernel, str) and kernel == "discrete"):
        places.check_rows(X)
        if not callable(kernel):
            check_columns(X)
    X = check_features(X, kernel, places.n_objects)
    lift = lift_map(X, places.n_objects, kernel=kernel, sigma=sigma, n_features=n_features, random_state=random_state)
    _check_size(places, lift, X)
    found = lift.clusters(X, places.memberships, places.names, n_jobs=n_jobs, verbose=verbose)
    products = None if found.sums is not None else found.gram * np.outer(found.norms, found.norms)
    space = Space(found.sums, products, places.masses, normalize)
    drawn = isinstance(lift, FeatureLift) and lift.frequencies is not None
    return [LiftedPartition(space, clusters, places.shares(clusters), drawn) for clusters in places.slices]


def jackknife(distance: Any, a: LiftedPartition, b: LiftedPartition) -> float:
    """Standard error of a distance that is due to the random features; 0 for exact kernels.

    Each tenth of the features is left out once: how much the distance varies tells how well it is known.
    """
    if not a.random:
        return 0.0
    values = [distance(a._replace(space=part), b._replace(space=part)) for part in a.space.parts()]
    return float(np.sqrt((len(values) - 1) * np.var(values))) if values else np.inf


def _check_size(places: Places, lift: Any, X: Any) -> None:
    n_clusters = width = len(places.masses)
    if isinstance(lift, FeatureLift):
        width = X.shape[1] if lift.frequencies is None else 2 * lift.frequencies.shape[1]
    n_bytes = 8 * n_clusters * width * (_SUMS_AT_ONCE if places.n_objects > _ONE_BLOCK else 2)
    if n_bytes > _MOST_BYTES:
        raise ValueError(
            f"Lifting {n_clusters:,} clusters to {width:,} numbers each would take {n_bytes / 1e9:.1f} GB; the limit "
            f"is {_MOST_BYTES / 1e9:.1f} GB. Use fewer n_features or fewer partitions at a time; for partitions into "
            "very many small clusters use a measure of pairs or of information."
        )

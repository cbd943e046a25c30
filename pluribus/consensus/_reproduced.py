"""The number of clusters that the evidence sets apart, and that halves of an ensemble find again."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pluribus._engine import track
from pluribus.compare import adjusted_rand_index
from pluribus.consensus._dendrogram import cut_into
from pluribus.partitions import Ensemble

_SPLITS = 3
_OBJECTS = 5_000  # of which the trees of the halves are made, at most
_POWER = 4  # of the stability: a number that halves do not find again is given up for one of shorter life
_FINE = 10  # clusters of all members, from which these are taken to be finer than the result
_MOST = 50  # numbers of clusters to look at
_LEAST = 1e-9  # of evidence, where a logarithm is taken


class Reproduced(NamedTuple):
    """What speaks for each number of clusters, from 2.

    Attributes
    ----------
    lifetimes : ndarray
        The logarithm of the factor by which the mean evidence falls from the last merge that leaves so many clusters
        to the first that leaves fewer.
    stability : ndarray
        The mean adjusted Rand index between the partitions of the whole ensemble and of two halves, over three splits.
    """

    lifetimes: np.ndarray
    stability: np.ndarray

    @property
    def n_clusters(self) -> int:
        """The number with the longest lifetime, times stability to the power of four."""
        return 2 + int(np.argmax(self.lifetimes * np.maximum(self.stability, 0) ** _POWER))

    @property
    def sentence(self) -> str:
        """Why this number."""
        k = self.n_clusters
        return (
            f"{k} clusters: the evidence between clusters falls {np.exp(self.lifetimes[k - 2]):.1f}-fold there, and "
            f"halves of the ensemble find them again with an adjusted Rand index of {self.stability[k - 2]:.2f}."
        )


def reproduced(
    ensemble: Ensemble,
    tree: np.ndarray,
    grow: Callable[[Ensemble], np.ndarray],
    rng: np.random.Generator,
    *,
    verbose: bool,
) -> Reproduced:
    """Look at each number of clusters up to that of the coarsest member, or of the finest if some are coarse.

    Parameters
    ----------
    ensemble : Ensemble
    tree : ndarray of shape (n - 1, 4)
        Of all its objects, in scipy's format; the heights are one minus the mean evidence.
    grow : callable
        Makes such a tree of some objects in some of the partitions.
    rng : numpy Generator
        For the splits, and the sample of objects.
    verbose : bool
    """
    n, r = ensemble.n_objects, len(ensemble)
    coarsest, finest = int(ensemble.n_clusters.min()), int(ensemble.n_clusters.max())
    most = min(max(2, coarsest if coarsest >= _FINE else finest), _MOST, n - 1)
    numbers = range(2, most + 1)
    evidence = np.log(np.maximum(1 - tree[:, 2], _LEAST))
    lifetimes = np.array([evidence[n - k - 1] - evidence[n - k] for k in numbers])
    if r < 4:  # halves of so few say nothing
        return Reproduced(lifetimes, np.ones(len(lifetimes)))
    objects = np.arange(n) if n <= _OBJECTS else np.sort(rng.choice(n, _OBJECTS, replace=False))
    few = ensemble if n <= _OBJECTS else ensemble.take_objects(objects)
    whole = [cut_into(tree, k)[objects] for k in numbers]
    stability = np.zeros(len(lifetimes))
    for _ in track(range(_SPLITS), "number of clusters", verbose=verbose):
        order = rng.permutation(r)
        halves = [grow(few.take_partitions(np.sort(half))) for half in (order[: r // 2], order[r // 2 :])]
        for place, k in enumerate(numbers):
            one, other = (cut_into(half, k) for half in halves)
            pairs = ((one, other), (one, whole[place]), (other, whole[place]))
            stability[place] += np.mean([adjusted_rand_index(*pair) for pair in pairs]) / _SPLITS
    return Reproduced(lifetimes, stability)

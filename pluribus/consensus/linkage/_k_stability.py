"""The number of clusters that the evidence sets apart, and that halves of an ensemble find again."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pluribus._engine import track
from pluribus.compare import adjusted_rand_index
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.partitions import Ensemble

FEWEST = 4  # members to be split
_SPLITS = 3
_OBJECTS = 5_000  # of which the trees of the halves are made, at most
_POWER = 4  # of the stability: a number that halves do not find again is given up for one of shorter life
_FINE = 10  # clusters of all members, from which these are taken to be finer than the result
_MOST = 50  # numbers of clusters to look at
FAINT = 3e-4  # of the evidence within the finest clusters: whether there is less or none makes no difference
_LEAST = 1e-9  # of evidence, where a logarithm is taken
_NOTHING = np.log(1e3)  # of a lifetime: the evidence falls from something to nothing


class Reproduced(NamedTuple):
    """What speaks for each number of clusters, from 2.

    Attributes
    ----------
    lifetimes : ndarray
        The logarithm of the factor by which the mean evidence falls from the last merge that leaves so many clusters
        to the first that leaves fewer.
    stability : ndarray
        The mean adjusted Rand index between the partitions of the whole ensemble and of two halves, over three splits;
        NaN if there are fewer than four members, whose halves say nothing. Lifetimes then decide alone.
    """

    lifetimes: np.ndarray
    stability: np.ndarray

    @property
    def scores(self) -> np.ndarray:
        """What counts: lifetime × √k × stability⁴.

        The more clusters, the shorter lifetimes are anyway, also where nothing is set apart: hence the root.
        """
        stability = np.clip(np.nan_to_num(self.stability, nan=1), 0, None)
        return self.lifetimes * np.sqrt(np.arange(2, len(stability) + 2)) * stability**_POWER

    @property
    def n_clusters(self) -> int:
        """The number with the greatest score; 1 if none is set apart."""
        return 2 + int(np.argmax(self.scores)) if self.scores.max() > _LEAST else 1

    @property
    def sentence(self) -> str:
        """Why this number."""
        k = self.n_clusters
        if k == 1:
            return "1 cluster: no larger number is set apart by the evidence and found again by halves of the ensemble."
        life, stability = self.lifetimes[k - 2], self.stability[k - 2]
        falls = "to nothing" if life > _NOTHING else f"{np.exp(life):.1f}-fold"
        again = f", and halves of the ensemble find them again with an adjusted Rand index of {stability:.2f}"
        return f"{k} clusters: the evidence between clusters falls {falls} there{again if stability >= -1 else ''}."


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
    evidence = 1 - tree[:, 2]
    evidence = np.log(np.maximum(evidence, max(_LEAST, FAINT * evidence[n - most - 1])))
    lifetimes = np.array([evidence[n - k - 1] - evidence[n - k] for k in numbers])
    if r < FEWEST:
        return Reproduced(lifetimes, np.full(len(lifetimes), np.nan))
    objects = np.arange(n) if n <= _OBJECTS else np.sort(rng.choice(n, _OBJECTS, replace=False))
    few = ensemble if n <= _OBJECTS else ensemble.take_objects(objects)
    whole = [cut_into(tree, k)[objects] for k in numbers]
    stability = np.zeros(len(lifetimes))
    for both in track(halves(r, _SPLITS, rng), "number of clusters", verbose=verbose):
        trees = [grow(few.take_partitions(half)) for half in both]
        for place, k in enumerate(numbers):
            one, other = (cut_into(half, k) for half in trees)
            pairs = ((one, other), (one, whole[place]), (other, whole[place]))
            stability[place] += np.mean([adjusted_rand_index(*pair) for pair in pairs]) / _SPLITS
    return Reproduced(lifetimes, stability)


def halves(r: int, n_splits: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Members of an ensemble of r, split at random.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.consensus.linkage._k_stability import halves
    >>> [[half.tolist() for half in both] for both in halves(5, 2, np.random.default_rng(0))]
    [[[2, 4], [0, 1, 3]], [[1, 4], [0, 2, 3]]]
    """
    orders = [rng.permutation(r) for _ in range(n_splits)]
    return [(np.sort(order[: r // 2]), np.sort(order[r // 2 :])) for order in orders]

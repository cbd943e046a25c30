"""The number of clusters with a long lifetime that halves of the ensemble reproduce."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pluribus._engine import track
from pluribus.compare import adjusted_rand_index
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.partitions import Ensemble

FEWEST = 4  # members that can be split into halves
_SPLITS = 3
_OBJECTS = 5_000  # for the trees of the halves, at most
_POWER = 4  # of the stability: a stable number is preferred to one with a longer lifetime that halves do not reproduce
_FINE = 10  # if every member has this many clusters, members are taken to be finer than the result
_SEPARATING = 20  # if every member has this many, their evidence separates more groups than the coarsest has clusters
_MOST = 50  # largest number of clusters tried
NEGLIGIBLE = 3e-4  # share of the evidence within the finest clusters below which evidence counts as none
_LEAST = 1e-9  # evidence, where a logarithm is taken
_TO_NOTHING = np.log(1e3)  # a lifetime beyond this means that the evidence falls to nothing


class KStability(NamedTuple):
    """Lifetime and stability of each number of clusters from 2.

    Attributes
    ----------
    lifetimes : ndarray
        The logarithm of the factor by which the mean evidence falls from the last merge that leaves k clusters to the
        first that leaves fewer.
    stability : ndarray
        The mean adjusted Rand index between the partitions of the whole ensemble and of two halves, on the objects that
        both halves know: over those of three splits in which these are more than the largest number that is rated.
        Without such a split, and with fewer than four members, it is NaN and only lifetimes count.
    """

    lifetimes: np.ndarray
    stability: np.ndarray

    @property
    def scores(self) -> np.ndarray:
        """lifetime × √k × stability⁴. The root makes up for lifetimes that shrink with k even without clusters."""
        stability = np.clip(np.nan_to_num(self.stability, nan=1), 0, None)
        return self.lifetimes * np.sqrt(np.arange(2, len(stability) + 2)) * stability**_POWER

    @property
    def n_clusters(self) -> int:
        """The number with the highest score; 1 if no score is positive."""
        return 2 + int(np.argmax(self.scores)) if self.scores.max() > _LEAST else 1

    @property
    def sentence(self) -> str:
        """Why this number."""
        k = self.n_clusters
        if k == 1:
            return "1 cluster: no larger number is separated by the evidence and reproduced by halves of the ensemble."
        life, stability = self.lifetimes[k - 2], self.stability[k - 2]
        falls = "to nothing" if life > _TO_NOTHING else f"{np.exp(life):.1f}-fold"
        again = f", and halves of the ensemble reproduce them with an adjusted Rand index of {stability:.2f}"
        return f"{k} clusters: the evidence between clusters falls {falls} there{again if stability >= -1 else ''}."


def k_stability(
    ensemble: Ensemble,
    tree: np.ndarray,
    link: Callable[[Ensemble], np.ndarray],
    rng: np.random.Generator,
    *,
    verbose: bool,
) -> KStability:
    """Rate each number of clusters up to that of the finest member, at most 50.

    If the coarsest member has 10 to 19 clusters, as in small tables, numbers up to that are rated: beyond, halves of
    the ensemble often agree by chance.

    Parameters
    ----------
    ensemble : Ensemble
    tree : ndarray of shape (n - 1, 4)
        Of all objects, in scipy's format; the heights are one minus the mean evidence.
    link : callable
        Makes such a tree from an ensemble of some objects and partitions.
    rng : numpy Generator
        For the splits, and the sample of objects.
    verbose : bool
    """
    n, r = ensemble.n_objects, len(ensemble)
    coarsest, finest = int(ensemble.n_clusters.min()), int(ensemble.n_clusters.max())
    most = min(max(2, coarsest if _FINE <= coarsest < _SEPARATING else finest), _MOST, n - 1)
    numbers = range(2, most + 1)
    evidence = 1 - tree[:, 2]
    evidence = np.log(np.maximum(evidence, max(_LEAST, NEGLIGIBLE * evidence[n - most - 1])))
    lifetimes = np.array([evidence[n - k - 1] - evidence[n - k] for k in numbers])
    if r < FEWEST:
        return KStability(lifetimes, np.full(len(lifetimes), np.nan))
    objects = np.arange(n) if n <= _OBJECTS else np.sort(rng.choice(n, _OBJECTS, replace=False))
    sample = ensemble if n <= _OBJECTS else ensemble.take_objects(objects)
    whole = [cut_into(tree, k)[objects] for k in numbers]
    of_splits = np.full((_SPLITS, len(lifetimes)), np.nan)
    for split, both in enumerate(track(halves(r, _SPLITS, rng), "number of clusters", verbose=verbose)):
        known = _known_to(sample, both)
        if len(known) <= most:
            continue
        trees = [link(_part(sample, known, half)) for half in both]
        for place, k in enumerate(numbers):
            one, other = (cut_into(half, k) for half in trees)
            pairs = ((one, other), (one, whole[place][known]), (other, whole[place][known]))
            of_splits[split, place] = np.mean([adjusted_rand_index(*pair) for pair in pairs])
    counted = ~np.isnan(of_splits[:, 0])
    return KStability(lifetimes, of_splits[counted].mean(axis=0) if counted.any() else of_splits[0])


def _known_to(ensemble: Ensemble, both: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The objects that some member of each half has a label for."""
    if not ensemble.has_missing:
        return np.arange(ensemble.n_objects)
    return np.flatnonzero(np.all([(ensemble.labels[:, half] >= 0).any(axis=1) for half in both], axis=0))


def _part(ensemble: Ensemble, known: np.ndarray, half: np.ndarray) -> Ensemble:
    """Some objects and members, without members that have no label for any of the objects."""
    if not ensemble.has_missing:
        return ensemble.take_partitions(half)
    some = (ensemble.labels[np.ix_(known, half)] >= 0).any(axis=0)
    return ensemble.take_objects(known).take_partitions(half[some])


def halves(r: int, n_splits: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Random splits of r members into halves.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.consensus.linkage._k_stability import halves
    >>> [[half.tolist() for half in both] for both in halves(5, 2, np.random.default_rng(0))]
    [[[2, 4], [0, 1, 3]], [[1, 4], [0, 2, 3]]]
    """
    orders = [rng.permutation(r) for _ in range(n_splits)]
    return [(np.sort(order[: r // 2]), np.sort(order[r // 2 :])) for order in orders]

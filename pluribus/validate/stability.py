"""Stability: do clusterings of sub-samples agree on which objects belong together?"""

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from pluribus._engine import list_of, real_number, seeds, track
from pluribus.evidence import CoAssociation
from pluribus.generate import Generator
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.tables._internal import check_features
from pluribus.validate.estimate import Estimate

_PAIRS = 200_000  # up to so many, all pairs are looked at
_LLOYD_UP_TO = 10_000  # rows
_Z = 1.959963984540054  # 95 %


@dataclass(frozen=True)
class ConsensusDistribution:
    """How the evidence of an ensemble is spread over the pairs of objects.

    Attributes
    ----------
    frame : DataFrame
        ``evidence``, from 0 to 1, and ``share``: of the pairs that have at most so much. With a confidence interval of
        95 % (``low``, ``high``) if pairs were drawn.
    values : ndarray
        The evidence of each pair that was looked at, sorted.
    n_pairs : int
        How many pairs there are.
    exact : bool
        Whether all were looked at.

    Examples
    --------
    >>> from pluribus.validate import consensus_distribution
    >>> found = consensus_distribution([[0, 0, 1, 1], [0, 0, 1, 2]])
    >>> round(found.ambiguous(), 3)
    0.167
    >>> found.sentence
    '16.7 % of the pairs are ambiguous: in more than 10 % and less than 90 % of the members together.'
    """

    frame: pd.DataFrame
    values: np.ndarray
    n_pairs: int
    exact: bool

    def ambiguous(self, low: float = 0.1, high: float = 0.9) -> Estimate:
        """The share of the pairs with more evidence than ``low`` and less than ``high`` (PAC)."""
        low, high = real_number("low", low, 0, 1), real_number("high", high, 0, 1)
        if low >= high:
            raise ValueError(f"low={low} and high={high} must be shares with 0 <= low < high <= 1.")
        tiny = 1e-9  # evidence is a ratio of counts
        share = float(((self.values > low + tiny) & (self.values < high - tiny)).mean())
        return self._share(share)

    @property
    def sentence(self) -> str:
        """The share of ambiguous pairs, in words."""
        share = self.ambiguous()
        drawn = (
            ""
            if share.exact
            else f" ({100 * share.low:.1f} to {100 * share.high:.1f} %, from {share.n_sampled:,} drawn pairs)"
        )
        return (
            f"{100 * share:.1f} %{drawn} of the pairs are ambiguous: in more than 10 % and less than 90 % of the "
            "members together."
        )

    def _share(self, share: float) -> Estimate:
        if self.exact:
            return Estimate(share)
        low, high = _wilson(share, len(self.values))
        return Estimate(share, low=float(low), high=float(high), n_sampled=len(self.values))


def consensus_distribution(
    ensemble: Any, *, n_pairs: int | None = None, random_state: Any = 0, n_jobs: int | None = None
) -> ConsensusDistribution:
    """The cumulative distribution of the evidence over the pairs of objects.

    Where members agree, pairs are together always or never, and the curve is flat in between. Pairs that no member
    covers both say nothing and are left out. No n × n array is made.

    Parameters
    ----------
    ensemble : Ensemble, or labels that can be one
    n_pairs : int, optional
        Pairs to look at, drawn at random if there are more; by default 200,000.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Threads.

    References
    ----------
    Monti, Tamayo, Mesirov and Golub, "Consensus clustering", Machine Learning 52, 2003.

    Examples
    --------
    >>> from pluribus.validate import consensus_distribution
    >>> consensus_distribution([[0, 0, 1, 1], [0, 0, 1, 2]]).frame.iloc[[0, 50, 100]]
         evidence     share
    0         0.0  0.666667
    50        0.5  0.833333
    100       1.0  1.000000
    """
    ensemble = as_ensemble(ensemble)
    n = ensemble.n_objects
    if n < 2:
        raise ValueError("One object makes no pair; there must be at least two.")
    if n_pairs is not None and not (isinstance(n_pairs, Integral) and n_pairs >= 1):
        raise ValueError(f"n_pairs must be a whole number of at least 1; got {n_pairs!r}.")
    wanted = _PAIRS if n_pairs is None else int(n_pairs)
    total = n * (n - 1) // 2
    exact = total <= wanted
    i, j = np.triu_indices(n, 1) if exact else _drawn_pairs(n, wanted, random_state)
    values = CoAssociation(ensemble, form="operator", n_jobs=n_jobs).pairs(i, j)
    if ensemble.has_missing:
        values = values[_both_covered(ensemble, i, j)]
    if len(values) == 0:
        raise ValueError("No two objects are covered by the same member, so that there is no evidence.")
    values = np.sort(values)
    grid = np.linspace(0, 1, 101)
    share = np.searchsorted(values, grid + 1e-9, side="right") / len(values)
    frame = pd.DataFrame({"evidence": grid, "share": share})
    if not exact:
        frame["low"], frame["high"] = _wilson(share, len(values))
    return ConsensusDistribution(frame, values, total, exact)


def ambiguous_pairs_cost(
    ensemble: Any,
    *,
    low: float = 0.1,
    high: float = 0.9,
    n_pairs: int | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Estimate:
    """The proportion of ambiguous pairs (PAC): those that members neither join nor part. Less is more stable.

    For an ensemble whose members all have k clusters and saw different sub-samples it says how stable k clusters are;
    see ``stability``.

    Parameters
    ----------
    ensemble, n_pairs, random_state, n_jobs : see ``consensus_distribution``
    low, high : float
        Ambiguous is a pair with more evidence than ``low`` and less than ``high``.

    References
    ----------
    Senbabaoglu, Michailidis and Li, "Critical limitations of consensus clustering in class discovery", Scientific
    Reports 4, 2014.

    Examples
    --------
    >>> from pluribus.validate import ambiguous_pairs_cost
    >>> round(ambiguous_pairs_cost([[0, 0, 1, 1], [0, 0, 1, 2]]), 3)
    0.167
    """
    found = consensus_distribution(ensemble, n_pairs=n_pairs, random_state=random_state, n_jobs=n_jobs)
    return found.ambiguous(low, high)


@dataclass(frozen=True)
class Stability:
    """How stable each number of clusters is.

    Attributes
    ----------
    frame : DataFrame
        A row for each k: ``k``, ``ambiguous`` (the proportion of ambiguous pairs) with ``low`` and ``high``.
    distributions : dict
        The ``ConsensusDistribution`` of each k.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from pluribus.validate import stability
    >>> X, _ = make_blobs(150, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> stability(X, k_range=(2, 4), n_members=20).most_stable
    3
    """

    frame: pd.DataFrame
    distributions: dict[int, ConsensusDistribution]

    @property
    def most_stable(self) -> int:
        """The k with the lowest share of ambiguous pairs; of equal ones the largest, since coarser cuts are easy."""
        lowest = self.frame["ambiguous"].min()
        return int(self.frame["k"][self.frame["ambiguous"] <= lowest + 1e-12].max())


def stability(
    X: Any,
    *,
    k_range: tuple[int, int] | Iterable[int] = (2, 10),
    clusterer: Any = None,
    n_members: int = 50,
    subsample: float = 0.8,
    low: float = 0.1,
    high: float = 0.9,
    n_pairs: int | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = True,
) -> Stability:
    """Cluster sub-samples of X into k clusters many times, for each k, and see how often they agree.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, d)
    k_range : (int, int), or any other collection of numbers of clusters
        A pair is the lowest and the highest.
    clusterer : clusterer or name, optional
        By default k-means with well spread starts (k-means++); above 10,000 rows in mini-batches.
    n_members, subsample : see ``pluribus.generate.Generator``
    low, high : see ``ambiguous_pairs_cost``
    n_pairs : see ``consensus_distribution``
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Members computed at a time; the result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from pluribus.validate import stability
    >>> X, _ = make_blobs(150, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> stability(X, k_range=(2, 4), n_members=20).frame["ambiguous"].round(1).tolist()
    [0.4, 0.0, 0.2]
    """
    X = check_features(X)
    if not (isinstance(subsample, Real) and 0 < subsample <= 1):
        raise ValueError(f"subsample must be a share of the rows, more than 0 and at most 1; got {subsample!r}.")
    ks = numbers_of_clusters(k_range, round(subsample * X.shape[0]) - 1)
    if clusterer is None:  # one careful start: differences between members should come from their rows
        clusterer = KMeans(n_init=1) if X.shape[0] <= _LLOYD_UP_TO else "kmeans"
    member_seeds = seeds(random_state, len(ks) + 1)
    found: dict[int, ConsensusDistribution] = {}
    for k, seed in track(list(zip(ks, member_seeds, strict=False)), "stability", verbose=verbose):
        generator = Generator(
            clusterer, n_members=n_members, n_clusters=k, subsample=subsample, random_state=seed, n_jobs=n_jobs,
            verbose=False,
        )  # fmt: skip
        found[k] = consensus_distribution(
            generator.generate(X), n_pairs=n_pairs, random_state=member_seeds[-1], n_jobs=n_jobs
        )
    shares = [found[k].ambiguous(low, high) for k in ks]
    frame = pd.DataFrame(
        {
            "k": list(ks),
            "ambiguous": [float(share) for share in shares],
            "low": [share.low for share in shares],
            "high": [share.high for share in shares],
        }
    )
    return Stability(frame, found)


def numbers_of_clusters(k_range: Any, most: int) -> tuple[int, ...]:
    """The numbers to try: a pair is a range, anything else is taken as it is."""
    several = isinstance(k_range, Iterable) and not isinstance(k_range, str)
    ks = list_of("k_range", k_range, "numbers of clusters") if several else [k_range]
    if not ks or not all(isinstance(k, Integral) and not isinstance(k, bool) for k in ks):
        raise ValueError(f"k_range must be a pair (lowest, highest) or whole numbers of clusters; got {k_range!r}.")
    if isinstance(k_range, tuple) and len(ks) == 2:
        if ks[0] > ks[1]:
            raise ValueError(f"k_range={k_range!r} is empty: the lowest number comes first.")
        ks = list(range(ks[0], ks[1] + 1))
    ks = sorted({int(k) for k in ks})
    if ks[0] < 2 or ks[-1] > most:
        raise ValueError(f"k_range={k_range!r} must lie between 2 and {most} for these objects.")
    return tuple(ks)


def _drawn_pairs(n: int, size: int, random_state: Any) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seeds(random_state, 1)[0])
    i = rng.integers(n, size=size)
    return i, (i + rng.integers(1, n, size=size)) % n


def _both_covered(ensemble: Ensemble, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    covered = np.packbits((ensemble.labels >= 0) & (ensemble.weights > 0), axis=1)
    return (covered[i] & covered[j]).any(axis=1)


def _wilson(share: Any, n: int) -> tuple[Any, Any]:
    """The interval of a share that was counted n times."""
    center = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return np.maximum(center - half, 0), np.minimum(center + half, 1)

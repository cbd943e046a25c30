"""The statistical index of nearest neighbors: the density that a partition gives each object's neighborhood."""

from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.stats import t as student

from pluribus._engine import is_one_of, over_blocks, seeds
from pluribus.validate._pairs import Pairs, SimilarityPairs
from pluribus.validate._partition import Missing, with_pairs
from pluribus.validate._sampling import SAMPLE, check_sample_size
from pluribus.validate.estimate import Estimate

_QUERIES = 1000  # objects that are asked for their neighbors among all, if there are too many to ask each
_NOT_ZERO = 0.5  # neighbors that stand for none
_SMALLEST_SHARE = 1 / 200  # of dissimilarity, where the number of partitions is not known
_NUMBERS_IN_BLOCK = 2**21
_COLUMNS = 64


class NeighborDensity(Estimate):
    """The value of ``neighbor_density_index``, and its parts.

    Attributes
    ----------
    entropy : float
        Of the cluster sizes, in nats: large where there are many clusters of one size.
    mean_log_purity : float
        Mean logarithm of the share of each object's neighbors that are in its cluster; 0 if all are.
    log_volume : float
        Sum of the logarithms of the volumes, the same for all partitions.

    Examples
    --------
    >>> from pluribus.validate import neighbor_density_index
    >>> value = neighbor_density_index([0, 0, 0, 1, 1, 1], X=[[0], [1], [2], [10], [11], [12]], n_neighbors=2)
    >>> round(value.entropy, 4), value.mean_log_purity
    (0.6931, 0.0)
    """

    entropy: float
    mean_log_purity: float
    log_volume: float


def neighbor_density_index(
    labels: Any,
    X: Any = None,
    *,
    distances: Any = None,
    similarity: Any = None,
    n_neighbors: int | None = None,
    variant: Literal["source", "own"] = "source",
    metric: str = "euclidean",
    missing: Missing = "error",
    sample_size: int | str | None = "auto",
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> NeighborDensity:
    """Logarithm of the statistical index L: more is better, among partitions with the same number of clusters only.

    Each object's density is estimated from its nearest neighbors, each counting by one over the size of its cluster.
    Beware: the source's form never looks at the object's own label, grows whenever a cluster is split, and where
    neighborhoods are pure it ranks partitions by how equal the sizes of their clusters are, whatever the data say. The
    part ``mean_log_purity`` of the result does look at the data: compare that too.

    Neighbors that are equally far share the places that are left. Objects with a similarity of 0 are no neighbors.

    Parameters
    ----------
    labels, X, distances, similarity, metric, missing, random_state, n_jobs : see ``silhouette_index``
    n_neighbors : int, default min(10, n - 1)
        Fewer than the smallest cluster that is expected.
    variant : {"source", "own"}
        "own" counts only neighbors in the object's own cluster: its logarithm is n (entropy + mean_log_purity) and a
        constant, so that it too favors clusters of one size.
    sample_size : "auto", int or None
        Objects that are asked for their neighbors among all; "auto" is all up to 5,000, else 1,000; None is all.

    Returns
    -------
    NeighborDensity
        A float, with an interval if sampled, and its parts.

    References
    ----------
    Duarte, Fred, Lourenço and Duarte, "On consensus clustering validation", SSPR 2010.

    Examples
    --------
    >>> from pluribus.validate import neighbor_density_index
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> [neighbor_density_index(labels, X, n_neighbors=2, variant="own").mean_log_purity.__round__(2)
    ...  for labels in ([0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1])]
    [0.0, -0.92]
    """
    check_sample_size(sample_size)
    if not is_one_of(variant, ("source", "own")):
        raise ValueError(f"variant must be 'source' or 'own'; got {variant!r}.")
    codes, pairs = with_pairs(
        labels, X, distances, similarity, missing=missing, metric=metric, n_jobs=n_jobs, at_least=1
    )
    n = pairs.n
    if n < 2:
        raise ValueError("One object has no neighbors; there must be at least two.")
    if n_neighbors is None:
        n_neighbors = min(10, n - 1)
    if not (isinstance(n_neighbors, Integral) and 1 <= n_neighbors < n):
        raise ValueError(
            f"n_neighbors={n_neighbors!r} must be a whole number of at least 1 and less than the {n} objects."
        )
    asked = _asked(n, sample_size, random_state)
    parts = over_blocks(
        lambda start, stop: _neighborhoods(pairs, codes, asked[start:stop], n_neighbors),
        len(asked),
        n_jobs=n_jobs,
        block=max(1, _NUMBERS_IN_BLOCK // n),
    )
    hoods = _Neighborhoods(*map(np.concatenate, zip(*parts, strict=True)))
    return _value(hoods, codes, asked, pairs, n_neighbors, variant)


class _Neighborhoods(NamedTuple):
    """Of each object that was asked."""

    weight: np.ndarray  # Σ 1 / size of the neighbor's cluster
    own: np.ndarray  # neighbors in the object's cluster
    radius: np.ndarray  # distance of the farthest, or similarity of the least similar


def _asked(n: int, sample_size: int | str | None, random_state: Any) -> np.ndarray:
    limit = n if sample_size is None else sample_size
    if sample_size == "auto":
        limit = n if n <= SAMPLE else _QUERIES
    assert not isinstance(limit, str | None)
    if n <= limit:
        return np.arange(n)
    return np.sort(np.random.default_rng(seeds(random_state, 1)[0]).choice(n, limit, replace=False))


def _neighborhoods(pairs: Pairs, codes: np.ndarray, index: np.ndarray, k: int) -> _Neighborhoods:
    closeness = pairs.rows(index)
    if not pairs.similar:
        np.negative(closeness, out=closeness)
    m = len(index)
    closeness[np.arange(m), index] = -np.inf
    at_least = _below_the_nearest(closeness, k)
    if pairs.similar:
        at_least = np.maximum(at_least, np.nextafter(0, 1))  # those with a similarity of 0 are no neighbors
    row, column = np.divmod(np.flatnonzero(closeness >= at_least[:, None]), closeness.shape[1])
    value = closeness[row, column]
    order = np.lexsort((-value, row))
    row, column, value = row[order], column[order], value[order]
    found = np.bincount(row, minlength=m)
    some = np.flatnonzero(found)
    last = np.zeros(m)
    last[some] = value[np.cumsum(found)[some] - found[some] + np.minimum(found[some], k) - 1]
    closer, tied = value > last[row], value == last[row]
    n_closer, n_tied = np.bincount(row[closer], minlength=m), np.bincount(row[tied], minlength=m)
    share = (k - n_closer) / np.maximum(n_tied, 1)  # of the places that are left
    count = np.where(closer, 1.0, np.where(tied, share[row], 0.0))
    few = found < k
    count[few[row]] = (k / np.maximum(found, 1))[row[few[row]]]
    weight = 1 / np.bincount(codes)[codes]
    total = np.bincount(row, count * weight[column], minlength=m)
    own = np.bincount(row, count * (codes[column] == codes[index[row]]), minlength=m)
    alone = found == 0
    total[alone], own[alone] = k * weight[index[alone]], k
    return _Neighborhoods(total, own, last if pairs.similar else -last)


def _below_the_nearest(closeness: np.ndarray, k: int) -> np.ndarray:
    """A value that at least k of each row reach, and few others: so many is cheaper to sort out than all.

    The k-th largest of the largest values of blocks of columns.
    """
    m, n = closeness.shape
    width = min(_COLUMNS, max(1, n // (4 * (k + 1))))
    n_blocks = n // width
    tops = closeness[:, : n_blocks * width].reshape(m, n_blocks, width).max(axis=2)
    return np.partition(tops, n_blocks - k, axis=1)[:, n_blocks - k]


def _value(
    hoods: _Neighborhoods, codes: np.ndarray, asked: np.ndarray, pairs: Pairs, k: int, variant: str
) -> NeighborDensity:
    n, m = len(codes), len(asked)
    sizes = np.bincount(codes)
    diameter = _diameters(hoods.radius, pairs)
    diameter = np.ldexp(diameter, -np.frexp(diameter.max())[1])  # the unit does not matter, and one over it is a number
    volume = np.mean(k / diameter) * diameter  # by the source's α: densities K_N / (n V) sum to 1
    own = np.maximum(hoods.own, _NOT_ZERO)
    weight = np.maximum(hoods.weight, _NOT_ZERO / sizes.max())
    density = weight if variant == "source" else own / sizes[codes[asked]]
    terms = np.log(density) - np.log(volume)
    value = float(n * terms.mean())
    half, n_sampled = 0.0, None
    if m < n:
        half = float(student.ppf(0.975, m - 1) * n * terms.std(ddof=1) / np.sqrt(m) * np.sqrt(1 - m / n))
        n_sampled = m
    out = NeighborDensity(value, low=value - half, high=value + half, n_sampled=n_sampled)
    out.entropy = float(-(sizes / n) @ np.log(sizes / n))
    out.mean_log_purity = float(np.log(own / k).mean())
    out.log_volume = float(n * np.log(volume).mean())
    return out


def _diameters(radius: np.ndarray, pairs: Pairs) -> np.ndarray:
    """Twice the radius, kept away from 0: it is the same for all partitions, so that it does not matter how."""
    if isinstance(pairs, SimilarityPairs):
        ensemble = pairs.evidence.ensemble
        return 2 * np.maximum(1 - radius, _SMALLEST_SHARE if ensemble is None else 1 / (2 * ensemble.n_partitions))
    positive = radius[radius > 0]
    return 2 * np.maximum(radius, positive.min() if len(positive) else 1.0)

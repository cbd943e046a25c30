"""How far apart, or how alike, each two objects are: from features, distances or similarities, row by row."""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from pluribus._engine import over_blocks
from pluribus.evidence import CoAssociation
from pluribus.partitions import Ensemble
from pluribus.tables._internal import check_distances, check_features

_NUMBERS_IN_BLOCK = 2**21  # of the rows that are held at a time
_FEW_FEATURES = 16  # up to here the direct formula is as fast as a matrix product, and exact for near duplicates


class Pairs(ABC):
    """The pairs of n objects. Rows are made when they are needed; nothing here is n × n that was not given so."""

    similar: bool  # whether large values mean alike
    n: int
    n_jobs: int | None = None

    @abstractmethod
    def take(self, index: np.ndarray) -> "Pairs":
        """The pairs among some of the objects."""

    @abstractmethod
    def rows(self, index: np.ndarray) -> np.ndarray:
        """The values of some objects with all, (len(index), n)."""

    def sums(self, codes: np.ndarray, k: int) -> np.ndarray:
        """For each object and cluster, the sum of its values with the members, itself left out: (n, k)."""
        members = sparse.csr_array((np.ones(self.n), (codes, np.arange(self.n))), shape=(k, self.n))
        out = np.empty((self.n, k))

        def fill(start: int, stop: int) -> None:
            out[start:stop] = (members @ self.rows(np.arange(start, stop)).T).T

        self.over_rows(fill)
        return out

    def over_rows(self, function: Any) -> list:
        """``function(start, stop)`` for blocks of rows that fit in memory."""
        return over_blocks(function, self.n, n_jobs=self.n_jobs, block=max(1, _NUMBERS_IN_BLOCK // self.n))


class FeaturePairs(Pairs):
    """Distances between rows of features."""

    similar = False

    def __init__(self, X: Any, metric: str = "euclidean", n_jobs: int | None = None) -> None:
        self.X, self.metric, self.n_jobs = X, metric, n_jobs
        self.n = X.shape[0]

    @cached_property
    def _placed(self) -> Any:
        """Around the origin, where matrix products are exact enough; other metrics may depend on where it is."""
        if self.metric != "euclidean" or sparse.issparse(self.X) or self.X.shape[1] <= _FEW_FEATURES:
            return self.X
        return self.X - self.X.mean(axis=0, dtype=np.float64).astype(self.X.dtype)

    def take(self, index: np.ndarray) -> "FeaturePairs":
        return FeaturePairs(self.X[index], self.metric, self.n_jobs)

    def rows(self, index: np.ndarray) -> np.ndarray:
        X = self._placed
        if self.metric == "euclidean" and not sparse.issparse(X) and X.shape[1] <= _FEW_FEATURES:
            out = cdist(X[index], X)
        else:
            out = pairwise_distances(X[index], X, metric=self.metric).astype(np.float64, copy=False)
        out[np.arange(len(index)), index] = 0  # matrix products leave rounding errors there
        return out


class DistancePairs(Pairs):
    """Distances that were given."""

    similar = False

    def __init__(self, D: np.ndarray, n_jobs: int | None = None) -> None:
        self.D, self.n_jobs = D, n_jobs
        self.n = len(D)

    def take(self, index: np.ndarray) -> "DistancePairs":
        return DistancePairs(self.D[np.ix_(index, index)], self.n_jobs)

    def rows(self, index: np.ndarray) -> np.ndarray:
        return np.asarray(self.D[index], dtype=np.float64)


class SimilarityPairs(Pairs):
    """Similarities: the evidence of an ensemble, or a matrix that was given."""

    similar = True

    def __init__(self, evidence: CoAssociation, n_jobs: int | None = None) -> None:
        self.evidence, self.n_jobs = evidence, n_jobs
        self.n = evidence.shape[0]

    @property
    def linear(self) -> bool:
        """Whether sums over clusters cost no more than the labels, or the matrix that is there."""
        return self.evidence.form != "operator" or not self.evidence.ensemble.has_missing  # type: ignore[union-attr]

    def take(self, index: np.ndarray) -> "SimilarityPairs":
        ensemble = self.evidence.ensemble
        if ensemble is not None and self.evidence.form != "neighbors":
            return SimilarityPairs(_evidence_of(ensemble.take_objects(index), self.n_jobs), self.n_jobs)
        held = self.evidence.to_sparse()[index][:, index] if self.held_sparse else self.evidence.submatrix(index)
        return SimilarityPairs(CoAssociation.from_matrix(held), self.n_jobs)

    @property
    def held_sparse(self) -> bool:
        return self.evidence.form in ("sparse", "neighbors")

    def rows(self, index: np.ndarray) -> np.ndarray:
        return self.evidence.rows(index)

    def sums(self, codes: np.ndarray, k: int) -> np.ndarray:
        everyone = np.arange(self.n)
        out = self.evidence @ (codes[:, None] == np.arange(k)).astype(float)
        out[everyone, codes] -= self.evidence.pairs(everyone, everyone)
        return out


def as_pairs(
    n: int,
    X: Any = None,
    distances: Any = None,
    similarity: Any = None,
    *,
    metric: str = "euclidean",
    n_jobs: int | None = None,
) -> Pairs:
    """The pairs of n labeled objects, from the one of the three that is given."""
    given = [
        name for name, value in (("X", X), ("distances", distances), ("similarity", similarity)) if value is not None
    ]
    if len(given) != 1:
        raise ValueError(
            f"Give one of X (features), distances and similarity; got {' and '.join(given) if given else 'none'}."
        )
    if not isinstance(metric, str):
        raise ValueError(f"metric={metric!r}: give the name of a metric, such as 'euclidean'.")
    if X is None and metric != "euclidean":
        raise ValueError(f"metric={metric!r} is for X: {given[0]} says how far apart, or how alike, the objects are.")
    pairs: Pairs
    if X is not None:
        pairs = FeaturePairs(check_features(X), metric, n_jobs)
    elif distances is not None:
        pairs = DistancePairs(check_distances(distances), n_jobs)
    else:
        pairs = SimilarityPairs(_as_evidence(similarity, n_jobs), n_jobs)
    if pairs.n != n:
        raise ValueError(f"labels has {n} objects, but {given[0]} has {pairs.n}; they must be the same objects.")
    return pairs


def _as_evidence(similarity: Any, n_jobs: int | None) -> CoAssociation:
    if isinstance(similarity, CoAssociation):
        return similarity
    if isinstance(similarity, Ensemble):
        return _evidence_of(similarity, n_jobs)
    return CoAssociation.from_matrix(similarity)


def _evidence_of(ensemble: Ensemble, n_jobs: int | None) -> CoAssociation:
    """Dense while small, else no matrix."""
    return CoAssociation(ensemble, form="dense" if ensemble.n_objects <= 2000 else "operator", n_jobs=n_jobs)

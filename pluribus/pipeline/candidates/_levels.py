"""The best candidate for each number of clusters, made when it is asked for, on a sample of the objects."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus.consensus._internal import extend_labels
from pluribus.partitions import Ensemble
from pluribus.pipeline.candidates._choice import Choice, choose
from pluribus.pipeline.candidates._components import components
from pluribus.pipeline.candidates._pool import QUICK, make_candidates, survey
from pluribus.tables import Rows

_OBJECTS = 2_000  # that numbers of clusters are tried on
_PER_CLUSTER = 5  # objects at least, on average
FIRST = (*range(2, 13), 14, 16, 18, 20)  # numbers of clusters that are always tried


class Best(NamedTuple):
    """The best candidate for a number of clusters."""

    labels: np.ndarray  # of the sample
    choice: Choice

    @property
    def value(self) -> float:
        """Of the candidate that was taken."""
        return float(self.choice.values[self.choice.chosen])

    @property
    def agreement(self) -> float:
        """Its mean adjusted Rand index with the other candidates."""
        return float(self.choice.terms[self.choice.chosen, 0])


class Levels:
    """A sample of the objects that a consensus function linked, and the best candidate for each number of clusters.

    Parameters
    ----------
    consensus : a fitted consensus function with the groups before its last merges
    ensemble : Ensemble
    features : array of shape (m, d)
        The rows of the m linked objects.
    seed : int
        For the sample, k-means and mixtures.
    n_jobs : int, optional
        The result does not depend on it.
    """

    def __init__(self, consensus: Any, ensemble: Ensemble, features: np.ndarray, seed: int, n_jobs: int | None) -> None:
        self.groups, self.ensemble = consensus.last_groups_, ensemble
        self.cluster_weights = weights_of(consensus, ensemble)
        self.features = features
        self.places = _sampled(len(features), seed)
        self.objects = consensus.linked_[self.places]
        self.ground = survey(np.ascontiguousarray(features[self.places]), seed, n_jobs)
        self._how: dict[str, Any] = {"seed": seed, "n_jobs": n_jobs, "effort": QUICK}
        self._found: dict[int, Best | None] = {}

    @property
    def whole(self) -> bool:
        """Whether the sample has all linked objects."""
        return len(self.places) == len(self.features)

    @property
    def most(self) -> int:
        """The largest number of clusters that can be tried."""
        return min(self.groups.n_groups - 1, len(self.objects) // _PER_CLUSTER)

    def best(self, n_clusters: int) -> Best | None:
        """The best candidate for a number of clusters; None if there are no two."""
        if n_clusters not in self._found:
            self._found[n_clusters] = self._make(n_clusters)
        return self._found[n_clusters]

    @property
    def first(self) -> list[Best]:
        """The best candidates for 2 to 20 clusters."""
        return [best for best in map(self.best, FIRST) if best is not None]

    def labels(self, n_clusters: int) -> np.ndarray | None:
        """Its labels for all objects: those outside the sample join the cluster of highest mean evidence."""
        best = self.best(n_clusters)
        if best is None:
            return None
        how = {"cluster_weights": self.cluster_weights, "n_jobs": self._how["n_jobs"]}
        return extend_labels(self.ensemble, self.objects, best.labels.astype(np.int64), n_clusters, **how)

    def _make(self, n_clusters: int) -> Best | None:
        if self.ground is None or not 2 <= n_clusters <= self.most:
            return None
        merged = {rule: labels[self.places] for rule, labels in self.groups.merged(n_clusters).items()}
        pool = make_candidates(self.ground, merged, n_clusters, **self._how)
        if pool is None:
            return None
        choice = choose(pool)
        return Best(pool.labels[choice.chosen], choice)


def weights_of(consensus: Any, ensemble: Ensemble) -> np.ndarray:
    """The weight of each cluster of an ensemble, times that of its partition."""
    return np.concatenate(consensus.cluster_weights_) * np.repeat(ensemble.weights, ensemble.n_clusters)


def _sampled(n: int, seed: int) -> np.ndarray:
    if n <= _OBJECTS:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, _OBJECTS, replace=False))


def linked_features(consensus: Any, X: Any, seed: int) -> np.ndarray | None:
    """The rows of the objects that a consensus function linked, dense; None if it has no groups left to merge.

    Of a sparse table, components are taken: see ``components``.
    """
    if getattr(consensus, "last_groups_", None) is None:
        return None
    if isinstance(X, Rows):
        rows = X.take(consensus.linked_)
    else:
        rows = X if len(consensus.linked_) == X.shape[0] else X[consensus.linked_]
    return components(rows, seed) if sparse.issparse(rows) else rows

"""Online k-means in which large clusters win objects less easily (frequency-sensitive competitive learning)."""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import Interval, StrOptions

from pluribus._engine import run_tasks, seeds
from pluribus._kernels.points.frequency_sensitive import win_in_turn
from pluribus.constrained._shared.base import Given
from pluribus.constrained._shared.parameters import SHARE, STARTS
from pluribus.constrained._shared.points import dense
from pluribus.constrained._shared.sized_points import SizedPoints
from pluribus.constrained.sizes._balanced_steps import cluster_sample
from pluribus.constrained.sizes._center_methods import CentersMixin
from pluribus.constrained.sizes._unit_points import UnitPoints
from pluribus.constraints import Constraints

_BLOCK = 16_384  # rows that are gathered at once
_STREAM_MEMORY = 1000.0


class Competition(NamedTuple):
    """Centers and their counts: arrays that change with every row."""

    sums: np.ndarray  # (d, k) float64; the centers are the columns, times the scales
    scales: np.ndarray  # (k,)
    counts: np.ndarray  # (k,)

    @classmethod
    def of(cls, centers: np.ndarray) -> "Competition":
        """These centers, with a count of 1 each."""
        k = len(centers)
        return cls(np.ascontiguousarray(centers.T, dtype=np.float64), np.ones(k), np.ones(k))

    @property
    def centers(self) -> np.ndarray:
        """(k, d)"""
        return (self.sums * self.scales).T

    def run(
        self, points: SizedPoints, order: np.ndarray, memory: float, *, by_direction: bool, moving: bool
    ) -> tuple[np.ndarray, float]:
        """The winning cluster of each row, in this order of the rows, and the total cost."""
        labels = np.empty(len(order), np.int64)
        value = 0.0
        for start in range(0, len(order), _BLOCK):
            place = order[start : start + _BLOCK]
            rows = points.rows[place]
            if not sparse.issparse(rows) or points.shift.any():
                rows = sparse.csr_array(dense(rows) - points.shift)
            won = np.empty(len(place), np.int64)
            weights = points.weights[place]
            value += win_in_turn(
                rows.data, rows.indices, rows.indptr, weights, by_direction, moving, memory, *self, won
            )
            labels[place] = won
        return labels, value


class CompetitionRun(NamedTuple):
    """The result of all passes from one start."""

    labels: np.ndarray
    competition: Competition
    path: np.ndarray  # the total cost of the rows, pass by pass


class FrequencySensitiveKMeans(CentersMixin):
    """k-means, one object after the other, in which clusters that have won often win less easily.

    Each object x goes to the cluster with the least n_h ‖x - μ_h‖², where n_h counts the objects that the cluster has
    won (frequency-sensitive competitive learning). For directions, such as those of documents, it goes to the cluster
    with the largest (cos(x, μ_h) + 1) / n_h. The winner's count and center are then updated. Sizes become similar
    without a bound on them, no cluster starves, and one pass over a stream is enough.

    Prefer it for streams and for documents, if sizes should be similar but need not be within bounds. For bounds, use
    ``BalancedKMeans`` or ``SizeConstrainedKMeans``. The result depends on the order of the objects.

    Parameters
    ----------
    n_clusters : int, default=8
    variant : {"fscl", "pifs", "fifs", "stream"}
        "fscl" compares distances, the others cosines. Counts are updated after each object. So are centers, except in
        "pifs", which updates them after each pass. "stream" is "fifs" in one pass over the rows in the given order.
    memory : float above 1, or None
        About how many recent objects the count of a cluster covers: when it wins, its count is first multiplied by
        ``1 - 1 / memory``. None: 1,000 for "stream", all rows for "pifs" and "fifs", no limit for "fscl".
    n_init : int, default=10
        Number of starts of ``fit``; the result with the least objective is kept.
    max_iter : int, default=20
        Number of passes; "stream" makes one.
    tol : float, default=1e-3
        The passes end when less than this share of the labels changes.
    random_state : int, RandomState or None
        For the start (from k-means, or from rows in a stream) and the order of rows in each pass.
    n_jobs : int, optional
        Cores, for the starts; the result does not depend on it.
    verbose : bool, default=True
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The winner of each row in the last pass, or in the last batch. After ``fit`` clusters are numbered from the
        largest. ``predict`` gives the nearest center instead: counts are only for rows to learn from.
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters, d)
        For all but "fscl", of length 1.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Rows won in the last pass, or in all batches.
    counts_ : ndarray of shape (n_clusters,)
        The n_h of the rule: rows won, within ``memory``.
    objective_ : ndarray
        The weighted sum of squared distances to the winners, or of one minus the cosine, at the time each row was
        assigned, pass by pass. It may rise, since balance costs compactness.
    n_iter_ : int

    References
    ----------
    S. C. Ahalt, A. K. Krishnamurthy, P. Chen, D. E. Melton, "Competitive learning algorithms for vector quantization",
    Neural Networks 3, 1990.

    A. Banerjee, J. Ghosh, "Frequency-sensitive competitive learning for scalable balanced clustering on
    high-dimensional hyperspheres", IEEE Transactions on Neural Networks 15, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.constrained import FrequencySensitiveKMeans
    >>> X = np.r_[np.zeros(6), 1, 2, 3, 4].reshape(-1, 1)
    >>> FrequencySensitiveKMeans(2, random_state=0).fit(X).cluster_sizes_.tolist()
    [7, 3]
    >>> stream = FrequencySensitiveKMeans(2, variant="stream", random_state=0)
    >>> for batch in np.random.default_rng(0).random((5, 20, 3)):
    ...     stream = stream.partial_fit(batch)
    >>> int(stream.cluster_sizes_.sum())
    100
    """

    known_as = {"frequency-sensitive": {}}
    suits = "Streams and documents, if clusters should have similar sizes without bounds."

    _parameter_constraints: dict = {
        **STARTS,
        "variant": [StrOptions({"fscl", "pifs", "fifs", "stream"})],
        "memory": [Interval(Real, 1, None, closed="neither"), None],
        "tol": [SHARE],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        variant: str = "fscl",
        memory: float | None = None,
        n_init: int = 10,
        max_iter: int = 20,
        tol: float = 1e-3,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.memory = memory
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _by_direction(self) -> bool:
        return self.variant != "fscl"

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> "FrequencySensitiveKMeans":
        """Cluster X.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : ignored
        sample_weight : array of shape (n,), optional
            How many rows each row counts as.
        """
        X, weights = self._check_rows(X, sample_weight)
        points = self._points(X, weights)
        how: Any = {"n_jobs": self.n_jobs, "description": "frequency-sensitive k-means", "verbose": self.verbose}
        starts = seeds(self.random_state, self.n_init)
        best = min(run_tasks(lambda seed: self._start(points, seed), starts, **how), key=lambda run: run.path[-1])
        order = self._number_by_size(best.labels)
        self.objective_, self.n_iter_ = best.path, len(best.path)
        learned = best.competition
        return self._keep(Competition(learned.sums[:, order], learned.scales[order], learned.counts[order]), points)

    def partial_fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> "FrequencySensitiveKMeans":
        """Learn from a batch of rows: from each once, in their order.

        The first batch must have at least ``n_clusters`` rows. Between batches ``n_clusters`` must not change, nor
        whether ``variant`` compares distances or cosines.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (m, d)
        y : ignored
        sample_weight : array of shape (m,), optional
        """
        first = not hasattr(self, "cluster_centers_")
        X, weights = self._check_rows(X, sample_weight, reset=first)
        if self.variant == "pifs":
            raise ValueError(
                'variant="pifs" updates centers after each pass over all rows: use "fifs", which learns from batches.'
            )
        if not first and self._learned != (self.n_clusters, self._by_direction):
            raise ValueError(
                f"n_clusters={self.n_clusters} and variant={self.variant!r} differ from those of the batches so far: "
                "restore them, or start again with fit."
            )
        points = self._points(X, weights, None if first else self._shift)
        if first:
            competition = Competition.of(_some_rows(points, self.n_clusters, seeds(self.random_state, 1)[0]))
            self.cluster_sizes_ = np.zeros(self.n_clusters, np.int64)
            self.n_clusters_ = int(self.n_clusters)
            self.n_iter_ = 0
        else:
            competition = self._competition
        order = np.arange(X.shape[0])
        labels, value = competition.run(
            points, order, self._memory(np.inf), by_direction=self._by_direction, moving=True
        )
        self.labels_ = labels.astype(np.int32)
        self.cluster_sizes_ = self.cluster_sizes_ + np.bincount(labels, minlength=self.n_clusters)
        self.objective_ = np.array([value])
        self.n_iter_ += 1
        return self._keep(competition, points)

    def _start(self, points: SizedPoints, seed: int) -> CompetitionRun:
        """Passes over the rows from one start, until few labels change."""
        n, k = len(points.weights), self.n_clusters
        random = np.random.default_rng(seed)
        streaming, moving = self.variant == "stream", self.variant != "pifs"
        first = _some_rows(points, k, seed) if streaming else cluster_sample(points, k, None, seed, False, 300, 1e-4)[1]
        competition = Competition.of(first)
        memory = self._memory(points.weights.sum())
        before, path = np.full(n, -1), []
        for _ in range(1 if streaming else self.max_iter):
            order = np.arange(n) if streaming else random.permutation(n)
            labels, value = competition.run(points, order, memory, by_direction=self._by_direction, moving=moving)
            path.append(value)
            if not moving:
                means = points.step(labels, competition.centers)[1]
                competition = Competition(np.ascontiguousarray(means.T), np.ones(k), competition.counts)
            if (labels != before).mean() < self.tol:
                break
            before = labels
        return CompetitionRun(labels, competition, np.array(path))

    def _memory(self, n: float) -> float:
        if self.memory is not None:
            return float(self.memory)
        return {"stream": _STREAM_MEMORY, "fscl": np.inf}.get(self.variant, max(float(n), 2.0))

    def _points(self, X: Any, weights: np.ndarray, shift: np.ndarray | None = None) -> SizedPoints:
        if self._by_direction:
            return UnitPoints.of_rows(X, weights, None)
        known = Constraints(X.shape[0])
        points = SizedPoints.of(Given(X, known, weights), known.closure(), None)
        return points if shift is None else points._replace(shift=shift.astype(X.dtype))

    def _keep(self, competition: Competition, points: SizedPoints) -> "FrequencySensitiveKMeans":
        self._competition, self._shift = competition, points.shift
        self._learned = self.n_clusters, self._by_direction
        self.counts_ = competition.counts.copy()
        self.cluster_centers_ = (competition.centers + points.shift).astype(points.rows.dtype)
        return self


def _some_rows(points: SizedPoints, n_clusters: int, seed: int) -> np.ndarray:
    """Rows to start from, minus the shift; of rows with a weight, if there are enough of them."""
    counting = np.flatnonzero(points.weights)
    if len(counting) < n_clusters:
        counting = np.arange(len(points.weights))
    rows = np.sort(np.random.default_rng(seed).choice(counting, n_clusters, replace=False))
    return dense(points.rows[rows]) - points.shift

"""Consensus in feature space by lifted clusters (LiftKm, LiftHAC)."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from pluribus._engine import seeds
from pluribus.consensus._shared.base import ConsensusMixin, normalize_rows
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.consensus._shared.label_rows import nonempty_clusters
from pluribus.consensus._shared.weighted_points import k_means, link
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.partitions._internal import KERNELS, check_features, check_kernel, lift_map, order_by_size
from pluribus.tables._internal import check_new_scale

_TIE = 1e-12


class LiftedConsensus(ConsensusMixin, BaseEstimator):
    """Combine partitions by the positions of their clusters: clusters in the same region are grouped.

    Each input cluster becomes one vector in the feature space of a kernel: the sum of the vectors of its objects,
    scaled to length 1. These few vectors are clustered by k-means (LiftKm) or a linkage (LiftHAC), and the mean of each
    group is a consensus cluster. Each object then joins the consensus cluster to which it contributes most ("vote"), or
    whose vector is nearest ("kernel").

    Prefer it if features (or a kernel) are available in addition to the labels, if partitions are soft, if n is large
    (one pass over the data, in blocks), or to assign new objects (``predict``). Input clusters should be about as large
    as those of the result: the method groups whole clusters, and cannot join many small ones into a shape that no
    kernel maps to one region. For labels alone, and for clusters of any shape, use ``EvidenceAccumulation``.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters; required.
    clusterer : {"kmeans", "hac"}
        How the lifted clusters are grouped: LiftKm or LiftHAC.
    linkage : {"ward", "average", "complete", "single"}
        For "hac". Ward minimizes the same criterion as k-means, a sum of squares.
    assign : {"vote", "kernel"}
        "vote" uses the clusters that contain the object, needs no second pass over X, and returns identical partitions
        unchanged. "kernel" is the rule of the source, a density classifier that moves objects at borders.
    weights : {"size", None}
        Weight input clusters by their size, or equally as in the source, where outliers that a linkage left as single
        clusters count as much as the largest clusters. Weights of the partitions multiply these.
    kernel : {"gaussian", "laplacian", "linear", "discrete", "precomputed"} or callable
        exp(-‖x - y‖² / 2σ²); exp(-‖x - y‖₁ / σ); the inner product, for an X with the feature map applied; 1 for an
        object and itself and 0 otherwise, which needs no X; X is the n × n matrix of kernel values; or a function of
        two blocks of objects that returns the matrix of their kernel values (X is then any sequence of objects).
    sigma : "median" or float
        Bandwidth; "median" is the median distance between the objects, or between 1,000 of them.
    n_features : "auto", "exact" or int
        Random Fourier features of the gaussian and laplacian kernels. "auto" computes kernels exactly up to 2,000
        objects, takes 1,000 features below 20,000 objects, and 4,000 above. "exact" costs O(n²) time, not memory.
    n_init : int
        Starts of k-means.
    random_state : int, RandomState, Generator or None
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool
        Show progress (only on a terminal).

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters are numbered from the largest.
    n_clusters_ : int
        Consensus clusters that are not empty; empty ones are left out, with a warning.
    membership_ : ndarray of shape (n, n_clusters_)
        Share of each consensus cluster in the scores of the object.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    meta_labels_ : ndarray of shape (q,)
        The consensus cluster of each input cluster, for the clusters of all partitions in a row; -1 for none (empty, of
        weight 0, or in a consensus cluster that was left out).
    correspondences_ : tuple of r arrays of shape (k_p, n_clusters_)
        The same for each partition: 1 for the consensus cluster of each input cluster.
    lifted_clusters_ : ndarray of shape (m, D)
        The unit vectors of the m input clusters with a weight, in coordinates that keep the inner products of the
        kernel.
    consensus_vectors_ : ndarray of shape (n_clusters_, D)
        The consensus clusters in the same coordinates; not of length 1.
    lift_ssd_ : float
        Weighted sum of squared distances of the lifted clusters to the mean of their group.
    sigma_ : float or None
        The bandwidth, if the kernel has one.

    References
    ----------
    Raman, Phillips and Venkatasubramanian, "Spatially-aware comparison and consensus for clusterings", SDM 2011.
    Rahimi and Recht, "Random features for large-scale kernel machines", NIPS 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.consensus import LiftedConsensus
    >>> X = np.array([[0.0], [1], [2], [3], [7], [8], [9], [10]])
    >>> labels = [[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1]]
    >>> lift = LiftedConsensus(2, sigma=2.0, random_state=0).fit(labels, X=X)
    >>> lift.labels_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    >>> lift.membership_[3].round(3).tolist()
    [0.629, 0.371]
    >>> lift.correspondences_[1].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> lift.predict([[4.0], [5.5]]).tolist()
    [0, 1]
    """

    known_as = {"liftkm": {"clusterer": "kmeans"}, "lifthac": {"clusterer": "hac"}}
    suits = "Labels and features together, soft partitions, and new objects to assign."
    cost = Cost(seconds=3, objects=1)
    needs_data = True

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "clusterer": [StrOptions({"kmeans", "hac"})],
        "linkage": [StrOptions({"ward", "average", "complete", "single"})],
        "assign": [StrOptions({"vote", "kernel"})],
        "weights": [StrOptions({"size"}), None],
        "kernel": [StrOptions(set(KERNELS)), callable],
        "sigma": [StrOptions({"median"}), Interval(Real, 0, None, closed="neither")],
        "n_features": [StrOptions({"auto", "exact"}), Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        clusterer: str = "kmeans",
        linkage: str = "ward",
        assign: str = "vote",
        weights: str | None = "size",
        kernel: Any = "gaussian",
        sigma: Any = "median",
        n_features: Any = "auto",
        n_init: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.clusterer = clusterer
        self.linkage = linkage
        self.assign = assign
        self.weights = weights
        self.kernel = kernel
        self.sigma = sigma
        self.n_features = n_features
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None, *, X: Any = None) -> "LiftedConsensus":
        """Find the consensus of an ensemble over data.

        Parameters
        ----------
        ensemble : Ensemble (hard or soft), n × r labels, or list of label sequences
        y : ignored
        X : array or sparse matrix of shape (n, d), or what the kernel takes
            The features of the objects, in the order of the ensemble. All kernels except "discrete" need them.
        """
        self._validate_params()
        check_kernel(self.kernel, self.sigma, self.n_features)
        ensemble = as_ensemble(ensemble)
        X = check_features(X, self.kernel, ensemble.n_objects)
        memberships = ensemble.soft_one_hot()
        weight, used = self._weigh(ensemble, memberships)
        k = self._check_n_clusters(len(used))
        mapping, starting = seeds(self.random_state, 2)
        lift = lift_map(
            X,
            ensemble.n_objects,
            kernel=self.kernel,
            sigma=self.sigma,
            n_features=self.n_features,
            random_state=mapping,
        )
        lifted = lift.clusters(
            X, memberships[:, used], _names(ensemble, used), n_jobs=self.n_jobs, verbose=self.verbose
        )
        groups = self._group(lifted.vectors, weight, k, starting)
        # The mean v_i of the unit vectors u_j in group i, as a combination of the u_j and of the Φ(C_j).
        shares = _shares(groups, weight)
        coefficients = shares / lifted.norms[:, None]
        directions = lift.directions(lifted, coefficients)
        if self.assign == "vote":
            scores = lifted.memberships @ coefficients
            _check_votes(scores)
        else:
            scores = lift.inner(X, directions, n_jobs=self.n_jobs)
        labels = _first_best(scores)
        kept = nonempty_clusters(labels, k)
        order = kept[order_by_size(np.searchsorted(kept, labels), len(kept))]
        number = np.full(k, -1)
        number[order] = np.arange(len(order))

        vectors = shares.T @ lifted.vectors
        self.lifted_clusters_ = lifted.vectors
        self.consensus_vectors_ = vectors[order]
        self.lift_ssd_ = float(weight @ ((lifted.vectors - vectors[groups]) ** 2).sum(axis=1))
        self.meta_labels_ = np.full(memberships.shape[1], -1)
        self.meta_labels_[used] = number[groups]
        joined = (self.meta_labels_[:, None] == np.arange(len(order))).astype(float)
        self.correspondences_ = tuple(np.split(joined, ensemble.offsets[1:-1]))
        self.sigma_ = lift.sigma
        self._lift, self._directions, self._n_columns = lift, directions[:, order], _n_columns(X)
        return self._finish(ensemble, number[labels], normalize_rows(np.clip(scores[:, order], 0, None)))

    def fit_predict(self, ensemble: Any, y: Any = None, *, X: Any = None) -> np.ndarray:
        """Find the consensus and return its labels; the parameters are those of ``fit``."""
        return self.fit(ensemble, X=X).labels_

    def predict(self, X: Any) -> np.ndarray:
        """The consensus cluster whose vector is nearest to each new object, by the kernel.

        For ``kernel="precomputed"`` X holds the kernel values of the new objects with those of ``fit``.
        """
        check_is_fitted(self)
        if isinstance(self.kernel, str) and self.kernel == "discrete":
            raise ValueError("kernel='discrete' cannot assign new objects: fit with a kernel of features.")
        X = check_features(X, self.kernel)
        if _n_columns(X) != self._n_columns:
            raise ValueError(f"X has {_n_columns(X)} columns, but in fit it had {self._n_columns}.")
        if not callable(self.kernel) and X.dtype.kind == "f":
            check_new_scale(X)
        return _first_best(self._lift.inner(X, self._directions, n_jobs=self.n_jobs))

    def _weigh(self, ensemble: Ensemble, memberships: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
        """The weights of the input clusters that have one, and their positions."""
        mass = np.asarray(memberships.sum(axis=0)).ravel()
        weight = np.repeat(ensemble.weights, ensemble.n_clusters)
        if self.weights == "size":
            weight = weight * mass / ensemble.n_objects
        used = np.flatnonzero((weight > 0) & (mass > 0))
        return weight[used], used

    def _check_n_clusters(self, m: int) -> int:
        if self.n_clusters is None:
            raise ValueError("LiftedConsensus needs n_clusters: it does not find the number of clusters itself.")
        if self.n_clusters > m:
            raise ValueError(
                f"The ensemble has only {m} clusters, too few to group them into n_clusters={self.n_clusters}. Ask for "
                "fewer clusters, or add partitions."
            )
        return int(self.n_clusters)

    def _group(self, vectors: np.ndarray, weight: np.ndarray, k: int, seed: int) -> np.ndarray:
        """The group of each lifted cluster: minimize Σ_j ω_j ‖u_j - v‖²."""
        if self.clusterer == "hac":
            return cut_into(link(vectors, weight, self.linkage), k)
        return k_means(vectors, k, weight, n_init=self.n_init, random_state=seed, n_jobs=self.n_jobs)


def _shares(groups: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The share of each cluster in the mean of its group, (clusters, groups)."""
    shares = np.zeros((len(groups), int(groups.max()) + 1))
    shares[np.arange(len(groups)), groups] = weight
    return shares / shares.sum(axis=0)


def _first_best(scores: np.ndarray) -> np.ndarray:
    """The column of the highest score of each row; the first of scores that differ only by rounding."""
    best = scores.max(axis=1, keepdims=True)
    return (scores >= best - _TIE * np.abs(best)).argmax(axis=1)


def _check_votes(scores: np.ndarray) -> None:
    silent = np.flatnonzero(~(scores > 0).any(axis=1))
    if silent.size:
        raise ValueError(
            f"Only partitions of weight 0 cover {silent.size} objects (the first are rows {silent[:5].tolist()}), so "
            "they have no vote. Use assign='kernel', which uses their features, or raise a weight."
        )


def _names(ensemble: Ensemble, used: np.ndarray) -> list[str]:
    """Names of the clusters for errors."""
    names = [
        f"Cluster {c!r} of partition {p!r}"
        for p, own in zip(ensemble.names, ensemble.classes, strict=True)
        for c in own.tolist()
    ]
    return [names[j] for j in used]


def _n_columns(X: Any) -> int | None:
    """Columns of a matrix; None for other kinds of objects."""
    return X.shape[1] if len(getattr(X, "shape", ())) == 2 else None

"""Consensus by embedding the evidence in a few dimensions (DR-EAC)."""

import warnings
from collections.abc import Sequence
from math import ceil, log2
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from pluribus._engine import is_one_of, list_of, run_tasks, seeds, whole_number
from pluribus.consensus._shared.base import ConsensusMixin
from pluribus.consensus._shared.canonical_order import canonical_order
from pluribus.consensus._shared.cost import Cost
from pluribus.consensus._shared.dendrogram import cut_into
from pluribus.consensus._shared.weighted_points import k_means, link
from pluribus.consensus.embedding._choose_settings import Tried, choose
from pluribus.consensus.embedding._embeddings import METHODS, WITH_NEIGHBORS, Embedding, Settings
from pluribus.consensus.embedding._similarities import Similarities, TotalEvidence
from pluribus.evidence import CoAssociation, MemoryLimitError
from pluribus.partitions import Ensemble, as_ensemble
from pluribus.partitions._internal import encode_labels, number_by_size

LINKAGES = ("single", "complete", "average", "ward", "centroid", "median", "weighted")
CLUSTERERS = ("kmeans", *LINKAGES)


class ExtractorAgreement(NamedTuple):
    """The partitions of several clusterers on one embedding, and their agreement.

    ``labels`` (n, c) has a column for each of the ``clusterers``, ``nmi`` (c, c) their normalized mutual information
    (geometric mean), and ``mean_nmi`` is its mean over the pairs: the coherence of the embedding.
    """

    clusterers: tuple[str, ...]
    labels: np.ndarray
    nmi: np.ndarray
    mean_nmi: float


class EmbeddedEvidence(ConsensusMixin, BaseEstimator):
    """Combine partitions by embedding the objects in a few dimensions according to their evidence, and cluster there.

    The clusters extracted from pairwise evidence depend much on the clusterer: single link and Ward may disagree.
    Coordinates that keep the structure of the evidence and drop its noise reduce this dependence, and any clusterer can
    use them. The evidence is read as similarities of the objects, or the row of evidence of an object as its features.

    The default, the spectral embedding of the whole evidence, never builds the matrix: time and memory are linear in n,
    as for "mds". The other methods are those of the source, for about 10,000 distinct objects at most: neighbor graphs
    ("le", "lle", "isomap"), linear maps ("lpp", "npe"), and mappings that keep distances ("sammon", "cca", "cda").

    Prefer it if the number of clusters is known and the choice of a linkage is not obvious, if clusters overlap, or for
    a picture of an ensemble (``n_components=2``). ``compare_extractors`` shows how well clusterers agree.

    Parameters
    ----------
    n_clusters : int
        Required, unless ``clusterer`` is an estimator and ``n_components`` a number.
    method : {"spectral", "mds", "le", "lle", "isomap", "lpp", "npe", "sammon", "cca", "cda"}
        Spectral embedding, classical scaling (kernel PCA), Laplacian eigenmaps, locally linear embedding, Isomap,
        locality preserving projections, neighborhood preserving embedding, Sammon's mapping, curvilinear component
        analysis, curvilinear distance analysis.
    view : {"similarities", "features"}
        Read the evidence c_ij as similarities with distances 1 - c_ij, or its rows as feature vectors with Euclidean
        distances. "spectral" and "mds" use the inner product of two rows as their similarity.
    n_components : "auto", "criterion" or int
        Dimensions; "auto" is ``n_clusters - 1`` for "spectral" and ``n_clusters`` for the others. "criterion" tries up
        to 10 and chooses by the method's own criterion: the largest gap between its eigenvalues, or the elbow of
        residual variance ("isomap") or stress ("sammon", "cca", "cda").
    n_neighbors : "auto", "criterion" or int
        Neighbors in "le", "lle", "isomap", "lpp", "npe" and "cda"; "auto" is 10, or log2 n if that is more. "criterion"
        tries 5 to 50 and takes the lowest cost of the method, as in the source. Ties of evidence are broken by the
        canonical order of the objects, not by the order of the input.
    clusterer : {"kmeans", "single", "complete", "average", "ward", "centroid", "median", "weighted"} or estimator
        The clusterer of the coordinates; any estimator with ``fit_predict``.
    normalize : {"pairs", "total"}
        If labels are missing, divide by the partitions that cover both objects, or by all of them. With "total",
        "spectral" and "mds" stay linear in n.
    n_init : int
        Starts of k-means.
    max_iter : int, optional
        Iterations of "sammon", by default 500, or epochs of "cca" and "cda", by default 100.
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
    membership_ : ndarray of shape (n, n_clusters_)
        Mean evidence of each object for each cluster, normalized.
    uncertainty_ : ndarray of shape (n,)
        Normalized entropy of the memberships, 0 to 1.
    embedding_ : ndarray of shape (n, d)
        Objects with equal label rows have the same coordinates.
    eigenvalues_ : ndarray or None
        Of the coordinates, if the method has eigenvalues: of the random walk for "spectral" (1 for a disconnected
        part), of the cost for "le", "lle", "lpp", "npe" (small is good), of the variance for "mds" and "isomap".
    criterion_ : float or None
        The cost of the method: the sum of these eigenvalues, residual variance ("isomap") or stress ("sammon", "cca",
        "cda"); for "spectral" the sum of 1 - eigenvalue. It compares settings of one method, such as neighbors.
    n_components_, n_neighbors_ : int
        Dimensions and neighbors that were used; ``n_neighbors_`` is None for methods without neighbors.
    tried_ : dict
        The criterion of every (neighbors, dimensions) that was tried.
    n_connected_components_ : int or None
        Connected components of the graph of the method.
    clipped_mass_ : float or None
        The share of negative eigenvalues, which count as 0; None if not all eigenvalues were computed.
    converged_ : bool

    References
    ----------
    Aidos and Fred, "A study of embedding methods under the evidence accumulation framework", SIMBAD 2011.

    Examples
    --------
    >>> from pluribus.consensus import EmbeddedEvidence
    >>> labels = [[0, 0, 0, 1, 1, 2], [0, 0, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 1]]
    >>> embedded = EmbeddedEvidence(2, random_state=0).fit(labels)
    >>> embedded.labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    >>> embedded.embedding_.shape, embedded.eigenvalues_.round(3).tolist()
    ((6, 1), [0.858])
    >>> round(embedded.compare_extractors().mean_nmi, 3)
    1.0
    """

    known_as = {"embedding": {}}
    suits = "Overlapping clusters, a map of the ensemble, or a clusterer of your choice."
    cost = Cost(seconds=2, objects=1)

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "method": [StrOptions(set(METHODS))],
        "view": [StrOptions({"similarities", "features"})],
        "n_components": [StrOptions({"auto", "criterion"}), Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [StrOptions({"auto", "criterion"}), Interval(Integral, 1, None, closed="left")],
        "clusterer": [StrOptions(set(CLUSTERERS)), HasMethods(["fit_predict"])],
        "normalize": [StrOptions({"pairs", "total"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        method: str = "spectral",
        view: str = "similarities",
        n_components: Any = "auto",
        n_neighbors: Any = "auto",
        clusterer: Any = "kmeans",
        normalize: str = "pairs",
        n_init: int = 10,
        max_iter: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.view = view
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.clusterer = clusterer
        self.normalize = normalize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, ensemble: Any, y: Any = None) -> "EmbeddedEvidence":
        """Find the consensus of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble, n × r labels, list of label sequences, CoAssociation, or sparse matrix of evidence
        y : ignored
        """
        self._validate_params()
        if sparse.issparse(ensemble):
            ensemble = CoAssociation.from_matrix(ensemble)
        given = ensemble if isinstance(ensemble, CoAssociation) else None
        ensemble = given.ensemble if given is not None else as_ensemble(ensemble)
        n = given.shape[0] if given is not None else ensemble.n_objects
        self._check(n)
        evidence, self._inverse = self._gather(ensemble, given)
        self._counts, self._memory_limit = evidence.counts, evidence.memory_limit
        placing, self._starting = seeds(self.random_state, 2)
        embedded = self._embed(evidence, placing)
        self._points = embedded.coordinates
        self.embedding_ = embedded.coordinates[self._inverse]
        self.eigenvalues_ = embedded.eigenvalues
        self.criterion_ = embedded.criterion
        self.n_connected_components_ = embedded.n_connected
        self.clipped_mass_ = embedded.clipped_mass
        self.converged_ = embedded.converged
        return self._finish(given if given is not None else ensemble, self._extract(self.clusterer, self.n_clusters))

    def extract(self, clusterer: Any = None, n_clusters: int | None = None) -> np.ndarray:
        """Labels by another clusterer, or for another number of clusters, from the same coordinates."""
        check_is_fitted(self)
        clusterer = self.clusterer if clusterer is None else clusterer
        if not is_one_of(clusterer, CLUSTERERS) and not hasattr(clusterer, "fit_predict"):
            raise ValueError(f"clusterer must be an estimator or one of {', '.join(CLUSTERERS)}; got {clusterer!r}.")
        n_clusters = self.n_clusters if n_clusters is None else n_clusters
        n = len(self._inverse)
        if isinstance(clusterer, str) or n_clusters is not None:
            n_clusters = whole_number("n_clusters", n_clusters, 1, most=n)
        labels = self._extract(clusterer, n_clusters)
        return number_by_size(labels, int(labels.max()) + 1)

    def compare_extractors(self, clusterers: Sequence[str] = CLUSTERERS) -> ExtractorAgreement:
        """The agreement of clusterers on the coordinates; if it is high, the choice of a clusterer hardly matters."""
        clusterers = list_of("clusterers", clusterers, "clusterers")
        if not clusterers:
            raise ValueError("clusterers is empty: give at least one.")
        labels = np.column_stack([self.extract(clusterer) for clusterer in clusterers])
        c = len(clusterers)
        nmi = np.eye(c)
        pairs = [(a, b) for a in range(c) for b in range(a)]
        for a, b in pairs:
            score = sklearn.metrics.normalized_mutual_info_score(labels[:, a], labels[:, b], average_method="geometric")
            nmi[a, b] = nmi[b, a] = score
        mean = float(np.mean([nmi[pair] for pair in pairs])) if pairs else 1.0
        return ExtractorAgreement(tuple(clusterers), labels, nmi, mean)

    def _check(self, n: int) -> None:
        if self.n_clusters is None and (isinstance(self.clusterer, str) or self.n_components == "auto"):
            raise ValueError(
                "EmbeddedEvidence needs n_clusters: it does not find the number of clusters itself. Leave it out only "
                "with an estimator as clusterer and a number or 'criterion' as n_components."
            )
        if self.n_clusters is not None and self.n_clusters > n:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the number of objects, {n}.")
        for name in ("n_components", "n_neighbors"):
            value = getattr(self, name)
            if not isinstance(value, str) and value >= n > 1:
                raise ValueError(f"{name}={value} must be less than the number of objects, {n}.")
        if self.method in WITH_NEIGHBORS and self.n_neighbors == "auto" and n <= 10:
            warnings.warn(
                f"There are only {n} objects, so n_neighbors is {n - 1} instead of 10, and every object is a neighbor "
                "of every other.",
                UserWarning,
                stacklevel=3,
            )

    def _gather(self, ensemble: Any, given: CoAssociation | None) -> tuple[Similarities, np.ndarray]:
        """The evidence among the distinct objects, and which of them each object is."""
        if given is not None and (ensemble is None or given.form == "neighbors"):
            n = given.shape[0]
            return Similarities(given, np.ones(n), self.view, given.memory_limit), np.arange(n)
        if ensemble.memberships is not None:
            ensemble = Ensemble(ensemble.labels, weights=ensemble.weights)
        rows = ensemble.unique_rows()
        order = canonical_order(rows.ensemble)
        distinct = rows.ensemble.take_objects(order)
        limit = given.memory_limit if given is not None else None
        # Products with the operator are fastest, unless labels are missing.
        form = "auto" if distinct.has_missing and self.normalize == "pairs" else "operator"
        evidence: Any = CoAssociation(distinct, form=form, n_jobs=self.n_jobs, memory_limit=limit)
        limit = evidence.memory_limit
        if self.normalize == "total" and distinct.has_missing:
            evidence = TotalEvidence(distinct)
        elif distinct.has_missing and evidence.form == "operator":
            warnings.warn(
                f"With missing labels the evidence of {distinct.n_objects} distinct objects does not factor, and each "
                "of many products with it visits all pairs. normalize='total' takes time linear in n.",
                UserWarning,
                stacklevel=3,
            )
        return Similarities(evidence, rows.counts[order], self.view, limit), np.argsort(order)[rows.inverse]

    def _embed(self, evidence: Similarities, seed: int) -> Embedding:
        n = evidence.n_objects
        self.n_components_, self.n_neighbors_ = 1, None
        self.tried_: Tried = {}
        if self.n_clusters == 1:
            return Embedding(np.zeros((evidence.n, 1)))
        d = self.n_components
        if isinstance(d, str):
            d = min(int(self.n_clusters or 2) - (self.method == "spectral"), n - 1)
        if evidence.n == 1:
            self.n_components_ = int(d)
            return Embedding(np.zeros((1, int(d))), eigenvalues=np.empty(0), n_connected=1)
        p = self.n_neighbors
        if isinstance(p, str):
            p = min(max(10, ceil(log2(n))), n - 1)

        def embed(to: Settings) -> Embedding:
            # As a task, so that the sums in it do not depend on the number of threads.
            return run_tasks(lambda to: METHODS[self.method](evidence, to), [to], verbose=False)[0]

        embedded, settings, self.tried_ = choose(
            self.method,
            embed,
            Settings(int(d), int(p), self.max_iter, seed, bool(self.verbose)),
            evidence.n,
            neighbors=self.n_neighbors == "criterion",
            components=self.n_components == "criterion",
        )
        self.n_components_ = settings.n_components
        self.n_neighbors_ = settings.n_neighbors if self.method in WITH_NEIGHBORS else None
        return embedded

    def _extract(self, clusterer: Any, n_clusters: int | None) -> np.ndarray:
        """Labels of all objects; the coordinates of distinct objects are clustered if the result is the same."""
        points = self._points
        if not isinstance(clusterer, str):
            labels, classes = encode_labels(np.asarray(clone(clusterer).fit_predict(points[self._inverse])))
            if not len(classes):
                raise ValueError(f"{clusterer!r} found no cluster among the coordinates, only noise.")
            return labels
        k = min(int(n_clusters or 1), len(points))
        if clusterer == "kmeans":
            labels = k_means(
                points, k, self._counts, n_init=self.n_init, random_state=self._starting, n_jobs=self.n_jobs
            )[self._inverse]
        else:
            labels = self._link(clusterer, k)
        n_found = int(labels.max()) + 1
        if n_found < (n_clusters or 1):
            warnings.warn(
                f"The coordinates separate only {n_found} groups of objects, so there are fewer than "
                f"n_clusters={n_clusters}.",
                UserWarning,
                stacklevel=3,
            )
        return labels

    def _link(self, linkage: str, k: int) -> np.ndarray:
        # These three need equal objects one by one; the others use counts.
        expanded = linkage in ("centroid", "median", "weighted") and (self._counts > 1).any()
        points = self._points[self._inverse] if expanded else self._points
        if 8 * len(points) ** 2 > self._memory_limit:
            raise MemoryLimitError(
                f"clusterer={linkage!r} needs the distances of all pairs of {len(points)} objects, more than "
                "memory_limit allows. Use clusterer='kmeans'."
            )
        labels = cut_into(link(points, self._counts, linkage), k)
        return labels if expanded else labels[self._inverse]

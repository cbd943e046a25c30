"""Embeddings of pairwise evidence: from similarities or distances to a few coordinates for each object.

Distinct objects are embedded once, weighted by their counts.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import eigh, null_space
from scipy.sparse.csgraph import connected_components

from pluribus.consensus._shared.eigen import leading, orient, smallest
from pluribus.consensus.embedding import _neighbor_graph, _stress
from pluribus.consensus.embedding._similarities import Similarities

_VARIANCE = 0.98  # share of the variance of the features that LPP and NPE keep
_MAX_FEATURES = 300


class Embedding(NamedTuple):
    """Coordinates, and diagnostics of the method.

    ``criterion`` is its cost, ``eigenvalues`` those of the coordinates, ``n_connected`` the number of components of its
    graph, ``clipped_mass`` the share of negative eigenvalues, and ``converged`` whether its iterations converged.
    """

    coordinates: np.ndarray
    criterion: float | None = None
    eigenvalues: np.ndarray | None = None
    n_connected: int | None = None
    clipped_mass: float | None = None
    converged: bool = True


class Settings(NamedTuple):
    """Parameters of the methods."""

    n_components: int
    n_neighbors: int
    max_iter: int | None
    seed: int
    verbose: bool


# -- spectral ------------------------------------------------------------------------------------------------------


def spectral(evidence: Similarities, to: Settings) -> Embedding:
    """The random walk on the evidence: the eigenvectors of W y = λ D y after the constant one, λ from the largest."""
    return _random_walk(
        evidence.affinity, evidence.counts, evidence.components, to.n_components, to.seed, smallest_kept=1e-10
    )


def laplacian_eigenmaps(evidence: Similarities, to: Settings) -> Embedding:
    """Laplacian eigenmaps (LE): the same on the unweighted graph of nearest neighbors; eigenvalues of the Laplacian."""
    graph = _neighbor_graph.unweighted(evidence.distances, evidence.counts, to.n_neighbors)
    components = connected_components(graph, directed=False)[1]
    walk = _random_walk(lambda V: graph @ V, evidence.counts, components, to.n_components, to.seed)
    assert walk.eigenvalues is not None
    eigenvalues = 1 - walk.eigenvalues
    return walk._replace(eigenvalues=eigenvalues, clipped_mass=None)


def _random_walk(
    affinity: Callable[[np.ndarray], np.ndarray],
    counts: np.ndarray,
    components: np.ndarray,
    d: int,
    seed: int,
    smallest_kept: float = -np.inf,
) -> Embedding:
    degrees = affinity(counts)
    if not (degrees > 0).all():
        raise ValueError(
            f"{(degrees <= 0).sum()} objects have no evidence at all, not even with themselves (the first is distinct "
            f"object {int(np.argmin(degrees))}). Drop them."
        )
    mass = counts * degrees
    # Each component is an eigenvector of eigenvalue 1. These are known and therefore left out of the search.
    of_component = np.bincount(components, mass)
    between = _contrasts(of_component, d)[components]
    indicator = np.sqrt(mass / of_component[components]), (np.arange(len(mass)), components)
    scale = np.sqrt(counts / degrees)
    within = leading(
        lambda V: (scale * (affinity((scale * V.T).T)).T).T,
        len(mass),
        d - between.shape[1],
        seed,
        known=sparse.csr_array(indicator),
    )
    kept = within.values > smallest_kept
    inner = np.where(kept, within.vectors, 0) / np.sqrt(mass)[:, None]
    eigenvalues = np.concatenate([np.ones(between.shape[1]), within.values])
    return Embedding(
        _pad(np.hstack([between, inner]), d),
        criterion=float((1 - eigenvalues).sum()),
        eigenvalues=eigenvalues,
        n_connected=len(of_component),
        clipped_mass=within.negative_share,
    )


def _contrasts(mass: np.ndarray, d: int) -> np.ndarray:
    """At most d contrasts of groups, orthonormal by mass and to the constant; the largest group comes first."""
    order = np.argsort(-mass, kind="stable")
    own = mass[order]
    rest = own[::-1].cumsum()[::-1] - own
    values = np.zeros((len(mass), min(len(mass) - 1, d)))
    for j in range(values.shape[1]):
        both = own[j] + rest[j]
        values[order[j], j] = np.sqrt(rest[j] / (own[j] * both))
        values[order[j + 1 :], j] = -np.sqrt(own[j] / (rest[j] * both))
    return values


# -- scaling -------------------------------------------------------------------------------------------------------


def scaling(evidence: Similarities, to: Settings) -> Embedding:
    """Classical scaling (MDS): principal coordinates of the similarities, or of the rows of C."""
    return _principal(evidence.affinity, evidence.counts, to.n_components, to.seed)


def isomap(evidence: Similarities, to: Settings) -> Embedding:
    """Classical scaling of the geodesic distances on the graph of nearest neighbors."""
    geodesic, n_connected = _neighbor_graph.geodesics(evidence.distances, to.n_neighbors)
    scaled = _scaled_distances(geodesic, evidence.counts, to)
    variance = _stress.residual_variance(geodesic, scaled.coordinates)
    return scaled._replace(criterion=variance, n_connected=n_connected)


def _scaled_distances(distances: np.ndarray, counts: np.ndarray, to: Settings) -> Embedding:
    products = -0.5 * distances**2
    return _principal(lambda V: products @ V, counts, to.n_components, to.seed)


def _principal(affinity: Callable[[np.ndarray], np.ndarray], counts: np.ndarray, d: int, seed: int) -> Embedding:
    """Coordinates whose inner products are the centered affinity; negative eigenvalues count as 0."""
    share = (counts / counts.sum())[:, None]
    root = np.sqrt(counts)[:, None]

    def centered(V: np.ndarray) -> np.ndarray:
        columns = root * V.reshape(len(counts), -1)
        columns = affinity(columns - share * columns.sum(axis=0))
        return (root * (columns - (share * columns).sum(axis=0))).reshape(V.shape)

    spectrum = leading(centered, len(counts), d, seed)
    values = np.where(spectrum.values > 1e-10 * max(spectrum.values.max(initial=0), 1e-300), spectrum.values, 0)
    return Embedding(
        _pad(spectrum.vectors * np.sqrt(values) / root, d),
        eigenvalues=spectrum.values,
        clipped_mass=spectrum.negative_share,
    )


# -- reconstruction from neighbors, and linear maps ----------------------------------------------------------------


def locally_linear(evidence: Similarities, to: Settings) -> Embedding:
    """Locally linear embedding (LLE): keep the weights with which each object is a mean of its neighbors."""
    residual = _neighbor_graph.residual_of_reconstruction(evidence.distances, to.n_neighbors)
    root = np.sqrt(evidence.counts)
    scaled = sparse.csr_array(residual * root[:, None] / root)
    values, vectors = smallest(sparse.csr_array(scaled.T @ scaled), to.n_components + 1)
    # The constant has eigenvalue 0, perhaps with other vectors: take it out of their span.
    rest = null_space((vectors.T @ root)[None])
    ritz, turn = np.linalg.eigh(rest.T @ (values[:, None] * rest))
    ritz = np.clip(ritz[: to.n_components], 0, None)
    coordinates = orient(vectors @ (rest @ turn[:, : to.n_components])) / root[:, None] * np.sqrt(evidence.n_objects)
    return Embedding(_pad(coordinates, to.n_components), criterion=float(ritz.sum()), eigenvalues=ritz)


def locality_preserving(evidence: Similarities, to: Settings) -> Embedding:
    """Locality preserving projections (LPP): Laplacian eigenmaps restricted to linear maps of the features."""
    graph = _neighbor_graph.unweighted(evidence.distances, evidence.counts, to.n_neighbors)
    mass = evidence.counts * (graph @ evidence.counts)
    X = _features(evidence, to)
    weighted = evidence.counts[:, None] * X
    cost = X.T @ (mass[:, None] * X) - weighted.T @ (graph @ weighted)
    projection = _linear(X, cost, X.T @ (mass[:, None] * X), to.n_components)
    return projection._replace(n_connected=int(connected_components(graph, directed=False)[0]))


def neighborhood_preserving(evidence: Similarities, to: Settings) -> Embedding:
    """Neighborhood preserving embedding (NPE): locally linear embedding restricted to linear maps of the features."""
    residual = _neighbor_graph.residual_of_reconstruction(evidence.distances, to.n_neighbors)
    X = _features(evidence, to)
    error = np.sqrt(evidence.counts)[:, None] * (residual @ X)
    return _linear(X, error.T @ error, X.T @ (evidence.counts[:, None] * X), to.n_components)


def _features(evidence: Similarities, to: Settings) -> np.ndarray:
    """Principal coordinates with 98 % of the variance.

    The rows of C are n features of n objects: without this step all coordinates would be linear in them, and the
    restriction to linear maps would have no effect.
    """
    n = min(evidence.n - 1, max(_MAX_FEATURES, to.n_components))
    principal = _principal(evidence.affinity, evidence.counts, n, to.seed)
    positive = np.clip(principal.eigenvalues, 0, None)  # type: ignore[arg-type]
    share = positive.cumsum() / max(positive.sum(), 1e-300)
    n_kept = max(int(np.searchsorted(share, _VARIANCE)) + 1, to.n_components)
    return principal.coordinates[:, :n_kept][:, positive[:n_kept] > 1e-10 * positive[0]]


def _linear(X: np.ndarray, cost: np.ndarray, scale: np.ndarray, d: int) -> Embedding:
    """X A with the columns of A that minimize aᵀ cost a / aᵀ scale a."""
    if X.shape[1] == 0:
        return Embedding(np.zeros((len(X), d)), criterion=0.0, eigenvalues=np.empty(0))
    ridge = 1e-6 * np.trace(scale) / len(scale)
    values, directions = eigh((cost + cost.T) / 2, scale + ridge * np.eye(len(scale)))
    values = np.clip(values[:d], 0, None)
    coordinates = orient(X @ directions[:, :d])
    return Embedding(_pad(coordinates, d), criterion=float(values.sum()), eigenvalues=values)


# -- stress --------------------------------------------------------------------------------------------------------


def sammon(evidence: Similarities, to: Settings) -> Embedding:
    """Sammon's mapping: keeps distances, with more weight for short ones."""
    start = _scaled_distances(evidence.distances, evidence.counts, to).coordinates
    return Embedding(*_stress.sammon(evidence.distances, evidence.counts, start, to.max_iter or 500, to.seed))


def curvilinear_components(evidence: Similarities, to: Settings) -> Embedding:
    """Curvilinear component analysis (CCA): keeps short distances of the output, by stochastic descent."""
    return _curvilinear(evidence.distances, evidence.counts, to)


def curvilinear_distances(evidence: Similarities, to: Settings) -> Embedding:
    """Curvilinear distance analysis (CDA): the same with geodesic distances."""
    geodesic, n_connected = _neighbor_graph.geodesics(evidence.distances, to.n_neighbors)
    return _curvilinear(geodesic, evidence.counts, to)._replace(n_connected=n_connected)


def _curvilinear(distances: np.ndarray, counts: np.ndarray, to: Settings) -> Embedding:
    start = _scaled_distances(distances, counts, to).coordinates
    return Embedding(*_stress.curvilinear(distances, start, to.max_iter or 100, to.seed, to.verbose))


METHODS: dict[str, Callable[[Similarities, Settings], Embedding]] = {
    "spectral": spectral,
    "mds": scaling,
    "le": laplacian_eigenmaps,
    "lle": locally_linear,
    "isomap": isomap,
    "lpp": locality_preserving,
    "npe": neighborhood_preserving,
    "sammon": sammon,
    "cca": curvilinear_components,
    "cda": curvilinear_distances,
}
WITH_NEIGHBORS = frozenset({"le", "lle", "isomap", "lpp", "npe", "cda"})


def _pad(coordinates: np.ndarray, d: int) -> np.ndarray:
    """d columns, filled with zeros if there are fewer."""
    missing = d - coordinates.shape[1]
    return np.pad(coordinates, ((0, 0), (0, missing))) if missing > 0 else coordinates

"""ADCO: clusters compared by how dense they are in the bins of each attribute."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from pluribus._engine import whole_number
from pluribus.compare._places import Places


class Densities(NamedTuple):
    """One partition: for each cluster the number of its objects in each bin of each attribute."""

    counts: np.ndarray  # (k, bins of all attributes)
    memberships: sparse.csr_array


_MOST_BINS = 100_000  # their counts fill a table for each cluster


def densities(places: Places, X: Any, *, n_bins: int = 10) -> list[Densities]:
    """Count the objects of all clusters by bin."""
    n_bins = whole_number("n_bins", n_bins, 1, _MOST_BINS)
    places.check_rows(X)
    places.check_tables()
    transposed = sparse.csr_array(places.memberships.T)
    n = places.n_objects
    parts = []
    for codes, k in _binned(places, X, n_bins):
        in_bin = sparse.csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, k))
        parts.append((transposed @ in_bin).toarray())
    counts = np.hstack(parts)
    return [Densities(counts[clusters], places.memberships[:, clusters]) for clusters in places.slices]


def _binned(places: Places, X: Any, n_bins: int) -> Any:
    """The bin of each object and the number of bins, by attribute: of equal width, or one for each value."""
    if isinstance(X, pd.DataFrame):
        words = X.select_dtypes(exclude="number").columns
        for name in words:
            codes, values = pd.factorize(X[name])
            if (codes < 0).any():
                raise ValueError(f"X has missing values in column {name!r}; fill them in, or leave the rows out.")
            yield codes, len(values)
        X = X.drop(columns=words)
        if not X.shape[1]:
            return
    values = places.check_vectors(X)
    values = values.tocsc() if sparse.issparse(values) else values
    for j in range(values.shape[1]):
        column = values[:, [j]].toarray().ravel() if sparse.issparse(values) else values[:, j]
        low, width = float(column.min()), (float(column.max()) - float(column.min())) / n_bins
        if width > 0:
            yield np.minimum(((column - low) / width).astype(np.int64), n_bins - 1), n_bins
        else:
            yield np.zeros(len(column), dtype=np.int64), 1


def similarity(a: Densities, b: Densities) -> float:
    """The best one-to-one matching's products of densities, over what the denser partition has with itself."""
    products = a.counts @ b.counts.T
    most = max((a.counts**2).sum(), (b.counts**2).sum())
    return float(min(products[linear_sum_assignment(products, maximize=True)].sum() / most, 1.0))


def distance(a: Densities, b: Densities) -> float:
    """0 for the same partition, else 2 - ADCO."""
    return 0.0 if _same(a.memberships, b.memberships) else 2 - similarity(a, b)


def _same(u: sparse.csr_array, v: sparse.csr_array) -> bool:
    """Whether two partitions are equal up to the order of their clusters: each cluster of one equals its twin."""
    if u.shape != v.shape:
        return False
    differences = (u**2).sum(axis=0)[:, None] + (v**2).sum(axis=0) - 2 * (u.T @ v).toarray()
    twin = linear_sum_assignment(differences)[1]
    return not (u != v[:, twin]).nnz


def adco_index(a: Any, b: Any, X: Any, *, n_bins: int = 10) -> float:
    """How alike the clusters of two partitions are spread over the attributes, 0 to 1 (ADCO).

    Each attribute is cut into bins of equal width; a cluster is described by how many of its objects are in each. The
    index is the largest sum of products of these counts under a one-to-one matching of clusters, over the larger of
    what each partition has with itself.

    Parameters
    ----------
    a, b : sequences of n labels, or n × k memberships
    X : array or sparse matrix of shape (n, d), or data frame
        In a data frame each value of a column that is not numeric is a bin of its own.
    n_bins : int

    References
    ----------
    Bae, Bailey and Dong, "A clustering comparison measure using density profiles and its application to the discovery
    of alternate clusterings", Data Mining and Knowledge Discovery 21, 2010.

    Examples
    --------
    >>> from pluribus.compare import adco_index
    >>> X = [[0], [1], [2], [3], [7], [8], [9], [10]]
    >>> a, near, far = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1, 1, 0]
    >>> adco_index(a, near, X), adco_index(a, far, X)
    (0.8, 0.7)
    """
    return similarity(*densities(Places.of_pair(a, b), X, n_bins=n_bins))


def adco_distance(a: Any, b: Any, X: Any, *, n_bins: int = 10) -> float:
    """How differently the clusters of two partitions are spread over the attributes: 0 if equal, else 1 to 2.

    It is 2 - ``adco_index`` for partitions that are not the same, which makes it a metric.

    Parameters
    ----------
    a, b, X, n_bins
        See ``adco_index``.

    Examples
    --------
    >>> from pluribus.compare import adco_distance
    >>> X = [[0], [1], [2], [3], [7], [8], [9], [10]]
    >>> adco_distance([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1], X)
    1.2
    """
    return distance(*densities(Places.of_pair(a, b), X, n_bins=n_bins))

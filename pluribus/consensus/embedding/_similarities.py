"""The evidence among the distinct objects of an ensemble, as a similarity or as feature vectors, for embeddings."""

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from pluribus._kernels.labels.components import linked_by_clusters
from pluribus.evidence import MemoryLimitError
from pluribus.partitions import Ensemble

_DIGITS = 10  # distances are rounded, so that smaller differences are ties


class TotalEvidence:
    """Co-occurrence over all partitions: an object without a label counts as apart from all others in that partition.

    C = H W Hᵀ / Σw factors even where labels are missing, so that products cost O(n r).
    """

    form = "operator"

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        self.incidence = ensemble.one_hot()
        weights = np.repeat(ensemble.weights / ensemble.weights.sum(), ensemble.n_clusters)
        self.weighted = sparse.csr_array(self.incidence * weights)
        self.shape = (ensemble.n_objects, ensemble.n_objects)

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        return self.weighted @ (self.incidence.T @ V)

    def to_dense(self) -> np.ndarray:
        """The n × n array."""
        return (self.weighted @ self.incidence.T).toarray()


class Similarities:
    """Pairwise evidence C of distinct objects, weighted by their ``counts``.

    Read as similarities, two objects have the similarity c_ij and the distance 1 - c_ij. Read as features, row i of C
    describes object i: the similarity of two objects is the inner product of their rows, and their distance is the
    Euclidean distance of these, over all objects.
    """

    def __init__(self, evidence: Any, counts: np.ndarray, view: str, memory_limit: float) -> None:
        self.evidence = evidence
        self.counts = counts.astype(float)
        self.view = view
        self.memory_limit = memory_limit
        self.n = evidence.shape[0]
        self.n_objects = int(counts.sum())

    def affinity(self, V: np.ndarray) -> np.ndarray:
        """The product of the similarity matrix of this view with vectors."""
        evidence = self.__dict__.get("dense", self.evidence)
        product = evidence @ V
        if self.view == "features":
            product = evidence @ (product * (self.counts if V.ndim == 1 else self.counts[:, None]))
        return product

    @cached_property
    def dense(self) -> np.ndarray:
        """C as a dense array; refused if it is too large."""
        if 8 * self.n**2 > self.memory_limit:
            raise MemoryLimitError(
                f"This method needs the evidence of all pairs of {self.n} distinct objects at once, which takes "
                f"{8e-9 * self.n**2:.3g} GB, more than memory_limit = {1e-9 * self.memory_limit:.3g} GB. Use "
                "method='spectral' or 'mds', whose memory is linear in n, or fit a CoAssociation with a higher "
                "memory_limit."
            )
        return self.evidence.to_dense()

    @cached_property
    def distances(self) -> np.ndarray:
        """The distances δ of this view for all pairs; 0 on the diagonal."""
        if self.view == "similarities":
            distances = 1 - self.dense
        else:
            gram = self.dense @ (self.counts[:, None] * self.dense)
            squares = np.diagonal(gram)
            distances = np.sqrt(np.clip(squares[:, None] + squares - 2 * gram, 0, None))
        np.fill_diagonal(distances, 0)
        return np.round(np.clip(distances, 0, None), _DIGITS)

    @cached_property
    def components(self) -> np.ndarray:
        """The connected component of each object in the graph of positive evidence."""
        ensemble = self.evidence.ensemble
        if ensemble is None or self.evidence.form == "neighbors":
            return connected_components(self.evidence.to_sparse(), directed=False)[1]
        return linked_by_clusters(ensemble.labels, ensemble.offsets, ensemble.weights > 0)

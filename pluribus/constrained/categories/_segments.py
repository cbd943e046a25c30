"""Documents in categories while they change: the four steps of a pass."""

import numpy as np
from scipy import sparse

from pluribus.constrained.categories._seeds import Documents, similar_groups


class Segments:
    """The categories during the fit: the category of each document and of each class, and the seeds.

    Parameters
    ----------
    documents : Documents
    known : ndarray of shape (n,)
        The class of each document, -1 if it has none.
    n_classes : int
    """

    def __init__(self, documents: Documents, known: np.ndarray, n_classes: int) -> None:
        self.documents = documents
        self.labels = known
        self.category_of_class = np.arange(n_classes)
        self.is_outlier = np.zeros(len(known), dtype=bool)
        self.seeds = sparse.csr_array((n_classes, documents.X.shape[1]))

    def __len__(self) -> int:
        return self.seeds.shape[0]

    def assign(self, outlier_threshold: float) -> int:
        """Assign documents to the nearest seed; those with smaller cosines leave for good. Returns how many moved."""
        last = self.labels
        self.labels, cosines = self.documents.nearest(self.seeds)
        self.is_outlier |= cosines < outlier_threshold
        self.labels[self.is_outlier] = -1
        return int(np.count_nonzero(self.labels != last))

    def project(self, words: int) -> None:
        """Make seeds of the documents, with this number of words."""
        self.seeds = self.documents.damped_centroids(self.labels, len(self), words)

    def merge(self, threshold: float, words: int) -> None:
        """Merge categories whose seeds have a larger cosine, and chains of them; their seeds are made again."""
        n_groups, group_of = similar_groups(self.seeds, threshold)
        if n_groups < len(self):
            self._renumber(group_of)
            self.seeds = self.documents.damped_centroids(self.labels, n_groups, words)

    def kill(self, min_docs: int) -> None:
        """Drop categories with fewer documents, and those whose seed is empty."""
        sizes = np.bincount(self.labels[self.labels >= 0], minlength=len(self))
        stays = (sizes >= min_docs) & (np.diff(self.seeds.indptr) > 0)
        self._renumber(np.where(stays, np.cumsum(stays) - 1, -1))
        self.seeds = self.seeds[stays]

    def _renumber(self, number_of: np.ndarray) -> None:
        number_of = np.append(number_of, -1)  # what -1 reads
        self.labels = number_of[self.labels]
        self.category_of_class = number_of[self.category_of_class]

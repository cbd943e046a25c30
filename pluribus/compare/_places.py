"""Partitions over data: the clusters of all partitions side by side, with the objects' features beside them.

A partition counts with the objects that it covers: its masses are shares of those. So partitions of different samples
can be compared too, also of different data (stack the rows, and leave the other's objects out by -1).
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils import check_array

from pluribus._engine import only_numbers
from pluribus.compare._partitions import as_partition, as_partitions
from pluribus.partitions import Ensemble
from pluribus.tables._internal import refuse_annotated

_MOST_CELLS = 2**26  # of a table of two partitions' clusters


class Places(NamedTuple):
    """Clusters as columns of memberships; those that hold nothing are left out."""

    memberships: sparse.csr_array  # (n, q)
    offsets: np.ndarray  # where each partition's clusters start; r + 1 entries
    masses: np.ndarray  # (q,) number of objects in each cluster, or the sum of their memberships
    names: list[str]  # what errors call the clusters
    partitions: list[str]  # and the partitions

    @classmethod
    def of_pair(cls, a: Any, b: Any) -> "Places":
        """Two partitions, hard or soft."""
        parts = [_columns(partition) for partition in as_partitions(a, b)]
        return cls._of(sparse.csr_array(sparse.hstack(parts)), [part.shape[1] for part in parts], ["a", "b"])

    @classmethod
    def of_two_sets(cls, a: Any, b: Any) -> "Places":
        """Two partitions of different objects, first those of a and then those of b."""
        parts = [_columns(as_partition(a, "a")), _columns(as_partition(b, "b"))]
        return cls._of(sparse.csr_array(sparse.block_diag(parts)), [part.shape[1] for part in parts], ["a", "b"])

    @classmethod
    def of_ensemble(cls, ensemble: Ensemble) -> "Places":
        """All partitions of an ensemble."""
        names = [repr(name) for name in ensemble.names]
        return cls._of(ensemble.soft_one_hot(), ensemble.n_clusters.tolist(), names)

    @classmethod
    def _of(cls, memberships: sparse.csr_array, sizes: list[int], partitions: list[str]) -> "Places":
        names = [f"Cluster {c} of {name}" for name, k in zip(partitions, sizes, strict=True) for c in range(k)]
        masses = np.asarray(memberships.sum(axis=0)).ravel()
        return cls(memberships, np.concatenate([[0], np.cumsum(sizes)]), masses, names, partitions)._held()

    def _held(self) -> "Places":
        """Without the clusters that hold nothing."""
        held = self.masses > 0
        counts = np.array([held[clusters].sum() for clusters in self.slices])
        if (counts == 0).any():
            name = self.partitions[counts.argmin()]
            raise ValueError(f"No object has a label in {name}, so there is nothing to compare.")
        if held.all():
            return self
        kept = np.flatnonzero(held)
        names = [self.names[c] for c in kept]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        return Places(self.memberships[:, kept], offsets, self.masses[kept], names, self.partitions)

    def take_objects(self, index: np.ndarray) -> "Places":
        """The partitions of some of the objects."""
        memberships = self.memberships[index]
        return self._replace(memberships=memberships, masses=np.asarray(memberships.sum(axis=0)).ravel())._held()

    @property
    def n_objects(self) -> int:
        return self.memberships.shape[0]

    @property
    def slices(self) -> list[slice]:
        """The clusters of each partition."""
        return [slice(*ends) for ends in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True)]

    def shares(self, clusters: slice) -> np.ndarray:
        """Masses of a partition's clusters, as shares."""
        own = self.masses[clusters]
        return own / own.sum()

    def check_tables(self) -> None:
        """Refuse partitions into so many clusters that a table of theirs would not fit in memory."""
        first, second = sorted(np.diff(self.offsets).tolist())[-2:] if len(self.offsets) > 2 else (0, 0)
        if first * second > _MOST_CELLS:
            raise ValueError(
                f"Partitions into {first:,} and {second:,} clusters are too large for a distance between each two "
                "clusters. Use a measure of pairs or of information, or compare a sample of the objects."
            )

    def check_rows(self, X: Any) -> None:
        """X must describe the same objects."""
        if X is None:
            raise ValueError("X is missing: this distance needs the features of the objects beside the partitions.")
        refuse_annotated(X)
        if not hasattr(X, "__len__") and not hasattr(X, "shape"):
            raise ValueError(f"X must have a row for each object; got {X!r}.")
        n = (X.shape or (1,))[0] if hasattr(X, "shape") else len(X)
        if n != self.n_objects:
            raise ValueError(
                f"X has {n} rows, but the partitions label {self.n_objects} objects; they must be the same."
            )

    def check_vectors(self, X: Any) -> Any:
        """X as a matrix of finite numbers, a row for each object; sparse stays sparse."""
        self.check_rows(X)
        check_columns(X)
        return only_numbers("X", check_array(X, accept_sparse="csr", dtype="numeric", input_name="X"))


def check_columns(X: Any) -> None:
    """A data frame must hold numbers only."""
    words = list(X.select_dtypes(exclude=["number", "bool"])) if isinstance(X, pd.DataFrame) else []
    if words:
        raise ValueError(f"X has a column that is not numeric, {words[0]!r}; encode it, or use adco_distance.")


def _columns(partition: np.ndarray) -> sparse.csr_array:
    if partition.ndim == 2:
        return sparse.csr_array(partition)
    seen = np.flatnonzero(partition >= 0)
    shape = len(partition), int(partition.max(initial=-1)) + 1
    return sparse.csr_array((np.ones(len(seen)), (seen, partition[seen])), shape=shape)

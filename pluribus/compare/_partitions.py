"""The two partitions that are compared: label sequences, or n × k memberships."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus._engine import run_tasks
from pluribus._kernels.labels.fuzzy_pairs import add_fuzzy_pairs
from pluribus.partitions import harden
from pluribus.partitions._internal import check_membership, encode_labels

_BINS = 2**14
_MOST_ROWS = 50_000
_MOST_NUMBERS = 2**27  # of memberships


def as_partition(partition: Any, name: str) -> np.ndarray:
    """Codes (n,) of a hard partition, -1 = missing, or memberships (n, k) of a soft one.

    Memberships of 0 and 1 only are a hard partition, written at length.
    """
    if not _is_matrix(partition):
        return encode_labels(partition, name)[0]
    return of_memberships(check_membership(_numbers(partition, name), name), name)


def of_memberships(membership: np.ndarray, name: str) -> np.ndarray:
    """The same for memberships that are known to be such."""
    if ((membership == 0) | (membership == 1)).all():
        return encode_labels(harden(membership), name)[0]
    return membership


def _numbers(partition: Any, name: str) -> np.ndarray:
    try:
        values = np.asarray(partition.toarray() if sparse.issparse(partition) else partition, dtype=float)
        labels = values.shape[1] == 1 and (np.abs(values - 1) > 1e-6).any()  # 0 and 1, too, are labels there
    except (TypeError, ValueError, IndexError):
        labels = True
    if labels:
        raise ValueError(
            f"{name} is two-dimensional, so it is read as n × k memberships, but it holds something else. For labels "
            "pass one sequence of n values, such as a single column of the table."
        )
    return values


def _is_matrix(partition: Any) -> bool:
    """Tuples are labels, as are all hashables; rows that are lists or arrays are memberships."""
    if hasattr(partition, "shape"):
        return len(partition.shape) == 2
    return isinstance(partition, list | tuple) and len(partition) > 0 and isinstance(partition[0], list | np.ndarray)


def cluster_names(partition: Any, name: str) -> np.ndarray:
    """The labels of the clusters of ``as_partition``, or the numbers of columns of memberships that are not empty."""
    if not _is_matrix(partition):
        return encode_labels(partition, name)[1]
    membership = _numbers(partition, name)
    if as_partition(partition, name).ndim == 1:
        return encode_labels(harden(membership), name)[1]
    return np.flatnonzero(membership.sum(axis=0) > 0)


def as_partitions(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both partitions, of the same objects."""
    a, b = as_partition(a, "a"), as_partition(b, "b")
    if len(a) != len(b):
        raise ValueError(f"The two partitions must label the same objects: a has {len(a)}, b has {len(b)}.")
    return a, b


def as_memberships(partition: np.ndarray) -> np.ndarray:
    """Memberships (n, k) of what ``as_partition`` returned; rows of objects that are left out are 0."""
    if partition.ndim == 2:
        return partition
    k = int(partition.max(initial=-1)) + 1
    if len(partition) * k > _MOST_NUMBERS:
        raise ValueError(
            f"A hard partition of {len(partition):,} objects into {k:,} clusters is too large to be compared with a "
            "soft one, since its memberships would be written out. Harden the soft one, or compare a sample of the "
            "objects."
        )
    return (partition[:, None] == np.arange(k)).astype(float)


class FuzzyPairs(NamedTuple):
    """Degrees to which pairs are together, summed over all pairs: Eₐ = 1 - ½ ‖u_x - u_y‖₁ in the first partition."""

    both: float  # min(Eₐ, E_b)
    only_a: float
    only_b: float
    none: float  # 1 - max(Eₐ, E_b)
    by_chance: float  # Σ |Eₐ - E_b| as it would be if the objects of one partition were shuffled


class SoftPair:
    """Two partitions of the same objects of which one is soft at least. Each part is computed when it is needed."""

    def __init__(self, a: np.ndarray, b: np.ndarray) -> None:
        u, v = as_memberships(a), as_memberships(b)
        both = (u.sum(axis=1) > 0) & (v.sum(axis=1) > 0)
        if not both.any():
            raise ValueError("No object is in both partitions, so they cannot be compared.")
        u, v = u[both], v[both]
        self.u = u / u.sum(axis=1, keepdims=True)
        self.v = v / v.sum(axis=1, keepdims=True)
        self.n = len(u)

    @cached_property
    def cost(self) -> np.ndarray:
        """Σ_x |u_xi - v_xj| for each cluster i of the first partition and j of the second."""
        from scipy.spatial.distance import cdist

        return cdist(self.u.T, self.v.T, "cityblock")

    @cached_property
    def misplaced(self) -> float:
        """Half the difference of the memberships under the best one-to-one matching of clusters."""
        from scipy.optimize import linear_sum_assignment

        k = max(self.cost.shape)
        cost = np.zeros((k, k))
        cost[:, :] = self.u.sum(axis=0, keepdims=True).T if self.u.shape[1] == k else self.v.sum(axis=0)
        cost[: self.cost.shape[0], : self.cost.shape[1]] = self.cost
        return float(cost[linear_sum_assignment(cost)].sum() / 2)

    @cached_property
    def pairs(self) -> FuzzyPairs:
        """Over all pairs of objects: O(m²) for m different rows."""
        rows, counts = np.unique(np.hstack([self.u, self.v]), axis=0, return_counts=True)
        if len(rows) > _MOST_ROWS:
            raise ValueError(
                f"The fuzzy form of this measure looks at every pair of {len(rows):,} different membership rows; the "
                f"limit is {_MOST_ROWS:,}. Compare a sample of the objects, harden the memberships, or take a measure "
                "of information or matching, which are linear in the number of objects."
            )
        u, v = (np.ascontiguousarray(part) for part in np.split(rows, [self.u.shape[1]], axis=1))

        size = max(1024, len(rows) // 64)

        def part(start: int) -> tuple[np.ndarray, np.ndarray]:
            sums, binned = np.zeros(4), np.zeros((2, 2, _BINS))
            add_fuzzy_pairs(u, v, counts, start, min(start + size, len(rows)), sums, binned)
            return sums, binned

        parts = run_tasks(part, range(0, len(rows), size), description="pairs of objects")
        sums = sum((own for own, _ in parts), start=np.zeros(4))
        binned = sum((own for _, own in parts), start=np.zeros((2, 2, _BINS)))
        equal = float((counts * (counts - 1.0) / 2).sum())  # pairs of equal rows are wholly together in both
        sums[0] += equal
        binned[:, :, -1] += equal
        both, only_a, only_b, none = sums.tolist()
        return FuzzyPairs(both, only_a, only_b, none, _by_chance(*binned))


def _by_chance(first: np.ndarray, second: np.ndarray) -> float:
    """Mean of |e - f| over all e of the first and f of the second, times the number of pairs, from their bins.

    Bins are compared by their counts and sums, which is exact for values in different bins.
    """
    (count_e, sum_e), (count_f, sum_f) = first, second
    # Σ |e - f| over e in a bin and f in the bins below: e × their count - their sum; and the other way round.
    below_f, below_sum_f = np.cumsum(count_f) - count_f, np.cumsum(sum_f) - sum_f
    below_e, below_sum_e = np.cumsum(count_e) - count_e, np.cumsum(sum_e) - sum_e
    total = (sum_e * below_f - count_e * below_sum_f + sum_f * below_e - count_f * below_sum_e).sum()
    return float((total + np.abs(sum_e * count_f - sum_f * count_e).sum()) / max(count_e.sum(), 1.0))

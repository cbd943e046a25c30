"""Constraints for consensus functions: as preferences, and the number of clusters that they require."""

import warnings

import numpy as np

from pluribus.constraints import Constraints

_CERTAIN = 50.0  # a weight that moves evidence all the way


def as_preferences(constraints: Constraints) -> Constraints:
    """All constraints as pairs with finite weights; hard ones get a weight of 50, which is practically certain.

    Groups and known labels become pairs: all objects of a chunklet are linked to its first object, and chunklets that
    must be apart are separated by a cannot-link between their first objects.
    """
    closure = constraints.closure()
    first = closure.representatives[closure.chunk_of]
    tied = np.flatnonzero(first != np.arange(constraints.n_objects))
    must = np.concatenate([constraints.must_link, np.column_stack([first[tied], tied])])
    cannot = np.concatenate([constraints.cannot_link, closure.representatives[closure.cannot_link].reshape(-1, 2)])
    return Constraints(
        constraints.n_objects,
        must_link=must,
        cannot_link=cannot,
        must_weight=np.minimum(np.append(constraints.must_weight, np.full(len(tied), np.inf)), _CERTAIN),
        cannot_weight=np.minimum(
            np.append(constraints.cannot_weight, np.full(len(closure.cannot_link), np.inf)), _CERTAIN
        ),
    )


def feasible_n_clusters(constraints: Constraints, n_clusters: int) -> int:
    """The nearest number of clusters with which the hard constraints can hold; warns if it differs from the given one.

    Parameters
    ----------
    constraints : Constraints
    n_clusters : int
        The number that the evidence suggests.

    Examples
    --------
    >>> from pluribus import Constraints
    >>> from pluribus.consensus._internal import feasible_n_clusters
    >>> feasible_n_clusters(Constraints(4, cannot_link=[(0, 1)]), 2)
    2
    """
    k = max(n_clusters, len(constraints.classes))
    while k <= constraints.closure().degeneracy and constraints.check(k).status == "infeasible":
        k += 1
    k = min(k, constraints.closure().n_chunks)
    if k != n_clusters:
        bound = "at least" if k > n_clusters else "at most"
        warnings.warn(
            f"The evidence suggests {n_clusters} clusters, but the constraints require {bound} {k}; using {k}.",
            UserWarning,
            stacklevel=3,
        )
    return k

"""What the consensus functions that take constraints share."""

import warnings

import numpy as np

from pluribus.constraints import Constraints

_CERTAIN = 50.0  # a weight that moves evidence all the way


def as_preferences(constraints: Constraints) -> Constraints:
    """The same as pairs that may be broken: what was hard gets a weight of 50, which is as good as certain.

    Groups and known labels become pairs. Of a chunklet all objects are tied to its first, and of two chunklets that
    must be apart the first objects are.
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
    """This number of clusters, or the nearest with which the hard constraints can hold; a warning if it is another.

    Parameters
    ----------
    constraints : Constraints
    n_clusters : int
        What the evidence speaks for.

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
        warnings.warn(
            f"The evidence speaks for {n_clusters} clusters, but the constraints need {k}: {k} it is.",
            UserWarning,
            stacklevel=3,
        )
    return k

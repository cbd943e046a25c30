"""Whether the data of a consensus have clusters at all."""

from typing import Any

import numpy as np
from scipy import sparse

from pluribus.pipeline.candidates.best_candidate import Levels
from pluribus.tables import Rows
from pluribus.validate import Structure, find_structure
from pluribus.validate._internal import deepest_valley


def structure_of(
    consensus: Any, X: Any, levels: Levels | None, *, with_candidates: bool, seed: int, n_jobs: int | None
) -> Structure | None:
    """The structure of the rows that a consensus function linked; None without a tree, and for sparse rows alone.

    Parameters
    ----------
    consensus : a fitted consensus function
    X : array, csr matrix or Rows
    levels : Levels or None
        The candidates. For a sparse table, the components that they are made from are looked at.
    with_candidates : bool
        Whether valleys around candidates for 2 to 20 clusters count too.
    seed : int
    n_jobs : int, optional
    """
    tree = getattr(consensus, "tree_", None)
    if tree is None or (levels is None and sparse.issparse(X)):
        return None
    if levels is not None:
        rows = levels.features
    else:
        rows = X.take(consensus.linked_) if isinstance(X, Rows) else X[consensus.linked_]
    steps = getattr(consensus, "k_stability_", None)
    found = {} if steps is None else {"lifetimes": steps.lifetimes, "stability": steps.stability}
    if with_candidates and levels is not None and (first := levels.first):
        found["agreement"] = min(1.0, max(best.value for best in first))
        partitions = (best.labels.astype(np.int64) for best in first)
        found["valley"] = deepest_valley(rows[levels.places], partitions, random_state=seed, n_jobs=n_jobs)
    return find_structure(rows, tree, random_state=seed, n_jobs=n_jobs, **found)

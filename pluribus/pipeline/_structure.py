"""Whether the data of a consensus have clusters at all."""

from typing import Any

from scipy import sparse

from pluribus.tables import Rows
from pluribus.validate import Structure, find_structure


def structure_of(consensus: Any, X: Any, agreement: float | None, seed: int, n_jobs: int | None) -> Structure | None:
    """The structure of the rows that a consensus function linked; None without a tree, or if X is sparse."""
    tree = getattr(consensus, "tree_", None)
    if tree is None or sparse.issparse(X):
        return None
    rows = X.take(consensus.linked_) if isinstance(X, Rows) else X[consensus.linked_]
    if sparse.issparse(rows):
        return None
    steps = getattr(consensus, "k_stability_", None)
    found = {} if steps is None else {"lifetimes": steps.lifetimes, "stability": steps.stability}
    return find_structure(rows, tree, agreement=agreement, random_state=seed, n_jobs=n_jobs, **found)

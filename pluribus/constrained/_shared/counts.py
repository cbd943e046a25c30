"""Counts of terms: checked, and named."""

from typing import Any

import numpy as np
from scipy import sparse

from pluribus._engine import list_of, plain_array


def check_counts(X: Any) -> None:
    """Refuse numbers below 0."""
    values = X.data if sparse.issparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(
            f"Negative values in data passed to X: the smallest is {values.min()}, but counts must be 0 or more."
        )


def term_names(estimator: Any, names: Any) -> np.ndarray:
    """The terms as given, by default the column names of ``fit``, or the column numbers if there were no names."""
    n_terms = estimator.n_features_in_
    if names is None:
        names = getattr(estimator, "feature_names_in_", range(n_terms))
    names = list_of("names", names, f"{n_terms} terms")
    if len(names) != n_terms:
        raise ValueError(f"names has {len(names)} terms, but X had {n_terms} columns.")
    return plain_array("names", names)

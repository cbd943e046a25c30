"""Features of the objects, next to an ensemble of them."""

from typing import Any

import numpy as np
from sklearn.utils import check_array

from pluribus.tables import Rows
from pluribus.tables._internal import single_floats


def check_features(X: Any, n: int) -> Any:
    """Features in a form that can be averaged."""
    X = X if isinstance(X, Rows) else check_array(single_floats(X), accept_sparse="csr", dtype=[np.float64, np.float32])
    if X.shape[0] != n:
        raise ValueError(f"X has {X.shape[0]} rows, but the ensemble is of {n} objects: give one row for each.")
    return X

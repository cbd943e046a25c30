"""The lift map: each cluster becomes one vector in the feature space of a kernel, Φ(C) = Σ_x γ_xC Φ(x).

Clusters that lie in the same place have nearly the same vector, whichever objects they hold. Whatever compares
partitions in space, or finds their consensus there, needs only these vectors, and their number does not grow with n.
"""

import warnings
from functools import partial
from math import ceil
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.utils import check_array

from pluribus._engine import only_numbers, seeds
from pluribus.partitions._lifted_clusters import FeatureLift, KernelLift, float_type, n_rows, shifted

KERNELS = ("gaussian", "laplacian", "linear", "discrete", "precomputed")
_METRIC = {"gaussian": "euclidean", "laplacian": "cityblock"}  # the kernels with a bandwidth, and random features
_EXACT_UP_TO = 2_000
_FEW_FEATURES, _MANY_OBJECTS, _MANY_FEATURES = 1_000, 20_000, 4_000
_BANDWIDTH_SAMPLE = 1_000
_NARROWEST = 1e-150  # bandwidth, and one over the widest: squares of these are numbers


def lift_map(
    X: Any,
    n_objects: int,
    *,
    kernel: Any = "gaussian",
    sigma: Any = "median",
    n_features: Any = "auto",
    random_state: Any = None,
) -> FeatureLift | KernelLift:
    """The lift map of a kernel over data that ``check_features`` has passed.

    Parameters
    ----------
    X : n objects
    n_objects : int
    kernel : {"gaussian", "laplacian", "linear", "discrete", "precomputed"} or callable
        exp(-‖x - y‖² / 2σ²); exp(-‖x - y‖₁ / σ); the inner product, so that X is a feature map already applied; 1 for
        an object and itself and 0 else, which needs no X; X is the n × n matrix of kernel values; or a function of two
        blocks of objects that returns the matrix of their kernel values.
    sigma : "median" or float
        Bandwidth; "median" is the median distance between the objects, or 1,000 of them.
    n_features : "auto", "exact" or int
        Random features; "auto" is exact up to 2,000 objects, 1,000 features below 20,000, and 4,000 above.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus import Ensemble
    >>> from pluribus.partitions._lift import lift_map
    >>> X = np.array([[0.0], [1], [2], [3], [7], [8], [9], [10]])
    >>> memberships = Ensemble([[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1]]).one_hot()
    >>> lifted = lift_map(X, 8, sigma=2.0).clusters(X, memberships)
    >>> lifted.norms.round(4).tolist()
    [3.5172, 3.5172, 2.9762, 2.9762]
    >>> lifted.gram[0].round(4).tolist()
    [1.0, 0.0215, 0.9314, 0.2758]
    """
    check_kernel(kernel, sigma, n_features)
    if callable(kernel):
        return KernelLift(X, n_objects, kernel)
    if kernel == "linear":
        return FeatureLift()
    if kernel not in _METRIC:
        if kernel == "precomputed":
            _check_kernel_matrix(X)
        return KernelLift(X, n_objects)
    sampling, drawing = seeds(random_state, 2)
    with np.errstate(over="ignore", under="ignore"):
        # The kernel sees differences only; far from the origin these would drown in rounding errors.
        center = 0.0 if sparse.issparse(X) else X.mean(axis=0, dtype=float).astype(float_type(X))
        if sigma == "median":
            sigma = _median_distance(X, _METRIC[kernel], sampling)
    sigma = bandwidth("sigma", sigma)
    if n_features == "auto":
        features = _FEW_FEATURES if n_objects < _MANY_OBJECTS else _MANY_FEATURES
        n_features = "exact" if n_objects <= _EXACT_UP_TO else features
    if n_features == "exact":
        values = partial(sklearn.metrics.pairwise.rbf_kernel, gamma=1 / (2 * sigma**2))
        if kernel == "laplacian":
            values = partial(sklearn.metrics.pairwise.laplacian_kernel, gamma=1 / sigma)
        return KernelLift(shifted(X, center), n_objects, values, center, sigma)
    rng = np.random.default_rng(drawing)
    shape = X.shape[1], ceil(n_features / 2)
    spectrum = rng.standard_normal(shape) if kernel == "gaussian" else rng.standard_cauchy(shape)
    return FeatureLift((spectrum / sigma).astype(float_type(X)), center, sigma)


def check_kernel(kernel: Any, sigma: Any, n_features: Any) -> None:
    """Refuse settings of ``lift_map`` that cannot be."""
    if not callable(kernel) and not (isinstance(kernel, str) and kernel in KERNELS):
        raise ValueError(f"kernel must be one of {', '.join(KERNELS)}, or a function of two blocks; got {kernel!r}.")
    median = isinstance(sigma, str) and sigma == "median"
    if not median and not (isinstance(sigma, Real) and 0 < float(sigma) < np.inf):
        raise ValueError(f"sigma must be 'median' or a positive number; got {sigma!r}.")
    if not isinstance(n_features, Integral) or isinstance(n_features, bool):
        if not isinstance(n_features, str) or n_features not in ("auto", "exact"):
            raise ValueError(f"n_features must be 'auto', 'exact' or a positive whole number; got {n_features!r}.")
        return
    if n_features < 1:
        raise ValueError(f"n_features must be 'auto', 'exact' or a positive whole number; got {n_features}.")
    if callable(kernel) or kernel not in _METRIC:
        raise ValueError(
            f"n_features={n_features} asks for random features, which only the gaussian and the laplacian kernel "
            f"have; got kernel={kernel!r}. Leave n_features='auto'."
        )
    if n_features % 2:
        warnings.warn(
            f"Random features come in pairs: n_features={n_features} is taken as {n_features + 1}.",
            UserWarning,
            stacklevel=3,
        )


def bandwidth(name: str, sigma: float) -> float:
    """A bandwidth, given or found, as a float; refuses one whose square is no number.

    Examples
    --------
    >>> from pluribus.partitions._internal import bandwidth
    >>> bandwidth("sigma", 2)
    2.0
    """
    if not _NARROWEST <= float(sigma) <= 1 / _NARROWEST:
        raise ValueError(
            f"{name}={float(sigma):g} is too {'small' if sigma < 1 else 'large'} to compute with: it must be between "
            f"{_NARROWEST:g} and {1 / _NARROWEST:g}. Scale X, and {name} with it, so that distances are near 1."
        )
    return float(sigma)


def check_features(X: Any, kernel: Any, n_objects: int | None = None) -> Any:
    """X as the kernel needs it; with ``n_objects``, of so many rows. None for the discrete kernel."""
    if isinstance(kernel, str) and kernel == "discrete":
        return None
    if X is None:
        raise ValueError(
            f"X is missing: kernel={kernel!r} needs the features of the objects (or the matrix of kernel values) "
            "beside the ensemble. kernel='discrete' needs none."
        )
    if callable(kernel):
        X = X.to_numpy() if isinstance(X, pd.DataFrame | pd.Series) else X
    else:
        X = only_numbers("X", check_array(X, accept_sparse="csr", dtype="numeric", input_name="X"))
        X = sparse.csr_array(X) if sparse.issparse(X) else X
    if n_objects is not None and n_rows(X) != n_objects:
        raise ValueError(
            f"X has {n_rows(X)} rows, but the ensemble has {n_objects} objects; they must be the same objects."
        )
    return X


def _check_kernel_matrix(K: Any) -> None:
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"A precomputed kernel is a square matrix of n × n values; got shape {K.shape}.")
    if (K.diagonal() < 0).any():
        raise ValueError("The precomputed kernel has negative values on its diagonal, so it is no kernel.")
    asymmetry = max(abs(K[i : i + 256] - K[:, i : i + 256].T).max() for i in range(0, K.shape[0], 256))
    if asymmetry > 1e-8 * abs(K).max():
        raise ValueError(
            f"A precomputed kernel is symmetric; K and its transpose differ by up to {asymmetry:.3g}. Average the two "
            "if that is meant."
        )


def _median_distance(X: Any, metric: str, seed: int) -> float:
    n = X.shape[0]
    index = np.arange(n)
    if n > _BANDWIDTH_SAMPLE:
        index = np.sort(np.random.default_rng(seed).choice(n, _BANDWIDTH_SAMPLE, replace=False))
    sample = X[index]
    if sparse.issparse(sample):
        distances = sklearn.metrics.pairwise_distances(sample, metric=metric)[np.triu_indices(len(index), 1)]
    else:
        distances = pdist(sample, metric)  # exactly 0 for equal rows
    median = np.median(distances) if n > 1 else 0.0
    if median == 0 and n > 1:  # more than half of the pairs coincide
        median = np.median(distances[distances > 0]) if (distances > 0).any() else 0.0
    if not median > 0:
        raise ValueError("sigma='median' has no meaning here: all points coincide. Give sigma a number.")
    return float(median)

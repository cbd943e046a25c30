"""The metric that a learned one should stay close to."""

from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from pluribus._engine import check_summable, number_array
from pluribus.similarity.metric._forms import Learned

_LARGEST = 1e100
_ROUNDING = 1e-8  # of the largest entry or eigenvalue


def read_prior(prior: Any, kind: str, d: int) -> Any:
    """The prior in the form of the kind: d × d, its diagonal, or sparse; None if there is none."""
    if prior is None:
        return None
    if kind == "kernel":
        raise ValueError("prior is for kind='full', 'diagonal' and 'sparse': a kernel has no features to weigh.")
    if isinstance(prior, Real) and not isinstance(prior, bool):
        factor = float(prior)
        if not 0 <= factor <= _LARGEST:
            raise ValueError(f"prior={prior}: give a number from 0 to {_LARGEST:g}, the factor of the identity.")
        return _identity(factor, kind, d)
    if kind == "sparse":
        raise ValueError("prior of kind='sparse' is one number, the factor of the identity.")
    given = number_array("prior", prior)
    shape = (d, d) if kind == "full" else (d,)
    if given.shape != shape:
        raise ValueError(f"prior has shape {given.shape}: give a number, or an array of shape {shape}.")
    if not np.isfinite(given).all():
        raise ValueError("prior holds NaN or infinite values: give finite numbers.")
    check_summable("prior", given.ravel(), _LARGEST)
    if kind == "full":
        _check_metric(given)
    elif (given < 0).any():
        feature = int(np.flatnonzero(given < 0)[0])
        raise ValueError(f"prior[{feature}] is {given[feature]:g}: the weights of features are 0 or more.")
    return given


def _identity(factor: float, kind: str, d: int) -> Any:
    if kind == "full":
        return factor * np.eye(d)
    if kind == "diagonal":
        return np.full(d, factor)
    one = sparse.eye_array(d, format="csr")
    return Learned(factor * one, factor * d**0.5, factor**0.5 * one)


def _check_metric(A: np.ndarray) -> None:
    size = np.abs(A).max(initial=0)
    if np.abs(A - A.T).max(initial=0) > _ROUNDING * size:
        raise ValueError("prior is not symmetric: give a metric, a symmetric matrix without negative eigenvalues.")
    least = float(np.linalg.eigvalsh(A)[0])
    if least < -_ROUNDING * size:
        raise ValueError(f"prior has the eigenvalue {least:.3g}: give a metric, whose eigenvalues are 0 or more.")

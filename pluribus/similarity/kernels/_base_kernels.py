"""Base kernels by name or as functions, and their values between rows."""

from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, euclidean_distances, linear_kernel
from sklearn.neighbors import NearestNeighbors

from pluribus.partitions._internal import bandwidth

DEFAULT = ("linear", "quadratic", "gaussian")
_SAMPLE = 1000  # rows whose distances decide widths
_NONZERO = 0.05  # share of the spline kernel


class BaseKernel(NamedTuple):
    """One entry of ``kernels``."""

    name: str
    form: str  # "features": the rows are their own feature vectors; "kernel": a function; "precomputed": a matrix
    function: Callable[[Any, Any], Any] | None = None
    fitted: Callable[[Any], Callable[[Any, Any], Any]] | None = None  # makes the function from the rows of fit
    of_user: bool = False  # whether the function is a user's


def read_kernels(kernels: Any, n_blocks: int | None) -> list[BaseKernel]:
    """The kernels that a user names; one name is for all blocks of X, if X is a list of blocks."""
    if kernels is None:
        kernels = DEFAULT if n_blocks is None else "linear"
    if isinstance(kernels, str) or callable(kernels) or _with_parameters(kernels):
        kernels = [kernels] * (n_blocks or 1)
    if not isinstance(kernels, list | tuple):
        raise ValueError(
            f"kernels={type(kernels).__name__}: give a list of kernels, each a name, a function, or a pair of one of "
            "these and a dictionary of parameters. Matrices and tables go in X, as a list."
        )
    if not kernels:
        raise ValueError("kernels is empty: give at least one kernel.")
    if n_blocks is not None and len(kernels) != n_blocks:
        raise ValueError(f"kernels has {len(kernels)} entries, but X has {n_blocks} blocks: give one kernel for each.")
    return [_read(m, kernel) for m, kernel in enumerate(kernels)]


def _with_parameters(kernel: Any) -> bool:
    return isinstance(kernel, list | tuple) and len(kernel) == 2 and isinstance(kernel[1], dict)


def _read(m: int, kernel: Any) -> BaseKernel:
    parameters: dict[str, Any] = {}
    if _with_parameters(kernel):
        kernel, parameters = kernel
    if callable(kernel):
        name = getattr(kernel, "__name__", type(kernel).__name__)
        return BaseKernel(name, "kernel", partial(kernel, **parameters), of_user=True)
    names = sorted({*PAIRWISE_KERNEL_FUNCTIONS, *_FITTED, "quadratic", "precomputed"})
    if not isinstance(kernel, str) or kernel not in names:
        raise ValueError(f"kernels[{m}]={kernel!r} is not known: give a function, or one of {', '.join(names)}.")
    if kernel in ("linear", "precomputed") and parameters:
        raise ValueError(f"kernels[{m}]: {kernel!r} has no parameters, got {', '.join(map(str, parameters))}.")
    if kernel in ("linear", "precomputed"):
        return BaseKernel(kernel, "features" if kernel == "linear" else kernel)
    if kernel in _FITTED:
        allowed, make = _FITTED[kernel]
        _check_width(m, kernel, parameters, allowed)
        return BaseKernel(kernel, "kernel", fitted=partial(make, **parameters))
    function = quadratic if kernel == "quadratic" else PAIRWISE_KERNEL_FUNCTIONS[kernel]
    return BaseKernel(kernel, "kernel", partial(function, **parameters))


def _check_width(m: int, kernel: str, parameters: dict[str, Any], allowed: str) -> None:
    """The one parameter of a kernel with a width: a number above 0."""
    for name, value in parameters.items():
        if name != allowed:
            raise ValueError(f"kernels[{m}]: {kernel!r} has no parameter {name!r}, only {allowed!r}.")
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
            raise ValueError(f"kernels[{m}]: {name}={value!r} must be a finite number above 0.")
        bandwidth(name, float(value))


def quadratic(A: Any, B: Any) -> np.ndarray:
    """(1 + ⟨a, b⟩)²."""
    return (1 + linear_kernel(A, B, dense_output=True)) ** 2


def _gaussian(A: Any, sigma: float | None = None) -> Callable[[Any, Any], np.ndarray]:
    """exp(-‖a - b‖² / 2σ²); by default σ is the median distance."""
    width = sigma or float(np.median(_distances(A))) or 1.0
    return partial(gaussian_of, sigma=bandwidth("sigma", width))


def gaussian_of(A: Any, B: Any, sigma: float) -> np.ndarray:
    """Gaussian kernel of width sigma."""
    K = euclidean_distances(A, None if A is B else B, squared=True)
    K *= -0.5 / sigma**2
    return np.exp(K, out=K)


def _spline(A: Any, width: float | None = None) -> Callable[[Any, Any], sparse.csr_array]:
    """max(0, 1 - ‖a - b‖ / h); by default 95 % of the values are 0."""
    width = width or float(np.quantile(_distances(A), _NONZERO)) or 1.0
    return partial(spline_of, width=bandwidth("width", width))


def spline_of(A: Any, B: Any, width: float) -> sparse.csr_array:
    """B1-spline kernel of this width, sparse."""
    graph = NearestNeighbors(radius=width).fit(B).radius_neighbors_graph(A, mode="distance")
    graph.data = np.maximum(1 - graph.data / width, 0)
    return sparse.csr_array(graph).astype(A.dtype)


def _distances(A: Any) -> np.ndarray:
    """Distances between distinct rows of a sample of A."""
    n = A.shape[0]
    sample = A[np.unique(np.linspace(0, n - 1, min(n, _SAMPLE)).astype(int))]
    if sample.shape[0] < 2:
        return np.zeros(1)
    return euclidean_distances(sample)[np.triu_indices(sample.shape[0], 1)]


_FITTED: dict[str, tuple[str, Callable[..., Any]]] = {"gaussian": ("sigma", _gaussian), "spline": ("width", _spline)}

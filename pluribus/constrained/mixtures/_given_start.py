"""Parameters of a mixture that the user gives as a start."""

from typing import Any, NamedTuple

import numpy as np

from pluribus._engine import number_array


class GivenStart(NamedTuple):
    """The given parts of the start, checked; None where nothing is given."""

    weights: np.ndarray | None
    means: np.ndarray | None
    precisions: np.ndarray | None

    @classmethod
    def of(cls, mixture: Any, n_features: int) -> "GivenStart":
        """The parameters ``weights_init``, ``means_init`` and ``precisions_init`` of an estimator."""
        k, d, kind = mixture.n_clusters, n_features, mixture.covariance_type
        shape = {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}[kind]
        weights = _checked("weights_init", mixture.weights_init, (k,))
        if weights is not None and ((weights <= 0).any() or not np.isclose(weights.sum(), 1)):
            raise ValueError(f"weights_init must be positive and sum to 1, got {weights}.")
        means = _checked("means_init", mixture.means_init, (k, d))
        precisions = _checked("precisions_init", mixture.precisions_init, shape)
        if precisions is not None and not _positive(precisions, kind):
            raise ValueError(
                "precisions_init must be positive"
                + (" definite and symmetric matrices" if kind in ("full", "tied") else " numbers")
                + " with a finite inverse."
            )
        return cls(weights, means, precisions)


def checked_factors(anneal: Any, above: float = -1) -> tuple[float, ...]:
    """The multipliers of ``anneal``, increasing from 0 to 1, all of them above a number."""
    factors = number_array("anneal", () if anneal is None else anneal)
    within = (factors >= 0) & (factors > above) & (factors <= 1)
    if factors.ndim != 1 or not np.all(within) or (np.diff(factors) <= 0).any():
        least = "above 0 to" if above == 0 else "from 0 to"
        raise ValueError(f"anneal must be increasing numbers {least} 1, such as (0.2, 0.5), got {anneal!r}.")
    return tuple(factors.tolist())


def _checked(name: str, values: Any, shape: tuple[int, ...]) -> np.ndarray | None:
    if values is None:
        return None
    array = number_array(name, values)
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite numbers of shape {shape}, got shape {array.shape}.")
    return array


def _positive(precisions: np.ndarray, kind: str) -> bool:
    """Whether precisions are positive, and covariances can be made of them."""
    if kind not in ("full", "tied"):
        return bool((precisions >= np.finfo(np.float64).tiny).all())
    try:
        np.linalg.cholesky(precisions)
        finite = np.isfinite(np.linalg.inv(precisions)).all()
    except np.linalg.LinAlgError:
        return False
    return bool(finite) and np.allclose(precisions, np.swapaxes(precisions, -1, -2))

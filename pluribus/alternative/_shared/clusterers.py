"""The clusterer that a method uses: by its name, or given by the user."""

from collections.abc import Collection
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.mixture import GaussianMixture

_RIDGE = 1e-6  # of the variances of a Gaussian mixture, as a share of their mean


def check_clusterer(base: Any, names: Collection[str]) -> None:
    """Refuse what is neither one of these names nor a clusterer."""
    known = base in names if isinstance(base, str) else hasattr(base, "fit") and hasattr(base, "get_params")
    if not known or isinstance(base, type):
        raise ValueError(f"base={base!r:.100} is unknown: give one of {', '.join(names)}, or a clusterer.")


def configured_clusterer(base: Any, n_clusters: int, seed: int) -> Any:
    """A copy of a clusterer with this number of clusters and this seed, where it takes them.

    Examples
    --------
    >>> from sklearn.cluster import Birch
    >>> from pluribus.alternative._shared.clusterers import configured_clusterer
    >>> configured_clusterer(Birch(threshold=0.1), 4, seed=0)
    Birch(n_clusters=4, threshold=0.1)
    """
    model = clone(base)
    own = model.get_params(deep=False)
    number = {name: n_clusters for name in ("n_clusters", "n_components") if name in own}
    start = {"random_state": seed} if "random_state" in own and own["random_state"] is None else {}
    return model.set_params(**number, **start)


def gaussian_mixture(rows: np.ndarray, n_clusters: int, seed: int, **how: Any) -> GaussianMixture:
    """A mixture of Gaussians whose variances have a floor that follows the scale of the rows."""
    ridge = max(_RIDGE * float(rows.var(axis=0, dtype=np.float64).mean()), np.finfo(np.float32).tiny)
    return GaussianMixture(n_clusters, reg_covar=ridge, random_state=seed, **how)

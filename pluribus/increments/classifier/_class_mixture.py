"""A Gaussian mixture for one class, with the number of components that the BIC prefers."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

_MAX_ITER = 300


def class_mixture(
    X: np.ndarray, max_components: int, covariance_type: str, reg_covar: float, seed: int
) -> GaussianMixture | None:
    """The mixture with the lowest BIC; None if the covariance of the class is singular.

    There are at least d + 1 objects for each component, and a component with a full covariance has as many: with fewer
    it is singular, and its density, which only ``reg_covar`` limits, would decide the BIC.
    """
    n, d = X.shape
    best, least = None, np.inf
    for k in range(1, min(max_components, max(1, n // (d + 1))) + 1):
        mixture = GaussianMixture(
            k, covariance_type=covariance_type, reg_covar=reg_covar, max_iter=_MAX_ITER, random_state=seed
        )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # also of candidates that are not chosen
                bic = mixture.fit(X).bic(X)
        except ValueError:  # a component without any spread
            break
        is_singular = covariance_type == "full" and n * mixture.weights_.min() < d + 1
        if bic < least and (k == 1 or not is_singular):
            best, least = mixture, bic
    return best

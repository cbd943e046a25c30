"""How well a distribution fits increments, and how far two distributions are apart."""

from typing import Any

import numpy as np

from pluribus.increments.distribution import IncrementsDistribution, checked_increments

_PANELS, _NODES = 400, 16
_SHARE = 1e-18  # what both distributions leave out at their ends


def cramer_von_mises_statistic(increments: Any, distribution: IncrementsDistribution) -> float:
    """The Cramér-von Mises statistic T: less is better.

    There is no p-value, since ``distribution`` was usually fitted to the same increments.

    Parameters
    ----------
    increments : array of numbers that are not negative
    distribution : IncrementsDistribution

    Examples
    --------
    >>> from pluribus.increments import IncrementsDistribution, cramer_von_mises_statistic
    >>> round(cramer_von_mises_statistic([1.0], IncrementsDistribution(1.0)), 6)
    0.089653
    """
    w = np.sort(checked_increments(increments))
    _check(distribution)
    n = len(w)
    expected = (2 * np.arange(1, n + 1) - 1) / (2 * n)
    return float(1 / (12 * n) + ((expected - distribution.cdf(w)) ** 2).sum())


def jensen_shannon_divergence(a: IncrementsDistribution, b: IncrementsDistribution) -> float:
    """The Jensen-Shannon divergence of two distributions of increments, in nats: 0 if equal, log 2 if disjoint.

    Parameters
    ----------
    a, b : IncrementsDistribution

    Examples
    --------
    >>> from pluribus.increments import IncrementsDistribution, jensen_shannon_divergence
    >>> did, exponential = IncrementsDistribution(1), IncrementsDistribution(1, model="exponential")
    >>> round(jensen_shannon_divergence(did, exponential), 5)
    0.01155
    """
    _check(a)
    _check(b)
    # In log(w) both ends fall off fast, however different the scales are.
    low = np.log(min(float(one.ppf(_SHARE)) for one in (a, b)))
    high = np.log(max(float(one.isf(_SHARE)) for one in (a, b)))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    width = (high - low) / _PANELS
    t = (low + width * (np.arange(_PANELS)[:, None] + (nodes + 1) / 2)).ravel()
    weight = np.tile(weights, _PANELS) * width / 2 * np.exp(t)
    log_p, log_q = a.logpdf(np.exp(t)), b.logpdf(np.exp(t))
    log_mean = np.logaddexp(log_p, log_q) - np.log(2)
    return float(weight @ (np.exp(log_p) * (log_p - log_mean) + np.exp(log_q) * (log_q - log_mean)) / 2)


def _check(distribution: Any) -> None:
    if not isinstance(distribution, IncrementsDistribution):
        raise ValueError(f"distribution={distribution!r}: give an IncrementsDistribution.")

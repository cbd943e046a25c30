"""A mixture in which each row has an effect of its known group, and each cluster a covariance of its own."""

from typing import NamedTuple

import numpy as np

_TRUST = 0.9  # of the labels at the start: the rest is spread over all clusters
_RIDGE = 1e-3  # on variances of rows whose own are 1
_NEGLIGIBLE = 1e-9  # of the largest: smaller eigenvalues are rounding
_TOLERANCE, _MAX_ITER = 1e-6, 300  # of the log-likelihood of a row


class TwoWay(NamedTuple):
    """What the mixture says: the most probable cluster of each row, and the log-likelihood of a row."""

    labels: np.ndarray
    log_likelihood: float


class _Clusters(NamedTuple):
    effects: np.ndarray  # (k, d)
    whitening: np.ndarray  # (k, d, d): W of which W.T @ W is the inverse covariance


def two_way_mixture(rows: np.ndarray, group: np.ndarray, n_groups: int, labels: np.ndarray) -> TwoWay:
    """Improve clusters by EM: a row is the effect of its group, the effect of its cluster, and noise of the cluster.

    Clusters may be unevenly spread over the groups: each group has its own shares, with one further row as a prior.

    Parameters
    ----------
    rows : (n, d)
        With a variance of about 1 in each direction.
    group : (n,)
    n_groups : int
    labels : (n,)
        Where to start; all clusters have rows.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.alternative.choice._two_way_mixture import two_way_mixture
    >>> rows = np.array([[0.0], [0.1], [3], [3.1], [1], [1.1], [4], [4.1]]) / 2
    >>> two_way_mixture(rows, np.repeat([0, 1], 4), 2, np.array([0, 0, 1, 1, 0, 1, 1, 1])).labels.tolist()
    [0, 0, 1, 1, 0, 0, 1, 1]
    """
    k = int(labels.max()) + 1
    shares = _TRUST * np.eye(k)[labels] + (1 - _TRUST) / k
    sizes = np.bincount(group, minlength=n_groups)
    of_group = _regressed(rows, group, n_groups, shares)
    before = -np.inf
    for _ in range(_MAX_ITER):
        clusters = _fitted(rows - of_group[group], shares)
        weights = (_summed(shares, group, n_groups) + 1 / k) / (sizes[:, None] + 1)
        scores = np.log(weights)[group] + _log_densities(rows - of_group[group], clusters)
        highest = scores.max(axis=1, keepdims=True)
        likelihood = np.exp(scores - highest)
        total = likelihood.sum(axis=1, keepdims=True)
        shares = likelihood / total
        now = float((highest + np.log(total)).mean())
        if now - before < _TOLERANCE:
            break
        before = now
        of_group = _group_effects(rows, group, n_groups, shares, clusters)
    return TwoWay(shares.argmax(axis=1), now)


def _regressed(rows: np.ndarray, group: np.ndarray, n_groups: int, shares: np.ndarray) -> np.ndarray:
    """The effects of groups in a regression on groups and clusters together."""
    sizes = np.maximum(np.bincount(group, minlength=n_groups), 1)[:, None]
    means, counts = _summed(rows, group, n_groups) / sizes, _summed(shares, group, n_groups)
    products = np.diag(counts.sum(axis=0)) - counts.T @ (counts / sizes)
    effects = np.linalg.pinv(products, rcond=_NEGLIGIBLE, hermitian=True) @ shares.T @ (rows - means[group])
    return means - counts / sizes @ effects


def _fitted(rows: np.ndarray, shares: np.ndarray) -> _Clusters:
    """Means and covariances of the clusters, once the effects of groups are removed."""
    d, sizes = rows.shape[1], np.maximum(shares.sum(axis=0), 1e-9)
    effects = (shares.T @ rows) / sizes[:, None]
    whitening = np.empty((len(sizes), d, d))
    for c, size in enumerate(sizes):
        apart = rows - effects[c]
        covariance = (shares[:, c, None] * apart).T @ apart / size + _RIDGE * np.eye(d)
        whitening[c] = np.linalg.inv(np.linalg.cholesky(covariance))
    return _Clusters(effects, whitening)


def _log_densities(rows: np.ndarray, clusters: _Clusters) -> np.ndarray:
    """Of each row in each cluster, (n, k)."""
    found = [
        np.log(np.diag(whitening)).sum() - (((rows - effect) @ whitening.T) ** 2).sum(axis=1) / 2
        for effect, whitening in zip(*clusters, strict=True)
    ]
    return np.column_stack(found) - rows.shape[1] * np.log(2 * np.pi) / 2


def _group_effects(
    rows: np.ndarray, group: np.ndarray, n_groups: int, shares: np.ndarray, clusters: _Clusters
) -> np.ndarray:
    """The shift of each group that is most likely, given the clusters."""
    precision = clusters.whitening.transpose(0, 2, 1) @ clusters.whitening
    counts = _summed(shares, group, n_groups)
    curvature = np.einsum("gc,cde->gde", counts, precision)
    apart = np.stack(
        [
            _summed(shares[:, c, None] * (rows - effect), group, n_groups) @ precision[c]
            for c, effect in enumerate(clusters.effects)
        ]
    ).sum(axis=0)
    effects = np.zeros((n_groups, rows.shape[1]))
    there = counts.sum(axis=1) > 0
    effects[there] = np.linalg.solve(curvature[there], apart[there][:, :, None])[:, :, 0]
    return effects


def _summed(values: np.ndarray, group: np.ndarray, n_groups: int) -> np.ndarray:
    total = np.zeros((n_groups, values.shape[1]))
    np.add.at(total, group, values)
    return total

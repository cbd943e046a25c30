"""How far clusters are apart in what the known groups leave unexplained (Wilks' lambda)."""

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, svds

from pluribus.alternative._shared.known import Known
from pluribus.alternative._shared.residuals import Residuals, sum_rows

_DIRECTIONS = 20  # of the residuals that count, those of most variance; with fewer features, all of them
_NEGLIGIBLE = 1e-9  # of the largest: smaller deviations and variances are rounding
_LEAST = 1e-6  # of the variance of a direction that clusters leave: no direction can outweigh all others


class Separation:
    """The gain of the model "group + cluster" over the model "group".

    Each row is the sum of an effect of its known group, an effect of its cluster, and noise. The score is half the
    logarithm of how much the generalized variance of the noise falls when clusters are added, for each direction:
    -log(Wilks' lambda) / 2d. It is the gain in log-likelihood of a Gaussian model with one covariance, for each row and
    direction. Both effects are fitted together: a cluster that is frequent in one group keeps its effect, which the
    mean of the group would take along. The units of features, and how they are mixed, do not matter. Clusters that
    follow from the known groups score 0.

    Examples
    --------
    >>> import numpy as np
    >>> from pluribus.alternative._shared.known import read_known
    >>> from pluribus.alternative.choice._separation import Separation
    >>> X = np.array([[0, 0], [0, 1], [0.2, 0.1], [0.1, 0.8], [9, 0], [9, 1], [9.1, 0.3], [9.3, 0.9]])
    >>> beyond = Separation(X, read_known([0, 0, 0, 0, 1, 1, 1, 1], 8))
    >>> [round(beyond.score(np.array(labels)), 2) for labels in ([0, 1] * 4, [0] * 4 + [1] * 4)]
    [0.74, 0.0]
    """

    def __init__(self, X: Any, known: Known) -> None:
        self.group = np.where(known.codes < 0, known.n_groups, known.codes)
        self.group_sizes = np.bincount(self.group, minlength=known.n_groups + 1)
        self.rows = _white(_directed(Residuals(X, self.group, known.n_groups + 1)))

    def score(self, labels: np.ndarray) -> float:
        """The score of a partition; 0 if the groups leave nothing."""
        if not self.rows.shape[1]:
            return 0.0
        k, n_groups = int(labels.max()) + 1, len(self.group_sizes)
        counts = np.bincount(self.group * k + labels, minlength=n_groups * k).reshape(n_groups, k)
        # Products of the indicators of clusters, after a regression on those of groups; rows have had theirs.
        products = np.diag(counts.sum(axis=0)) - counts.T @ (counts / np.maximum(self.group_sizes, 1)[:, None])
        sums = sum_rows(self.rows, labels, k)
        explained = sums.T @ np.linalg.pinv(products, rcond=_NEGLIGIBLE, hermitian=True) @ sums / len(labels)
        left = np.clip(1 - np.linalg.eigvalsh(explained), _LEAST, 1)
        return float(-np.log(left).mean() / 2) + 0.0


def _directed(residuals: Residuals) -> np.ndarray:
    """The residuals along the directions that count."""
    X = residuals.X
    n, d = X.shape
    if d <= _DIRECTIONS:
        return residuals.matrix().astype(np.float64)
    if not residuals.squared_norms().any():
        return np.zeros((n, 0))

    def across(u: np.ndarray) -> np.ndarray:
        u = u.ravel()
        return X.T @ u - np.bincount(residuals.group, u, minlength=len(residuals.means)) @ residuals.means

    operator = LinearOperator(
        (n, d), matvec=lambda v: residuals.dot(v.reshape(1, -1))[:, 0], rmatvec=across, dtype=np.float64
    )
    start = np.random.default_rng(0).normal(size=min(n, d))
    directions = svds(operator, k=min(_DIRECTIONS, n - 1), v0=start, return_singular_vectors="vh")[2]
    return residuals.dot(directions).astype(np.float64)


def _white(rows: np.ndarray) -> np.ndarray:
    """Uncorrelated columns of variance 1 that span the same, without those that are constant."""
    spread = rows.std(axis=0)
    rows = rows[:, spread > _NEGLIGIBLE * spread.max(initial=0)]
    rows = rows / rows.std(axis=0)
    values, vectors = np.linalg.eigh(rows.T @ rows / len(rows))
    kept = values > _NEGLIGIBLE * values.max(initial=0)
    return rows @ (vectors[:, kept] / np.sqrt(values[kept]))

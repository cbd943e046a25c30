"""How rows are distributed within a cluster: as counts, as numbers, or as yes and no.

Each is an exponential family. With the mean μ of a cluster, the log-likelihood of a row x is x · natural(μ) + Σ offset(μ),
up to a term of x alone; the inverse variance of each feature is precision(μ).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

Table = np.ndarray
LEAST = 1e-300  # probabilities below are taken as this, so that their logarithm is finite


class Family(NamedTuple):
    """One form of the likelihood."""

    name: str
    code: int  # for compiled loops
    natural: Callable[[Table, int], Table]
    offset: Callable[[Table, int], Table]
    precision: Callable[[Table, int], Table]


def _log(values: Table) -> Table:
    return np.log(np.maximum(values, LEAST))


def _inverse(values: Table) -> Table:
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > LEAST)


MULTINOMIAL = Family(
    "multinomial",
    0,
    natural=lambda mean, d: _log(mean),
    offset=lambda mean, d: np.zeros_like(mean),
    precision=lambda mean, d: _inverse(mean),
)
GAUSSIAN = Family(
    "gaussian",
    1,
    natural=lambda mean, d: mean,
    offset=lambda mean, d: -0.5 * mean**2,
    precision=lambda mean, d: np.ones_like(mean),
)
# A row of d answers is one draw of a question and its answer, as if [x, 1 - x] were counts.
BERNOULLI = Family(
    "bernoulli",
    2,
    natural=lambda mean, d: (_log(mean) - _log(1 - mean)) / d,
    offset=lambda mean, d: _log(1 - mean) / d,
    precision=lambda mean, d: _inverse(mean * (1 - mean)) / d,
)
FAMILIES = {family.name: family for family in (MULTINOMIAL, GAUSSIAN, BERNOULLI)}


def prepare_rows(X: Any, family: Family) -> Any:
    """The rows as the family takes them; raises if it cannot.

    Counts become shares of their row. Numbers are taken from their mean if they are dense, which loses no digits to it.
    """
    values = X.data if sparse.issparse(X) else X
    if family is GAUSSIAN:
        return X if sparse.issparse(X) else X - X.mean(axis=0)
    if family is BERNOULLI:
        wrong = values[(values != 0) & (values != 1)]
        if wrong.size:
            raise ValueError(f"likelihood='bernoulli' takes features that are 0 or 1, but X has {wrong.flat[0]:g}.")
        return X
    if (values < 0).any():
        raise ValueError(
            f"Negative values in data: likelihood='multinomial' takes counts, but X has {values.min():g}. Use "
            "likelihood='gaussian'."
        )
    totals = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
    if not totals.all():
        raise ValueError(
            f"likelihood='multinomial' takes counts, but row {int(np.argmin(totals))} of X is all zero: leave such rows "
            "out, or use likelihood='gaussian'."
        )
    if sparse.issparse(X):
        return sparse.csr_array((X.data / np.repeat(totals, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape)
    return X / totals[:, None]

"""How rows are distributed within a cluster: as counts, as numbers, or as yes and no.

Each is an exponential family. With the mean μ of a cluster, the log-likelihood of a row x is x · natural(μ) +
Σ offset(μ), up to a term of x alone; the inverse variance of each feature is precision(μ).
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

    def __reduce__(self) -> Any:
        return family_named, (self.name,)


def log_of(values: Table) -> Table:
    """The logarithm, finite at 0."""
    return np.log(np.maximum(values, LEAST))


def _inverse(values: Table) -> Table:
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > LEAST)


MULTINOMIAL = Family(
    "multinomial",
    0,
    natural=lambda mean, d: log_of(mean),
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
    natural=lambda mean, d: (log_of(mean) - log_of(1 - mean)) / d,
    offset=lambda mean, d: log_of(1 - mean) / d,
    precision=lambda mean, d: _inverse(mean * (1 - mean)) / d,
)
FAMILIES = {family.name: family for family in (MULTINOMIAL, GAUSSIAN, BERNOULLI)}


def family_named(name: str) -> Family:
    """The family of this name; a stored model finds it by this."""
    return FAMILIES[name]


def family_of(X: Any) -> Family:
    """The family that rows look like: answers, counts or numbers.

    Whole numbers from 0 are counts if most are 0, or if all rows have the same total; else they may be anything. Sparse
    numbers from 0 need not be whole: they are counts with weights, such as tf-idf.
    """
    values = X.data if sparse.issparse(X) else X
    whole = np.array_equal(values, np.floor(values))
    if values.min(initial=0) < 0 or not (whole or sparse.issparse(X)):
        return GAUSSIAN
    if not sparse.issparse(X) and values.max() <= 1:
        return BERNOULLI
    totals = row_totals(X)
    if not totals.all():
        return GAUSSIAN
    mostly_zero = np.count_nonzero(values) <= 0.5 * X.shape[0] * X.shape[1]
    return MULTINOMIAL if mostly_zero or np.ptp(totals) == 0 else GAUSSIAN


def center_of(X: Any, family: Family) -> np.ndarray | None:
    """What is subtracted from rows before anything else: the mean of dense numbers, which loses no digits to it."""
    return X.mean(axis=0) if family is GAUSSIAN and not sparse.issparse(X) else None


def prepare_rows(X: Any, family: Family, center: np.ndarray | None = None) -> Any:
    """The rows as the family takes them, in double precision; raises if it cannot. Counts become shares."""
    X = X.astype(np.float64)
    if sparse.issparse(X):
        X = sparse.csr_array(X)
        X.eliminate_zeros()
    values = X.data if sparse.issparse(X) else X
    if family is GAUSSIAN:
        return X if center is None else X - center
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
    totals = row_totals(X)
    if not totals.all():
        raise ValueError(
            f"likelihood='multinomial' takes counts, but row {int(np.argmin(totals))} of X is all zero: leave such "
            "rows out, or use likelihood='gaussian'."
        )
    if sparse.issparse(X):
        return sparse.csr_array((X.data / np.repeat(totals, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape)
    return X / totals[:, None]


def row_totals(X: Any) -> np.ndarray:
    """The sum of each row."""
    return np.asarray(X.sum(axis=1), dtype=np.float64).ravel()

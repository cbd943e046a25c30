"""Logistic losses of labels and pairs as functions of f, the decision values at all points.

Each has the value, the gradient in f, and a curvature: a sparse, positive semidefinite matrix H for Newton steps.
"""

from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse
from scipy.special import expit

from pluribus.similarity.pairwise._terms import Terms


class Loss(Protocol):
    """A smooth loss of decision values, and a bound that it is never below."""

    @property
    def floor(self) -> float: ...

    def value(self, f: np.ndarray) -> float: ...

    def gradient(self, f: np.ndarray) -> np.ndarray: ...

    def curvature(self, f: np.ndarray) -> sparse.csr_array: ...


class MarginLoss(NamedTuple):
    """Σ_r forward_r L(u_r) + backward_r L(-u_r), with u = rows @ f and L(z) = log(1 + exp(-z)); convex."""

    rows: sparse.csr_array
    forward: np.ndarray
    backward: np.ndarray

    @property
    def floor(self) -> float:
        return float(2 * np.log(2) * np.minimum(self.forward, self.backward).sum())

    def value(self, f: np.ndarray) -> float:
        u = self.rows @ f
        return float(self.forward @ np.logaddexp(0, -u) + self.backward @ np.logaddexp(0, u))

    def gradient(self, f: np.ndarray) -> np.ndarray:
        u = self.rows @ f
        return self.rows.T @ (self.backward * expit(u) - self.forward * expit(-u))

    def curvature(self, f: np.ndarray) -> sparse.csr_array:
        u = self.rows @ f
        second = (self.forward + self.backward) * expit(u) * expit(-u)
        return sparse.csr_array(self.rows.T @ (sparse.diags_array(second) @ self.rows))


def convex_loss(terms: Terms) -> MarginLoss:
    """Labels, and pairs by L(u) + L(-u) with u = f_i - c f_j (17.4), or L(-f_i - f_j) if exclusive (17.23)."""
    equal = terms.pair_weight[terms.equations]
    apart = terms.pair_weight[~terms.equations]
    rows = sparse.vstack([terms.label_rows(), terms.agreement_rows(), terms.exclusion_rows()], format="csr")
    forward = np.concatenate([terms.weight, equal, apart])
    backward = np.concatenate([np.zeros_like(terms.weight), equal, np.zeros_like(apart)])
    return MarginLoss(sparse.csr_array(rows), forward, backward)


class PairLikelihood(NamedTuple):
    """Labels, and pairs by minus the logarithm of their probability if labels are drawn with P(+1) = sig(f) (17.19).

    P(pair) = sig(a) sig(b) + sig(-a) sig(-b) with a = f_i, b = c f_j, or 1 - sig(f_i) sig(f_j) if exclusive. It is not
    convex. The curvature is that of the M-step of EM, in which the pair is replaced by weighted labels: a Newton step
    with it, shortened until the loss falls, is a step of generalized EM.
    """

    labels: MarginLoss
    one: np.ndarray
    other: np.ndarray
    c: np.ndarray
    exclusive: np.ndarray
    weight: np.ndarray
    floor: float = 0.0

    def value(self, f: np.ndarray) -> float:
        a, b = f[self.one], self.c * f[self.other]
        agreed = np.logaddexp(0, a + b)
        not_both = np.logaddexp(np.logaddexp(0, a), b)
        apart = np.logaddexp(0, a) + np.logaddexp(0, b) - np.where(self.exclusive, not_both, agreed)
        return self.labels.value(f) + float(self.weight @ apart)

    def gradient(self, f: np.ndarray) -> np.ndarray:
        first, second = self.expected(f)
        result = self.labels.gradient(f)
        np.add.at(result, self.one, self.weight * (expit(f[self.one]) - first))
        np.add.at(result, self.other, self.weight * (expit(f[self.other]) - second))
        return result

    def expected(self, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The E-step: the probability of +1 at both ends of each pair, given that the pair holds."""
        a, b = f[self.one], f[self.other]
        r = expit(a + self.c * b)
        neither = np.logaddexp(np.logaddexp(0, a), b)
        first = np.where(self.exclusive, np.exp(a - neither), r)
        second = np.where(self.exclusive, np.exp(b - neither), np.where(self.c > 0, r, 1 - r))
        return first, second

    def curvature(self, f: np.ndarray) -> sparse.csr_array:
        variance = expit(f) * expit(-f)
        places, n = np.concatenate([self.one, self.other]), len(f)
        expected_labels = np.bincount(places, np.tile(self.weight, 2), minlength=n)
        return sparse.csr_array(self.labels.curvature(f) + sparse.diags_array(expected_labels * variance))


def likelihood_loss(terms: Terms) -> PairLikelihood:
    """The form that is not convex."""
    none = np.zeros_like(terms.weight)
    exclusive = ~terms.equations
    return PairLikelihood(
        MarginLoss(terms.label_rows(), terms.weight, none),
        terms.one,
        terms.other,
        np.where(terms.same | exclusive, 1.0, -1.0),
        exclusive,
        terms.pair_weight,
    )

"""Log-likelihoods of rows in clusters whose profile changes with known variables: one regression for each cluster."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus.alternative._shared.families import BERNOULLI, GAUSSIAN, LEAST, MULTINOMIAL, Family, log_of
from pluribus.alternative._shared.group_scores import GroupScores, Profiles

_BLOCK = 256  # features at a time: no dense copy of a sparse X
_STEPS, _RIDGE = 5, 1e-3  # Newton's steps and the ridge of regressions without a closed form
_TINY_RIDGE = 1e-8  # of linear regression: known variables may be collinear
_LARGEST_STEP, _LARGEST = 2.0, 50.0  # of the linear predictor


class LinearProfiles(NamedTuple):
    """The regressions of the clusters, and their means over all rows."""

    coefficients: np.ndarray  # (k, 1 + variables, features)
    overall: Profiles


class LinearScores:
    """As ``GroupScores``, but what is known of a row are numbers: means depend on them by a generalized linear model.

    Numbers have a linear regression on the known variables for each cluster, answers a logistic one, and shares of
    counts a Poisson regression of each feature, whose means are divided by their sum.
    """

    def __init__(self, X: Any, variables: np.ndarray, weights: np.ndarray, family: Family) -> None:
        self.n, self.d = X.shape
        self.weights, self.family = weights, family
        self._X = X.tocsc() if sparse.issparse(X) else X
        self.location, scale = variables.mean(axis=0), variables.std(axis=0)
        self.scale = np.where(scale > 0, scale, 1.0)
        self.design = self._designed(variables)
        self._all = GroupScores(X, np.zeros(self.n, dtype=np.int64), weights, family)
        everything = np.ones((self.n, 1))
        self.entropies = np.array([-self._explained(everything), self._all.entropies[1]])

    def profiles(self, q: np.ndarray) -> LinearProfiles:
        """The regressions of clusters with the memberships q."""
        coefficients = np.empty((q.shape[1], self.design.shape[1], self.d))
        for columns, rows in self._blocks():
            for c, member in enumerate(q.T):
                coefficients[c, :, columns] = _regression(self.family, self.design, rows, self.weights * member)
        return LinearProfiles(coefficients, self._all.profiles(q))

    def scores(self, q: np.ndarray, coordination: float) -> np.ndarray:
        """E(x, c) = log Q(x | c, z) + λ Σ_f P(f|x) log P(f|c), the exponent of (11.6): (n, k)."""
        profiles = self.profiles(q)
        return self._within(self._X, self.design, profiles) + coordination * self._all.scores_of(profiles.overall, 0.0)

    def scores_of_new(self, X: Any, variables: Any, profiles: LinearProfiles, coordination: float) -> np.ndarray:
        """The same for other rows; without their known variables, the clusters as a whole decide."""
        overall = self._all.scores_of_new(X, np.full(X.shape[0], -1), profiles.overall, 0.0)
        if variables is None:
            return (1 + coordination) * overall
        return self._within(X, self._designed(variables), profiles) + coordination * overall

    def informations(self, q: np.ndarray) -> tuple[float, float]:
        """I(C;F|Z), as far as the regressions know Z, and I(C;F), in nats."""
        return float(self._explained(q) + self.entropies[0]), self._all.informations(q)[1]

    def known_information(self) -> float:
        """I(Z;F) in nats, as far as the regressions know Z."""
        return float(self.entropies[1] - self.entropies[0])

    def mean_square(self) -> float:
        """Σ P(x) |x|²."""
        return self._all.mean_square()

    def novelty(self, q: np.ndarray) -> float:
        """How much clusters explain of what the known variables leave; see ``GroupScores.novelty``."""
        weighted = self.weights[:, None] * q
        precision = self.family.precision(self._all.profiles(np.ones((self.n, 1))).overall, self.d)[:, 0]
        total, sizes = 0.0, np.maximum(weighted.sum(axis=0), LEAST)
        for columns, rows in self._blocks():
            fitted = _regression(self.family, self.design, rows, self.weights)
            beyond = weighted.T @ (rows - _means(self.family, self.design @ fitted))
            total += float((precision[columns] * beyond**2 / sizes[:, None]).sum())
        return total

    def fluctuations(self, member: np.ndarray, coordination: float) -> Any:
        """See ``GroupScores.fluctuations``: here the groups are replaced by the leverage of the regressions."""
        w = self.weights * member
        w = w / w.sum()
        root, design, family = np.sqrt(w), self.design, self.family
        common = self._all.fluctuations(member, 1.0) if coordination else None
        squares = (design[:, :, None] * design[:, None, :]).reshape(self.n, -1)
        p, unit = design.shape[1], 1 / self.d if family is BERNOULLI else 1.0
        parts = []
        for columns, rows in self._blocks():
            fitted = _regression(family, design, rows, w)
            means = _means(family, design @ fitted)
            inverses = np.linalg.inv(_curvatures(squares, w, _variances(family, means), p, _TINY_RIDGE))
            parts.append((columns, fitted, inverses))

        def product(vector: np.ndarray) -> np.ndarray:
            y = root * vector
            out = np.zeros(self.n)
            for columns, fitted, inverses in parts:
                left = self._dense(columns) - _means(family, design @ fitted)
                pull = np.einsum("jpq,jq->jp", inverses, (left * y[:, None]).T @ design)
                out += unit * (left * (design @ pull.T)).sum(axis=1)
            out *= root
            # the operator of one group has within and overall in equal parts
            return out if common is None else out + coordination * common(vector) / 2

        return product

    def _designed(self, variables: np.ndarray) -> np.ndarray:
        return np.column_stack([np.ones(len(variables)), (variables - self.location) / self.scale])

    def _explained(self, q: np.ndarray) -> float:
        return float(self.weights @ (q * self._within(self._X, self.design, self.profiles(q))).sum(axis=1))

    def _within(self, X: Any, design: np.ndarray, profiles: LinearProfiles) -> np.ndarray:
        """log Q(x | c, z), up to a term of x alone."""
        out = np.zeros((X.shape[0], len(profiles.coefficients)))
        for c, coefficients in enumerate(profiles.coefficients):
            out[:, c] = (design * (X @ coefficients.T)).sum(axis=1)  # Σ_f x_f η_f without a dense η
            total = np.zeros(X.shape[0])
            for start in range(0, self.d, _BLOCK):
                predictor = design @ coefficients[:, start : start + _BLOCK]
                if self.family is GAUSSIAN:
                    total += 0.5 * (predictor**2).sum(axis=1)
                elif self.family is BERNOULLI:
                    total += np.logaddexp(0, predictor).sum(axis=1)
                else:
                    total += np.exp(np.minimum(predictor, _LARGEST)).sum(axis=1)
            out[:, c] -= log_of(total) if self.family is MULTINOMIAL else total
        return out / self.d if self.family is BERNOULLI else out

    def _blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        for start in range(0, self.d, _BLOCK):
            columns = slice(start, min(start + _BLOCK, self.d))
            yield columns, self._dense(columns)

    def _dense(self, columns: slice) -> np.ndarray:
        part = self._X[:, columns]
        return part.toarray() if sparse.issparse(part) else part


def _means(family: Family, predictor: np.ndarray) -> np.ndarray:
    """The inverse of the link."""
    if family is GAUSSIAN:
        return predictor
    clipped = np.clip(predictor, -_LARGEST, _LARGEST)
    return 1 / (1 + np.exp(-clipped)) if family is BERNOULLI else np.exp(clipped)


def _variances(family: Family, means: np.ndarray) -> np.ndarray:
    if family is GAUSSIAN:
        return np.ones_like(means)
    return means * (1 - means) if family is BERNOULLI else means


def _curvatures(squares: np.ndarray, w: np.ndarray, variances: np.ndarray, p: int, ridge: float) -> np.ndarray:
    """Σ_x w_x v_xf φ_x φ_xᵀ for each feature, with a ridge: (features, p, p)."""
    out = (variances.T @ (w[:, None] * squares)).reshape(-1, p, p)
    diagonal = np.trace(out, axis1=1, axis2=2) / p
    return out + (ridge * diagonal + LEAST ** (1 / 4))[:, None, None] * np.eye(p)


def _regression(family: Family, design: np.ndarray, rows: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Weighted regression of each feature on the known variables: (p, features)."""
    p = design.shape[1]
    if family is GAUSSIAN:
        gram = design.T @ (w[:, None] * design)
        return np.linalg.solve(
            gram + (_TINY_RIDGE * np.trace(gram) / p + LEAST) * np.eye(p), design.T @ (w[:, None] * rows)
        )
    squares = (design[:, :, None] * design[:, None, :]).reshape(len(design), -1)
    share = (w @ rows) / max(w.sum(), LEAST)
    start = np.log(np.maximum(share, 1e-12)) - (np.log(np.maximum(1 - share, 1e-12)) if family is BERNOULLI else 0)
    out = np.zeros((p, rows.shape[1]))
    out[0] = start
    for _ in range(_STEPS):
        means = _means(family, design @ out)
        curvature = _curvatures(squares, w, _variances(family, means), p, _RIDGE)
        slope = (design.T @ (w[:, None] * (rows - means))).T
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0].T
        out += np.clip(step, -_LARGEST_STEP, _LARGEST_STEP)
    return out

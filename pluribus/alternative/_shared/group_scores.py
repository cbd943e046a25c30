"""Log-likelihoods of rows in clusters whose profile differs between known groups."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pluribus.alternative._shared.families import LEAST, Family
from pluribus.alternative._shared.grouped_rows import GroupedRows


class Profiles(NamedTuple):
    """Means of the clusters: overall P(f|c), and within each known group P(f|c,z)."""

    overall: np.ndarray  # (features, k)
    within: np.ndarray  # (slots, k)


class GroupScores:
    """Rows in known groups, with the weights P(x), and how well clusters explain them."""

    def __init__(self, X: Any, groups: np.ndarray, weights: np.ndarray, family: Family) -> None:
        self.rows = GroupedRows(X, groups, int(groups.max()) + 1)
        self.n, self.d = X.shape
        self.weights, self.family = weights, family  # the weights sum to 1
        everything = np.ones((self.n, 1))
        self.entropies = -np.array(self._explained(everything))  # H(F|Z) and H(F), up to one constant

    def profiles(self, q: np.ndarray) -> Profiles:
        """The means of clusters with the memberships q."""
        weighted = self.weights[:, None] * q
        masses, sizes = self.rows.masses(weighted), self.rows.group_weights(weighted)
        overall = self.rows.by_feature(masses) / np.maximum(sizes.sum(axis=0), LEAST)
        within = masses / np.maximum(sizes, LEAST)[self.rows.group_of]
        empty = sizes <= LEAST  # a group without this cluster: nothing else is known of it there
        if empty.any():
            within = np.where(empty[self.rows.group_of], overall[self.rows.feature_of], within)
        return Profiles(overall, within)

    def scores(self, q: np.ndarray, coordination: float) -> np.ndarray:
        """E(x, c) = Σ_f P(f|x) [log P(f|c,z) + λ log P(f|c)], the exponent of (11.6): (n, k)."""
        return self.scores_of(self.profiles(q), coordination)

    def scores_of(self, profiles: Profiles, coordination: float) -> np.ndarray:
        """The same, for given profiles."""
        family, rows, d = self.family, self.rows, self.d
        table, offset = family.natural(profiles.within, d), rows.by_group(family.offset(profiles.within, d))
        if coordination:
            table = table + coordination * family.natural(profiles.overall, d)[rows.feature_of]
            offset = offset + coordination * family.offset(profiles.overall, d).sum(axis=0)
        return rows.scores(table) + offset[rows.groups]

    def scores_of_new(self, X: Any, groups: np.ndarray, profiles: Profiles, coordination: float) -> np.ndarray:
        """The same for other rows; in a group that is not known (-1), the clusters as a whole decide."""
        family, rows, d = self.family, self.rows, self.d
        overall = X @ family.natural(profiles.overall, d) + family.offset(profiles.overall, d).sum(axis=0)
        out = (1 + coordination) * overall
        offset = rows.by_group(family.offset(profiles.within, d))
        for group in np.unique(groups[groups >= 0]):
            slots, here = rows.group_of == group, groups == group
            table = np.zeros_like(profiles.overall)  # features that the group never had tell nothing about clusters
            table[rows.feature_of[slots]] = family.natural(profiles.within[slots], d)
            out[here] = X[here] @ table + offset[group] + coordination * overall[here]
        return out

    def informations(self, q: np.ndarray) -> tuple[float, float]:
        """I(C;F|Z) and I(C;F) in nats; for numbers, half the variance that the clusters explain."""
        within, overall = np.array(self._explained(q)) + self.entropies
        return float(within), float(overall)

    def known_information(self) -> float:
        """I(Z;F) in nats."""
        return float(self.entropies[1] - self.entropies[0])

    def mean_square(self) -> float:
        """Σ P(x) |x|²."""
        X = self.rows.X
        return float(self.weights @ (X.multiply(X).sum(axis=1) if sparse.issparse(X) else (X**2).sum(axis=1)))

    def _explained(self, q: np.ndarray) -> tuple[float, float]:
        """Σ P(x) q(c|x) log-likelihood, by the profiles within groups, and by those of the clusters."""
        family, rows, d = self.family, self.rows, self.d
        weighted = self.weights[:, None] * q
        masses, sizes = rows.masses(weighted), rows.group_weights(weighted)
        means = masses / np.maximum(sizes, LEAST)[rows.group_of]
        within = (masses * family.natural(means, d)).sum() + (sizes * rows.by_group(family.offset(means, d))).sum()
        masses, total = rows.by_feature(masses), sizes.sum(axis=0)
        means = masses / np.maximum(total, LEAST)
        overall = (masses * family.natural(means, d)).sum() + (total * family.offset(means, d)).sum()
        return float(within), float(overall)

    def novelty(self, q: np.ndarray) -> float:
        """How much clusters explain of what the known groups leave: Σ P(c) |mean of F - E(F|z) in c|² / variance.

        It is 0 for the known groups themselves, and low for clusters that mean something else in each group.
        """
        rows, family = self.rows, self.family
        weighted = self.weights[:, None] * q
        sizes, alone = rows.group_weights(weighted), self.profiles(np.ones((self.n, 1)))
        beyond = rows.by_feature(rows.masses(weighted) - alone.within * sizes[rows.group_of])
        variance = family.precision(alone.overall, self.d)
        return float((variance * beyond**2 / np.maximum(sizes.sum(axis=0), LEAST)).sum())

    def fluctuations(self, member: np.ndarray, coordination: float) -> Any:
        """The operator K whose largest eigenvalue decides when a cluster splits: at β = 1 / λ_max.

        With w_x = P(x) q(c|x) / P(c), it is w^½ S w^½ and
        S = λ (F - μ) · (F' - μ) / variance + 1[z = z'] (F - μ_z) · (F' - μ_z) / variance_z / P(z|c).
        """
        w = self.weights * member
        w = (w / w.sum())[:, None]
        rows, family, d = self.rows, self.family, self.d
        profiles = self.profiles(w / np.maximum(self.weights, LEAST)[:, None])
        sizes = rows.group_weights(w)
        root, share = np.sqrt(w), _inverse(sizes)
        overall, within = family.precision(profiles.overall, d), family.precision(profiles.within, d)

        def product(vector: np.ndarray) -> np.ndarray:
            y = root * vector.reshape(-1, 1)
            masses, sums = rows.masses(y), rows.group_weights(y)
            local = within * (masses - profiles.within * sums[rows.group_of]) * share[rows.group_of]
            table, offset = local, rows.by_group(profiles.within * local)
            if coordination:
                common = coordination * overall * (rows.by_feature(masses) - profiles.overall * sums.sum(axis=0))
                table, offset = table + common[rows.feature_of], offset + (profiles.overall * common).sum(axis=0)
            return (root * (rows.scores(table) - offset[rows.groups])).ravel()

        return product


def _inverse(values: np.ndarray) -> np.ndarray:
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > LEAST)

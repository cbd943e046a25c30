"""Votes for clusters: matching their names, voting in turn, and merging clusters that share their votes."""

import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment

from pluribus.consensus._shared.label_rows import LabelRows
from pluribus.partitions import Ensemble


def match_clusters(overlap: np.ndarray, is_free: np.ndarray) -> np.ndarray:
    """Name clusters (rows) after others (columns) for the largest total overlap; one-hot, of the same shape.

    The matching is one to one as far as possible. A remaining cluster, or one matched to a used name without overlap,
    takes the name of largest overlap; without any overlap it gets no name (a row of zeros). ``is_free`` marks unused
    names: a cluster may be the first to use one.
    """
    reward = overlap + 1e-9 * overlap.max() * is_free  # on ties, prefer an unused name
    rows, columns = linear_sum_assignment(reward, maximize=True)
    fits = (overlap[rows, columns] > 0) | is_free[columns]
    name = np.where(overlap.any(axis=1), overlap.argmax(axis=1), -1)
    name[rows[fits]] = columns[fits]
    matched = np.zeros(overlap.shape)
    matched[name >= 0, name[name >= 0]] = 1
    return matched


class Ballot:
    """Votes of the partitions for as many clusters as the largest of them has.

    ``votes[x, c]`` is the weight of the partitions that put row x into cluster c, times the count of the row, and
    ``correspondence`` (q, c) the vote of each cluster of each partition. ``named`` (n, k) is the reference.
    """

    def __init__(
        self, ensemble: Ensemble, rows: LabelRows, voters: np.ndarray, reference: int | None, named: np.ndarray
    ) -> None:
        self.rows, self.names, self.reference, self.named = rows, ensemble.names, reference, named
        self.voters = [int(p) for p in voters]
        self.weights = ensemble.weights / ensemble.weights.max()
        k = max(named.shape[1], int(ensemble.n_clusters[voters].max()))
        self.correspondence = np.zeros((len(rows.weights), k))
        self.votes = np.zeros((rows.n, k))
        self.parts = {p: rows.partition(p) for p in self.voters}
        self.squares = {p: _square(part) for p, part in self.parts.items()}

    def vote_in_turn(self) -> None:
        """Match each partition to the votes so far, starting with the reference."""
        k = self.named.shape[1]
        is_named = np.zeros(self.votes.shape[1], dtype=bool)
        waiting = [p for p in self.voters if p != self.reference]
        is_voter = len(waiting) < len(self.voters)
        if is_voter:
            self._cast(self.reference, np.eye(k, self.votes.shape[1]))  # type: ignore[arg-type]
        else:
            self.votes[:, :k] = self.named
            is_named[:k] = True
        for p in waiting:
            overlap = self._overlap(p)
            if overlap.any():  # otherwise it waits for the next round, with more votes
                self._cast(p, match_clusters(overlap, ~(is_named | self.correspondence.any(axis=0))))
        if not is_voter:
            self.votes[:, :k] -= self.named

    def go_round(self) -> bool:
        """Match each partition to the votes of all others. Returns whether a vote changed; agreement never falls."""
        changed = False
        for p in self.voters:
            old = self._own(p).copy()
            overlap = self._overlap(p) - self.weights[p] * self.squares[p] @ old
            overlap[overlap < 1e-9] = 0
            is_used = self.correspondence.sum(axis=0) > old.sum(axis=0)
            new = match_clusters(overlap, ~is_used)
            if (overlap * new).sum() > (overlap * old).sum() * (1 + 1e-9):
                self._cast(p, new)
                changed = True
        return changed

    def agreement(self) -> float:
        """Mean share of votes on which two partitions agree, over all objects and pairs of partitions."""
        weights = np.zeros_like(self.weights)
        weights[self.voters] = self.weights[self.voters]
        cast = self.rows.look_up(self.rows.spread(np.column_stack([weights, weights**2])))
        pairs = (self.rows.counts * (cast[:, 0] ** 2 - cast[:, 1])).sum()
        alone = sum(weights[p] ** 2 * (self._own(p) * (self.squares[p] @ self._own(p))).sum() for p in self.voters)
        together = (self.votes**2 / self.rows.counts[:, None]).sum() - alone
        return float(together / pairs) if pairs > 0 else 1.0

    def shares(self) -> np.ndarray:
        """Shares of the votes; zero for rows without any."""
        total = self.votes.sum(axis=1, keepdims=True)
        return np.divide(self.votes, total, out=np.zeros_like(self.votes), where=total > 0)

    def check_all_voted(self) -> None:
        """Refuse partitions that have no object in common with the others."""
        apart = [self.names[p] for p in self.voters if not self._own(p).any()]
        if apart:
            raise ValueError(
                f"{len(apart)} partitions have no object in common with the reference or the others ({apart[0]!r}), "
                "so their clusters cannot be matched. Leave them out, or add partitions that overlap with them."
            )

    def _own(self, p: int) -> np.ndarray:
        return self.correspondence[self.rows.offsets[p] : self.rows.offsets[p + 1]]

    def _overlap(self, p: int) -> np.ndarray:
        """The votes for each cluster of the ballot in each cluster of partition p."""
        part = self.parts[p]
        return part.over_blocks(lambda a, b: (part.sum_by(self.votes[a:b], a, b),), self.votes.shape[1])[0]

    def _cast(self, p: int, matched: np.ndarray) -> None:
        """Replace the vote of partition p."""
        part, change = self.parts[p], self.weights[p] * (matched - self._own(p))

        def add(start: int, stop: int) -> tuple[()]:
            self.votes[start:stop] += part.look_up(change, start, stop) * self.rows.counts[start:stop, None]
            return ()

        part.over_blocks(add, 1)
        self._own(p)[:] = matched


def _square(part: LabelRows) -> np.ndarray:
    """Uᵀ U of one partition: the cluster sizes on the diagonal, and zeros elsewhere if it is hard."""
    each_cluster = np.eye(part.n_clusters[0])

    def count(start: int, stop: int) -> tuple[np.ndarray]:
        members = part.look_up(each_cluster, start, stop) * part.counts[start:stop, None]
        return (part.sum_by(members, start, stop),)

    return part.over_blocks(count, len(each_cluster))[0]


def merge_clusters(shares: np.ndarray, counts: np.ndarray, n_clusters: int | None, threshold: float) -> np.ndarray:
    """Merge clusters whose objects share their votes, the closest first; returns the new number of each column.

    The closeness of j to i is the mean share of j in the votes for the objects that i wins. A column that wins no
    object is merged with the cluster whose objects voted most for it.
    """
    weights = counts * shares.any(axis=1)
    popular = np.argsort(-(weights[:, None] * shares).sum(axis=0), kind="stable")
    shares = shares[:, popular]  # the first of a tie is the one with the most votes
    number = np.argsort(popular)
    while shares.shape[1] > 1:
        k = shares.shape[1]
        winner = shares.argmax(axis=1)
        sizes = np.bincount(winner, weights=weights, minlength=k)
        won = np.column_stack([np.bincount(winner, weights=weights * shares[:, j], minlength=k) for j in range(k)])
        if not sizes.all():
            gone = int(np.flatnonzero(sizes == 0)[-1])
            won[gone] = -1
            kept = int(won[:, gone].argmax())
        else:
            near = won / sizes[:, None]
            closeness = np.maximum(near, near.T)
            np.fill_diagonal(closeness, -1)
            kept, gone = sorted(int(i) for i in np.unravel_index(closeness.argmax(), (k, k)))
            done = closeness[kept, gone] <= threshold if n_clusters is None else k <= n_clusters
            if done:
                break
        shares[:, kept] += shares[:, gone]
        shares = np.delete(shares, gone, axis=1)
        number[number == gone] = kept
        number[number > gone] -= 1
    if n_clusters is not None and shares.shape[1] < n_clusters:
        warnings.warn(
            f"The vote has only {shares.shape[1]} clusters, fewer than n_clusters={n_clusters}.",
            UserWarning,
            stacklevel=4,
        )
    return number
